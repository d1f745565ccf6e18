//! Handles for other languages: a named capsule, ctypes and cffi.
//!
//! Unsafe code: the pointer of a capsule is a box that its destructor frees.
//!
//! Invariants:
//! - **X1** Pointer and name of a capsule are leaked boxes of [`Handle::capsule`], which own one
//!   reference to the handle; only [`end`] frees them, once.

use std::ffi::{CStr, CString, c_void};
use std::mem::offset_of;

use lexpool::structs::ABI_VERSION;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::record_handle::Handle;
use crate::runtime::python_side;

/// The target of a capsule's pointer; `lexpool_api.h` declares it as `lexpool_records`. New fields
/// are only added at the end, and `size` tells which exist.
#[repr(C)]
struct ExportedRecords {
    size: u32,
    abi_version: u32,
    data: *mut c_void,
    len: usize,
    stride: isize,
    itemsize: u32,
    writable: u32,
    /// An owned reference to the handle.
    handle: *mut ffi::PyObject,
}

#[cfg(target_pointer_width = "64")]
const _: () =
    assert!(size_of::<ExportedRecords>() == 48 && offset_of!(ExportedRecords, handle) == 40);

#[pymethods]
impl Handle {
    /// A capsule that points to a `lexpool_records` of `lexpool_api.h` and keeps the memory alive.
    ///
    /// Its name is `lexpool.<record>.<version>`, such as "lexpool.TokenC.1": code that was compiled
    /// for other records or another version of the layout does not get the pointer.
    ///
    /// record, abi_version: the expected record and version; ValueError, which names both, if they
    ///     differ.
    #[pyo3(signature = (record=None, abi_version=None))]
    // stub: -> Any
    fn capsule<'py>(
        slf: &Bound<'py, Handle>,
        record: Option<&str>,
        abi_version: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        if let Some(record) = record.filter(|record| *record != this.info.name) {
            let text = format!("{record} was requested, but these records are {}", this.info.name);
            return Err(PyValueError::new_err(text));
        }
        if let Some(version) = abi_version.filter(|version| *version != ABI_VERSION) {
            let text = format!(
                "version {version} of the records' layout was requested, but lexpool has version \
                 {ABI_VERSION}; compile against its lexpool.h"
            );
            return Err(PyValueError::new_err(text));
        }
        let name = CString::new(format!("lexpool.{}.{ABI_VERSION}", this.info.name))?;
        let records = Box::new(ExportedRecords {
            size: u32::try_from(size_of::<ExportedRecords>()).unwrap_or(0),
            abi_version: ABI_VERSION,
            data: this.address,
            len: this.len(),
            stride: this.strides[0],
            itemsize: u32::try_from(this.info.size).unwrap_or(0),
            writable: u32::from(this.writable),
            handle: slf.clone().into_ptr(),
        });
        // The name lives in the capsule's context and is freed with it.
        let (pointer, name) = (Box::into_raw(records), name.into_raw());
        // SAFETY: X1: both boxes go over to the capsule, or are freed here if it cannot be made.
        unsafe {
            let capsule = ffi::PyCapsule_New(pointer.cast(), name, Some(end));
            if capsule.is_null() {
                release(pointer, name);
                return Err(PyErr::fetch(py));
            }
            Ok(Bound::from_owned_ptr(py, capsule))
        }
    }

    /// The records as a ctypes array of Structures, without a copy: `handle.ctypes()[0].idx`.
    ///
    /// Do not write fields of read-only records: ctypes does not know that they are read-only.
    // stub: -> Any
    fn ctypes<'py>(slf: &Bound<'py, Handle>) -> PyResult<Bound<'py, PyAny>> {
        python_side::CTYPES_ARRAY.call(slf.py(), (slf,))
    }

    /// The address as a cffi pointer to the records' type. `ffi` must know the type by its name, as
    /// it does after `ffi.cdef(lexpool.structs.cdef())`. Keep the handle while the pointer is used.
    ///
    /// Raises ValueError for a slice with a step.
    // stub: (ffi: Any) -> Any
    fn cffi<'py>(slf: &Bound<'py, Handle>, ffi: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.get();
        if !this.is_contiguous() {
            let text = "records of a slice with a step are not contiguous, as a pointer requires";
            return Err(PyValueError::new_err(text));
        }
        let kind = if this.writable { "" } else { "const " };
        ffi.call_method1("cast", (format!("{kind}{} *", this.info.name), this.number()))
    }
}

/// The destructor of a capsule.
///
/// # Safety
///
/// CPython passes a capsule of `Handle::capsule`; the thread is attached.
unsafe extern "C" fn end(capsule: *mut ffi::PyObject) {
    // SAFETY: X1: the capsule was made with this name, and nobody renames it.
    unsafe {
        let name = ffi::PyCapsule_GetName(capsule);
        let pointer = ffi::PyCapsule_GetPointer(capsule, name);
        if pointer.is_null() {
            ffi::PyErr_Clear();
            return;
        }
        release(pointer.cast(), CStr::as_ptr(CStr::from_ptr(name)).cast_mut());
    }
}

/// Frees the boxes of a capsule.
///
/// # Safety
///
/// Both are boxes of `Handle::capsule`, passed once; the thread is attached.
unsafe fn release(pointer: *mut ExportedRecords, name: *mut std::ffi::c_char) {
    // SAFETY: X1: the caller passes the boxes, with the reference to the handle.
    unsafe {
        let records = Box::from_raw(pointer);
        ffi::Py_DECREF(records.handle);
        drop(CString::from_raw(name));
    }
}
