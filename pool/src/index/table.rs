//! One table of an index, and the segments that tables are made of.
//!
//! Contains unsafe code: a table points into segments that its index owns.

use std::ptr::NonNull;

use crate::sync::{AtomicU32, Mutex, Ordering, lock};
use crate::{Error, SegmentedVec, Stats};

/// Slots of positions: a power of two of them, in segments of `SEGMENT` or in one shorter one.
///
/// A slot is 0 when empty. Otherwise its bits under `ix_mask` are a position plus one, and those
/// above are the same bits of the upper half of the key's hash.
pub(super) struct Table<const SEGMENT: usize> {
    segments: Box<[Segment<SEGMENT>]>,
    // One less than the number of slots.
    mask: usize,
    ix_mask: u32,
}

/// A run of slots somewhere in a [`Segments`]: `SEGMENT` of them, or fewer if it is the only one of
/// its table.
///
/// Slots are atomics and stay allocated while the index lives, so a segment may be in the hands of
/// two tables: of readers late in a retired one, and of the writer that filled it anew.
#[derive(Clone, Copy)]
struct Segment<const SEGMENT: usize>(NonNull<AtomicU32>);

// SAFETY: a segment is a shared reference to atomics, kept by the `Segments` it came from.
unsafe impl<const SEGMENT: usize> Send for Segment<SEGMENT> {}
// SAFETY: as above.
unsafe impl<const SEGMENT: usize> Sync for Segment<SEGMENT> {}

/// Positions below this leave 16 bits for the tag, and no table is ever narrower.
const NARROWEST: u32 = 16;

impl<const SEGMENT: usize> Table<SEGMENT> {
    pub(super) fn slots(&self) -> usize {
        self.mask + 1
    }

    /// Whether `entries` leave an eighth of the slots free, and one at least.
    pub(super) fn has_room_for(&self, entries: usize) -> bool {
        entries <= self.slots() - (self.slots() / 8).max(1)
    }

    /// Whether the position `ix` fits beside the tag.
    pub(super) fn can_hold(&self, ix: u32) -> bool {
        ix < self.ix_mask
    }

    /// The first position on the path of `hash` that bears its tag and that `same` accepts.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are the slot")]
    pub(super) fn probe(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let tag = (hash >> 32) as u32;
        let mut at = hash as usize & self.mask;
        // A table of the writer always ends a path with an empty slot; one whose segments have
        // been given away may not, hence the count.
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

    /// Stores `ix` on the path of `hash`. The caller alone writes to this table, knows that it has
    /// room and that `ix` fits.
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are the slot")]
    pub(super) fn insert(&self, hash: u64, ix: u32) {
        let tag = (hash >> 32) as u32;
        let mut at = hash as usize & self.mask;
        while self.slot(at).load(Ordering::Relaxed) != 0 {
            at = (at + 1) & self.mask;
        }
        // `Release` publishes the item at `ix`, and in a segment used before, that it changed hands.
        self.slot(at).store((tag & !self.ix_mask) | (ix + 1), Ordering::Release);
    }

    /// All positions. The caller holds the lock of the table's shard.
    pub(super) fn positions(&self) -> impl Iterator<Item = u32> {
        let words = (0..self.slots()).map(|at| self.slot(at).load(Ordering::Relaxed));
        words.filter(|&word| word != 0).map(|word| (word & self.ix_mask).wrapping_sub(1))
    }

    /// The longest run of filled slots, taking the table for a ring.
    pub(super) fn longest_run(&self) -> usize {
        let (mut longest, mut run) = (0, 0);
        for at in 0..2 * self.slots() {
            let filled = self.slot(at & self.mask).load(Ordering::Relaxed) != 0;
            run = if filled { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        longest.min(self.slots())
    }

    /// The table itself, without its slots.
    pub(super) fn stats(&self) -> Stats {
        let reserved_bytes = size_of_val(&*self.segments);
        Stats { reserved_bytes, chunks: 1, ..Stats::default() }
    }

    #[inline]
    fn slot(&self, at: usize) -> &AtomicU32 {
        let Segment(first) = self.segments[at / SEGMENT];
        // SAFETY: `at` is masked, so `at % SEGMENT` is within its segment, a shorter one included,
        // and the index that owns both keeps the slots allocated while it has tables.
        unsafe { first.add(at % SEGMENT).as_ref() }
    }
}

/// The memory of the tables of one index.
#[derive(Default)]
pub(super) struct Segments<const SEGMENT: usize> {
    blocks: SegmentedVec<Vec<AtomicU32>, 8>,
    idle: Mutex<Vec<Segment<SEGMENT>>>,
}

impl<const SEGMENT: usize> Segments<SEGMENT> {
    const CHECKED: () = assert!(SEGMENT.is_power_of_two() && SEGMENT >= 2);

    /// An empty table of `slots` slots (a power of two) for positions up to four times `widest`.
    /// Takes idle segments first and allocates the rest in one block.
    pub(super) fn table(&self, slots: usize, widest: u32) -> Result<Table<SEGMENT>, Error> {
        () = Self::CHECKED;
        let wanted = slots.div_ceil(SEGMENT);
        let mut segments = Vec::new();
        let bytes = wanted.saturating_mul(size_of::<Segment<SEGMENT>>());
        segments.try_reserve_exact(wanted).map_err(|_| Error::out_of_memory(bytes))?;
        let mut idle = lock(&self.idle);
        // Idle segments are full ones; a table of less than one needs none of them.
        let reused = idle.len().min(slots / SEGMENT);
        let missing = slots - reused * SEGMENT;
        if missing > 0 {
            let fresh = self.allocate(missing)?.chunks(SEGMENT);
            segments.extend(fresh.map(|slots| Segment(NonNull::from(slots).cast())));
        }
        let kept = idle.len() - reused;
        for segment in idle.drain(kept..) {
            for at in 0..SEGMENT {
                // SAFETY: `retire` notes full segments only, and they stay allocated. `Release`
                // tells a reader that is late in this segment that it changed hands.
                unsafe { segment.0.add(at).as_ref() }.store(0, Ordering::Release);
            }
            segments.push(segment);
        }
        let width = (u32::BITS - widest.leading_zeros() + 2).clamp(NARROWEST, u32::BITS);
        let ix_mask = u32::MAX >> (u32::BITS - width);
        Ok(Table { segments: segments.into_boxed_slice(), mask: slots - 1, ix_mask })
    }

    /// Gives the segments of a table that is no longer published to whoever grows next.
    pub(super) fn retire(&self, table: &Table<SEGMENT>) {
        if table.slots() >= SEGMENT {
            let mut idle = lock(&self.idle);
            // Without room to note them they stay unused, which costs memory and nothing else.
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
        // SAFETY: `push` has just returned `at`.
        Ok(unsafe { self.blocks.get_unchecked(at) })
    }
}
