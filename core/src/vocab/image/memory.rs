//! The bytes of an image: a file that is mapped, or memory of our own.
//!
//! Holds unsafe code: maps a file, which others should not change, and gives out parts of it as
//! records, some of which may be written.
//!
//! A mapped file is private to the process: what is written to lexemes stays here and never reaches
//! the file or another process.

use std::any::Any;
use std::fs::File;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;
use lexpool_pool::SegmentedVec;
use memmap2::MmapOptions;

use super::MappedVocab;
use crate::strings::StrId;
use crate::vectors;
use crate::vocab::LexemeCell;
use crate::{Error, ErrorKind, Result};

/// Bytes that stay where they are, beginning at a multiple of 64.
pub(super) struct Memory {
    at: NonNull<u8>,
    len: usize,
    _keeper: Box<dyn Any + Send + Sync>,
}

// SAFETY: the keeper owns the bytes and may go to another thread. They are written through atomic
// cells only, or through vectors, whose module says who may write.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

/// As wide as what any section asks for.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Block([u8; 64]);

impl Memory {
    /// Maps a part of a file that begins at a multiple of 64.
    pub(super) fn map(file: &File, offset: u64, len: usize) -> std::io::Result<Memory> {
        // SAFETY: nothing that the bytes may be is unsound: what is read from them is numbers that
        // are bounded where they are used, and text that is checked where it is read. They must not
        // change under the references to them: lexpool writes such a file under another name, and
        // the documentation asks others to.
        let mut map = unsafe { MmapOptions::new().offset(offset).len(len).map_copy(file) }?;
        let at = NonNull::new(map.as_mut_ptr()).expect("a mapping has an address");
        debug_assert!(at.as_ptr().addr() % 64 == 0, "a page, and a multiple of 64 into it");
        Ok(Memory { at, len: map.len(), _keeper: Box::new(map) })
    }

    /// Memory of our own, which `fill` writes.
    pub(super) fn filled<E>(
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Result<Memory, E>> {
        let mut blocks: Vec<Block> = Vec::new();
        let count = len.div_ceil(64);
        blocks.try_reserve_exact(count).map_err(|_| {
            let text = format!("no memory for an image of {len} bytes");
            Error::new(ErrorKind::Memory, "image-memory", text)
        })?;
        blocks.resize(count, Block([0; 64]));
        let at = NonNull::from(blocks.as_mut_slice()).cast::<u8>();
        // SAFETY: the blocks have `len` bytes at least, and nobody else has them yet.
        let bytes = unsafe { std::slice::from_raw_parts_mut(at.as_ptr(), len) };
        Ok(fill(bytes).map(|()| Memory { at, len, _keeper: Box::new(blocks) }))
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// All bytes, for who judges an image before anybody else has it.
    pub(super) fn all(&mut self) -> &[u8] {
        // SAFETY: the keeper holds that many bytes, and with `&mut self` nobody writes to them.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len) }
    }

    /// Where a range begins; none outside of the bytes, or where no `T` can lie.
    fn place<T>(&self, range: &Range<usize>) -> Option<NonNull<[T]>> {
        if range.start > range.end || range.end > self.len {
            return None;
        }
        // SAFETY: the range lies within the bytes.
        let at = unsafe { self.at.add(range.start) }.cast::<T>();
        let fits = at.is_aligned() && range.len() % size_of::<T>() == 0;
        fits.then(|| NonNull::slice_from_raw_parts(at, range.len() / size_of::<T>()))
    }
}

impl MappedVocab {
    /// A section that nobody writes, as its items; empty if it does not consist of such.
    pub(super) fn items<T: Pod>(&self, range: &Range<usize>) -> &[T] {
        debug_assert!(!self.is_written(range), "cells and rows may change under this reference");
        match self.memory.place(range) {
            // SAFETY: the bytes are there, aligned, and any bytes are a `T`. Sections do not
            // overlap, so nobody writes to these.
            Some(items) => unsafe { items.as_ref() },
            None => &[],
        }
    }

    /// The lexemes where they lie.
    pub(super) fn cells(&self) -> &[LexemeCell] {
        match self.memory.place(&self.sections.lexemes()) {
            // SAFETY: the bytes are there and aligned, and a cell has the layout of a record, of
            // which any bytes are one. Nobody writes to them but through cells.
            Some(cells) => unsafe { cells.as_ref() },
            None => &[],
        }
    }

    /// The lexemes as the first of a vocab's.
    pub(in crate::vocab) fn lexeme_pages(
        self: &Arc<MappedVocab>,
    ) -> Result<SegmentedVec<LexemeCell>> {
        let cells = NonNull::from(self.cells());
        // SAFETY: the cells stay for as long as the image, and are written as cells are.
        Ok(unsafe { SegmentedVec::with_base(cells, Box::new(Arc::clone(self))) }?)
    }

    /// The numbers of the vectors where they lie.
    pub(super) fn vector_memory(self: &Arc<MappedVocab>) -> vectors::Memory {
        let numbers = self.memory.place(&self.sections.rows());
        let numbers = numbers.unwrap_or(NonNull::slice_from_raw_parts(NonNull::dangling(), 0));
        // SAFETY: the numbers stay for as long as the image, and nobody looks at them in another way.
        // Mapped ones are private to the process, so they may be written.
        unsafe { vectors::Memory::lent(numbers, Box::new(Arc::clone(self))) }
    }

    /// The norms of special cases as the first of a vocab's.
    pub(in crate::vocab) fn norm_pages(self: &Arc<MappedVocab>) -> Result<SegmentedVec<StrId>> {
        let ids: &[u64] = self.items(&self.sections.norms());
        let ids = NonNull::slice_from_raw_parts(NonNull::from(ids).cast::<StrId>(), ids.len());
        // SAFETY: a `StrId` is laid out as the number that it has, and nobody writes to these. They
        // stay for as long as the image.
        Ok(unsafe { SegmentedVec::with_base(ids, Box::new(Arc::clone(self))) }?)
    }
}
