//! `.c`: a handle on records, for whoever wants the memory itself.
//!
//! Holds unsafe code: gives out addresses, and serves the buffer protocol from memory that the
//! handle's owner keeps alive.

use std::ffi::{CString, c_int, c_void};
use std::ptr;

use lexpool::structs::{RecordInfo, emit};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// A row of records in memory, read-only: `len(handle)` of them at `handle.address`.
///
/// `memoryview(handle)` and `numpy.asarray(handle)` see them as a structured array without a copy,
/// and keep the document alive. The plain address does not: whoever takes it has to keep the
/// handle, or its document, for as long as the address is used.
#[pyclass(name = "Handle", module = "lexpool", frozen)]
pub(crate) struct Handle {
    owner: Py<PyAny>,
    info: &'static RecordInfo,
    address: *const c_void,
    len: usize,
    /// What the buffer protocol points to while views are out.
    shape: [ffi::Py_ssize_t; 1],
    strides: [ffi::Py_ssize_t; 1],
    format: CString,
}

// SAFETY: the records are only read, and the owner keeps them where they are.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// A handle on `len` records.
    ///
    /// # Safety
    ///
    /// `address` points to `len` records of the layout `info`, which stay there, readable, for as
    /// long as `owner` lives.
    pub(crate) unsafe fn new(
        owner: Py<PyAny>,
        info: &'static RecordInfo,
        address: *const c_void,
        len: usize,
    ) -> Handle {
        let format = CString::new(emit::buffer_format(info)).expect("a format has no zero in it");
        Handle {
            owner,
            info,
            address,
            len,
            shape: [ssize(len)],
            strides: [ssize(info.size)],
            format,
        }
    }
}

fn ssize(n: usize) -> ffi::Py_ssize_t {
    ffi::Py_ssize_t::try_from(n).expect("a size in memory")
}

#[pymethods]
impl Handle {
    /// Where the first record lies. Nothing guards a plain address: keep the handle.
    #[getter]
    fn address(&self) -> usize {
        self.address as usize
    }

    /// The bytes of one record.
    #[getter]
    fn itemsize(&self) -> usize {
        self.info.size
    }

    /// The name of the record's type, such as "TokenC".
    #[getter]
    fn record(&self) -> &'static str {
        self.info.name
    }

    /// The object that keeps the memory.
    #[getter]
    fn owner(&self, py: Python<'_>) -> Py<PyAny> {
        self.owner.clone_ref(py)
    }

    fn __len__(&self) -> usize {
        self.len
    }

    fn __repr__(&self) -> String {
        format!("<{} {} at {:#x}>", self.len, self.info.name, self.address as usize)
    }

    /// # Safety
    ///
    /// For CPython: `view` is null or points to a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Handle>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("the records are read-only"));
        }
        let handle = slf.get();
        let asked = |flag: c_int| flags & flag == flag;
        // SAFETY: `view` is a view to be filled; all it points to lives in the handle, which the
        // view owns through `obj`.
        unsafe {
            (*view).buf = handle.address.cast_mut();
            (*view).len = ssize(handle.len * handle.info.size);
            (*view).readonly = 1;
            (*view).itemsize = ssize(handle.info.size);
            (*view).format = if asked(ffi::PyBUF_FORMAT) {
                handle.format.as_ptr().cast_mut()
            } else {
                ptr::null_mut()
            };
            (*view).ndim = 1;
            (*view).shape = if asked(ffi::PyBUF_ND) {
                handle.shape.as_ptr().cast_mut()
            } else {
                ptr::null_mut()
            };
            (*view).strides = if asked(ffi::PyBUF_STRIDES) {
                handle.strides.as_ptr().cast_mut()
            } else {
                ptr::null_mut()
            };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}
