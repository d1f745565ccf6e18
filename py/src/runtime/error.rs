//! Conversion of lexpool's errors into Python exceptions: the built-in class that spaCy raises in
//! the same place, or a subclass of it.

#![expect(clippy::disallowed_types, reason = "the import of the module creates its exceptions")]

use std::ffi::CString;
use std::io;

use lexpool::{Error, ErrorKind, codes};
use lexpool_ops::Failure;
use pyo3::exceptions::{
    PyFileNotFoundError, PyIndexError, PyKeyError, PyKeyboardInterrupt, PyMemoryError, PyOSError,
    PyOverflowError, PyPermissionError, PyRuntimeError, PyStopIteration, PySystemExit, PyTypeError,
    PyUserWarning, PyValueError,
};
use pyo3::prelude::*;
use pyo3::{PyErr, create_exception};

use crate::runtime::op_failure::exception_of;
use crate::runtime::python_side::{self, PythonName};

create_exception!(
    lexpool.errors,
    RuleError,
    PyValueError,
    "Raised for a tokenizer rule that does not compile, or that takes too many steps on a text."
);
create_exception!(
    lexpool.errors,
    HashCollisionError,
    PyValueError,
    "Raised by a string store in strict mode for two strings with the same id."
);
create_exception!(
    lexpool.errors,
    ZoneError,
    PyRuntimeError,
    "Raised if a memory zone is opened while one is open, or closed while none is open."
);

create_exception!(
    lexpool.errors,
    BusyError,
    PyRuntimeError,
    "Raised if a document is changed while others read it, or read while others change it."
);
create_exception!(
    lexpool.errors,
    StaleError,
    PyRuntimeError,
    "Raised for a token or span whose words were merged or split since it was created."
);

/// An exception, for functions of the core whose callers give the type of errors.
pub(crate) struct Raised(pub(crate) PyErr);

impl From<Error> for Raised {
    fn from(error: Error) -> Raised {
        Raised(to_py(&error))
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Raised {
        Raised(error)
    }
}

/// Converts an error of the core into an exception. An error that wraps a Python exception becomes
/// that exception again.
pub(crate) fn to_py(error: &Error) -> PyErr {
    if let Some(cause) = std::error::Error::source(error) {
        if let Some(raised) = cause.downcast_ref::<PyErr>() {
            return Python::attach(|py| raised.clone_ref(py));
        }
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            return Python::attach(|py| exception_of(py, failure));
        }
    }
    let text = error.to_string();
    match (error.code(), error.kind()) {
        ("rule-syntax" | "rule-limit", _) => RuleError::new_err(text),
        ("hash-collision", _) => HashCollisionError::new_err(text),
        ("stale-plan", _) => StaleError::new_err(text),
        ("zone-open" | "zone-closed", _) => ZoneError::new_err(text),
        ("unknown-language", _) => of_python(&python_side::UNKNOWN_LANGUAGE, text),
        ("component-name", _) => of_python(&python_side::COMPONENT_NAME_ERROR, text),
        (
            "config-reference" | "config-syntax" | "config-value" | "E956" | "E961" | "E984"
            | "E985",
            _,
        ) => of_python(&python_side::CONFIG_ERROR, text),
        (_, ErrorKind::Value) => PyValueError::new_err(text),
        (_, ErrorKind::Key) => PyKeyError::new_err(text),
        (_, ErrorKind::Index) => PyIndexError::new_err(text),
        (_, ErrorKind::Type) => PyTypeError::new_err(text),
        (_, ErrorKind::Overflow) => PyOverflowError::new_err(text),
        (_, ErrorKind::Memory) => PyMemoryError::new_err(text),
        (_, ErrorKind::Io) => os_error(error, text),
        (_, ErrorKind::Interrupted) => PyKeyboardInterrupt::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

/// An exception of a class that is written in Python.
fn of_python(class: &PythonName, text: String) -> PyErr {
    Python::attach(|py| class.call(py, (text,)).map_or_else(|failed| failed, PyErr::from_value))
}

/// An OSError of the class that Python uses for the system's error, such as `IsADirectoryError`,
/// with its number as `errno`.
fn os_error(error: &Error, text: String) -> PyErr {
    let cause =
        std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    // Error numbers of Windows are not `errno` values.
    let number = if cfg!(unix) { cause.and_then(io::Error::raw_os_error) } else { None };
    let Some(number) = number else {
        return match error.code() {
            "file-not-found" => PyFileNotFoundError::new_err(text),
            "file-permission" => PyPermissionError::new_err(text),
            _ => PyOSError::new_err(text),
        };
    };
    Python::attach(|py| {
        let class = PyOSError::new_err((number, "")).value(py).get_type();
        let raised = PyErr::from_type(class, (text,));
        // As a constructor argument, the number would precede the text.
        let set = raised.value(py).setattr("errno", number);
        set.map_or_else(|failed| failed, |()| raised)
    })
}

/// Wraps a Python exception in an error of the core, to be unwrapped by [`to_py`].
///
/// A `StopIteration` becomes the cause of a `RuntimeError`, as in a generator: if an iterator such
/// as a pipe raised it, it would look like the end of the stream.
pub(crate) fn from_py(py: Python<'_>, error: PyErr, doing: &str) -> Error {
    let error = if error.is_instance_of::<PyStopIteration>(py) {
        let raised = PyRuntimeError::new_err(format!("{doing}: it raised StopIteration"));
        raised.set_cause(py, Some(error));
        raised
    } else {
        error
    };
    let text = format!("{doing}: {error}");
    Error::new(ErrorKind::Value, codes::PYTHON_CALLBACK, text).caused_by(error)
}

/// Issues a `UserWarning`; the text begins with spaCy's code in brackets.
///
/// # Errors
///
/// The warning as an exception, if the user's filters say so.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(text.replace('\0', "\\0")).expect("there is no zero in it any more");
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

/// Handles pending signals on a thread that has released the GIL.
///
/// # Errors
///
/// The exception of a signal handler, such as that of Ctrl-C.
pub(crate) fn check_signals() -> lexpool::Result<()> {
    Python::attach(|py| {
        py.check_signals().map_err(|raised| {
            let text = format!("stopped by a signal: {raised}");
            let is_terminated = raised.is_instance_of::<PySystemExit>(py);
            let code = if is_terminated { codes::TERMINATED } else { codes::INTERRUPTED };
            Error::new(ErrorKind::Interrupted, code, text).caused_by(raised)
        })
    })
}

/// Conversion of the core's results into `PyResult`, for use with `?`.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for lexpool::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| to_py(&error))
    }
}

/// The catalogue of error codes, sorted by code: (code, names of exceptions, form, remedy).
#[pyfunction]
fn error_codes() -> Vec<(&'static str, Vec<&'static str>, &'static str, &'static str)> {
    let row = |entry: &&codes::Entry| {
        let raised = entry.raised.iter().map(|raised| raised.name()).collect();
        (entry.code.as_str(), raised, entry.form, entry.remedy)
    };
    codes::all().iter().map(row).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_function(wrap_pyfunction!(error_codes, module)?)?;
    module.add("RuleError", py.get_type::<RuleError>())?;
    module.add("HashCollisionError", py.get_type::<HashCollisionError>())?;
    module.add("BusyError", py.get_type::<BusyError>())?;
    module.add("StaleError", py.get_type::<StaleError>())?;
    module.add("ZoneError", py.get_type::<ZoneError>())
}
