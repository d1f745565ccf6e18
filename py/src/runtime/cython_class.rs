//! Marks classes whose static functions Cython may call.
//!
//! Unsafe code: makes a capsule of a static address.

use std::ptr;

use pyo3::PyTypeInfo;
use pyo3::ffi;
use pyo3::prelude::*;

/// The method table that Cython reads when it imports a class with static functions. Nobody calls
/// its entries, since the functions themselves are declared in the `.pxd`.
static METHODS: [usize; 64] = [0; 64];

/// Allows Cython to call the static functions that a `.pxd` declares for a class.
pub(crate) fn for_cython<T: PyTypeInfo>(py: Python<'_>) -> PyResult<()> {
    // SAFETY: the address is static, and the capsule frees nothing.
    let table = unsafe {
        let raw = ffi::PyCapsule_New(ptr::from_ref(&METHODS).cast_mut().cast(), ptr::null(), None);
        Bound::from_owned_ptr_or_err(py, raw)?
    };
    T::type_object(py).setattr("__pyx_vtable__", table)
}
