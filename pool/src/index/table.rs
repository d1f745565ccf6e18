//! The tables of an index, and the memory segments that they consist of.
//!
//! Contains unsafe code. Invariant:
//!
//! - `T1`: a `Segment` points to `SEGMENT` atomics of a `SegmentPool` (fewer if it is the only one
//!   of its table), which stay allocated until the index is dropped.

use std::ptr::NonNull;

use crate::sync::{AtomicU32, Mutex, Ordering, lock};
use crate::{Error, SegmentedVec, Stats};

/// A table of a power of two of slots, in segments of `SEGMENT` slots or in one shorter segment.
///
/// An empty slot is 0. In others, the bits of `ix_mask` are a position plus one, and the bits above
/// are the tag: the same bits of the upper half of the key's hash.
pub(super) struct Table<const SEGMENT: usize> {
    segments: Box<[Segment<SEGMENT>]>,
    // The number of slots minus one.
    mask: usize,
    ix_mask: u32,
}

/// A run of slots of a [`SegmentPool`] (T1). Two tables may share a segment: a retired table that
/// late readers are still in, and the table that reuses the segment.
#[derive(Clone, Copy)]
struct Segment<const SEGMENT: usize>(NonNull<AtomicU32>);

// SAFETY: T1: a segment is a shared reference to atomics.
unsafe impl<const SEGMENT: usize> Send for Segment<SEGMENT> {}
// SAFETY: T1: a segment is a shared reference to atomics.
unsafe impl<const SEGMENT: usize> Sync for Segment<SEGMENT> {}

/// The minimum width of positions in bits, which leaves 16 bits for the tag.
const MIN_WIDTH: u32 = 16;

impl<const SEGMENT: usize> Table<SEGMENT> {
    pub(super) fn slots(&self) -> usize {
        self.mask + 1
    }

    /// Returns whether `entries` leave an eighth of the slots free, and at least one.
    pub(super) fn has_room_for(&self, entries: usize) -> bool {
        entries <= self.slots() - (self.slots() / 8).max(1)
    }

    /// Returns the smallest size of a table that has room for `entries`.
    pub(super) fn slots_for(entries: usize) -> usize {
        entries.saturating_add(entries.div_ceil(7)).next_power_of_two()
    }

    /// Returns whether a position fits beside the tag.
    pub(super) fn can_hold(&self, ix: u32) -> bool {
        ix < self.ix_mask
    }

    /// Returns the first position in the probe sequence of `hash` that has its tag and that `same`
    /// accepts.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are the slot")]
    pub(super) fn probe(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let tag = (hash >> 32) as u32;
        let mut at = hash as usize & self.mask;
        // In the published table an empty slot ends every probe sequence; in a retired table whose
        // segments were reused there may be none, hence the bound.
        for _ in 0..=self.mask {
            let word = self.slot(at).load(Ordering::Acquire);
            if word == 0 {
                return None;
            }
            if (word ^ tag) & !self.ix_mask == 0 {
                let ix = (word & self.ix_mask).wrapping_sub(1);
                if same(ix) {
                    return Some(ix);
                }
            }
            at = (at + 1) & self.mask;
        }
        None
    }

    /// Stores `ix` in the probe sequence of `hash`. The caller has exclusive write access, and has
    /// checked that the table has a free slot and that `ix` fits.
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are the slot")]
    pub(super) fn insert(&self, hash: u64, ix: u32) {
        let tag = (hash >> 32) as u32;
        let mut at = hash as usize & self.mask;
        while self.slot(at).load(Ordering::Relaxed) != 0 {
            at = (at + 1) & self.mask;
        }
        // `Release` publishes the item at `ix`, and the reuse of the segment.
        self.slot(at).store((tag & !self.ix_mask) | (ix + 1), Ordering::Release);
    }

    /// Returns all positions. The caller holds the lock of the shard.
    pub(super) fn positions(&self) -> impl Iterator<Item = u32> {
        let words = (0..self.slots()).map(|at| self.slot(at).load(Ordering::Relaxed));
        words.filter(|&word| word != 0).map(|word| (word & self.ix_mask).wrapping_sub(1))
    }

    /// Returns the longest run of filled slots; the table wraps around.
    pub(super) fn longest_run(&self) -> usize {
        let (mut longest, mut run) = (0, 0);
        for at in 0..2 * self.slots() {
            let filled = self.slot(at & self.mask).load(Ordering::Relaxed) != 0;
            run = if filled { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        longest.min(self.slots())
    }

    /// Returns the memory of the table, without its slots.
    pub(super) fn stats(&self) -> Stats {
        let reserved_bytes = size_of_val(&*self.segments);
        Stats { reserved_bytes, chunks: 1, ..Stats::default() }
    }

    #[inline]
    fn slot(&self, at: usize) -> &AtomicU32 {
        let Segment(first) = self.segments[at / SEGMENT];
        // SAFETY: T1: `at` is masked, so `at % SEGMENT` is within its segment, also a shorter one.
        unsafe { first.add(at % SEGMENT).as_ref() }
    }
}

/// The memory of the tables of one index: all blocks, and the segments of retired tables.
#[derive(Default)]
pub(super) struct SegmentPool<const SEGMENT: usize> {
    blocks: SegmentedVec<Vec<AtomicU32>, 8>,
    idle: Mutex<Vec<Segment<SEGMENT>>>,
}

impl<const SEGMENT: usize> SegmentPool<SEGMENT> {
    const CHECKED: () = assert!(SEGMENT.is_power_of_two() && SEGMENT >= 2);

    /// Creates an empty table of `slots` slots (a power of two) for positions up to four times
    /// `max_position`. Reuses idle segments first and allocates the rest in one block.
    pub(super) fn table(&self, slots: usize, max_position: u32) -> Result<Table<SEGMENT>, Error> {
        () = Self::CHECKED;
        let n_segments = slots.div_ceil(SEGMENT);
        let mut segments = Vec::new();
        let bytes = n_segments.saturating_mul(size_of::<Segment<SEGMENT>>());
        segments.try_reserve_exact(n_segments).map_err(|_| Error::out_of_memory(bytes))?;
        let mut idle = lock(&self.idle);
        // Idle segments have full size; a table of less than a segment uses none.
        let reused = idle.len().min(slots / SEGMENT);
        let missing = slots - reused * SEGMENT;
        if missing > 0 {
            let fresh = self.allocate(missing)?.chunks(SEGMENT);
            segments.extend(fresh.map(|slots| Segment(NonNull::from(slots).cast())));
        }
        let first_reused = idle.len() - reused;
        for segment in idle.drain(first_reused..) {
            for at in 0..SEGMENT {
                // SAFETY: T1: `retire` adds only segments of full size. `Release` lets late readers
                // of this segment see that it was reused.
                unsafe { segment.0.add(at).as_ref() }.store(0, Ordering::Release);
            }
            segments.push(segment);
        }
        let width = (u32::BITS - max_position.leading_zeros() + 2).clamp(MIN_WIDTH, u32::BITS);
        let ix_mask = u32::MAX >> (u32::BITS - width);
        Ok(Table { segments: segments.into_boxed_slice(), mask: slots - 1, ix_mask })
    }

    /// Adds the segments of a table that is no longer published to the idle ones.
    pub(super) fn retire(&self, table: &Table<SEGMENT>) {
        if table.slots() >= SEGMENT {
            let mut idle = lock(&self.idle);
            // If memory runs out here, the segments stay unused.
            if idle.try_reserve(table.segments.len()).is_ok() {
                idle.extend(&table.segments);
            }
        }
    }

    pub(super) fn stats(&self) -> Stats {
        let blocks = self.blocks.iter().map(|block| {
            let reserved_bytes = size_of_val(&**block);
            Stats { reserved_bytes, chunks: 1, ..Stats::default() }
        });
        blocks.sum::<Stats>() + self.blocks.stats()
    }

    fn allocate(&self, slots: usize) -> Result<&[AtomicU32], Error> {
        let mut block = Vec::new();
        let bytes = slots.saturating_mul(size_of::<AtomicU32>());
        block.try_reserve_exact(slots).map_err(|_| Error::out_of_memory(bytes))?;
        block.extend((0..slots).map(|_| AtomicU32::new(0)));
        let at = self.blocks.push(block)?;
        // SAFETY: T1: `push` has just returned `at`.
        Ok(unsafe { self.blocks.get_unchecked(at) })
    }
}
