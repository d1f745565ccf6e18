//! Conversion between failures of ops and Python exceptions.

use lexpool_ops::{Class, Failure, FailureKind, Object};
use pyo3::exceptions::{
    PyImportError, PyIndexError, PyKeyError, PyKeyboardInterrupt, PyMemoryError, PyOSError,
    PyOverflowError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

/// An exception as the cause of a failure.
struct PythonException(PyErr);

impl Class for PythonException {
    const KEY: &'static str = "python.Exception";
}

/// Wraps an exception in a failure, from which [`raise`] restores it.
pub(crate) fn failure(py: Python<'_>, error: PyErr) -> Failure {
    let text = error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string());
    let name = error.get_type(py).name().map_or_else(|_| String::new(), |name| name.to_string());
    let failure = Failure::new(FailureKind::State, "python-callback", format!("{name}: {text}"));
    failure.caused_by(Object::new(PythonException(error)).into_owned())
}

/// Converts a failure into an exception: the original exception with its traceback and a note, or
/// the built-in exception of the failure's kind.
#[expect(clippy::needless_pass_by_value, reason = "it ends here")]
pub(crate) fn raise(py: Python<'_>, failure: Failure) -> PyErr {
    exception_of(py, &failure)
}

/// As [`raise`], for a borrowed failure.
pub(crate) fn exception_of(py: Python<'_>, failure: &Failure) -> PyErr {
    if let Some(raised) = failure.root_cause().as_object().and_then(|cause| cause.downcast()) {
        let PythonException(error) = raised;
        let error = error.clone_ref(py);
        let place = failure.message().split_once("()").map_or("", |(op, _)| op);
        // Best effort: failing to add the note is ignored. The note is added once.
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
