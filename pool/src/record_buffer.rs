//! A slice of records and a slice of bytes in one buffer, and buffers over shared foreign memory.
//!
//! Contains unsafe code: a buffer points into a reference-counted allocation. Invariants of a
//! buffer:
//!
//! - `R1`: `records` is aligned and points to `n_records` initialized records, `bytes` to `n_bytes`
//!   initialized bytes; `owner` keeps both allocated.
//! - `R2`: no other buffer overlaps the records, unless the owner is a foreign one: then nothing
//!   writes them.
//! - `R3`: nothing writes the bytes.

use std::fmt;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use bytemuck::Pod;

use crate::Error;
use crate::block::{Allocation, Block, MemoryOwner, layout_of};

/// The records and the bytes of one document.
///
/// A buffer is 32 bytes and has exclusive access to its part of an allocation, which it keeps
/// alive. It is made by a [`ChunkArena`](crate::ChunkArena) (in a chunk with many others), by an
/// [`ArrayArena`](crate::ArrayArena), or from finished vectors by [`RecordBuffer::from_vecs`]. A
/// buffer of a [`SharedRegion`] points to memory that others read too, such as a mapped file, and
/// copies its records before the first write. Dropping a buffer costs a reference count.
///
/// ```
/// use lexpool_pool::RecordBuffer;
///
/// let mut buffer = RecordBuffer::from_vecs(vec![1_u32, 2, 3], b"one two three".to_vec())?;
/// buffer.records_mut()[0] = 9;
/// assert_eq!(buffer.records(), [9, 2, 3]);
/// assert_eq!(buffer.bytes(), b"one two three");
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
pub struct RecordBuffer<T> {
    // `None` only if both parts are 0 bytes long.
    owner: Option<Arc<Allocation>>,
    records: NonNull<T>,
    bytes: NonNull<u8>,
    n_records: u32,
    n_bytes: u32,
}

const _: () =
    assert!(size_of::<RecordBuffer<u64>>() == 4 * size_of::<usize>() || usize::BITS != 64);

// SAFETY: R2: a buffer has exclusive access to its records like a `Box<[T]>`; the owner is `Send`
// and `Sync`.
unsafe impl<T: Send> Send for RecordBuffer<T> {}
// SAFETY: R2: a shared buffer returns shared slices only.
unsafe impl<T: Sync> Sync for RecordBuffer<T> {}

/// Keeps the memory of a buffer allocated after the buffer is dropped. The bytes do not change;
/// readers must know their address.
#[derive(Clone)]
pub struct KeepAlive {
    _owner: Option<Arc<Allocation>>,
}

impl fmt::Debug for KeepAlive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeepAlive")
    }
}

impl<T> RecordBuffer<T> {
    /// Returns the records.
    pub fn records(&self) -> &[T] {
        // SAFETY: R1, R2: initialized and allocated; only `&mut self` writes them.
        unsafe { slice::from_raw_parts(self.records.as_ptr(), self.n_records as usize) }
    }

    /// Returns whether the records are in foreign memory, and so read-only.
    pub fn is_borrowed(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.is_borrowed())
    }

    /// Returns the records to be written.
    ///
    /// # Panics
    ///
    /// If the records are borrowed: call [`make_owned`](RecordBuffer::make_owned) first.
    #[inline]
    pub fn records_mut(&mut self) -> &mut [T] {
        assert!(!self.is_borrowed(), "borrowed records must be copied before they are written");
        // SAFETY: R1, R2: initialized, allocated and not overlapped; `&mut self` excludes other
        // borrows.
        unsafe { slice::from_raw_parts_mut(self.records.as_ptr(), self.n_records as usize) }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: R1, R3: initialized, allocated and never written.
        unsafe { slice::from_raw_parts(self.bytes.as_ptr(), self.n_bytes as usize) }
    }

    /// Returns a value that keeps the memory of this buffer allocated. Cost: a reference count.
    ///
    /// ```
    /// use lexpool_pool::RecordBuffer;
    /// let buffer = RecordBuffer::<u32>::from_vecs(Vec::new(), b"text".to_vec())?;
    /// let (owner, at) = (buffer.keep_alive(), buffer.bytes().as_ptr());
    /// drop(buffer);
    /// // The four bytes at `at` are still allocated and unchanged.
    /// drop((owner, at));
    /// # Ok::<(), lexpool_pool::Error>(())
    /// ```
    pub fn keep_alive(&self) -> KeepAlive {
        KeepAlive { _owner: self.owner.clone() }
    }

    /// Builds a buffer from its parts.
    ///
    /// # Safety
    ///
    /// The parts must fulfil R1, R2 and R3.
    pub(crate) unsafe fn from_raw_parts(
        owner: Option<Arc<Allocation>>,
        records: NonNull<T>,
        bytes: NonNull<u8>,
        lengths: Lengths,
    ) -> Self {
        Self { owner, records, bytes, n_records: lengths.records, n_bytes: lengths.bytes }
    }
}

impl<T: Pod> RecordBuffer<T> {
    /// Copies borrowed records so that they may be written; does nothing if they are owned. The
    /// borrowed memory stays readable while the buffer lives.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`; the buffer is then unchanged.
    pub fn make_owned(&mut self) -> Result<(), Error> {
        if !self.is_borrowed() {
            return Ok(());
        }
        let block = Block::new(layout_of::<T>(self.records().len())?)?;
        let at = block.at().cast::<T>();
        // SAFETY: R1: the records are initialized; the new block is as long and overlaps nothing.
        unsafe { at.copy_from_nonoverlapping(self.records, self.records().len()) };
        self.owner = Some(Allocation::new(block, self.owner.take()));
        self.records = at;
        Ok(())
    }

    /// Takes over two vectors, shrunk to their lengths. Copies nothing unless the allocator must
    /// move a vector to shrink it.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if either is longer than `u32::MAX`.
    pub fn from_vecs(records: Vec<T>, bytes: Vec<u8>) -> Result<Self, Error> {
        let lengths = Lengths::of(records.len(), bytes.len())?;
        let records = Block::from_vec(records);
        let bytes = Block::from_vec(bytes);
        let (records_at, bytes_at) = (records.at().cast(), bytes.at());
        let mut owner = None;
        for block in [bytes, records] {
            if block.size() != 0 {
                owner = Some(Allocation::new(block, owner));
            }
        }
        // SAFETY: R1, R2, R3: the parts are the two vectors, initialized to their lengths; `owner`
        // keeps both blocks, but for empty ones, and nothing else points to them.
        Ok(unsafe { Self::from_raw_parts(owner, records_at, bytes_at, lengths) })
    }
}

impl<T> Default for RecordBuffer<T> {
    /// Creates an empty buffer without an allocation.
    fn default() -> Self {
        Self {
            owner: None,
            records: NonNull::dangling(),
            bytes: NonNull::dangling(),
            n_records: 0,
            n_bytes: 0,
        }
    }
}

/// Immutable foreign memory that buffers borrow without a copy.
///
/// ```
/// use std::sync::Arc;
/// use lexpool_pool::SharedRegion;
///
/// let memory = Arc::new((vec![1_u32, 2, 3], b"one two three".to_vec()));
/// let region = SharedRegion::new(Box::new(Arc::clone(&memory)))?;
/// // SAFETY: the region keeps the two vectors alive, and nothing changes them.
/// let mut buffer = unsafe { region.buffer(&memory.0[1..], &memory.1) }?;
/// assert_eq!(buffer.records().as_ptr(), memory.0[1..].as_ptr());
/// buffer.make_owned()?;
/// buffer.records_mut()[0] = 9;
/// assert_eq!((buffer.records(), &memory.0[..]), (&[9, 3][..], &[1, 2, 3][..]));
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
#[derive(Clone)]
pub struct SharedRegion(Arc<Allocation>);

impl SharedRegion {
    /// Creates a region of memory that `owner` keeps alive.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn new(owner: Box<dyn MemoryOwner>) -> Result<Self, Error> {
        Ok(Self(Allocation::borrowed(owner)?))
    }

    /// Makes a buffer over parts of the memory. Cost: a reference count.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if either is longer than `u32::MAX`.
    ///
    /// # Safety
    ///
    /// Both parts must not move or change while the owner of the region lives.
    #[inline]
    pub unsafe fn buffer<T: Pod>(
        &self,
        records: &[T],
        bytes: &[u8],
    ) -> Result<RecordBuffer<T>, Error> {
        let lengths = Lengths::of(records.len(), bytes.len())?;
        let (records, bytes) = (NonNull::from(records).cast(), NonNull::from(bytes).cast());
        // SAFETY: R1, R2, R3: initialized slices that the caller keeps allocated and unchanged,
        // with a foreign owner.
        Ok(unsafe {
            RecordBuffer::from_raw_parts(Some(Arc::clone(&self.0)), records, bytes, lengths)
        })
    }
}

impl fmt::Debug for SharedRegion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedRegion")
    }
}

impl<T: fmt::Debug> fmt::Debug for RecordBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordBuffer")
            .field("records", &self.records())
            .field("bytes", &String::from_utf8_lossy(self.bytes()))
            .finish()
    }
}

/// The two lengths of a buffer, checked to fit in 32 bits.
#[derive(Clone, Copy)]
pub(crate) struct Lengths {
    records: u32,
    bytes: u32,
}

impl Lengths {
    pub(crate) fn of(records: usize, bytes: usize) -> Result<Self, Error> {
        Ok(Self { records: fit("records", records)?, bytes: fit("bytes", bytes)? })
    }
}

fn fit(what: &'static str, requested: usize) -> Result<u32, Error> {
    u32::try_from(requested).map_err(|_| Error::size_overflow(what, requested, u32::MAX as usize))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_of_vectors_is_not_copied() {
        let records = vec![1_u64, 2, 3];
        let at = records.as_ptr();
        let buffer = RecordBuffer::from_vecs(records, Vec::new()).unwrap();
        assert_eq!((buffer.records().as_ptr(), buffer.records()), (at, &[1, 2, 3][..]));
        assert!(buffer.bytes().is_empty());
    }

    #[test]
    fn an_empty_buffer_is_empty_however_it_was_made() {
        for mut buffer in [
            RecordBuffer::<u64>::default(),
            RecordBuffer::from_vecs(Vec::new(), Vec::new()).unwrap(),
        ] {
            assert!(buffer.records().is_empty() && buffer.bytes().is_empty());
            assert!(buffer.records_mut().is_empty());
        }
        let text = RecordBuffer::<u64>::from_vecs(Vec::new(), b"text".to_vec()).unwrap();
        assert_eq!(format!("{text:?}"), r#"RecordBuffer { records: [], bytes: "text" }"#);
        assert_eq!(format!("{:?}", text.keep_alive()), "KeepAlive");
    }

    #[test]
    fn borrowed_records_are_shared_until_a_buffer_writes_them() {
        let memory = Arc::new(vec![1_u64, 2, 3]);
        let region = SharedRegion::new(Box::new(Arc::clone(&memory))).unwrap();
        // SAFETY: the region keeps the vector alive, and nothing changes it.
        let [mut one, other] = [(); 2].map(|()| unsafe { region.buffer(&memory, b"") }.unwrap());
        assert_eq!(format!("{region:?}"), "SharedRegion");
        drop(region);
        assert!(one.is_borrowed() && other.is_borrowed());
        one.make_owned().unwrap();
        one.records_mut()[2] = 9;
        one.make_owned().unwrap();
        assert_eq!((one.records(), other.records()), (&[1, 2, 9][..], &[1, 2, 3][..]));
        assert_eq!(Arc::strong_count(&memory), 2);
        drop((one, other));
        assert_eq!(Arc::strong_count(&memory), 1);
    }

    #[test]
    #[should_panic(expected = "borrowed records must be copied")]
    fn borrowed_records_cannot_be_written() {
        let region = SharedRegion::new(Box::new(())).unwrap();
        // SAFETY: the records are a constant.
        unsafe { region.buffer(&[1_u8], b"") }.unwrap().records_mut()[0] = 2;
    }

    #[test]
    fn lengths_past_32_bits_are_refused() {
        let refused = Lengths::of(1 << 32, 0).err().unwrap();
        assert_eq!(refused.code(), "pool-size-overflow");
        assert_eq!(refused.to_string(), "4294967296 records requested, but at most 4294967295 fit");
        assert!(Lengths::of(0, 1 << 32).is_err() && Lengths::of(u32::MAX as usize, 0).is_ok());
    }
}
