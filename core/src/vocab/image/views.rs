//! The sections of a mapped vocab as slices of records, and as the base of segmented vectors.
//!
//! Contains unsafe code, which relies on the invariants M1 and M2 of `image_memory`.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;
use lexpool_pool::SegmentedVec;

use super::layout::{LEXEMES, NORMS, ROWS};
use super::mapped::MappedVocab;
use crate::Result;
use crate::strings::StrId;
use crate::vectors::RowMemory;
use crate::vocab::lexeme::LexemeCell;

impl MappedVocab {
    /// Returns a read-only section as its items; empty if its bounds are invalid.
    pub(super) fn items<T: Pod>(&self, range: &Range<usize>) -> &[T] {
        debug_assert!(!self.is_writable(range), "lexemes and rows may be written");
        match self.memory.items_at(range) {
            // SAFETY: M1, M2: the bytes are allocated and aligned, all bit patterns are a valid `T`
            // (`Pod`), and sections do not overlap, so nothing writes these bytes.
            Some(items) => unsafe { items.as_ref() },
            None => &[],
        }
    }

    /// Returns the lexemes in place.
    pub(super) fn cells(&self) -> &[LexemeCell] {
        match self.memory.items_at(&self.sections.get(LEXEMES).range()) {
            // SAFETY: M1, M2: the bytes are allocated and aligned, a cell has the layout of a
            // record, for which all bit patterns are valid, and only cells write these bytes.
            Some(cells) => unsafe { cells.as_ref() },
            None => &[],
        }
    }

    /// Returns a segmented vector that begins with the lexemes.
    pub(in crate::vocab) fn lexeme_vec(
        self: &Arc<MappedVocab>,
    ) -> Result<SegmentedVec<LexemeCell>> {
        let cells = NonNull::from(self.cells());
        // SAFETY: M1, M2: the owner keeps the image alive, and only cells write the bytes.
        Ok(unsafe { SegmentedVec::with_base(cells, Box::new(Arc::clone(self))) }?)
    }

    /// Returns the memory of the vectors in place.
    pub(super) fn vector_memory(self: &Arc<MappedVocab>) -> RowMemory {
        let numbers = self.memory.items_at(&self.sections.get(ROWS).range());
        let numbers = numbers.unwrap_or(NonNull::slice_from_raw_parts(NonNull::dangling(), 0));
        // SAFETY: M1, M2: the owner keeps the image alive, nothing else accesses these bytes, and a
        // private mapping may be written.
        unsafe { RowMemory::borrowed(numbers, Box::new(Arc::clone(self))) }
    }

    /// Returns a segmented vector that begins with the norms of special cases.
    pub(in crate::vocab) fn norm_vec(self: &Arc<MappedVocab>) -> Result<SegmentedVec<StrId>> {
        let ids: &[u64] = self.items(&self.sections.get(NORMS).range());
        let ids = NonNull::slice_from_raw_parts(NonNull::from(ids).cast::<StrId>(), ids.len());
        // SAFETY: M1, M2: a `StrId` has the layout of its number, the owner keeps the image alive,
        // and nothing writes these bytes.
        Ok(unsafe { SegmentedVec::with_base(ids, Box::new(Arc::clone(self))) }?)
    }
}
