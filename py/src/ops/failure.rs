//! Failures of ops as exceptions, and exceptions on their way through ops.
//!
//! Holds unsafe code: sets exceptions through the C API, and reads the name of a type.

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;

use lexpool::registry::{Class, Failure, FailureKind, Object, Op};
use pyo3::exceptions::{
    PyImportError, PyIndexError, PyKeyError, PyKeyboardInterrupt, PyMemoryError, PyOSError,
    PyOverflowError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::ffi;
use pyo3::prelude::*;

use super::bind::Fault;
use super::op::Known;
use super::take::Refused;

/// An exception, as the cause of a failure.
struct Raised(PyErr);

impl Class for Raised {
    const KEY: &'static str = "python.Exception";
}

/// An exception as a failure, which [`raise`] turns into the same exception.
pub(super) fn failure(py: Python<'_>, error: PyErr) -> Failure {
    let text = error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string());
    let name = error.get_type(py).name().map_or_else(|_| String::new(), |name| name.to_string());
    let failure = Failure::new(FailureKind::State, "python-callback", format!("{name}: {text}"));
    failure.caused_by(Object::new(Raised(error)).into_owned())
}

/// A failure as an exception: the one it came from, with its traceback and a note, or the built-in of
/// its kind.
#[expect(clippy::needless_pass_by_value, reason = "it ends here")]
pub(crate) fn raise(py: Python<'_>, failure: Failure) -> PyErr {
    raised(py, &failure)
}

/// The same, for a failure that something else keeps.
pub(crate) fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    if let Some(raised) = failure.root_cause().as_object().and_then(|cause| cause.downcast()) {
        let Raised(error) = raised;
        let error = error.clone_ref(py);
        let place = failure.message().split_once("()").map_or("", |(op, _)| op);
        // A note is for people: without one the exception is as good. It is said once.
        let (value, note) = (error.value(py), format!("raised in a call of {place}()"));
        let there = value.getattr("__notes__").and_then(|notes| notes.contains(&note));
        if !there.unwrap_or(false) {
            let _ = value.call_method1("add_note", (note,));
        }
        return error;
    }
    let text = match failure.code() {
        "op-argument" | "op-arity" | "op-panic" => failure.message().to_owned(),
        _ => failure.to_string(),
    };
    if failure.code().starts_with("plugin-") {
        return PyImportError::new_err(text);
    }
    match failure.kind() {
        FailureKind::Value => PyValueError::new_err(text),
        FailureKind::Type => PyTypeError::new_err(text),
        FailureKind::Key | FailureKind::Unknown => PyKeyError::new_err(text),
        FailureKind::Index => PyIndexError::new_err(text),
        FailureKind::Overflow => PyOverflowError::new_err(text),
        FailureKind::Memory => PyMemoryError::new_err(text),
        FailureKind::Io => PyOSError::new_err(text),
        FailureKind::Interrupted => PyKeyboardInterrupt::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// Sets a TypeError for arguments that do not fit; gives null.
#[cold]
pub(super) fn set_fault(op: &Op, fault: Fault) -> *mut ffi::PyObject {
    if let Some(fault) = fault {
        set(&format!("{}() {fault}", op.name()));
    }
    std::ptr::null_mut()
}

/// Sets the TypeError for an argument of another type than the declared one, without an allocation but
/// the exception's own. False, with nothing set, if the text is too long for that.
///
/// # Safety
///
/// The GIL is held, and `given` lives.
#[cold]
pub(super) unsafe fn set_mismatch(known: &Known, at: usize, given: *mut ffi::PyObject) -> bool {
    let Some(said) = known.refusals.get(at) else { return false };
    // SAFETY: as the caller promises; a type has a name for as long as it lives.
    let name = unsafe { CStr::from_ptr((*ffi::Py_TYPE(given)).tp_name) }.to_bytes();
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
        let text = ffi::PyUnicode_FromStringAndSize(text.cast(), super::ssize(len));
        if text.is_null() {
            ffi::PyErr_Clear();
            return false;
        }
        ffi::PyErr_SetObject(ffi::PyExc_TypeError, text);
        ffi::Py_DECREF(text);
    }
    true
}

/// Sets the exception for an argument that was not taken; gives null.
///
/// # Safety
///
/// The GIL is held, and `given` lives.
#[cold]
pub(super) unsafe fn set_refused(
    op: &Op,
    at: usize,
    given: *mut ffi::PyObject,
    refused: Refused,
) -> *mut ffi::PyObject {
    match refused {
        Refused::Type { expected, given: said } => {
            let param = &op.params()[at];
            let expected = expected.unwrap_or_else(|| param.ty.to_string());
            // SAFETY: as the caller promises.
            let said = said.unwrap_or_else(|| unsafe { type_name(given) });
            set(&format!(
                "{}(): argument '{}' (position {}): expected {expected}, got {said}",
                op.name(),
                param.name,
                at + 1
            ));
        }
        Refused::Raised(error) => Python::attach(|py| error.restore(py)),
        Refused::Set => {}
    }
    std::ptr::null_mut()
}

/// Sets a RuntimeError for a panic of lexpool's own; gives null.
#[cold]
pub(super) fn set_panicked() -> *mut ffi::PyObject {
    let text = "a bug in lexpool; please report it: a call of an op panicked";
    Python::attach(|py| PyRuntimeError::new_err(text).restore(py));
    std::ptr::null_mut()
}

/// Sets a TypeError, faster than by way of an exception of PyO3's.
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
    // SAFETY: the GIL is held by whoever converts arguments.
    unsafe { ffi::PyErr_SetString(ffi::PyExc_TypeError, text.as_ptr()) }
}

/// The name of an object's type.
///
/// # Safety
///
/// The object lives.
pub(super) unsafe fn type_name(object: *mut ffi::PyObject) -> String {
    // SAFETY: as the caller promises; a type has a name for as long as it lives.
    let name = unsafe { CStr::from_ptr((*ffi::Py_TYPE(object)).tp_name) }.to_string_lossy();
    name.rsplit('.').next().unwrap_or_default().to_owned()
}
