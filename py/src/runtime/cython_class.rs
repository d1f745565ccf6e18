//! Marks classes whose static functions Cython may call.
//!
//! Holds unsafe code: makes a capsule of a static address.

use std::ptr;

use pyo3::PyTypeInfo;
use pyo3::ffi;
use pyo3::prelude::*;

/// What Cython reads where it imports a class that it calls static functions of: a table of methods,
/// which nobody calls, for the functions are in the `.pxd`.
static METHODS: [usize; 64] = [0; 64];

/// Lets Cython call the static functions that a `.pxd` gives to a class.
pub(crate) fn for_cython<T: PyTypeInfo>(py: Python<'_>) -> PyResult<()> {
    // SAFETY: the address is static, and there is nothing to free.
    let table = unsafe {
        let made = ffi::PyCapsule_New(ptr::from_ref(&METHODS).cast_mut().cast(), ptr::null(), None);
        Bound::from_owned_ptr_or_err(py, made)?
    };
    T::type_object(py).setattr("__pyx_vtable__", table)
}
