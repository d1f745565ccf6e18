//! One layer of interned strings: bytes, records and the index over them, perhaps above strings that
//! were there before.
//!
//! Holds unsafe code: bytes that went in as a `str` come out as one unchecked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lexpool_pool::{BytesAt, Index, SegmentedBytes, SegmentedVec, Stats};
use lexpool_structs::StrId;

use crate::{Error, ErrorKind, Result};

/// Strings that a table begins with, such as those of a file. They never change.
///
/// Nothing that they say is trusted with more than being a string: a wrong answer is a wrong string.
pub(crate) trait BaseStrings: Send + Sync {
    /// How many there are; they have the positions below.
    fn len(&self) -> u32;

    /// How many of them are symbols, which a store knows anyway.
    fn unstored(&self) -> u32;

    /// Where the string of an id is.
    fn position(&self, id: StrId) -> Option<u32>;

    /// The string at a position, with its id.
    fn get(&self, position: u32) -> Option<(StrId, &str)>;

    /// The string at a position; empty if there is none.
    fn at(&self, position: u32) -> &str;
}

/// Interned strings that live and die together: a store's permanent ones, or those of one zone.
pub(crate) struct Table {
    base: Option<Arc<dyn BaseStrings>>,
    /// How many strings the base has; the positions of those stored here follow.
    base_len: u32,
    frozen: AtomicBool,
    bytes: SegmentedBytes,
    records: SegmentedVec<Record>,
    index: Index,
}

/// One stored string. A record is never changed after it was pushed.
struct Record {
    id: StrId,
    bytes: BytesAt,
}

/// What became of a string that was given to a [`Table`].
#[derive(Clone, Copy)]
pub(crate) struct Interned {
    /// Where the string of this id is.
    pub(crate) position: u32,
    /// Whether that string is another one, which was there first and stays.
    pub(crate) collides: bool,
}

impl Table {
    pub(crate) fn new() -> Table {
        Table {
            base: None,
            base_len: 0,
            frozen: AtomicBool::new(false),
            bytes: SegmentedBytes::new(),
            records: SegmentedVec::new(),
            index: Index::new(),
        }
    }

    /// A table that begins with these strings. Cost: none for each of them.
    pub(crate) fn over(base: Arc<dyn BaseStrings>) -> Table {
        Table { base_len: base.len(), base: Some(base), ..Table::new() }
    }

    /// Takes no new strings from now on.
    pub(crate) fn freeze(&self) {
        self.frozen.store(true, Ordering::Release);
    }

    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.load(Ordering::Acquire)
    }

    /// Stores a string under its id, which the caller has computed and found to be no symbol's.
    ///
    /// # Errors
    ///
    /// `vocab-frozen` for a new one in a frozen table; when memory runs out.
    pub(crate) fn intern(&self, id: StrId, string: &str) -> Result<Interned> {
        if let Some(position) = self.position_in_base(id) {
            return Ok(Interned { position, collides: self.at(position) != string });
        }
        if self.is_frozen() {
            return match self.position(id) {
                Some(position) => Ok(Interned { position, collides: self.at(position) != string }),
                None => Err(frozen(string)),
            };
        }
        let (position, new) = self.index.find_or_insert(
            id.get(),
            |position| self.record(position).id == id,
            |position| self.record(position).id.get(),
            || -> Result<u32> {
                let bytes = self.bytes.push(string.as_bytes())?;
                let record = self.records.push(Record { id, bytes })?;
                record.checked_add(self.base_len).ok_or_else(too_many)
            },
        )?;
        Ok(Interned { position, collides: !new && self.at(position) != string })
    }

    /// The string of an id. Lock-free.
    pub(crate) fn get(&self, id: StrId) -> Option<&str> {
        self.position(id).map(|position| self.at(position))
    }

    /// Where the string of an id is. Lock-free.
    #[inline]
    pub(crate) fn position(&self, id: StrId) -> Option<u32> {
        if let Some(position) = self.position_in_base(id) {
            return Some(position);
        }
        self.index.find(id.get(), |position| self.record(position).id == id)
    }

    /// The strings in the order in which they were added, those of the base first; symbols among
    /// these, too.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (StrId, &str)> {
        let of_base = (0..self.base_len).filter_map(|at| self.base.as_ref()?.get(at));
        let own = (0..self.records.len()).filter_map(|at| at.checked_add(self.base_len));
        of_base.chain(own.map(|position| (self.record(position).id, self.at(position))))
    }

    /// How many strings there are; symbols of the base do not count.
    pub(crate) fn len(&self) -> usize {
        let unstored = self.base.as_ref().map_or(0, |base| base.unstored());
        self.base_len.saturating_sub(unstored) as usize + self.records.len() as usize
    }

    /// How many positions are the base's.
    pub(crate) fn base_len(&self) -> u32 {
        self.base_len
    }

    pub(crate) fn stats(&self) -> Stats {
        self.bytes.stats() + self.records.stats() + self.index.stats()
    }

    #[inline]
    fn position_in_base(&self, id: StrId) -> Option<u32> {
        self.base.as_ref()?.position(id).filter(|position| *position < self.base_len)
    }

    /// The record at a position that is not the base's.
    fn record(&self, position: u32) -> &Record {
        let record = position.checked_sub(self.base_len).and_then(|at| self.records.get(at));
        record.expect("the index holds only positions that were pushed")
    }

    /// The string at a position that [`intern`](Table::intern) or `position` gave.
    pub(crate) fn at(&self, position: u32) -> &str {
        if let Some(base) = self.base.as_ref().filter(|_| position < self.base_len) {
            return base.at(position);
        }
        let bytes = self.bytes.get(self.record(position).bytes);
        let bytes = bytes.expect("a record names bytes of its own table");
        debug_assert!(std::str::from_utf8(bytes).is_ok());
        // SAFETY: the bytes came from a `&str` in `intern`, the only place that pushes any, and
        // `SegmentedBytes` gives back what was pushed.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }
}

/// What a frozen table says to a new string.
pub(crate) fn frozen(string: &str) -> Error {
    let mut shown: String = string.chars().take(80).collect();
    if shown.len() < string.len() {
        shown.push_str("...");
    }
    let text = format!(
        "{shown:?} is new, and the vocab takes no new words or strings: it is frozen. Open a memory \
         zone for text with new words, or add the words before `freeze`"
    );
    Error::new(ErrorKind::State, "vocab-frozen", text)
}

fn too_many() -> Error {
    Error::new(ErrorKind::Overflow, "too-many-strings", "more than 2^32 strings")
}
