//! The records of a handle as a slice: code to copy into a crate that reads `doc.c`.
//!
//! Contains unsafe code: reads the memory that a capsule of lexpool's points to.

use std::ffi::{CString, c_void};
use std::ops::Deref;
use std::slice;

use lexpool_structs::{ABI_VERSION, Record, TokenC};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// The tokens of a document, from `doc.c`.
pub(crate) type Tokens<'py> = Records<'py, TokenC>;

/// The records of a handle, which it keeps alive: `&records[i]` is valid as long as this value.
///
/// The slice may be used after releasing the GIL. As for every Python buffer, its user must ensure
/// that the document is not changed in the meantime: merging and splitting leave the slice
/// unchanged, but setting an attribute writes into it.
pub(crate) struct Records<'py, T: Record> {
    /// Keeps the handle alive, which keeps the memory alive.
    _capsule: Bound<'py, PyCapsule>,
    records: &'py [T],
}

/// The beginning of `lexpool_records` in `lexpool_api.h`.
#[repr(C)]
struct Header {
    size: u32,
    abi_version: u32,
    data: *const c_void,
    len: usize,
    stride: isize,
    itemsize: u32,
    writable: u32,
}

impl<'py, T: Record> Records<'py, T> {
    /// Returns the records of a handle such as `doc.c`.
    ///
    /// # Errors
    ///
    /// `ValueError` if the records have another type, or another version of the layout than this
    /// crate was built for, are not contiguous, or belong to a lease.
    pub(crate) fn of(handle: &Bound<'py, PyAny>) -> PyResult<Records<'py, T>> {
        let record = T::INFO.name;
        let capsule = handle.call_method1("capsule", (record, ABI_VERSION))?;
        let capsule = capsule.cast_into::<PyCapsule>()?;
        // The pointer is only returned for the right record and version.
        let name = CString::new(format!("lexpool.{record}.{ABI_VERSION}"))?;
        let pointer = capsule.pointer_checked(Some(&name))?.cast::<Header>();
        // SAFETY: a capsule of this name points to a `lexpool_records`, which it keeps alive.
        let header = unsafe { pointer.as_ref() };
        let known = header.size as usize >= size_of::<Header>()
            && header.abi_version == ABI_VERSION
            && header.itemsize as usize == size_of::<T>();
        let in_a_row = header.len <= 1 || header.stride.unsigned_abs() == size_of::<T>();
        if !known || !in_a_row || header.stride < 0 || header.writable != 0 {
            let text = format!("expected {record} side by side that nobody may write");
            return Err(PyValueError::new_err(text));
        }
        let records = if header.len == 0 {
            &[]
        } else {
            // SAFETY: the memory has `header.len` contiguous, aligned records of this type, and is
            // valid as long as the capsule, which is kept; `Deref` borrows them from it.
            unsafe { slice::from_raw_parts(header.data.cast(), header.len) }
        };
        Ok(Records { _capsule: capsule, records })
    }
}

impl<T: Record> Deref for Records<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.records
    }
}
