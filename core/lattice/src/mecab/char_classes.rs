//! The classes of characters, `char.bin`.

use bytes::Bytes;
use lexpool_error::Result;

use crate::damaged::damaged;
use crate::le::u32_at;

/// The length of a class's name in the file.
const NAME_LEN: usize = 32;

/// The number of characters in the file.
const CHARS: usize = 0xffff;

/// The classes of characters.
#[derive(Clone, Debug)]
pub(super) struct CharClasses {
    names: Vec<Vec<u8>>,
    chars: Bytes,
}

/// The classes of a character, and the rules of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct CharClass(u32);

impl CharClasses {
    pub(super) fn read(file: &Bytes) -> Result<CharClasses> {
        let read = || {
            let count = u32_at(file, 0)? as usize;
            let start = count.checked_mul(NAME_LEN)?.checked_add(4)?;
            let names = file.get(4..start)?.chunks_exact(NAME_LEN);
            let names =
                names.map(|name| name.split(|&b| b == 0).next().unwrap_or_default().to_vec());
            file.get(start..start + 4 * CHARS)?;
            Some(CharClasses { names: names.collect(), chars: file.slice(start..) })
        };
        read().ok_or_else(|| damaged("char.bin ends before its last character"))
    }

    /// Returns the names of the classes.
    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.iter().map(Vec::as_slice)
    }

    /// Returns the classes of a character. Those beyond the file are classed like U+0000.
    #[inline]
    pub(super) fn of(&self, c: char) -> CharClass {
        let at = if (c as usize) < CHARS { c as usize } else { 0 };
        CharClass(u32_at(&self.chars, 4 * at).unwrap_or_default())
    }
}

impl CharClass {
    /// Returns `true` if the characters have a class in common.
    pub(super) fn shares(self, other: CharClass) -> bool {
        self.0 & other.0 & ((1 << 18) - 1) != 0
    }

    /// Returns the number of the first class, whose unknown words are made.
    pub(super) fn number(self) -> usize {
        (self.0 >> 18 & 0xff) as usize
    }

    /// Returns the number of characters up to which unknown words are made.
    pub(super) fn max_len(self) -> usize {
        (self.0 >> 26 & 0xf) as usize
    }

    /// Returns `true` if all following characters of the classes make an unknown word.
    pub(super) fn is_grouped(self) -> bool {
        self.0 >> 30 & 1 == 1
    }

    /// Returns `true` if unknown words are made also where words of the dictionary begin.
    pub(super) fn is_always_unknown(self) -> bool {
        self.0 >> 31 == 1
    }
}
