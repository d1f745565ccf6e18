//! A slice of records and a run of bytes, owned together.
//!
//! Contains unsafe code: a buffer is a region of somebody's block, held alive by a count.

use std::fmt;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use bytemuck::Pod;

use crate::Error;
use crate::block::{Allocation, Block, MemoryOwner, layout_of};

/// The records and the bytes of one document, wherever they lie.
///
/// A buffer is 32 bytes and owns its region alone: it reads and writes it without a lock, and keeps
/// the memory around it alive. It comes from a [`ChunkArena`](crate::ChunkArena) (beside many others), from
/// a [`ArrayArena`](crate::ArrayArena) (bound to its siblings), or from finished buffers by
/// [`RecordBuffer::adopt`]. One that a [`SharedRegion`] made looks at memory that others read too, such as a mapped
/// file, and copies the records at the first write. Dropping a buffer costs a reference count.
///
/// ```
/// use lexpool_pool::RecordBuffer;
///
/// let mut buffer = RecordBuffer::adopt(vec![1_u32, 2, 3], b"one two three".to_vec())?;
/// buffer.records_mut()[0] = 9;
/// assert_eq!(buffer.records(), [9, 2, 3]);
/// assert_eq!(buffer.bytes(), b"one two three");
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
pub struct RecordBuffer<T> {
    // Keeps the regions below allocated. `None` only when both are empty of bytes.
    owner: Option<Arc<Allocation>>,
    // `n_records` initialized records, aligned. No other buffer overlaps them, unless the owner is a
    // lent one: then nobody writes them.
    records: NonNull<T>,
    // `n_bytes` initialized bytes, never written again.
    bytes: NonNull<u8>,
    n_records: u32,
    n_bytes: u32,
}

const _: () =
    assert!(size_of::<RecordBuffer<u64>>() == 4 * size_of::<usize>() || usize::BITS != 64);

// SAFETY: a buffer owns its region as a `Box<[T]>` would (field invariants); the owner is an `Arc`
// of plain memory that is itself `Send` and `Sync`.
unsafe impl<T: Send> Send for RecordBuffer<T> {}
// SAFETY: as above; a shared buffer gives out shared slices only.
unsafe impl<T: Sync> Sync for RecordBuffer<T> {}

/// Keeps the memory of a buffer allocated. The bytes of that buffer stay as they are; who wants to read
/// them has to know where they lie.
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
    /// The records.
    pub fn records(&self) -> &[T] {
        // SAFETY: the region holds `n_records` initialized records, kept by `owner`, and only
        // `&mut self` writes them (field invariants).
        unsafe { slice::from_raw_parts(self.records.as_ptr(), self.n_records as usize) }
    }

    /// Whether the records are somebody else's, to be read only.
    pub fn is_lent(&self) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.is_lent())
    }

    /// The records, to be written.
    ///
    /// # Panics
    ///
    /// If they are lent: [`make_own`](RecordBuffer::make_own) copies them first.
    #[inline]
    pub fn records_mut(&mut self) -> &mut [T] {
        assert!(!self.is_lent(), "lent records are copied before they are written");
        // SAFETY: as in `records`; no other buffer overlaps the region, and `&mut self` excludes
        // every other borrow of it.
        unsafe { slice::from_raw_parts_mut(self.records.as_ptr(), self.n_records as usize) }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the region holds `n_bytes` initialized bytes that nobody writes, kept by
        // `owner` (field invariants).
        unsafe { slice::from_raw_parts(self.bytes.as_ptr(), self.n_bytes as usize) }
    }

    /// What keeps the regions of this buffer allocated, also after the buffer itself. Cost: a count.
    ///
    /// ```
    /// use lexpool_pool::RecordBuffer;
    /// let buffer = RecordBuffer::<u32>::adopt(Vec::new(), b"text".to_vec())?;
    /// let (kept, at) = (buffer.keep(), buffer.bytes().as_ptr());
    /// drop(buffer);
    /// // The four bytes at `at` are still allocated, and as they were.
    /// drop((kept, at));
    /// # Ok::<(), lexpool_pool::Error>(())
    /// ```
    pub fn keep(&self) -> KeepAlive {
        KeepAlive { _owner: self.owner.clone() }
    }

    /// A buffer over regions of `owner`.
    ///
    /// # Safety
    ///
    /// - `records` is aligned and starts `lengths.records` initialized records.
    /// - `bytes` starts `lengths.bytes` initialized bytes.
    /// - Both stay allocated while `owner` lives, and no other buffer or reference overlaps them, or
    ///   nobody writes them and the owner is a lent one.
    pub(crate) unsafe fn over(
        owner: Option<Arc<Allocation>>,
        records: NonNull<T>,
        bytes: NonNull<u8>,
        lengths: Lengths,
    ) -> Self {
        Self { owner, records, bytes, n_records: lengths.records, n_bytes: lengths.bytes }
    }
}

impl<T: Pod> RecordBuffer<T> {
    /// Copies records that are lent, so that they may be written; nothing otherwise. What was lent
    /// stays readable where it is for as long as the buffer lives.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`; the buffer is then as it was.
    pub fn make_own(&mut self) -> Result<(), Error> {
        if !self.is_lent() {
            return Ok(());
        }
        let block = Block::new(layout_of::<T>(self.records().len())?)?;
        let at = block.at().cast::<T>();
        // SAFETY: the block is fresh and as long as the records.
        unsafe { at.copy_from_nonoverlapping(self.records, self.records().len()) };
        self.owner = Some(Allocation::new(block, self.owner.take()));
        self.records = at;
        Ok(())
    }

    /// Takes over two finished buffers, cut down to their lengths. Copies nothing unless the
    /// allocator must move a buffer to shrink it.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if either is longer than `u32::MAX`.
    pub fn adopt(records: Vec<T>, bytes: Vec<u8>) -> Result<Self, Error> {
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
        // SAFETY: the regions are the two vectors, initialized to their lengths, owned by nobody
        // else; `owner` holds both blocks, except empty ones, which need no memory.
        Ok(unsafe { Self::over(owner, records_at, bytes_at, lengths) })
    }
}

impl<T> Default for RecordBuffer<T> {
    /// No records, no bytes, no allocation.
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

/// Memory that is read by many and written by nobody, of which buffers are made without a copy.
///
/// ```
/// use std::sync::Arc;
/// use lexpool_pool::SharedRegion;
///
/// let memory = Arc::new((vec![1_u32, 2, 3], b"one two three".to_vec()));
/// let lender = SharedRegion::new(Box::new(Arc::clone(&memory)))?;
/// // SAFETY: the lender keeps the two vectors, which nobody changes.
/// let mut buffer = unsafe { lender.buffer(&memory.0[1..], &memory.1) }?;
/// assert_eq!(buffer.records().as_ptr(), memory.0[1..].as_ptr());
/// buffer.make_own()?;
/// buffer.records_mut()[0] = 9;
/// assert_eq!((buffer.records(), &memory.0[..]), (&[9, 3][..], &[1, 2, 3][..]));
/// # Ok::<(), lexpool_pool::Error>(())
/// ```
#[derive(Clone)]
pub struct SharedRegion(Arc<Allocation>);

impl SharedRegion {
    /// Keeps whatever keeps the memory.
    ///
    /// # Errors
    ///
    /// `pool-out-of-memory`.
    pub fn new(keeper: Box<dyn MemoryOwner>) -> Result<Self, Error> {
        Ok(Self(Allocation::lent(keeper)?))
    }

    /// A buffer over parts of the memory. Cost: a count.
    ///
    /// # Errors
    ///
    /// `pool-size-overflow` if either is longer than `u32::MAX`.
    ///
    /// # Safety
    ///
    /// Both parts stay where they are and as they are for as long as the keeper lives.
    #[inline]
    pub unsafe fn buffer<T: Pod>(
        &self,
        records: &[T],
        bytes: &[u8],
    ) -> Result<RecordBuffer<T>, Error> {
        let lengths = Lengths::of(records.len(), bytes.len())?;
        let (records, bytes) = (NonNull::from(records).cast(), NonNull::from(bytes).cast());
        // SAFETY: both are initialized and kept, as the caller promises, and the owner is a lent
        // one, so nobody writes them.
        Ok(unsafe { RecordBuffer::over(Some(Arc::clone(&self.0)), records, bytes, lengths) })
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

/// The two lengths of a buffer, known to fit.
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

fn fit(what: &'static str, given: usize) -> Result<u32, Error> {
    u32::try_from(given).map_err(|_| Error::size_overflow(what, given, u32::MAX as usize))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn an_adopted_buffer_is_not_copied() {
        let records = vec![1_u64, 2, 3];
        let at = records.as_ptr();
        let buffer = RecordBuffer::adopt(records, Vec::new()).unwrap();
        assert_eq!((buffer.records().as_ptr(), buffer.records()), (at, &[1, 2, 3][..]));
        assert!(buffer.bytes().is_empty());
    }

    #[test]
    fn an_empty_leaf_is_empty_however_it_was_made() {
        for mut buffer in
            [RecordBuffer::<u64>::default(), RecordBuffer::adopt(Vec::new(), Vec::new()).unwrap()]
        {
            assert!(buffer.records().is_empty() && buffer.bytes().is_empty());
            assert!(buffer.records_mut().is_empty());
        }
        let text = RecordBuffer::<u64>::adopt(Vec::new(), b"text".to_vec()).unwrap();
        assert_eq!(format!("{text:?}"), r#"RecordBuffer { records: [], bytes: "text" }"#);
    }

    #[test]
    fn lent_records_are_shared_until_one_writes_them() {
        let memory = Arc::new(vec![1_u64, 2, 3]);
        let lender = SharedRegion::new(Box::new(Arc::clone(&memory))).unwrap();
        // SAFETY: the lender keeps the vector, which nobody changes.
        let [mut one, other] = [(); 2].map(|()| unsafe { lender.buffer(&memory, b"") }.unwrap());
        drop(lender);
        assert!(one.is_lent() && other.is_lent());
        one.make_own().unwrap();
        one.records_mut()[2] = 9;
        one.make_own().unwrap();
        assert_eq!((one.records(), other.records()), (&[1, 2, 9][..], &[1, 2, 3][..]));
        assert_eq!(Arc::strong_count(&memory), 2);
        drop((one, other));
        assert_eq!(Arc::strong_count(&memory), 1);
    }

    #[test]
    #[should_panic(expected = "lent records are copied")]
    fn lent_records_cannot_be_written() {
        let lender = SharedRegion::new(Box::new(())).unwrap();
        // SAFETY: the records are a constant.
        unsafe { lender.buffer(&[1_u8], b"") }.unwrap().records_mut()[0] = 2;
    }

    #[test]
    fn lengths_past_32_bits_are_refused() {
        let refused = Lengths::of(1 << 32, 0).err().unwrap();
        assert_eq!(refused.code(), "pool-size-overflow");
        assert_eq!(refused.to_string(), "4294967296 records asked for, at most 4294967295 fit");
        assert!(Lengths::of(0, 1 << 32).is_err() && Lengths::of(u32::MAX as usize, 0).is_ok());
    }
}
