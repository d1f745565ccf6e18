//! Overrides and removals of ops from Python, which are undone by their registration.
//!
//! Holds unsafe code (invariants G2, G3 of [`ops`](super)): a callable becomes a value that borrows
//! from it.

use std::sync::{Mutex, PoisonError};

use lexpool_ops::{Function, Gil, Registration, Type, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::borrows::CallBorrows;
use super::from_python;
use crate::runtime::classes::{self, class};
use crate::runtime::op_failure::raise;

/// An override or removal. It is undone at the end of a `with` block, by `restore()`, or when the
/// object is deleted.
#[pyclass(name = "Registration", module = "lexpool.ops", frozen)]
pub(crate) struct PyRegistration {
    held: Mutex<Option<Registration>>,
    name: String,
}

class!(PyRegistration);

#[pymethods]
impl PyRegistration {
    /// Undoes the override or removal. A second call does nothing.
    fn restore(&self) {
        let registration = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(registration);
    }

    fn __enter__(slf: Py<PyRegistration>) -> Py<PyRegistration> {
        slf
    }

    #[pyo3(signature = (_exc_type, _exc, _traceback))]
    // stub: (_exc_type: type[BaseException] | None, _exc: BaseException | None,
    //     _traceback: TracebackType | None)
    fn __exit__(
        &self,
        _exc_type: Option<&Bound<'_, PyAny>>,
        _exc: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) {
        self.restore();
    }

    fn __repr__(&self) -> String {
        let is_held = self.held.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        format!("<registration of {}: {}>", self.name, if is_held { "held" } else { "given back" })
    }
}

fn registration(name: &str, held: Registration) -> PyRegistration {
    PyRegistration { held: Mutex::new(Some(held)), name: name.to_owned() }
}

/// Replaces the kernels of an op by a function, for all callers.
///
/// Raises KeyError if no op has the name, TypeError if `function` is not callable.
#[pyfunction]
// stub: (function: Callable[..., Any])
fn override_op(
    py: Python<'_>,
    name: &str,
    function: &Bound<'_, PyAny>,
) -> PyResult<PyRegistration> {
    let mut borrows = CallBorrows::new();
    // SAFETY: G2: the object lives until the end of this function; the registry takes a reference
    // of its own.
    let callable =
        unsafe { from_python::take(&Type::Callable, function.as_ptr(), &mut borrows, Gil::Hold) };
    let Ok(value) = callable else {
        let actual = function.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{name}: expected a callable, got {actual}")));
    };
    // SAFETY: G3.
    let function = <Function as lexpool_ops::Arg>::from_value(unsafe { Value::from_c(value) });
    let function = function.ok_or_else(|| PyTypeError::new_err("no function in a callable"))?;
    let outcome = lexpool_ops::global().override_by(name, function, "Python");
    outcome.map(|held| registration(name, held)).map_err(|failure| raise(py, failure))
}

/// Removes an op: calls raise RuntimeError until it is restored. Raises KeyError if no op has the
/// name.
#[pyfunction]
fn remove_op(py: Python<'_>, name: &str) -> PyResult<PyRegistration> {
    let outcome = lexpool_ops::global().remove(name);
    outcome.map(|held| registration(name, held)).map_err(|failure| raise(py, failure))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyRegistration>(module)?;
    module.add_function(wrap_pyfunction!(override_op, module)?)?;
    module.add_function(wrap_pyfunction!(remove_op, module)?)
}
