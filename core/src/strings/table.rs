//! One layer of interned strings: bytes, records and the index over them.
//!
//! Holds unsafe code: bytes that went in as a `str` come out as one unchecked.

use lexpool_pool::{BytePages, BytesAt, Index, Pages, Stats};

use super::id::StrId;
use crate::Result;

/// Interned strings that live and die together: a store's permanent ones, or those of one zone.
pub(crate) struct Table {
    bytes: BytePages,
    records: Pages<Record>,
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
        Table { bytes: BytePages::new(), records: Pages::new(), index: Index::new() }
    }

    /// Stores a string under its id, which the caller has computed and found to be no symbol's.
    pub(crate) fn intern(&self, id: StrId, string: &str) -> Result<Interned> {
        let (position, new) = self.index.find_or_insert(
            id.get(),
            |position| self.record(position).id == id,
            |position| self.record(position).id.get(),
            || -> Result<u32> {
                let bytes = self.bytes.push(string.as_bytes())?;
                Ok(self.records.push(Record { id, bytes })?)
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
        self.index.find(id.get(), |position| self.record(position).id == id)
    }

    /// The strings in the order in which they were added.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (StrId, &str)> {
        (0..self.records.len()).map(|position| (self.record(position).id, self.at(position)))
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len() as usize
    }

    pub(crate) fn stats(&self) -> Stats {
        self.bytes.stats() + self.records.stats() + self.index.stats()
    }

    fn record(&self, position: u32) -> &Record {
        self.records.get(position).expect("the index holds only positions that were pushed")
    }

    /// The string at a position that [`intern`](Table::intern) or `position` gave.
    pub(crate) fn at(&self, position: u32) -> &str {
        let bytes = self.bytes.get(self.record(position).bytes);
        let bytes = bytes.expect("a record names bytes of its own table");
        debug_assert!(std::str::from_utf8(bytes).is_ok());
        // SAFETY: the bytes came from a `&str` in `intern`, the only place that pushes any, and
        // `BytePages` gives back what was pushed.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }
}
