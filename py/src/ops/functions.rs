//! Functions in both directions: Python callables as arguments, Rust or C functions as results.
//!
//! Holds unsafe code (invariants G1, G2, G6 of [`ops`](super)): references that are counted by
//! hand. `callback` has the functions that ops call.

use lexpool_ops::plugin::{MAX_ARGS, Owned};
use lexpool_ops::{Gil, Type, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::borrows::CallBorrows;
use super::conversion_error::{ConversionError, type_name};
use super::function_ref::FunctionRef;
use super::{callback, from_python, to_python};

use crate::runtime::classes::{self, class};
use crate::runtime::op_failure::raise;

/// Returns the function of a callable. A function that an op returned is passed on as it is.
///
/// # Safety
///
/// `argument` is a callable that lives, and the GIL is held.
pub(super) unsafe fn of_callable(argument: *mut ffi::PyObject) -> FunctionRef {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { native(argument).unwrap_or_else(|| FunctionRef::new(callback::new(argument).cast())) }
}

/// Returns the function inside a `NativeFunction`.
///
/// # Safety
///
/// As for [`of_callable`].
unsafe fn native(argument: *mut ffi::PyObject) -> Option<FunctionRef> {
    // The common case first: builtin and Python functions are not native ones.
    // SAFETY: G1, G2, by the contract of this function.
    let usual =
        unsafe { ffi::PyFunction_Check(argument) == 1 || ffi::PyCFunction_Check(argument) == 1 };
    if usual {
        return None;
    }
    Python::attach(|py| {
        // SAFETY: G1, G2, by the contract of this function.
        let argument = unsafe { Bound::from_borrowed_ptr(py, argument) };
        let native = argument.cast::<NativeFunction>().ok()?;
        let function = native.get().function.get().as_function()?;
        // SAFETY: G6: the reference was just taken.
        Some(unsafe { FunctionRef::new(function.retained()) })
    })
}

/// A Rust or C function that an op returned: callable from Python, and passed to ops as it is.
#[pyclass(name = "NativeFunction", module = "lexpool.ops", frozen)]
pub(crate) struct NativeFunction {
    function: Owned<'static>,
}

class!(NativeFunction);

#[pymethods]
impl NativeFunction {
    #[pyo3(signature = (*args))]
    // stub: (*args: Any) -> Any
    fn __call__(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        if args.len() > MAX_ARGS {
            let text = format!("functions take at most {MAX_ARGS} arguments, got {}", args.len());
            return Err(PyTypeError::new_err(text));
        }
        let mut borrows = CallBorrows::new();
        let mut values = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            // SAFETY: G2: the tuple keeps its items until the call has returned.
            let conversion =
                unsafe { from_python::take(&Type::Any, arg.as_ptr(), &mut borrows, Gil::Release) };
            let value = conversion.map_err(|refused| match refused {
                ConversionError::Raised(error) => error,
                ConversionError::Set => PyErr::fetch(py),
                ConversionError::Type { .. } => {
                    // SAFETY: G1, G2.
                    let actual = unsafe { type_name(arg.as_ptr()) };
                    PyTypeError::new_err(format!("argument {}: no op takes {actual}", at + 1))
                }
            })?;
            // SAFETY: G3.
            values.push(unsafe { Value::from_c(value) });
        }
        let function = self.function.get();
        let called = function.as_function().map(|function| function.call(&values));
        match called {
            Some(Ok(result)) => to_python::owned(py, result),
            Some(Err(failed)) => Err(raise(py, failed)),
            None => Err(PyTypeError::new_err("this function has ended")),
        }
    }

    /// The signature, if its maker declared one.
    #[getter]
    fn signature(&self) -> String {
        let function = self.function.get();
        function.as_function().map_or_else(String::new, |function| function.signature().to_owned())
    }

    fn __repr__(&self) -> String {
        format!("<native function {}>", self.signature())
    }
}

/// Wraps a function that an op returned.
pub(super) fn give(py: Python<'_>, function: Owned<'static>) -> PyResult<Py<PyAny>> {
    if let Some(callable) = callback::callable(py, function.get()) {
        return Ok(callable);
    }
    Ok(Bound::new(py, NativeFunction { function })?.into_any().unbind())
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<NativeFunction>(module)
}
