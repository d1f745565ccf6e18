//! The words of a dictionary: parameters for the lattice, and what is known of a word.

use std::ops::Range;

use bytes::Bytes;

use crate::lattice::Word;
use crate::le::{Cursor, i16_at, push_utf16, u16_at, u32_at};

/// The number of words of one spelling that are read, which is what the format before Sudachi 0.7
/// can hold. Damaged bytes may claim any number.
const MAX_HOMOGRAPHS: u64 = 255;

/// The number of a word in its dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WordId(pub(super) u32);

impl WordId {
    /// The bits of a word's number; the others tell the dictionary, of which there is one here.
    const MASK: u32 = (1 << 28) - 1;

    /// Reads a reference to a word.
    pub(super) fn from_reference(raw: u32) -> WordId {
        WordId(raw & WordId::MASK)
    }

    /// The number as such.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// The entry of a word, as ranges of the file's bytes.
#[derive(Clone, Debug)]
pub(super) struct WordEntry {
    pub(super) pos: u16,
    /// The length of the normalized word in bytes.
    pub(super) len: usize,
    pub(super) reading: Utf16,
    pub(super) norm: Utf16,
    pub(super) lemma: Utf16,
    /// The words that the word consists of in mode A.
    pub(super) short_units: References,
    /// The same in mode B.
    pub(super) middle_units: References,
}

/// A string in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Utf16(pub(super) Range<usize>);

/// Numbers of words in the file, of four bytes each.
#[derive(Clone, Debug, Default)]
pub(super) struct References(pub(super) Range<usize>);

/// The layouts of the words in a file.
#[derive(Clone, Debug)]
pub(super) enum Lexicon {
    /// Before Sudachi 0.7.
    Legacy(LegacyLexicon),
    /// Since Sudachi 0.7.
    Blocks(BlockLexicon),
}

/// Words as they were before Sudachi 0.7: parameters by number, and entries at offsets of the file.
#[derive(Clone, Debug)]
pub(super) struct LegacyLexicon {
    pub(super) file: Bytes,
    /// The lists of words with the same surface.
    pub(super) word_ids: Range<usize>,
    pub(super) params: Range<usize>,
    /// The offsets of entries in the file.
    pub(super) offsets: Range<usize>,
}

/// Words as they are since Sudachi 0.7: the number of a word is an eighth of its entry's offset.
#[derive(Clone, Debug)]
pub(super) struct BlockLexicon {
    pub(super) file: Bytes,
    pub(super) word_pointers: Range<usize>,
    pub(super) strings: Range<usize>,
    pub(super) entries: Range<usize>,
}

impl Lexicon {
    fn file(&self) -> &[u8] {
        match self {
            Lexicon::Legacy(lexicon) => &lexicon.file,
            Lexicon::Blocks(lexicon) => &lexicon.file,
        }
    }

    /// Calls a function for each word of a list that the trie names by its position.
    #[inline]
    pub(super) fn words_at(&self, position: u32, mut found: impl FnMut(WordId)) {
        match self {
            Lexicon::Legacy(LegacyLexicon { file, word_ids, .. }) => {
                let list = &file[word_ids.clone()];
                let Some(&count) = list.get(position as usize) else { return };
                for i in 0..usize::from(count) {
                    let Some(id) = u32_at(list, position as usize + 1 + 4 * i) else { return };
                    found(WordId::from_reference(id));
                }
            }
            Lexicon::Blocks(BlockLexicon { file, word_pointers, .. }) => {
                let mut cursor = Cursor::new(&file[word_pointers.clone()], position as usize);
                let Some(count) = cursor.varint() else { return };
                let mut id = 0_u64;
                for _ in 0..count.min(MAX_HOMOGRAPHS) {
                    let Some(delta) = cursor.varint() else { return };
                    id = id.saturating_add(delta);
                    let Ok(number) = u32::try_from(id) else { return };
                    found(WordId::from_reference(number));
                }
            }
        }
    }

    /// Returns the parameters of a word for the lattice; `None` for a number of damaged bytes.
    #[inline]
    pub(super) fn word(&self, id: WordId) -> Option<Word> {
        let (params, at) = match self {
            Lexicon::Legacy(LegacyLexicon { file, params, .. }) => {
                (&file[params.clone()], 6 * id.0 as usize)
            }
            Lexicon::Blocks(BlockLexicon { file, entries, .. }) => {
                (&file[entries.clone()], 8 * id.0 as usize)
            }
        };
        let params = params.get(at..at + 6)?;
        let (left, right) = (u16_at(params, 0)?, u16_at(params, 2)?);
        Some(Word { left, right, cost: i32::from(i16_at(params, 4)?), id: id.0 })
    }

    /// Returns the entry of a word; `None` if it ends beyond the file.
    pub(super) fn entry(&self, id: WordId) -> Option<WordEntry> {
        match self {
            Lexicon::Legacy(lexicon) => lexicon.entry(id),
            Lexicon::Blocks(lexicon) => lexicon.entry(id),
        }
    }

    /// Appends a string of the file.
    pub(super) fn push(&self, string: &Utf16, out: &mut String) {
        push_utf16(self.file().get(string.0.clone()).unwrap_or_default(), out);
    }

    /// Returns `true` if a string of the file is one ASCII character.
    pub(super) fn is_char(&self, string: &Utf16, c: u8) -> bool {
        self.file().get(string.0.clone()) == Some(&[c, 0])
    }

    /// Returns the words of a list.
    pub(super) fn references(&self, list: &References) -> impl ExactSizeIterator<Item = WordId> {
        let list = self.file().get(list.0.clone()).unwrap_or_default();
        list.chunks_exact(4)
            .map(|id| WordId::from_reference(u32::from_le_bytes([id[0], id[1], id[2], id[3]])))
    }
}

impl LegacyLexicon {
    fn entry(&self, id: WordId) -> Option<WordEntry> {
        let mut cursor = self.cursor(id)?;
        let headword = Utf16(legacy_string(&mut cursor)?);
        let or_headword = |string: Range<usize>| {
            if string.is_empty() { headword.clone() } else { Utf16(string) }
        };
        let len = legacy_len(&mut cursor)?;
        let pos = cursor.u16()?;
        let norm = or_headword(legacy_string(&mut cursor)?);
        let lemma = match cursor.u32()? {
            // Negative numbers stand for the word itself.
            lemma if lemma >> 31 == 1 || lemma == id.0 => headword.clone(),
            lemma => {
                let mut cursor = self.cursor(WordId(lemma))?;
                or_headword(legacy_string(&mut cursor)?)
            }
        };
        let reading = or_headword(legacy_string(&mut cursor)?);
        let mut units = || {
            let count = cursor.u8()?;
            cursor.take(4 * usize::from(count)).map(References)
        };
        let (short_units, middle_units) = (units()?, units()?);
        Some(WordEntry { pos, len, reading, norm, lemma, short_units, middle_units })
    }

    fn cursor(&self, id: WordId) -> Option<Cursor<'_>> {
        let offset = u32_at(&self.file[self.offsets.clone()], 4 * id.0 as usize)?;
        Some(Cursor::new(&self.file, offset as usize))
    }
}

/// Reads a length of one byte, or of two if the highest bit of the first is set.
pub(super) fn legacy_len(cursor: &mut Cursor<'_>) -> Option<usize> {
    let first = usize::from(cursor.u8()?);
    if first < 0x80 {
        return Some(first);
    }
    Some(((first & 0x7f) << 8) | usize::from(cursor.u8()?))
}

fn legacy_string(cursor: &mut Cursor<'_>) -> Option<Range<usize>> {
    let units = legacy_len(cursor)?;
    cursor.take(2 * units)
}

impl BlockLexicon {
    /// The position of the part of speech in an entry, behind the parameters.
    const POS: usize = 6;

    fn entry(&self, id: WordId) -> Option<WordEntry> {
        let at = self.entry_at(id)?;
        let mut cursor = Cursor::new(&self.file[..self.entries.end], at + Self::POS);
        let pos = cursor.u16()?;
        let headword = self.string(cursor.u32()?)?;
        let reading = self.string(cursor.u32()?)?;
        let form = |cursor: &mut Cursor<'_>| {
            let of = WordId::from_reference(cursor.u32()?);
            if of == id { Some(headword.clone()) } else { self.headword(of) }
        };
        let norm = form(&mut cursor)?;
        let lemma = form(&mut cursor)?;
        let len = usize::from(cursor.u16()?);
        // A length below 0 says that the list is that of the mode before.
        let mut list_len = || cursor.u8().map(|len| (len < 0x80).then_some(usize::from(len)));
        let (long, middle, short) = (list_len()?, list_len()?, list_len()?);
        // The lengths of the word's structure, of its groups of synonyms and of user data.
        cursor.take(3)?;
        let mut list = |len: usize| cursor.take(4 * len).map(References);
        let long_units = list(long.unwrap_or(0))?;
        let middle_units = middle.map_or(Some(long_units), &mut list)?;
        let short_units = short.map_or(Some(middle_units.clone()), &mut list)?;
        Some(WordEntry { pos, len, reading, norm, lemma, short_units, middle_units })
    }

    fn entry_at(&self, id: WordId) -> Option<usize> {
        let at = self.entries.start.checked_add(8 * id.0 as usize)?;
        (at < self.entries.end).then_some(at)
    }

    fn headword(&self, id: WordId) -> Option<Utf16> {
        let at = self.entry_at(id)? + Self::POS + 2;
        self.string(u32_at(&self.file[..self.entries.end], at)?)
    }

    /// Returns the string that a pointer names. Its highest five bits are the length of a short
    /// string, or say how many of the next bits belong to the length of a long one, whose offset is
    /// aligned by so much.
    fn string(&self, pointer: u32) -> Option<Utf16> {
        const MAX_SHORT: u32 = 19;
        let head = pointer >> 27;
        let extra = head.saturating_sub(MAX_SHORT);
        let (units, shift) = if extra == 0 {
            (head, 0)
        } else {
            // The highest bit of the rest of the length is 1, and not stored.
            let stored = (pointer & 0x07ff_ffff) >> (28 - extra);
            (MAX_SHORT + (stored | (1 << (extra - 1))), extra - 1)
        };
        let offset = (pointer & (0x07ff_ffff >> shift)) << shift;
        let start = self.strings.start.checked_add(2 * offset as usize)?;
        let end = start.checked_add(2 * units as usize)?;
        (end <= self.strings.end).then_some(Utf16(start..end))
    }
}
