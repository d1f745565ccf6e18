//! The lemmas of words that were met, by lexeme: what any thread finds out, all threads know.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};

use ahash::AHashMap;
use lexpool_pool::SegmentedVec;

use crate::strings::StrId;

/// What a lemma depends on beside the word: a number below [`Class::COUNT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Class(u8);

impl Class {
    const COUNT: u8 = 1 << (u32::BITS - NUMBER_BITS);

    pub(super) const FIRST: Class = Class(0);

    /// None from the count on, less one: a cell's entry of 0 is an empty one.
    pub(super) fn new(number: usize) -> Option<Class> {
        let number = u8::try_from(number).ok()?;
        (number < Class::COUNT - 1).then_some(Class(number))
    }
}

/// How many bits of a cell's entry number a lemma; the others are the class.
const NUMBER_BITS: u32 = 26;

/// Cells of the first segment; each one after it has twice as many as the one before.
const FIRST: usize = 1024;

/// A cell of 64 bits for each lexeme up to the last one met, 0 until it is written.
#[derive(Default)]
struct Column([OnceLock<Box<[AtomicU64]>>; 23]);

impl Column {
    /// What a cell holds; 0 for one that there is not.
    #[inline]
    fn get(&self, position: u32) -> u64 {
        let (segment, at) = place(position);
        let cell = self.0[segment].get().and_then(|cells| cells.get(at));
        cell.map_or(0, |cell| cell.load(Ordering::Acquire))
    }

    /// A cell, to be written; none where there is no memory for it.
    fn make(&self, position: u32) -> Option<&AtomicU64> {
        let (segment, at) = place(position);
        let slot = &self.0[segment];
        if slot.get().is_none() {
            let mut cells = Vec::new();
            cells.try_reserve_exact(FIRST << segment).ok()?;
            cells.resize_with(FIRST << segment, AtomicU64::default);
            // If another thread was first, its cells are as good.
            let _ = slot.set(cells.into_boxed_slice());
        }
        slot.get()?.get(at)
    }
}

/// Lemmas that depend on nothing but the word, for one vocab. Memory: eight bytes for each lexeme up
/// to the last one met. Finding one is two loads.
#[derive(Default)]
pub(super) struct ByWord(Column);

impl ByWord {
    /// The lemma of a word, if it is known.
    #[inline]
    pub(super) fn get(&self, position: u32) -> Option<StrId> {
        // The empty lemma is never known.
        Some(self.0.get(position)).filter(|id| *id != 0).map(StrId::new)
    }

    /// Keeps the lemma of a word. Where there is no memory for that it is found anew.
    pub(super) fn set(&self, position: u32, lemma: StrId) {
        if let Some(cell) = self.0.make(position) {
            cell.store(lemma.get(), Ordering::Release);
        }
    }
}

/// Lemmas by word and class, for one vocab.
///
/// A lexeme has a cell of two entries of 32 bits, each a class and the number of a lemma; most words
/// have two parts of speech at the most. Memory: eight bytes for each lexeme up to the last one met,
/// and eight for each lemma found. Finding a lemma is a few loads and takes no lock, unless its word
/// has more classes than two.
#[derive(Default)]
pub(super) struct ByClass {
    cells: Column,
    lemmas: SegmentedVec<u64>,
    /// What found no place in a cell.
    more: RwLock<AHashMap<(u32, Class), u64>>,
}

impl ByClass {
    /// The lemma of a word in a class, if it is known.
    #[inline]
    pub(super) fn get(&self, position: u32, class: Class) -> Option<StrId> {
        let [first, second] = halves(self.cells.get(position));
        for entry in [first, second] {
            if entry >> NUMBER_BITS == u32::from(class.0) + 1 {
                return self.lemmas.get(entry & ((1 << NUMBER_BITS) - 1)).copied().map(StrId::new);
            }
        }
        if second == 0 { None } else { self.get_more(position, class) }
    }

    /// Keeps the lemma of a word in a class. Where there is no memory for that it is found anew.
    pub(super) fn set(&self, position: u32, class: Class, lemma: StrId) {
        let Some(cell) = self.cells.make(position) else { return };
        let Ok(number) = self.lemmas.push(lemma.get()) else { return };
        if number >> NUMBER_BITS != 0 {
            return;
        }
        let entry = (u32::from(class.0) + 1) << NUMBER_BITS | number;
        let put = cell.fetch_update(Ordering::AcqRel, Ordering::Acquire, |cell| {
            let [first, second] = halves(cell);
            match (first, second) {
                (0, _) => Some(u64::from(entry)),
                // Twice the same does no harm; both are right.
                (_, 0) => Some(u64::from(entry) << 32 | u64::from(first)),
                _ => None,
            }
        });
        if put.is_err() {
            let mut more = self.more.write().unwrap_or_else(PoisonError::into_inner);
            more.insert((position, class), lemma.get());
        }
    }

    #[cold]
    fn get_more(&self, position: u32, class: Class) -> Option<StrId> {
        let more = self.more.read().unwrap_or_else(PoisonError::into_inner);
        more.get(&(position, class)).copied().map(StrId::new)
    }
}

/// The segment of a position, and the place in it.
fn place(position: u32) -> (usize, usize) {
    let from_first = position as usize + FIRST;
    let segment = (from_first.ilog2() - FIRST.ilog2()) as usize;
    (segment, from_first - (FIRST << segment))
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves are taken apart")]
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
    fn places_are_each_their_own_up_to_the_last_position() {
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(1023), (0, 1023));
        assert_eq!(place(1024), (1, 0));
        assert_eq!(place(3071), (1, 2047));
        assert_eq!(place(3072), (2, 0));
        assert!(place(u32::MAX).0 < 23);
    }

    proptest! {
        #[test]
        fn what_was_kept_is_found_and_nothing_else(
            entries in vec((0..5000_u32, 0..63_usize, 1..9_u64), 0..200),
        ) {
            let known = ByClass::default();
            let mut model = HashMap::new();
            for (position, number, lemma) in entries {
                let class = Class::new(number).unwrap();
                // A lemma is found once and kept; it does not change.
                if known.get(position, class).is_none() {
                    known.set(position, class, StrId::new(lemma));
                    model.insert((position, number), lemma);
                }
            }
            for position in 0..5000 {
                for number in 0..63 {
                    let expected = model.get(&(position, number)).copied().map(StrId::new);
                    prop_assert_eq!(known.get(position, Class::new(number).unwrap()), expected);
                }
            }
        }
    }

    #[test]
    fn a_word_alone_has_one_lemma_or_none() {
        let known = ByWord::default();
        for position in [0, 7, 1023, 1024, 40_000] {
            assert_eq!(known.get(position), None);
            known.set(position, StrId::new(u64::from(position) + 1));
            known.set(position + 1, StrId::EMPTY);
            assert_eq!(known.get(position), Some(StrId::new(u64::from(position) + 1)));
            assert_eq!(known.get(position + 1), None);
        }
        assert_eq!(known.get(u32::MAX), None);
    }

    #[test]
    fn a_word_may_be_of_every_class() {
        let known = ByClass::default();
        let classes = || (0..63).map(|number| (number, Class::new(number).unwrap()));
        for (number, class) in classes() {
            known.set(7, class, StrId::new(number as u64 + 1));
        }
        for (number, class) in classes() {
            assert_eq!(known.get(7, class), Some(StrId::new(number as u64 + 1)));
        }
        assert!(Class::new(63).is_none());
    }
}
