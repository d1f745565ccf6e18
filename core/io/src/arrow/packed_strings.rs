//! Strings of a column, one after another in memory.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use lexpool::Result;

use super::errors::internal;
use super::lists::offsets;

/// Concatenated strings.
#[derive(Default)]
pub(super) struct PackedStrings {
    lens: Vec<u32>,
    bytes: Vec<u8>,
}

impl PackedStrings {
    /// Returns the number of strings.
    pub(super) fn len(&self) -> usize {
        self.lens.len()
    }

    pub(super) fn push(&mut self, string: &str) {
        self.lens.push(u32::try_from(string.len()).expect("no text has 2^32 bytes"));
        self.bytes.extend_from_slice(string.as_bytes());
    }

    pub(super) fn append(&mut self, mut other: PackedStrings) {
        self.lens.append(&mut other.lens);
        self.bytes.append(&mut other.bytes);
    }

    /// Converts the strings to an array of utf8.
    ///
    /// # Errors
    ///
    /// `arrow-too-many` for more than 2^31 - 1 bytes.
    pub(super) fn into_utf8(self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let offsets = offsets(self.lens.iter().map(|len| *len as usize), "bytes of strings")?;
        let array = StringArray::try_new(offsets, Buffer::from_vec(self.bytes), nulls);
        Ok(Arc::new(array.map_err(|error| internal(&error))?))
    }

    /// Converts the strings to an array of large utf8.
    pub(super) fn into_large_utf8(self) -> Result<ArrayRef> {
        let offsets = OffsetBuffer::from_lengths(self.lens.iter().map(|len| *len as usize));
        let array = LargeStringArray::try_new(offsets, Buffer::from_vec(self.bytes), None);
        Ok(Arc::new(array.map_err(|error| internal(&error))?))
    }
}
