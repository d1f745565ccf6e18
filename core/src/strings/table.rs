//! A layer of interned strings: their bytes, their records and a hash index over the records, on
//! top of strings of a file if there are any.
//!
//! # Safety
//!
//! This module contains unsafe code. It relies on two invariants:
//!
//! 1. `T1`: `bytes` contains UTF-8 only: [`StringTable::store`] alone appends to it, whole `str`
//!    values, and `SegmentedBytes` returns exactly the bytes of one append.
//! 2. `T2`: `store` appends to `bytes` only while the caller has the writer of `records`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lexpool_pool::{BytesAt, Index, IndexWriter, SegmentedBytes, SegmentedVec, Stats, VecWriter};
use lexpool_structs::StrId;

use crate::codes;
use crate::{Error, ErrorKind, Result};

/// Immutable strings that a table begins with, such as those of a vocab image.
///
/// An implementation is not trusted: a wrong result leads to a wrong string, not to unsafety.
pub(crate) trait BaseStrings: Send + Sync {
    /// Returns the number of strings; their positions are below it.
    fn len(&self) -> u32;

    /// Returns the number of symbols among them, which a store does not count.
    fn symbol_count(&self) -> u32;

    /// Returns the position of the string with an id.
    fn position(&self, id: StrId) -> Option<u32>;

    /// Returns the string at a position, with its id.
    fn get(&self, position: u32) -> Option<(StrId, &str)>;

    /// Returns the string at a position; empty if the position is invalid.
    fn at(&self, position: u32) -> &str;
}

/// Interned strings with one lifetime: the permanent ones of a store, or those of one zone.
pub(crate) struct StringTable {
    base: Option<Arc<dyn BaseStrings>>,
    /// The number of strings of the base; the positions of the strings stored here follow.
    base_len: u32,
    frozen: AtomicBool,
    bytes: SegmentedBytes,
    records: SegmentedVec<Record>,
    index: Index,
}

/// A stored string. A record is immutable.
struct Record {
    id: StrId,
    bytes: BytesAt,
}

/// The result of adding a string to a [`StringTable`].
#[derive(Clone, Copy)]
pub(crate) struct InternResult {
    /// The position of the string with the id.
    pub(crate) position: u32,
    /// The string at the position differs: it was added first and has the same id.
    pub(crate) collides: bool,
}

impl StringTable {
    pub(crate) fn new() -> StringTable {
        StringTable {
            base: None,
            base_len: 0,
            frozen: AtomicBool::new(false),
            bytes: SegmentedBytes::new(),
            records: SegmentedVec::new(),
            index: Index::new(),
        }
    }

    /// Creates a table that begins with the strings of `base`. Cost: constant.
    pub(crate) fn over(base: Arc<dyn BaseStrings>) -> StringTable {
        StringTable { base_len: base.len(), base: Some(base), ..StringTable::new() }
    }

    /// Rejects new strings from now on.
    pub(crate) fn freeze(&self) {
        self.frozen.store(true, Ordering::Release);
    }

    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.load(Ordering::Acquire)
    }

    /// Adds a string with its id, which must not be that of a symbol.
    ///
    /// # Errors
    ///
    /// `vocab-frozen` if the string is new and the table frozen; out of memory.
    pub(crate) fn intern(&self, id: StrId, string: &str) -> Result<InternResult> {
        if let Some(known) = self.without_insert(id, string)? {
            return Ok(known);
        }
        let (position, new) = self.index.find_or_insert(
            id.get(),
            |position| self.record(position).id == id,
            |position| self.record(position).id.get(),
            || self.store(&mut self.records.writer(), id, string),
        )?;
        Ok(InternResult { position, collides: !new && self.at(position) != string })
    }

    /// Locks the table to add many strings, of which `expected` may be new. Waits for the additions
    /// of other threads, which wait for the writer; reads do not.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(crate) fn writer(&self, expected: usize) -> Result<TableWriter<'_>> {
        // In the order in which `intern` takes these locks.
        let mut index = self.index.writer();
        let records = self.records.writer();
        if expected > self.records.len() as usize {
            index.reserve(expected, |position| self.record(position).id.get())?;
        }
        Ok(TableWriter { table: self, index, records })
    }

    /// Returns the result for a string of the base, or of a frozen table; else `None`.
    fn without_insert(&self, id: StrId, string: &str) -> Result<Option<InternResult>> {
        let known = |position| InternResult { position, collides: self.at(position) != string };
        if let Some(position) = self.position_in_base(id) {
            return Ok(Some(known(position)));
        }
        if !self.is_frozen() {
            return Ok(None);
        }
        let position = self.position(id).ok_or_else(|| frozen_error(string))?;
        Ok(Some(known(position)))
    }

    /// Stores a string and its record, and returns its position.
    fn store(&self, records: &mut VecWriter<'_, Record>, id: StrId, string: &str) -> Result<u32> {
        // SAFETY: T2: `records` is the only writer of this table's records, as each caller has
        // taken it from them, and its lock orders the appends.
        let bytes = unsafe { self.bytes.push_unlocked(string.as_bytes()) }?;
        let record = records.push(Record { id, bytes })?;
        record.checked_add(self.base_len).ok_or_else(too_many)
    }

    /// Returns the string of an id. Lock-free.
    pub(crate) fn get(&self, id: StrId) -> Option<&str> {
        self.position(id).map(|position| self.at(position))
    }

    /// Returns the position of the string with an id. Lock-free.
    #[inline]
    pub(crate) fn position(&self, id: StrId) -> Option<u32> {
        if let Some(position) = self.position_in_base(id) {
            return Some(position);
        }
        self.index.find(id.get(), |position| self.record(position).id == id)
    }

    /// Returns the strings in the order of their addition, those of the base first, which may
    /// include symbols.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (StrId, &str)> {
        let of_base = (0..self.base_len).filter_map(|at| self.base.as_ref()?.get(at));
        let own = (0..self.records.len()).filter_map(|at| at.checked_add(self.base_len));
        of_base.chain(own.map(|position| (self.record(position).id, self.at(position))))
    }

    /// Returns the number of strings without the symbols of the base.
    pub(crate) fn len(&self) -> usize {
        let symbols = self.base.as_ref().map_or(0, |base| base.symbol_count());
        self.base_len.saturating_sub(symbols) as usize + self.records.len() as usize
    }

    /// Returns the number of strings of the base.
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

    /// Returns the record at a position after the base.
    fn record(&self, position: u32) -> &Record {
        let record = position.checked_sub(self.base_len).and_then(|at| self.records.get(at));
        record.expect("the index holds only positions that were pushed")
    }

    /// Returns the string at a position that [`intern`](StringTable::intern) or `position`
    /// returned.
    pub(crate) fn at(&self, position: u32) -> &str {
        if let Some(base) = self.base.as_ref().filter(|_| position < self.base_len) {
            return base.at(position);
        }
        let bytes = self.bytes.get(self.record(position).bytes);
        let bytes = bytes.expect("a record names bytes of its own table");
        debug_assert!(std::str::from_utf8(bytes).is_ok());
        // SAFETY: T1: the record's bytes are one `str` that `intern` appended.
        unsafe { std::str::from_utf8_unchecked(bytes) }
    }
}

/// The only writer of a [`StringTable`] as long as it lives.
pub(crate) struct TableWriter<'a> {
    table: &'a StringTable,
    index: IndexWriter<'a>,
    records: VecWriter<'a, Record>,
}

impl TableWriter<'_> {
    /// As [`StringTable::intern`], without locks.
    ///
    /// # Errors
    ///
    /// Those of [`StringTable::intern`].
    pub(crate) fn intern(&mut self, id: StrId, string: &str) -> Result<InternResult> {
        let (table, records) = (self.table, &mut self.records);
        if let Some(known) = table.without_insert(id, string)? {
            return Ok(known);
        }
        let (position, new) = self.index.find_or_insert(
            id.get(),
            |position| table.record(position).id == id,
            |position| table.record(position).id.get(),
            || table.store(records, id, string),
        )?;
        Ok(InternResult { position, collides: !new && table.at(position) != string })
    }
}

/// Returns the error of adding a new string to a frozen vocab.
pub(crate) fn frozen_error(string: &str) -> Error {
    let mut shown: String = string.chars().take(80).collect();
    if shown.len() < string.len() {
        shown.push_str("...");
    }
    let text = format!(
        "{shown:?} is new, and the vocab takes no new words or strings: it is frozen. Open a memory \
         zone for text with new words, or add the words before `freeze`"
    );
    Error::new(ErrorKind::State, codes::VOCAB_FROZEN, text)
}

fn too_many() -> Error {
    Error::new(ErrorKind::Overflow, codes::TOO_MANY_STRINGS, "more than 2^32 strings")
}
