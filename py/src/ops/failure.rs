//! The exceptions that calls of ops set.
//!
//! Holds unsafe code (invariants G1, G2 of [`ops`](super)): sets exceptions through the C API.

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;

use lexpool_ops::Op;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::bind_args::BindError;
use super::c_ints::ssize;
use super::conversion_error::{ConversionError, type_name};
use super::prepared_op::PreparedOp;

/// Sets a TypeError for arguments that do not fit the signature, and returns null.
#[cold]
pub(super) fn set_fault(op: &Op, fault: BindError) -> *mut ffi::PyObject {
    if let Some(fault) = fault {
        set(&format!("{}() {fault}", op.name()));
    }
    std::ptr::null_mut()
}

/// Sets the TypeError for an argument of a wrong type, allocating only the exception. Returns
/// false, with no exception set, if the message does not fit the buffer.
///
/// # Safety
///
/// The GIL is held, and `argument` lives.
#[cold]
pub(super) unsafe fn set_mismatch(
    known: &PreparedOp,
    at: usize,
    argument: *mut ffi::PyObject,
) -> bool {
    let Some(said) = known.refusals.get(at) else { return false };
    // SAFETY: G1, G2; a type keeps its name.
    let name = unsafe { CStr::from_ptr((*ffi::Py_TYPE(argument)).tp_name) }.to_bytes();
    let name = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let mut place = [MaybeUninit::<u8>::uninit(); 256];
    let len = said.len() + name.len();
    if len > place.len() {
        return false;
    }
    // SAFETY: both fit, one behind the other, and as many bytes are read as were written.
    unsafe {
        let text = place.as_mut_ptr().cast::<u8>();
        text.copy_from_nonoverlapping(said.as_ptr(), said.len());
        text.add(said.len()).copy_from_nonoverlapping(name.as_ptr(), name.len());
        let text = ffi::PyUnicode_FromStringAndSize(text.cast(), ssize(len));
        if text.is_null() {
            ffi::PyErr_Clear();
            return false;
        }
        ffi::PyErr_SetObject(ffi::PyExc_TypeError, text);
        ffi::Py_DECREF(text);
    }
    true
}

/// Sets the exception for an argument that cannot be converted, and returns null.
///
/// # Safety
///
/// The GIL is held, and `argument` lives.
#[cold]
pub(super) unsafe fn set_refused(
    op: &Op,
    at: usize,
    argument: *mut ffi::PyObject,
    refused: ConversionError,
) -> *mut ffi::PyObject {
    match refused {
        ConversionError::Type { expected, actual } => {
            let param = &op.params()[at];
            let expected = expected.unwrap_or_else(|| param.ty.to_string());
            // SAFETY: G1, G2, by the contract of this function.
            let actual = actual.unwrap_or_else(|| unsafe { type_name(argument) });
            set(&format!(
                "{}(): argument '{}' (position {}): expected {expected}, got {actual}",
                op.name(),
                param.name,
                at + 1
            ));
        }
        ConversionError::Raised(error) => Python::attach(|py| error.restore(py)),
        ConversionError::Set => {}
    }
    std::ptr::null_mut()
}

/// Sets a RuntimeError for a panic of lexpool, and returns null.
#[cold]
pub(super) fn set_panicked() -> *mut ffi::PyObject {
    let text = "a bug in lexpool; please report it: a call of an op panicked";
    Python::attach(|py| PyRuntimeError::new_err(text).restore(py));
    std::ptr::null_mut()
}

/// Sets a TypeError without making PyO3's exception first, which is slower.
fn set(text: &str) {
    let mut place = [0_u8; 256];
    let long;
    let text = if text.len() < place.len() && !text.contains('\0') {
        place[..text.len()].copy_from_slice(text.as_bytes());
        CStr::from_bytes_until_nul(&place).expect("the last byte is zero")
    } else {
        long = CString::new(text.replace('\0', "\\0")).expect("no zero is left");
        long.as_c_str()
    };
    // SAFETY: G1: arguments are converted with the GIL.
    unsafe { ffi::PyErr_SetString(ffi::PyExc_TypeError, text.as_ptr()) }
}
