//! Functions both types: a Python callable goes in, a Rust or C function comes back out.
//!
//! Holds unsafe code: references that are counted by hand. What ops call in the end is in `callback`.

use std::ptr::NonNull;

use lexpool::registry::plugin::{FunctionC, MOST_ARGS, Owned, OwnedC, ValueC};
use lexpool::registry::{Gil, Type, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::borrows::CallBorrows;
use super::from_python::{self, ConversionError};
use super::{callback, failure, to_python};

use crate::runtime::classes::{self, class};

/// One reference to a function.
pub(super) struct FunctionRef(NonNull<FunctionC>);

impl FunctionRef {
    fn value(&self) -> Value<'_> {
        // SAFETY: this reference keeps it.
        Value::function(unsafe { self.0.as_ref() })
    }
}

impl Drop for FunctionRef {
    fn drop(&mut self) {
        let head = self.0.as_ptr().cast::<OwnedC>();
        // SAFETY: gives back the reference that this one is.
        unsafe { ((*head).release)(head) }
    }
}

/// The value of a callable.
///
/// # Safety
///
/// As for [`from_python::take`].
pub(super) unsafe fn take(
    given: *mut ffi::PyObject,
    borrows: &mut CallBorrows,
) -> Result<ValueC, ConversionError> {
    // SAFETY: as the caller promises.
    if unsafe { ffi::PyCallable_Check(given) } == 0 {
        return Err(ConversionError::TYPE);
    }
    // SAFETY: as the caller promises.
    let native = unsafe { native(given) };
    // What came out as a function goes back in as the same one.
    let counted = native.unwrap_or_else(|| {
        // SAFETY: the caller has the object, and the GIL.
        FunctionRef(unsafe { callback::new(given) }.cast())
    });
    let value = counted.value().to_c();
    borrows.function(counted);
    Ok(value)
}

/// The function inside of a `NativeFunction`.
///
/// # Safety
///
/// As for [`from_python::take`].
unsafe fn native(given: *mut ffi::PyObject) -> Option<FunctionRef> {
    // A builtin function or a Python one is the usual case, and is none.
    // SAFETY: as the caller promises.
    let usual = unsafe { ffi::PyFunction_Check(given) == 1 || ffi::PyCFunction_Check(given) == 1 };
    if usual {
        return None;
    }
    Python::attach(|py| {
        // SAFETY: as the caller promises.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        let native = given.cast::<NativeFunction>().ok()?;
        let function = native.get().function.get().as_function()?;
        Some(FunctionRef(function.retained()))
    })
}

/// A function of Rust's or C's that an op gave: called as any other, and given back to ops as it is.
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
        if args.len() > MOST_ARGS {
            let text = format!("functions take at most {MOST_ARGS} arguments, got {}", args.len());
            return Err(PyTypeError::new_err(text));
        }
        let mut borrows = CallBorrows::new();
        let mut values = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            // SAFETY: the tuple keeps its items until the call has returned.
            let taken =
                unsafe { from_python::take(&Type::Any, arg.as_ptr(), &mut borrows, Gil::Release) };
            let value = taken.map_err(|refused| match refused {
                ConversionError::Raised(error) => error,
                ConversionError::Set => PyErr::fetch(py),
                ConversionError::Type { .. } => {
                    // SAFETY: the object lives.
                    let given = unsafe { failure::type_name(arg.as_ptr()) };
                    PyTypeError::new_err(format!("argument {}: no op takes {given}", at + 1))
                }
            })?;
            // SAFETY: what it borrows lives until the call has returned.
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

    /// Arguments and result, as far as its maker said.
    #[getter]
    fn signature(&self) -> String {
        let function = self.function.get();
        function.as_function().map_or_else(String::new, |function| function.signature().to_owned())
    }

    fn __repr__(&self) -> String {
        format!("<native function {}>", self.signature())
    }
}

/// A function that an op gave.
pub(super) fn give(py: Python<'_>, function: Owned<'static>) -> PyResult<Py<PyAny>> {
    if let Some(callable) = callback::callable(py, function.get()) {
        return Ok(callable);
    }
    Ok(Bound::new(py, NativeFunction { function })?.into_any().unbind())
}

/// A function that is only borrowed.
pub(super) fn borrow(py: Python<'_>, function: Value<'_>) -> PyResult<Py<PyAny>> {
    give(py, function.to_reference().unwrap_or(Owned::NONE))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<NativeFunction>(module)
}
