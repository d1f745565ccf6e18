//! The bytes of an image: a memory-mapped file, or a copy in memory.
//!
//! Contains unsafe code. A mapping is private (copy on write): writes to lexemes and vectors do not
//! reach the file or another process. Invariants:
//!
//! - `M1`: `at` points to `len` initialized bytes at a multiple of 64, which `_owner` keeps
//!   allocated at this address.
//! - `M2`: after validation, the bytes are written only through atomic lexeme cells and through the
//!   memory of vectors. The file of a mapping must not be changed by other processes, as the
//!   documentation says; lexpool replaces such files by renaming.

use std::any::Any;
use std::fs::File;
use std::ops::Range;
use std::ptr::NonNull;

use memmap2::MmapOptions;

use crate::codes;
use crate::{Error, ErrorKind, Result};

/// The bytes of an image, at a stable address that is a multiple of 64.
pub(super) struct ImageMemory {
    at: NonNull<u8>,
    len: usize,
    _owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: M1, M2: the owner is `Send`, and the bytes are written through atomics, or through
// vectors, whose module orders the writes.
unsafe impl Send for ImageMemory {}
// SAFETY: M2: shared access reads immutable bytes and atomics.
unsafe impl Sync for ImageMemory {}

/// 64 bytes at the alignment of sections.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct AlignedBlock([u8; 64]);

impl ImageMemory {
    /// Maps a part of a file that begins at a multiple of 64.
    pub(super) fn map(file: &File, offset: u64, len: usize) -> std::io::Result<ImageMemory> {
        // SAFETY: M2: the mapping is private and the file must not change. All contents are sound:
        // numbers are checked against bounds where they are used, and text is validated where it is
        // read.
        let mut map = unsafe { MmapOptions::new().offset(offset).len(len).map_copy(file) }?;
        let at = NonNull::new(map.as_mut_ptr()).expect("a mapping has an address");
        debug_assert!(at.as_ptr().addr() % 64 == 0, "a page address plus a multiple of 64");
        Ok(ImageMemory { at, len: map.len(), _owner: Box::new(map) })
    }

    /// Allocates memory and fills it by `fill`.
    pub(super) fn filled<E>(
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Result<ImageMemory, E>> {
        let mut blocks: Vec<AlignedBlock> = Vec::new();
        let count = len.div_ceil(64);
        blocks.try_reserve_exact(count).map_err(|_| {
            let text = format!("cannot allocate {len} bytes for a vocab image");
            Error::new(ErrorKind::Memory, codes::IMAGE_MEMORY, text)
        })?;
        blocks.resize(count, AlignedBlock([0; 64]));
        let at = NonNull::from(blocks.as_mut_slice()).cast::<u8>();
        // SAFETY: M1: the blocks have at least `len` bytes and are not shared yet.
        let bytes = unsafe { std::slice::from_raw_parts_mut(at.as_ptr(), len) };
        Ok(fill(bytes).map(|()| ImageMemory { at, len, _owner: Box::new(blocks) }))
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns all bytes, for the validation before the image is shared.
    pub(super) fn all(&mut self) -> &[u8] {
        // SAFETY: M1: `len` bytes are allocated, and `&mut self` excludes writes.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len) }
    }

    /// Returns a range as items of `T`, or `None` if it is out of bounds, misaligned, or not a
    /// multiple of the size.
    pub(super) fn items_at<T>(&self, range: &Range<usize>) -> Option<NonNull<[T]>> {
        if range.start > range.end || range.end > self.len {
            return None;
        }
        // SAFETY: M1: the range lies within the bytes.
        let at = unsafe { self.at.add(range.start) }.cast::<T>();
        let fits = at.is_aligned() && range.len() % size_of::<T>() == 0;
        fits.then(|| NonNull::slice_from_raw_parts(at, range.len() / size_of::<T>()))
    }
}
