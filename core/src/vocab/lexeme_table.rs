//! The tables of lexemes: of a vocab, and of a zone.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lexpool_pool::{Index, SegmentedVec, Stats};
use lexpool_structs::LexemeC;

use super::image::mapped::MappedVocab;
use super::lexeme::{LexemeCell, OOV_RANK};
use crate::Result;
use crate::strings::{StrId, StrIx};

/// The lexemes of a vocab, found by the position of their text in the string store.
///
/// A look-up of a word first finds the position of its string. The column `by_string` maps that
/// position to the lexeme, so lexemes need no hash index of their own.
///
/// The lexemes of an image come first. In an image, words and strings are in the same order, so
/// these lexemes need no entry in the column. After them is a gap of positions without lexemes.
pub(super) struct LexemeTable {
    cells: SegmentedVec<LexemeCell>,
    image: Option<Arc<MappedVocab>>,
    /// The string position at which the column begins.
    first_string: u32,
    /// The position of the lexeme of each string from there on; 0, the empty lexeme, if it has
    /// none.
    by_string: SegmentedVec<AtomicU32>,
    /// The lexemes of symbols and of other strings of an image that were not words. Unused without
    /// an image.
    late: Index,
    /// The record that stands for positions without a lexeme.
    blank: LexemeCell,
    /// A contiguous run of blank records, built on demand for callers that need a slice.
    gap: OnceLock<Box<[LexemeCell]>>,
    /// The position of the first lexeme that was not forgotten.
    first: AtomicU32,
    inserting: Mutex<()>,
}

impl LexemeTable {
    /// Creates a table with the empty lexeme, which is found by its position only.
    pub(super) fn new() -> Result<LexemeTable> {
        let cells = SegmentedVec::new();
        cells.push(blank())?;
        Ok(LexemeTable::of(cells, None, 0))
    }

    /// Creates a table that begins with the lexemes of an image; `first_string` is the position of
    /// the first string after it. Constant time.
    pub(super) fn with_image(image: &Arc<MappedVocab>, first_string: u32) -> Result<LexemeTable> {
        Ok(LexemeTable::of(image.lexeme_vec()?, Some(Arc::clone(image)), first_string))
    }

    fn of(
        cells: SegmentedVec<LexemeCell>,
        image: Option<Arc<MappedVocab>>,
        first_string: u32,
    ) -> LexemeTable {
        LexemeTable {
            cells,
            image,
            first_string,
            by_string: SegmentedVec::new(),
            late: Index::new(),
            blank: blank(),
            gap: OnceLock::new(),
            first: AtomicU32::new(1),
            inserting: Mutex::default(),
        }
    }

    /// Returns the position of the lexeme of a string with this id. Cost: two loads; for strings of
    /// an image, a hash look-up.
    #[inline]
    pub(super) fn find(&self, orth: StrId, string: StrIx) -> Option<u32> {
        let Some(at) = string.get().checked_sub(self.first_string) else {
            return self.find_early(orth, string);
        };
        // Pairs with the store in `insert`: a thread that reads the position sees the record.
        let position = self.by_string.get(at)?.load(Ordering::Acquire);
        (position != 0).then_some(position)
    }

    /// Returns the lexeme of a string of the image or of a symbol.
    fn find_early(&self, orth: StrId, string: StrIx) -> Option<u32> {
        let image = self.image.as_ref()?;
        let first = self.first();
        let word = match string.stored() {
            Some(position) => (position < image.words()).then(|| position + 1),
            None => image.lexeme(orth),
        };
        word.filter(|position| *position >= first).or_else(|| {
            self.late.find(orth.get(), |position| position >= first && self.has(position, orth))
        })
    }

    fn has(&self, position: u32, orth: StrId) -> bool {
        self.cells.get(position).is_some_and(|cell| cell.orth() == orth)
    }

    /// Returns the position of a string's lexeme, which is added with this record if there is none
    /// yet.
    pub(super) fn insert(&self, string: StrIx, record: LexemeC) -> Result<u32> {
        let _turn = self.inserting.lock().unwrap_or_else(PoisonError::into_inner);
        let orth = StrId::new(record.orth);
        if let Some(position) = self.find(orth, string) {
            return Ok(position);
        }
        let Some(at) = string.get().checked_sub(self.first_string) else {
            return self.insert_late(orth, record);
        };
        while self.by_string.len() <= at {
            self.by_string.push(AtomicU32::new(0))?;
        }
        let position = self.cells.push(LexemeCell::new(record))?;
        let slot = self.by_string.get(at).expect("the column was extended above");
        slot.store(position, Ordering::Release);
        Ok(position)
    }

    fn insert_late(&self, orth: StrId, record: LexemeC) -> Result<u32> {
        let first = self.first();
        let (position, _) = self.late.find_or_insert(
            orth.get(),
            |position| position >= first && self.has(position, orth),
            |position| self.cells.get(position).map_or(0, |cell| cell.orth().get()),
            || -> Result<u32> { Ok(self.cells.push(LexemeCell::new(record))?) },
        )?;
        Ok(position)
    }

    /// Forgets all lexemes. Their records stay, since documents refer to their positions.
    pub(super) fn forget(&self) {
        let _turn = self.inserting.lock().unwrap_or_else(PoisonError::into_inner);
        self.by_string.iter().for_each(|slot| slot.store(0, Ordering::Release));
        self.first.store(self.cells.len(), Ordering::Release);
    }

    /// Returns the position of the first lexeme that was not forgotten.
    pub(super) fn first(&self) -> u32 {
        self.first.load(Ordering::Acquire)
    }

    pub(super) fn get(&self, position: u32) -> Option<&LexemeCell> {
        self.cells.get(position)
    }

    /// Returns the position of the first lexeme that is not in the image.
    pub(super) fn first_new(&self) -> u32 {
        self.cells.pushed_indices().start
    }

    /// Returns the next position.
    pub(super) fn end(&self) -> u32 {
        self.cells.len()
    }

    /// Returns the positions of lexemes from `first` on: those of an image, and later ones.
    pub(super) fn since(&self, first: u32) -> [Range<u32>; 2] {
        let since = |range: Range<u32>| range.start.max(first).min(range.end)..range.end;
        [since(self.cells.base_indices()), since(self.cells.pushed_indices())]
    }

    /// Returns the records by position, with blank ones in the gap.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &LexemeCell> {
        (0..self.end() as usize).map(|position| self.at(position).unwrap_or(&self.blank))
    }

    /// Returns the record at a position, a blank one in the gap, `None` from the end on.
    pub(super) fn at(&self, position: usize) -> Option<&LexemeCell> {
        let position = u32::try_from(position).ok().filter(|position| *position < self.end())?;
        Some(self.cells.get(position).unwrap_or(&self.blank))
    }

    /// Returns the records by position as contiguous slices, with blank ones in the gap.
    pub(super) fn runs(&self) -> Vec<&[LexemeCell]> {
        let (base, pushed) = (self.cells.base_indices(), self.cells.pushed_indices());
        let mut runs = Vec::new();
        let mut n_records = 0;
        for run in self.cells.segments() {
            runs.push(run);
            n_records += run.len();
            if n_records == base.len() && base.end < pushed.start {
                let gap = (base.end..pushed.start).map(|_| blank());
                runs.push(self.gap.get_or_init(|| gap.collect::<Vec<_>>().into()));
            }
        }
        runs
    }

    /// Returns the address of the table of segment addresses.
    pub(super) fn segment_table(&self) -> *const *const LexemeC {
        self.cells.segment_table().cast()
    }

    pub(super) fn stats(&self) -> Stats {
        self.cells.stats() + self.by_string.stats() + self.late.stats()
    }
}

fn blank() -> LexemeCell {
    LexemeCell::new(LexemeC { id: OOV_RANK, ..LexemeC::default() })
}

/// The lexemes of a zone, found by id, since their strings may be permanent or of the zone.
pub(super) struct ZoneLexemeTable {
    cells: SegmentedVec<LexemeCell>,
    index: Index,
}

impl ZoneLexemeTable {
    pub(super) fn new() -> ZoneLexemeTable {
        ZoneLexemeTable { cells: SegmentedVec::new(), index: Index::new() }
    }

    pub(super) fn find(&self, orth: StrId) -> Option<u32> {
        self.index.find(orth.get(), |position| self.cell(position).orth() == orth)
    }

    /// Returns the position of the lexeme of an id, which is added with this record if there is
    /// none yet.
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

    /// Returns the address of the table of segment addresses.
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
