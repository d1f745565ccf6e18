//! The error of converting an argument.
//!
//! Holds unsafe code (invariants G1, G2 of [`ops`](super)): reads the names of types.

use std::ffi::CStr;

use pyo3::ffi;
use pyo3::prelude::*;

/// A failed conversion of an argument.
pub(super) enum ConversionError {
    /// A wrong type. `expected` replaces the declared type in the message, `actual` the argument's
    /// own type.
    Type { expected: Option<String>, actual: Option<String> },
    /// An exception that was raised by the conversion.
    Raised(PyErr),
    /// An exception that is set already.
    Set,
}

impl ConversionError {
    pub(super) const TYPE: ConversionError = ConversionError::Type { expected: None, actual: None };

    /// The error for a value whose length does not fit 32 bits.
    #[cold]
    pub(super) fn too_long() -> ConversionError {
        let text = "more than 4 GiB or 2^32 items".to_owned();
        ConversionError::Type { expected: None, actual: Some(text) }
    }
}

impl From<PyErr> for ConversionError {
    fn from(error: PyErr) -> ConversionError {
        ConversionError::Raised(error)
    }
}

/// Returns the name of an object's type.
///
/// # Safety
///
/// The object lives.
pub(super) unsafe fn type_name(object: *mut ffi::PyObject) -> String {
    // SAFETY: G1, G2; a type keeps its name.
    let name = unsafe { CStr::from_ptr((*ffi::Py_TYPE(object)).tp_name) }.to_string_lossy();
    name.rsplit('.').next().unwrap_or_default().to_owned()
}
