//! The buffer protocol of handles.
//!
//! Unsafe code: fills CPython's view with pointers into the handle, which the view keeps alive (H1
//! of `record_handle.rs`).

use std::ffi::{CStr, CString, c_int};
use std::ptr;
use std::sync::OnceLock;

use lexpool::structs::{Record, RecordInfo, SpacyTokenC, emit, records};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::record_handle::{Handle, ssize};

/// The format string of a record for the buffer protocol, built once.
fn format_of(info: &RecordInfo) -> &'static CStr {
    static FORMATS: OnceLock<Vec<(&str, CString)>> = OnceLock::new();
    let formats = FORMATS.get_or_init(|| {
        let all = records().iter().copied().chain([&SpacyTokenC::INFO]);
        let format = |info| CString::new(emit::buffer_format(info)).expect("no zero in a format");
        all.map(|info| (info.name, format(info))).collect()
    });
    let named_format = formats.iter().find(|(name, _)| *name == info.name);
    named_format.map_or(c"B", |(_, format)| format.as_c_str())
}

#[pymethods]
impl Handle {
    /// Fills a view of the records: the buffer protocol of CPython.
    ///
    /// # Safety
    ///
    /// CPython passes null or a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Handle>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        let handle = slf.get();
        let has = |flag: c_int| flags & flag == flag;
        if has(ffi::PyBUF_WRITABLE) && !handle.writable {
            let text =
                "the records are read-only; take a lease: `with doc.c.writable() as tokens:`";
            return Err(PyBufferError::new_err(text));
        }
        // All of these flags include that for strides, which are then not looked at.
        let contiguous =
            [ffi::PyBUF_C_CONTIGUOUS, ffi::PyBUF_F_CONTIGUOUS, ffi::PyBUF_ANY_CONTIGUOUS];
        let takes_strides = has(ffi::PyBUF_STRIDES) && !contiguous.into_iter().any(has);
        if !takes_strides && !handle.is_contiguous() {
            let text = "records of a slice with a step are not contiguous; request strides, or \
                        take the slice without a step";
            return Err(PyBufferError::new_err(text));
        }
        let axis_or_null = |flag, of: &[ffi::Py_ssize_t; 1]| {
            if has(flag) { of.as_ptr().cast_mut() } else { ptr::null_mut() }
        };
        // SAFETY: H1: all pointers lead into the handle, or into memory that it keeps alive, and
        // the view owns the handle through `obj`.
        unsafe {
            (*view).buf = handle.address;
            (*view).len = ssize(handle.len() * handle.info.size);
            (*view).readonly = c_int::from(!handle.writable);
            (*view).itemsize = ssize(handle.info.size);
            (*view).format = if has(ffi::PyBUF_FORMAT) {
                format_of(handle.info).as_ptr().cast_mut()
            } else {
                ptr::null_mut()
            };
            (*view).ndim = 1;
            (*view).shape = axis_or_null(ffi::PyBUF_ND, &handle.shape);
            (*view).strides = axis_or_null(ffi::PyBUF_STRIDES, &handle.strides);
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}
