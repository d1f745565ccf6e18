//! One layer of interned strings: bytes, records and the index over them.

use lexpool_pool::{BytesAt, BytePages, Index, Pages, Stats};

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
pub(crate) enum Interned {
    /// It was new, or the same bytes were there.
    Stored,
    /// Other bytes with the same id were there first, and stay.
    Collision,
}

impl Table {
    pub(crate) fn new() -> Table {
        Table { bytes: BytePages::new(), records: Pages::new(), index: Index::new() }
    }

    /// Stores a string under its id, which the caller has computed and found to be no symbol's.
    pub(crate) fn intern(&self, id: StrId, string: &str) -> Result<Interned> {
        let (ix, new) = self.index.find_or_insert(
            id.get(),
            |ix| self.record(ix).id == id,
            |ix| self.record(ix).id.get(),
            || -> Result<u32> {
                let bytes = self.bytes.push(string.as_bytes())?;
                Ok(self.records.push(Record { id, bytes })?)
            },
        )?;
        Ok(if new || self.text(ix) == string { Interned::Stored } else { Interned::Collision })
    }

    /// The string of an id. Lock-free.
    pub(crate) fn get(&self, id: StrId) -> Option<&str> {
        self.index.find(id.get(), |ix| self.record(ix).id == id).map(|ix| self.text(ix))
    }

    /// The strings in the order in which they were added.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (StrId, &str)> {
        (0..self.records.len()).map(|ix| (self.record(ix).id, self.text(ix)))
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len() as usize
    }

    pub(crate) fn stats(&self) -> Stats {
        self.bytes.stats() + self.records.stats() + self.index.stats()
    }

    fn record(&self, ix: u32) -> &Record {
        self.records.get(ix).expect("the index holds only positions that were pushed")
    }

    fn text(&self, ix: u32) -> &str {
        let bytes = self.bytes.get(self.record(ix).bytes).expect("a record names bytes of its own table");
        debug_assert!(std::str::from_utf8(bytes).is_ok());
        // SAFETY: the bytes came from a `&str` in `intern`, the only place that pushes any, and
        // `BytePages` gives back what was pushed.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }
}
