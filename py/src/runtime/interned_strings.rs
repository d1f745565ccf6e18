//! Cache of the Python strings of a string store: each is created once.
//!
//! Unsafe code: stores references to Python strings in atomic cells, so that a look-up takes no
//! lock and creates nothing.
//!
//! Invariants:
//! - **S1** A cell is null or holds one owned reference to a `str`. It changes once, from null, and
//!   is released when the cache is dropped.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use lexpool::pool::SegmentedVec;
use lexpool::strings::{StrId, StrIx, StringStore};
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::runtime::sparse_vec::SparseVec;

/// The Python strings requested so far, by position in the store.
///
/// A string that was never requested costs nothing, or eight bytes if a later one was.
pub(crate) struct InternedStrings {
    /// The position of the first string after those of a mapped file.
    first: u32,
    of_file: SparseVec<AtomicPtr<ffi::PyObject>>,
    /// Cells as S1 describes.
    new_strings: SegmentedVec<AtomicPtr<ffi::PyObject>>,
}

impl InternedStrings {
    /// An empty cache for a store.
    pub(crate) fn new(store: &StringStore) -> InternedStrings {
        let first = store.first_new();
        InternedStrings { first, of_file: SparseVec::new(first), new_strings: SegmentedVec::new() }
    }

    /// The string of an id. Returns `None` if the store does not have it. A string of a memory zone
    /// is created at each call, since its position is not permanent.
    pub(crate) fn get<'py>(
        &self,
        py: Python<'py>,
        store: &StringStore,
        id: StrId,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        match self.permanent(py, store, id)? {
            Some(string) => Ok(Some(string)),
            None => Ok(store.get(id).map(|string| PyString::new(py, &string))),
        }
    }

    /// The string of an id. Returns `None` if it belongs to a memory zone.
    pub(crate) fn permanent<'py>(
        &self,
        py: Python<'py>,
        store: &StringStore,
        id: StrId,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        store.position(id).map(|ix| self.at(py, store, ix)).transpose()
    }

    fn at<'py>(
        &self,
        py: Python<'py>,
        store: &StringStore,
        ix: StrIx,
    ) -> PyResult<Bound<'py, PyString>> {
        let cell = match ix.get().checked_sub(self.first) {
            Some(at) => match self.new_strings.get(at) {
                Some(cell) => cell,
                None => self.grow(at)?,
            },
            None => self.of_file.make(ix.get()).expect("a position below the first one"),
        };
        let mut string = cell.load(Ordering::Acquire);
        if string.is_null() {
            let text = PyString::new(py, store.at(ix)).into_ptr();
            let won = cell.compare_exchange(string, text, Ordering::AcqRel, Ordering::Acquire);
            string = match won {
                Ok(_) => text,
                Err(first) => {
                    // SAFETY: `text` is an owned reference that was not stored.
                    drop(unsafe { Bound::from_owned_ptr(py, text) });
                    first
                }
            };
        }
        // SAFETY: S1: the cell holds a reference to a `str` for as long as `self` lives.
        Ok(unsafe { Bound::from_borrowed_ptr(py, string).cast_into_unchecked() })
    }

    #[cold]
    fn grow(&self, at: u32) -> PyResult<&AtomicPtr<ffi::PyObject>> {
        while self.new_strings.len() <= at {
            let pushed = self.new_strings.push(AtomicPtr::new(ptr::null_mut()));
            pushed.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        }
        Ok(self.new_strings.get(at).expect("it was made long enough"))
    }
}

impl Drop for InternedStrings {
    fn drop(&mut self) {
        Python::attach(|py| {
            for cell in self.new_strings.iter().chain(self.of_file.iter()) {
                let string = cell.load(Ordering::Relaxed);
                if !string.is_null() {
                    // SAFETY: S1: the cell owns the reference, and `&mut self` excludes other
                    // users.
                    drop(unsafe { Bound::from_owned_ptr(py, string) });
                }
            }
        });
    }
}
