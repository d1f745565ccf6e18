//! Caches of lemmas by lexeme, shared by all threads. Most look-ups take no lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use ahash::AHashMap;
use lexpool_pool::SegmentedVec;

use crate::strings::StrId;

/// The number of the properties of a token, besides its word, that its lemma depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct WordClass(pub(super) usize);

impl WordClass {
    /// Returns the mark of the class in a cell, or `None` if the class is too large for one. 0
    /// marks an empty entry.
    #[inline]
    fn mark(self) -> Option<u32> {
        let number = u32::try_from(self.0).ok()?;
        (number < (1 << (u32::BITS - NUMBER_BITS)) - 1).then_some(number + 1)
    }
}

/// The number of bits of an entry that are the number of a lemma; the others are the mark of the
/// class.
const NUMBER_BITS: u32 = 24;

/// The number of cells of the first segment; each later segment has twice as many as the one
/// before.
const FIRST_SEGMENT: usize = 1024;

/// A segmented vector of 64-bit cells, one for each lexeme up to the last one set; 0 marks an unset
/// cell. Segments have stable addresses, so readers take no lock.
#[derive(Default)]
struct AtomicCells([OnceLock<Box<[AtomicU64]>>; 23]);

impl AtomicCells {
    /// Returns the value of a cell, or 0 if it does not exist.
    #[inline]
    fn get(&self, position: u32) -> u64 {
        let (segment, at) = segment_of(position);
        let cell = self.0[segment].get().and_then(|cells| cells.get(at));
        cell.map_or(0, |cell| cell.load(Ordering::Acquire))
    }

    /// Returns a cell for writing, or `None` if memory runs out.
    fn get_or_allocate(&self, position: u32) -> Option<&AtomicU64> {
        let (segment, at) = segment_of(position);
        let slot = &self.0[segment];
        if slot.get().is_none() {
            let mut cells = Vec::new();
            cells.try_reserve_exact(FIRST_SEGMENT << segment).ok()?;
            cells.resize_with(FIRST_SEGMENT << segment, AtomicU64::default);
            // If another thread was first, its segment is used.
            let _ = slot.set(cells.into_boxed_slice());
        }
        slot.get()?.get(at)
    }
}

/// Lemmas that depend on the word only, for one vocab.
///
/// Memory: eight bytes for each lexeme up to the last one set. A look-up is two loads.
#[derive(Default)]
pub(super) struct ByWord(AtomicCells);

impl ByWord {
    /// Returns the lemma of a word if it is cached.
    #[inline]
    pub(super) fn get(&self, position: u32) -> Option<StrId> {
        // The empty lemma, whose id is 0, is never cached.
        Some(self.0.get(position)).filter(|id| *id != 0).map(StrId::new)
    }

    /// Caches the lemma of a word. Does nothing if memory runs out.
    pub(super) fn set(&self, position: u32, lemma: StrId) {
        if let Some(cell) = self.0.get_or_allocate(position) {
            cell.store(lemma.get(), Ordering::Release);
        }
    }
}

/// Lemmas by word and class, for one vocab.
///
/// The cell of a lexeme has two entries of 32 bits, each a class and the number of a lemma: most
/// words have at most two parts of speech. Memory: eight bytes for each lexeme up to the last one
/// set, and eight for each cached lemma. A look-up is a few loads and takes no lock, unless the
/// word has more than two classes, or one that is 255 or larger.
pub(super) struct ByClass {
    cells: AtomicCells,
    lemmas: SegmentedVec<u64>,
    /// Lemmas that are not in the cells.
    overflow: RwLock<AHashMap<(u32, WordClass), u64>>,
}

impl Default for ByClass {
    fn default() -> ByClass {
        ByClass {
            cells: AtomicCells::default(),
            lemmas: SegmentedVec::with_limit(1 << NUMBER_BITS),
            overflow: RwLock::default(),
        }
    }
}

impl ByClass {
    /// Returns the lemma of a word in a class if it is cached.
    #[inline]
    pub(super) fn get(&self, position: u32, class: WordClass) -> Option<StrId> {
        let Some(mark) = class.mark() else { return self.get_overflow(position, class) };
        let [first, second] = halves(self.cells.get(position));
        for entry in [first, second] {
            if entry >> NUMBER_BITS == mark {
                return self.lemmas.get(entry & ((1 << NUMBER_BITS) - 1)).copied().map(StrId::new);
            }
        }
        if second == 0 { None } else { self.get_overflow(position, class) }
    }

    /// Caches the lemma of a word in a class. Does nothing if memory runs out, or for a lemma
    /// beyond 16 million.
    pub(super) fn set(&self, position: u32, class: WordClass, lemma: StrId) {
        let Some(mark) = class.mark() else { return self.set_overflow(position, class, lemma) };
        let Some(cell) = self.cells.get_or_allocate(position) else { return };
        let Ok(number) = self.lemmas.push(lemma.get()) else { return };
        let entry = mark << NUMBER_BITS | number;
        let put = cell.fetch_update(Ordering::AcqRel, Ordering::Acquire, |cell| {
            let [first, second] = halves(cell);
            match (first, second) {
                (0, _) => Some(u64::from(entry)),
                // Two threads may add the same entry, which is harmless.
                (_, 0) => Some(u64::from(entry) << 32 | u64::from(first)),
                _ => None,
            }
        });
        if put.is_err() {
            self.set_overflow(position, class, lemma);
        }
    }

    #[cold]
    fn set_overflow(&self, position: u32, class: WordClass, lemma: StrId) {
        let mut overflow = self.overflow.write().unwrap_or_else(PoisonError::into_inner);
        overflow.insert((position, class), lemma.get());
    }

    #[cold]
    fn get_overflow(&self, position: u32, class: WordClass) -> Option<StrId> {
        let overflow = self.overflow.read().unwrap_or_else(PoisonError::into_inner);
        overflow.get(&(position, class)).copied().map(StrId::new)
    }
}

/// Returns the segment of a position, and the position in the segment.
fn segment_of(position: u32) -> (usize, usize) {
    let from_first = position as usize + FIRST_SEGMENT;
    let segment = (from_first.ilog2() - FIRST_SEGMENT.ilog2()) as usize;
    (segment, from_first - (FIRST_SEGMENT << segment))
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves are separated")]
fn halves(cell: u64) -> [u32; 2] {
    [cell as u32, (cell >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_position_has_its_own_cell() {
        assert_eq!(segment_of(0), (0, 0));
        assert_eq!(segment_of(1023), (0, 1023));
        assert_eq!(segment_of(1024), (1, 0));
        assert_eq!(segment_of(3071), (1, 2047));
        assert_eq!(segment_of(3072), (2, 0));
        assert!(segment_of(u32::MAX).0 < 23);
    }

    proptest! {
        #[test]
        fn the_cache_returns_exactly_the_lemmas_that_were_set(
            entries in vec((0..500_u32, 0..300_usize, 1..9_u64), 0..200),
        ) {
            let cache = ByClass::default();
            let mut model = HashMap::new();
            for (position, number, lemma) in entries {
                let class = WordClass(number);
                // A cached lemma never changes.
                if cache.get(position, class).is_none() {
                    cache.set(position, class, StrId::new(lemma));
                    model.insert((position, number), lemma);
                }
            }
            for position in 0..500 {
                for number in 0..300 {
                    let expected = model.get(&(position, number)).copied().map(StrId::new);
                    prop_assert_eq!(cache.get(position, WordClass(number)), expected);
                }
            }
        }
    }

    #[test]
    fn a_word_has_at_most_one_lemma() {
        let cache = ByWord::default();
        for position in [0, 7, 1023, 1024, 40_000] {
            assert_eq!(cache.get(position), None);
            cache.set(position, StrId::new(u64::from(position) + 1));
            cache.set(position + 1, StrId::EMPTY);
            assert_eq!(cache.get(position), Some(StrId::new(u64::from(position) + 1)));
            assert_eq!(cache.get(position + 1), None);
        }
        assert_eq!(cache.get(u32::MAX), None);
    }

    #[test]
    fn a_word_may_have_every_class() {
        let cache = ByClass::default();
        let classes = || (0..300).map(|number| (number, WordClass(number)));
        for (number, class) in classes() {
            cache.set(7, class, StrId::new(number as u64 + 1));
        }
        for (number, class) in classes() {
            assert_eq!(cache.get(7, class), Some(StrId::new(number as u64 + 1)));
        }
    }
}
