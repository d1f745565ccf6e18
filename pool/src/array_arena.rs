//! An arena of separately allocated arrays that are freed together.
//!
//! Contains unsafe code: a new block becomes a buffer, which has to fulfil the invariants R1 to R3
//! of `record_buffer`.

use std::iter;
use std::sync::Arc;

use bytemuck::Pod;

use crate::block::{Allocation, Block, layout_of};
use crate::record_buffer::Lengths;
use crate::{Error, RecordBuffer, Stats};

/// Allocates the arrays that a document gets later, such as annotation columns.
///
/// Each array is an allocation of exactly its size. All arrays, also those that were replaced, stay
/// allocated while the arena or a later array lives. An unused arena is one word.
///
/// ```
/// use lexpool_pool::ArrayArena;
///
/// let mut arena = ArrayArena::new();
/// let mut tags = arena.zeroed::<u32>(2)?;
/// tags.records_mut()[1] = 7;
/// let mut longer = arena.zeroed::<u32>(3)?;
/// longer.records_mut()[..2].copy_from_slice(tags.records());
/// assert_eq!(longer.records(), [0, 7, 0]);
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
#[derive(Default)]
pub struct ArrayArena {
    // Each allocation keeps the earlier ones alive.
    latest: Option<Arc<Allocation>>,
}

impl ArrayArena {
    /// Creates an empty arena. Allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allocates an array of `n` zeroed records. Cost: one allocation and a reference count.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if `n` exceeds `u32::MAX` or the records exceed the address space;
    /// `pool-out-of-memory`.
    pub fn zeroed<T: Pod>(&mut self, n: usize) -> Result<RecordBuffer<T>, Error> {
        let lengths = Lengths::of(n, 0)?;
        let block = Block::zeroed(layout_of::<T>(n)?)?;
        let at = block.at();
        let owner = Allocation::new(block, self.latest.take());
        self.latest = Some(Arc::clone(&owner));
        // SAFETY: R1, R2: the block is new, aligned for `n` records of `T`, and zeros are a valid
        // `T` (`Pod`); `owner` keeps it, and nothing else points into it.
        Ok(unsafe { RecordBuffer::from_raw_parts(Some(owner), at.cast(), at, lengths) })
    }

    /// Returns the memory of all arrays made so far. Cost: linear in their number.
    pub fn stats(&self) -> Stats {
        let allocations =
            iter::successors(self.latest.as_deref(), |allocation| allocation.before());
        allocations
            .map(|allocation| Stats {
                used_bytes: allocation.block().size(),
                reserved_bytes: allocation.block().size(),
                chunks: 1,
                high_water_bytes: allocation.block().size(),
            })
            .sum()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn arrays_outlive_their_arena_and_it_outlives_them() {
        let mut arena = ArrayArena::new();
        let mut first = arena.zeroed::<u16>(3).unwrap();
        first.records_mut().copy_from_slice(&[1, 2, 3]);
        drop(arena.zeroed::<u64>(4).unwrap());
        let stats = arena.stats();
        assert_eq!((stats.used_bytes, stats.reserved_bytes, stats.chunks), (38, 38, 2));
        drop(arena);
        assert_eq!(first.records(), [1, 2, 3]);
    }

    #[test]
    fn a_hundred_thousand_arrays_are_freed_without_recursion() {
        let mut arena = ArrayArena::new();
        for _ in 0..100_000 {
            arena.zeroed::<u8>(1).unwrap();
        }
        assert_eq!(arena.stats().chunks, 100_000);
    }

    #[test]
    fn a_refused_array_leaves_the_arena_unchanged() {
        let mut arena = ArrayArena::new();
        assert_eq!(arena.zeroed::<u8>(1 << 33).unwrap_err().code(), "pool-size-overflow");
        assert_eq!(arena.stats(), Stats::default());
    }
}
