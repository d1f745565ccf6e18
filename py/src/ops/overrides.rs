//! Ops that Python replaces or takes away, until it gives them back.
//!
//! Holds unsafe code: a callable becomes a value that borrows from it.

use std::sync::{Mutex, PoisonError};

use lexpool::registry::{self, Function, Gil, Registration, Type, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::borrows::CallBorrows;
use super::from_python;
use super::raise;

use crate::runtime::classes::{self, class};

/// What was replaced or taken away; it comes back at the end of a `with`, by `restore()`, or when this
/// goes.
#[pyclass(name = "Registration", module = "lexpool.ops", frozen)]
pub(crate) struct PyRegistration {
    held: Mutex<Option<Registration>>,
    name: String,
}

class!(PyRegistration);

#[pymethods]
impl PyRegistration {
    /// Gives back what was there before. A second call does nothing.
    fn restore(&self) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(held);
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
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        format!("<registration of {}: {}>", self.name, if held { "held" } else { "given back" })
    }
}

fn registration(name: &str, held: Registration) -> PyRegistration {
    PyRegistration { held: Mutex::new(Some(held)), name: name.to_owned() }
}

/// Calls a function in the place of an op's kernels, wherever the op is called from.
///
/// Raises KeyError for an op that is not there, TypeError for what cannot be called.
#[pyfunction]
// stub: (function: Callable[..., Any])
fn override_op(
    py: Python<'_>,
    name: &str,
    function: &Bound<'_, PyAny>,
) -> PyResult<PyRegistration> {
    let mut borrows = CallBorrows::new();
    // SAFETY: the object lives until the end of this function, and what is kept of it is counted.
    let taken =
        unsafe { from_python::take(&Type::Callable, function.as_ptr(), &mut borrows, Gil::Hold) };
    let Ok(value) = taken else {
        let given = function.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{name}: expected a callable, got {given}")));
    };
    // SAFETY: `borrows` keeps what it points to.
    let function = <Function as registry::Arg>::from_value(unsafe { Value::from_c(value) });
    let function = function.ok_or_else(|| PyTypeError::new_err("no function in a callable"))?;
    let made = registry::global().override_by(name, function, "Python");
    made.map(|held| registration(name, held)).map_err(|failure| raise(py, failure))
}

/// Makes calls of an op raise RuntimeError until it is given back; KeyError if it is not there.
#[pyfunction]
fn remove_op(py: Python<'_>, name: &str) -> PyResult<PyRegistration> {
    let made = registry::global().remove(name);
    made.map(|held| registration(name, held)).map_err(|failure| raise(py, failure))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyRegistration>(module)?;
    module.add_function(wrap_pyfunction!(override_op, module)?)?;
    module.add_function(wrap_pyfunction!(remove_op, module)?)
}
