//! Where lexemes are kept and found: those of the vocab, and those of one zone.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use lexpool_pool::{Index, Pages, Stats};
use lexpool_structs::LexemeC;

use super::lexeme::{LexemeCell, OOV_RANK};
use crate::Result;
use crate::strings::{StrId, StrIx};

/// The lexemes of a vocab, found by the position of their text in the string store.
///
/// Who has looked up a string has its position; a column laid out by it spares the lexemes an
/// index of their own, and the reader a second search.
pub(super) struct Lexemes {
    cells: Pages<LexemeCell>,
    /// The position of a string's lexeme; 0, the empty lexeme's, where it has none.
    of_string: Pages<AtomicU32>,
    /// The position of the first lexeme that was not forgotten.
    first: AtomicU32,
    inserting: Mutex<()>,
}

impl Lexemes {
    /// No lexemes but the empty one, which is found by its position only.
    pub(super) fn new() -> Result<Lexemes> {
        let cells = Pages::new();
        cells.push(LexemeCell::new(LexemeC { id: OOV_RANK, ..LexemeC::default() }))?;
        Ok(Lexemes {
            cells,
            of_string: Pages::new(),
            first: AtomicU32::new(1),
            inserting: Mutex::default(),
        })
    }

    /// The position of the lexeme of a string. Cost: two loads.
    #[inline]
    pub(super) fn find(&self, string: StrIx) -> Option<u32> {
        // Pairs with the store in `insert`: who sees the position sees the record.
        let position = self.of_string.get(string.get())?.load(Ordering::Acquire);
        (position != 0).then_some(position)
    }

    /// The position of a string's lexeme, which is entered with this record if there is none yet.
    pub(super) fn insert(&self, string: StrIx, record: LexemeC) -> Result<u32> {
        let _turn = self.inserting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(position) = self.find(string) {
            return Ok(position);
        }
        while self.of_string.len() <= string.get() {
            self.of_string.push(AtomicU32::new(0))?;
        }
        let position = self.cells.push(LexemeCell::new(record))?;
        let place = self.of_string.get(string.get()).expect("the column was made long enough");
        place.store(position, Ordering::Release);
        Ok(position)
    }

    /// Makes all lexemes unknown. Their records stay where they are, for documents hold their
    /// positions.
    pub(super) fn forget(&self) {
        let _turn = self.inserting.lock().unwrap_or_else(PoisonError::into_inner);
        self.of_string.iter().for_each(|place| place.store(0, Ordering::Release));
        self.first.store(self.cells.len(), Ordering::Release);
    }

    /// The position of the first lexeme that was not forgotten.
    pub(super) fn first(&self) -> u32 {
        self.first.load(Ordering::Acquire)
    }

    pub(super) fn get(&self, position: u32) -> Option<&LexemeCell> {
        self.cells.get(position)
    }

    /// How many records there are, the empty one and forgotten ones included.
    pub(super) fn len(&self) -> u32 {
        self.cells.len()
    }

    /// The records, in order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &LexemeCell> {
        self.cells.iter()
    }

    /// Where the addresses of the segments of records lie.
    pub(super) fn segment_table(&self) -> *const *const LexemeC {
        self.cells.segment_table().cast()
    }

    pub(super) fn stats(&self) -> Stats {
        self.cells.stats() + self.of_string.stats()
    }
}

/// The lexemes of a zone, found by their id: their texts may be permanent or the zone's own.
pub(super) struct ZoneLexemes {
    cells: Pages<LexemeCell>,
    index: Index,
}

impl ZoneLexemes {
    pub(super) fn new() -> ZoneLexemes {
        ZoneLexemes { cells: Pages::new(), index: Index::new() }
    }

    pub(super) fn find(&self, orth: StrId) -> Option<u32> {
        self.index.find(orth.get(), |position| self.cell(position).orth() == orth)
    }

    /// The position of the lexeme of an id, entered with this record if there is none yet.
    pub(super) fn insert(&self, record: LexemeC) -> Result<u32> {
        let orth = StrId::new(record.orth);
        let (position, _) = self.index.find_or_insert(
            record.orth,
            |position| self.cell(position).orth() == orth,
            |position| self.cell(position).orth().get(),
            || -> Result<u32> { Ok(self.cells.push(LexemeCell::new(record))?) },
        )?;
        Ok(position)
    }

    pub(super) fn get(&self, position: u32) -> Option<&LexemeCell> {
        self.cells.get(position)
    }

    pub(super) fn len(&self) -> u32 {
        self.cells.len()
    }

    /// Where the addresses of the segments of records lie.
    pub(super) fn segment_table(&self) -> *const *const LexemeC {
        self.cells.segment_table().cast()
    }

    pub(super) fn stats(&self) -> Stats {
        self.cells.stats() + self.index.stats()
    }

    fn cell(&self, position: u32) -> &LexemeCell {
        self.cells.get(position).expect("the index holds only positions that were pushed")
    }
}
