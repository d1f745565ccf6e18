//! A chunk arena: a bump allocator that places many small documents in a few reference-counted
//! chunks.
//!
//! Contains unsafe code: records and bytes are copied into a chunk. Invariants:
//!
//! - `C1`: `front..back` is the part of the chunk that no buffer has; it is `0..0` without a chunk.
//!   Only `place` moves the two, and it borrows the arena mutably.
//! - `C2`: `reserve` returns regions of the requested sizes that are aligned, kept by the returned
//!   allocation, and returned once.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;

use crate::block::{Allocation, Block};
use crate::record_buffer::Lengths;
use crate::{Error, RecordBuffer, Stats};

/// The arena in which one worker places the records and bytes of its documents.
///
/// Records fill a chunk from the front, bytes from the back, so a document costs its own bytes and
/// no allocation of its own. A chunk is freed after the arena has moved on and its last
/// [`RecordBuffer`] is dropped: a document keeps at most one chunk alive. A document that does not
/// fit and is larger than a quarter of a chunk gets an allocation of exactly its size, so at most a
/// quarter of a chunk stays empty. A full chunk without buffers is reused.
///
/// ```
/// use lexpool_pool::ChunkArena;
///
/// let mut arena = ChunkArena::new();
/// let first = arena.place(&[1_u32, 2], b"one two")?;
/// let second = arena.place(&[3_u32], b"three")?;
/// drop(arena);
/// assert_eq!(first.records(), [1, 2]);
/// assert_eq!(second.bytes(), b"three");
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
pub struct ChunkArena {
    chunk: Option<Arc<Allocation>>,
    front: usize,
    back: usize,
    chunk_bytes: usize,
    totals: Stats,
}

/// Alignment of a chunk. Records that need more get their own allocation.
const ALIGN: usize = 16;

impl ChunkArena {
    /// The default chunk size.
    pub const CHUNK_BYTES: usize = 16 << 10;

    /// Creates an arena with chunks of [`ChunkArena::CHUNK_BYTES`]. Allocates nothing.
    pub fn new() -> Self {
        Self::with_chunk_bytes(Self::CHUNK_BYTES)
    }

    /// Creates an arena with chunks of `chunk_bytes`. Larger chunks need fewer allocations; with
    /// smaller chunks, a document that outlives its neighbours keeps less memory.
    pub fn with_chunk_bytes(chunk_bytes: usize) -> Self {
        Self { chunk: None, front: 0, back: 0, chunk_bytes, totals: Stats::default() }
    }

    /// Copies `records` and `bytes` into the arena and returns their buffer.
    ///
    /// Cost: two copies and one reference count, and an allocation when a chunk is full. An empty
    /// document costs nothing.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if either is longer than `u32::MAX`; `pool-out-of-memory`.
    #[inline]
    pub fn place<T: Pod>(&mut self, records: &[T], bytes: &[u8]) -> Result<RecordBuffer<T>, Error> {
        let lengths = Lengths::of(records.len(), bytes.len())?;
        // No overflow: both are slices in memory, so each is at most `isize::MAX`.
        let need = size_of_val(records) + bytes.len();
        let (owner, records_at, bytes_at) = self.reserve::<T>(size_of_val(records), need)?;
        // SAFETY: C2: the regions have these sizes, are aligned for `T`, and overlap nothing.
        unsafe {
            records_at.copy_from_nonoverlapping(NonNull::from(records).cast(), records.len());
            bytes_at.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
        }
        self.totals.used_bytes += need;
        // SAFETY: C2: both regions were just initialized, are kept by `owner`, and belong to this
        // buffer alone.
        Ok(unsafe { RecordBuffer::from_raw_parts(owner, records_at, bytes_at, lengths) })
    }

    /// Returns the memory of all documents placed so far, including those dropped since.
    pub fn stats(&self) -> Stats {
        Stats { high_water_bytes: self.totals.used_bytes, ..self.totals }
    }

    /// Reserves `records` bytes for records of `T` and the rest of `need` for bytes (C2).
    #[inline]
    fn reserve<T>(&mut self, records: usize, need: usize) -> Result<Reservation<T>, Error> {
        if need == 0 {
            return Ok((None, NonNull::dangling(), NonNull::dangling()));
        }
        if align_of::<T>() > ALIGN {
            return self.reserve_dedicated(records, need);
        }
        let mut start = self.front.next_multiple_of(align_of::<T>());
        if start.saturating_add(need) > self.back {
            if need > self.chunk_bytes / 4 {
                return self.reserve_dedicated(records, need);
            }
            self.next_chunk()?;
            start = 0;
        }
        let Some(chunk) = &self.chunk else { return self.reserve_dedicated(records, need) };
        self.front = start + records;
        self.back -= need - records;
        // SAFETY: C1: `start..front` and the part after `back` were free, so they lie within the
        // chunk.
        let (records_at, bytes_at) =
            unsafe { (chunk.block().at().add(start).cast(), chunk.block().at().add(self.back)) };
        Ok((Some(Arc::clone(chunk)), records_at, bytes_at))
    }

    /// Moves to an empty chunk: the current one if no buffer is left in it, else a new one.
    #[cold]
    fn next_chunk(&mut self) -> Result<(), Error> {
        if self.chunk.as_mut().and_then(Arc::get_mut).is_none() {
            let block = Block::new(layout(self.chunk_bytes, ALIGN)?)?;
            self.count(&block);
            self.chunk = Some(Allocation::new(block, None));
        }
        (self.front, self.back) = (0, self.chunk_bytes);
        Ok(())
    }

    #[cold]
    fn reserve_dedicated<T>(
        &mut self,
        records: usize,
        need: usize,
    ) -> Result<Reservation<T>, Error> {
        let block = Block::new(layout(need, align_of::<T>())?)?;
        self.count(&block);
        let at = block.at();
        // SAFETY: C2: `records` is at most `need`, the size of the block.
        let bytes_at = unsafe { at.add(records) };
        Ok((Some(Allocation::new(block, None)), at.cast(), bytes_at))
    }

    fn count(&mut self, block: &Block) {
        self.totals.reserved_bytes += block.size();
        self.totals.chunks += 1;
    }
}

type Reservation<T> = (Option<Arc<Allocation>>, NonNull<T>, NonNull<u8>);

fn layout(bytes: usize, align: usize) -> Result<Layout, Error> {
    Layout::from_size_align(bytes, align).map_err(|_| Error::too_many::<u8>(bytes))
}

impl Default for ChunkArena {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Weak;
    use std::thread;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn open_chunk(arena: &ChunkArena) -> Weak<Allocation> {
        arena.chunk.as_ref().map_or(Weak::new(), Arc::downgrade)
    }

    #[test]
    fn a_chunk_is_freed_with_the_last_of_its_documents() {
        let mut arena = ChunkArena::with_chunk_bytes(64);
        let first = arena.place(&[1_u32], b"first").unwrap();
        let chunk = open_chunk(&arena);
        let kept = arena.place(&[2_u32], b"second").unwrap();
        drop(first);
        drop(arena);
        assert!(chunk.upgrade().is_some());
        assert_eq!((kept.records(), kept.bytes()), (&[2][..], &b"second"[..]));
        drop(kept);
        assert!(chunk.upgrade().is_none());
    }

    #[test]
    fn a_full_chunk_without_buffers_is_reused() {
        let mut arena = ChunkArena::with_chunk_bytes(64);
        for _ in 0..100 {
            arena.place(&[1_u64], b"12345678").unwrap();
        }
        assert_eq!(arena.stats().chunks, 1);
        let kept = arena.place(&[1_u64], b"12345678").unwrap();
        for _ in 0..100 {
            arena.place(&[2_u64], b"abcdefgh").unwrap();
        }
        assert_eq!(arena.stats().chunks, 2);
        assert_eq!((kept.records(), kept.bytes()), (&[1][..], &b"12345678"[..]));
    }

    #[test]
    fn documents_of_one_record_type_leave_no_gaps() {
        let mut arena = ChunkArena::with_chunk_bytes(100);
        let kept: Vec<_> = (0..5_u64).map(|i| arena.place(&[i], &[7; 12]).unwrap()).collect();
        assert_eq!(arena.stats().chunks, 1);
        assert!((0..).zip(&kept).all(|(i, buffer)| buffer.records() == [i]));
    }

    #[test]
    fn documents_share_a_chunk_of_sixteen_kib_if_nothing_else_is_asked_for() {
        let mut arena = ChunkArena::default();
        // The alignment of a chunk is enough for these.
        let kept = [1_u128, 2].map(|n| arena.place(&[n], b"bytes").unwrap());
        let expected =
            Stats { used_bytes: 42, reserved_bytes: 16_384, chunks: 1, high_water_bytes: 42 };
        assert_eq!(arena.stats(), expected);
        assert_eq!(kept.map(|buffer| buffer.records()[0]), [1, 2]);
    }

    #[test]
    fn a_large_document_costs_what_it_is() {
        let mut arena = ChunkArena::with_chunk_bytes(64);
        let large = arena.place(&[1_u8; 1000], &[2; 500]).unwrap();
        assert_eq!(arena.stats().reserved_bytes, 1500);
        assert_eq!((large.records(), large.bytes()), (&[1; 1000][..], &[2; 500][..]));
        assert_eq!(ChunkArena::with_chunk_bytes(0).place(&[1], b"a").unwrap().records(), [1]);
    }

    #[test]
    fn records_of_wide_alignment_are_aligned() {
        #[derive(Clone, Copy)]
        #[repr(C, align(64))]
        struct Wide([u8; 64]);
        // SAFETY: 64 bytes at an alignment of 64, without padding; all bit patterns are valid.
        unsafe impl bytemuck::Zeroable for Wide {}
        // SAFETY: plain bytes, as for `Zeroable`.
        unsafe impl Pod for Wide {}
        let mut arena = ChunkArena::new();
        arena.place(&[1_u8], b"").unwrap();
        for buffer in [0; 3].map(|_| arena.place(&[Wide([3; 64])], b"x").unwrap()) {
            assert_eq!(buffer.records().as_ptr().addr() % 64, 0);
        }
    }

    #[test]
    fn an_impossible_chunk_is_an_error() {
        let mut arena = ChunkArena::with_chunk_bytes(usize::MAX);
        assert_eq!(arena.place(&[1], b"a").unwrap_err().code(), "pool-size-overflow");
        let mut arena = ChunkArena::with_chunk_bytes(isize::MAX.unsigned_abs() - 64);
        assert_eq!(arena.place(&[1], b"a").unwrap_err().code(), "pool-out-of-memory");
    }

    #[test]
    fn buffers_are_read_and_dropped_on_other_threads() {
        let mut arena = ChunkArena::with_chunk_bytes(256);
        thread::scope(|scope| {
            for i in 0..200_u32 {
                let buffer = arena.place(&[i, i + 1], &i.to_le_bytes()).unwrap();
                scope.spawn(move || {
                    assert_eq!(buffer.records(), [i, i + 1]);
                    assert_eq!(buffer.bytes(), i.to_le_bytes());
                });
            }
        });
    }

    proptest! {
        #[test]
        fn kept_documents_hold_what_was_placed(
            docs in vec((vec(any::<u32>(), 0..20), vec(any::<u8>(), 0..60), any::<bool>()), 0..60),
            chunk_bytes in 0_usize..300,
        ) {
            let mut arena = ChunkArena::with_chunk_bytes(chunk_bytes);
            let mut kept = Vec::new();
            for (records, bytes, keep) in &docs {
                let mut buffer = arena.place(records, bytes).unwrap();
                buffer.records_mut().reverse();
                if *keep {
                    kept.push((buffer, records, bytes));
                }
            }
            for (buffer, records, bytes) in &kept {
                prop_assert!(buffer.records().iter().eq(records.iter().rev()));
                prop_assert_eq!(buffer.bytes(), bytes.as_slice());
            }
        }
    }
}
