//! A bump allocator for one thread at a time.
//!
//! Contains unsafe code. Invariant:
//!
//! - `P1`: `take` returns a new region of the layout that nothing else refers to. It stays
//!   allocated until `reset` or drop, which need `&mut self` or the pool itself.

use std::alloc::Layout;
use std::cell::Cell;
use std::ptr::NonNull;
use std::slice;

use bumpalo::Bump;
use bytemuck::Pod;

use crate::block::layout_of;
use crate::{Error, Stats};

/// A bump allocator: an allocation moves a pointer, and all memory is freed at once.
///
/// `Send` but not `Sync`. It drops no values, so it takes only plain records.
///
/// ```
/// use lexpool_pool::Pool;
///
/// let pool = Pool::new();
/// let squares = pool.alloc_zeroed::<u32>(3)?;
/// for (i, square) in (0..).zip(squares.iter_mut()) {
///     *square = i * i;
/// }
/// let name = pool.alloc_str("squares")?;
/// assert_eq!((name, &*squares), ("squares", &[0, 1, 4][..]));
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
#[derive(Default)]
pub struct Pool {
    bump: Bump,
    used: Cell<usize>,
    high_water: usize,
}

impl Pool {
    /// Creates an empty pool. Allocates nothing until the first use.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a pool whose first chunk holds at least `bytes`.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if `bytes` exceeds the address space; `pool-out-of-memory`.
    pub fn with_capacity(bytes: usize) -> Result<Self, Error> {
        layout_of::<u8>(bytes)?;
        let bump = Bump::try_with_capacity(bytes).map_err(|_| Error::out_of_memory(bytes))?;
        Ok(Self { bump, ..Self::default() })
    }

    /// Allocates `n` zeroed records.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if the records exceed the address space; `pool-out-of-memory`.
    #[expect(clippy::mut_from_ref, reason = "each call returns a region of its own")]
    pub fn alloc_zeroed<T: Pod>(&self, n: usize) -> Result<&mut [T], Error> {
        let at = self.take(layout_of::<T>(n)?)?.cast::<T>();
        // SAFETY: P1: the region holds `n` records of `T`, and zeros are a valid `T` (`Pod`).
        unsafe {
            at.write_bytes(0, n);
            Ok(slice::from_raw_parts_mut(at.as_ptr(), n))
        }
    }

    /// Copies `records` into the pool.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    #[expect(clippy::mut_from_ref, reason = "each call returns a region of its own")]
    pub fn alloc_copy<T: Pod>(&self, records: &[T]) -> Result<&mut [T], Error> {
        let at = self.take(Layout::for_value(records))?.cast::<T>();
        // SAFETY: P1: the region has the layout of `records`, and the copy initializes it.
        unsafe {
            at.copy_from_nonoverlapping(NonNull::from(records).cast(), records.len());
            Ok(slice::from_raw_parts_mut(at.as_ptr(), records.len()))
        }
    }

    /// Copies `text` into the pool.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn alloc_str(&self, text: &str) -> Result<&str, Error> {
        let bytes = self.alloc_copy(text.as_bytes())?;
        // SAFETY: P1: the new region holds a copy of the bytes of a `str`.
        Ok(unsafe { std::str::from_utf8_unchecked(bytes) })
    }

    /// Frees all allocations and keeps the largest chunk for later ones.
    pub fn reset(&mut self) {
        self.high_water = self.stats().high_water_bytes;
        self.used.set(0);
        self.bump.reset();
    }

    /// Returns the memory in use. Cost: linear in the number of chunks.
    pub fn stats(&self) -> Stats {
        // SAFETY: P1: the chunks are counted, not read, and the pool is not shared between threads.
        let chunks = unsafe { self.bump.iter_allocated_chunks_raw() }.count();
        Stats {
            used_bytes: self.used.get(),
            reserved_bytes: self.bump.allocated_bytes_including_metadata(),
            chunks,
            high_water_bytes: self.high_water.max(self.used.get()),
        }
    }

    fn take(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
        let at = self.bump.try_alloc_layout(layout);
        let at = at.map_err(|_| Error::out_of_memory(layout.size()))?;
        self.used.set(self.used.get() + layout.size());
        Ok(at)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn regions_are_zeroed_aligned_and_apart() {
        let pool = Pool::with_capacity(64).unwrap();
        let odd = pool.alloc_copy(b"abc").unwrap();
        let words = pool.alloc_zeroed::<u64>(1000).unwrap();
        assert!(words.iter().all(|&word| word == 0));
        words.fill(u64::MAX);
        odd[0] = b'x';
        assert_eq!(odd, b"xbc");
        assert!(words.iter().all(|&word| word == u64::MAX));
        assert_eq!(pool.stats().used_bytes, 8003);
    }

    #[test]
    fn empty_allocations_use_no_memory() {
        let pool = Pool::new();
        assert!(pool.alloc_zeroed::<u64>(0).unwrap().is_empty());
        assert_eq!(pool.alloc_str("").unwrap(), "");
        assert_eq!(pool.stats().used_bytes, 0);
    }

    #[test]
    fn a_reset_keeps_the_high_water_mark() {
        let mut pool = Pool::new();
        pool.alloc_zeroed::<u8>(100).unwrap();
        pool.reset();
        pool.alloc_zeroed::<u8>(10).unwrap();
        let stats = pool.stats();
        assert_eq!((stats.used_bytes, stats.high_water_bytes), (10, 100));
        assert!(stats.to_string().starts_with("10 of "));
    }

    #[test]
    fn chunks_are_counted_as_they_are_allocated() {
        let pool = Pool::new();
        assert_eq!(pool.stats(), Stats::default());
        pool.alloc_zeroed::<u64>(1).unwrap();
        assert_eq!((pool.stats().chunks, pool.stats().used_bytes), (1, 8));
        let large = pool.stats().reserved_bytes;
        pool.alloc_zeroed::<u8>(large).unwrap();
        assert_eq!((pool.stats().chunks, pool.stats().used_bytes), (2, 8 + large));
        assert!(pool.stats().reserved_bytes > 2 * large);
    }

    #[test]
    fn a_pool_of_a_capacity_needs_one_chunk_for_it() {
        let pool = Pool::with_capacity(100_000).unwrap();
        assert_eq!(pool.stats().chunks, 1);
        (0..100).for_each(|_| _ = pool.alloc_zeroed::<u8>(1000).unwrap());
        assert_eq!((pool.stats().chunks, pool.stats().used_bytes), (1, 100_000));
    }

    #[test]
    fn absurd_sizes_are_errors() {
        let pool = Pool::new();
        let overflow = pool.alloc_zeroed::<u64>(usize::MAX / 4).unwrap_err();
        assert_eq!(overflow.code(), "pool-size-overflow");
        let refused = pool.alloc_zeroed::<u8>(isize::MAX.unsigned_abs() - 64).unwrap_err();
        assert_eq!(refused.code(), "pool-out-of-memory");
        assert_eq!(Pool::with_capacity(usize::MAX).err().unwrap().code(), "pool-size-overflow");
    }
}
