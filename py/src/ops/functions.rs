//! Functions in both directions: Python callables as arguments, Rust or C functions as results.
//!
//! Holds unsafe code (invariants G1, G2, G6 of [`ops`](super)): references that are counted by
//! hand. `callback` has the functions that ops call.

use std::ptr::NonNull;

use lexpool::registry::plugin::{FunctionC, MAX_ARGS, Owned, OwnedC, ValueC};
use lexpool::registry::{Gil, Type, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::borrows::CallBorrows;
use super::from_python::{self, ConversionError};
use super::{callback, failure, to_python};

use crate::runtime::classes::{self, class};

/// A counted reference to a function.
pub(super) struct FunctionRef(NonNull<FunctionC>);

impl FunctionRef {
    fn value(&self) -> Value<'_> {
        // SAFETY: G6: this reference keeps the function alive.
        Value::function(unsafe { self.0.as_ref() })
    }
}

impl Drop for FunctionRef {
    fn drop(&mut self) {
        let head = self.0.as_ptr().cast::<OwnedC>();
        // SAFETY: G6: the reference that this value owns.
        unsafe { ((*head).release)(head) }
    }
}

/// Converts a callable to a function value.
///
/// # Safety
///
/// As for [`from_python::take`].
pub(super) unsafe fn take(
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: G1, G2, by the contract of this function.
    if unsafe { ffi::PyCallable_Check(given) } == 0 {
        return Err(ConversionError::TYPE);
    }
    // SAFETY: G1, G2, by the contract of this function.
    let native = unsafe { native(given) };
    // A function that an op returned is passed on as it is.
    let counted = native.unwrap_or_else(|| {
        // SAFETY: G1, G2.
        FunctionRef(unsafe { callback::new(given) }.cast())
    });
    let value = counted.value().to_c();
    borrows.function(counted);
    Ok(value)
}

/// Returns the function inside a `NativeFunction`.
///
/// # Safety
///
/// As for [`from_python::take`].
unsafe fn native(given: *mut ffi::PyObject) -> Option<FunctionRef> {
    // The common case first: builtin and Python functions are not native ones.
    // SAFETY: G1, G2, by the contract of this function.
    let usual = unsafe { ffi::PyFunction_Check(given) == 1 || ffi::PyCFunction_Check(given) == 1 };
    if usual {
        return None;
    }
    Python::attach(|py| {
        // SAFETY: G1, G2, by the contract of this function.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        let native = given.cast::<NativeFunction>().ok()?;
        let function = native.get().function.get().as_function()?;
        Some(FunctionRef(function.retained()))
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
            let taken =
                unsafe { from_python::take(&Type::Any, arg.as_ptr(), &mut borrows, Gil::Release) };
            let value = taken.map_err(|refused| match refused {
                ConversionError::Raised(error) => error,
                ConversionError::Set => PyErr::fetch(py),
                ConversionError::Type { .. } => {
                    // SAFETY: G1, G2.
                    let given = unsafe { failure::type_name(arg.as_ptr()) };
                    PyTypeError::new_err(format!("argument {}: no op takes {given}", at + 1))
                }
            })?;
            // SAFETY: G3.
            values.push(unsafe { Value::from_c(value) });
        }
        let function = self.function.get();
        let called = function.as_function().map(|function| function.call(&values));
        match called {
            Some(Ok(result)) => to_python::owned(py, result),
            Some(Err(failed)) => Err(failure::raise(py, failed)),
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

/// Wraps a borrowed function with a reference of its own.
pub(super) fn borrow(py: Python<'_>, function: Value<'_>) -> PyResult<Py<PyAny>> {
    give(py, function.to_reference().unwrap_or(Owned::NONE))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<NativeFunction>(module)
}
