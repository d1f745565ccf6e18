//! Where lexemes are kept and found: those of the vocab, and those of one zone.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lexpool_pool::{Index, SegmentedVec, Stats};
use lexpool_structs::LexemeC;

use super::image::MappedVocab;
use super::lexeme::{LexemeCell, OOV_RANK};
use crate::Result;
use crate::strings::{StrId, StrIx};

/// The lexemes of a vocab, found by the position of their text in the string store.
///
/// Who has looked up a string has its position; a column laid out by it spares the lexemes an
/// index of their own, and the reader a second search.
///
/// The lexemes of an image come first. There the order of strings is that of words, so nothing has
/// to be laid out for them; between the last of them and the first new one are positions without a
/// lexeme.
pub(super) struct Lexemes {
    cells: SegmentedVec<LexemeCell>,
    image: Option<Arc<MappedVocab>>,
    /// From which position on strings have a place in the column.
    first_string: u32,
    /// The position of a string's lexeme, from that one on; 0, the empty lexeme's, where it has none.
    of_string: SegmentedVec<AtomicU32>,
    /// The lexemes of strings that were there before they were words: symbols, and what an image has
    /// besides words. Unused without an image.
    late: Index,
    /// What is shown where there is no lexeme.
    blank: LexemeCell,
    /// The same as records one behind another, made for who wants them so.
    gap: OnceLock<Box<[LexemeCell]>>,
    /// The position of the first lexeme that was not forgotten.
    first: AtomicU32,
    inserting: Mutex<()>,
}

impl Lexemes {
    /// No lexemes but the empty one, which is found by its position only.
    pub(super) fn new() -> Result<Lexemes> {
        let cells = SegmentedVec::new();
        cells.push(blank())?;
        Ok(Lexemes::of(cells, None, 0))
    }

    /// The lexemes of an image, above which strings begin at a position. Cost: none for each.
    pub(super) fn over(image: &Arc<MappedVocab>, first_string: u32) -> Result<Lexemes> {
        Ok(Lexemes::of(image.lexeme_pages()?, Some(Arc::clone(image)), first_string))
    }

    fn of(
        cells: SegmentedVec<LexemeCell>,
        image: Option<Arc<MappedVocab>>,
        first_string: u32,
    ) -> Lexemes {
        Lexemes {
            cells,
            image,
            first_string,
            of_string: SegmentedVec::new(),
            late: Index::new(),
            blank: blank(),
            gap: OnceLock::new(),
            first: AtomicU32::new(1),
            inserting: Mutex::default(),
        }
    }

    /// The position of the lexeme of a string, which has this id. Cost: two loads, and a search for
    /// what an image has.
    #[inline]
    pub(super) fn find(&self, orth: StrId, string: StrIx) -> Option<u32> {
        let Some(at) = string.get().checked_sub(self.first_string) else {
            return self.find_early(orth, string);
        };
        // Pairs with the store in `insert`: who sees the position sees the record.
        let position = self.of_string.get(at)?.load(Ordering::Acquire);
        (position != 0).then_some(position)
    }

    /// The lexeme of a string that the image has, or that is a symbol.
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

    /// The position of a string's lexeme, which is entered with this record if there is none yet.
    pub(super) fn insert(&self, string: StrIx, record: LexemeC) -> Result<u32> {
        let _turn = self.inserting.lock().unwrap_or_else(PoisonError::into_inner);
        let orth = StrId::new(record.orth);
        if let Some(position) = self.find(orth, string) {
            return Ok(position);
        }
        let Some(at) = string.get().checked_sub(self.first_string) else {
            return self.insert_late(orth, record);
        };
        while self.of_string.len() <= at {
            self.of_string.push(AtomicU32::new(0))?;
        }
        let position = self.cells.push(LexemeCell::new(record))?;
        let place = self.of_string.get(at).expect("the column was made long enough");
        place.store(position, Ordering::Release);
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

    /// The position at which those begin that are not an image's.
    pub(super) fn first_new(&self) -> u32 {
        self.cells.pushed_indices().start
    }

    /// The position that comes next.
    pub(super) fn end(&self) -> u32 {
        self.cells.len()
    }

    /// The positions of lexemes from one on: those of an image, and those that came later.
    pub(super) fn since(&self, first: u32) -> [Range<u32>; 2] {
        let since = |range: Range<u32>| range.start.max(first).min(range.end)..range.end;
        [since(self.cells.base_indices()), since(self.cells.pushed_indices())]
    }

    /// The records by position, blank ones where there is none.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &LexemeCell> {
        (0..self.end() as usize).map(|position| self.at(position).unwrap_or(&self.blank))
    }

    /// The record at a position, a blank one where there is none; nothing from the end on.
    pub(super) fn at(&self, position: usize) -> Option<&LexemeCell> {
        let position = u32::try_from(position).ok().filter(|position| *position < self.end())?;
        Some(self.cells.get(position).unwrap_or(&self.blank))
    }

    /// The records by position as runs, with blank ones where there is none.
    pub(super) fn runs(&self) -> Vec<&[LexemeCell]> {
        let (base, pushed) = (self.cells.base_indices(), self.cells.pushed_indices());
        let mut runs = Vec::new();
        let mut seen = 0;
        for run in self.cells.segments() {
            runs.push(run);
            seen += run.len();
            if seen == base.len() && base.end < pushed.start {
                let gap = (base.end..pushed.start).map(|_| blank());
                runs.push(self.gap.get_or_init(|| gap.collect::<Vec<_>>().into()));
            }
        }
        runs
    }

    /// Where the addresses of the segments of records lie.
    pub(super) fn segment_table(&self) -> *const *const LexemeC {
        self.cells.segment_table().cast()
    }

    pub(super) fn stats(&self) -> Stats {
        self.cells.stats() + self.of_string.stats() + self.late.stats()
    }
}

fn blank() -> LexemeCell {
    LexemeCell::new(LexemeC { id: OOV_RANK, ..LexemeC::default() })
}

/// The lexemes of a zone, found by their id: their texts may be permanent or the zone's own.
pub(super) struct ZoneLexemes {
    cells: SegmentedVec<LexemeCell>,
    index: Index,
}

impl ZoneLexemes {
    pub(super) fn new() -> ZoneLexemes {
        ZoneLexemes { cells: SegmentedVec::new(), index: Index::new() }
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
