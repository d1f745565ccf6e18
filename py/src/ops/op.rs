//! The description of an op in Python.
//!
//! Holds unsafe code (invariants G1, G4, G7 of [`ops`](super)): reads the value of a frozen class
//! from behind its header.

use std::sync::Arc;

use lexpool_ops::{Gil, Op, Param};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict};

use super::prepared_op::PreparedOp;
use crate::runtime::classes::{self, class};

/// The description of an op: the `__self__` of its function.
#[pyclass(name = "Op", module = "lexpool.ops", frozen)]
pub(crate) struct PyOp {
    pub(super) known: &'static PreparedOp,
}

class!(PyOp);

impl PyOp {
    /// Returns the op of an op's function; `None` for any other object.
    pub(crate) fn of_function(function: &Bound<'_, PyAny>) -> Option<&'static Arc<Op>> {
        let this = function.cast::<PyCFunction>().ok()?.getattr("__self__").ok()?;
        // G7: a prepared op lives as long as the process.
        Some(&this.cast::<PyOp>().ok()?.get().known.op)
    }

    /// Returns the prepared op of a function's `__self__`.
    ///
    /// # Safety
    ///
    /// `slf` is a `PyOp`.
    #[inline]
    pub(super) unsafe fn known(slf: *mut ffi::PyObject) -> &'static PreparedOp {
        // SAFETY: G4; a frozen class without a dict has its value right behind the header, which
        // `register` checks.
        unsafe { slf.add(1).cast::<PyOp>().as_ref().unwrap_unchecked().known }
    }
}

#[pymethods]
impl PyOp {
    /// The full name, such as "doc.count_by".
    #[getter]
    fn name(&self) -> &str {
        self.known.op.name()
    }

    /// The signature: name, parameters with types and defaults, and result.
    #[getter]
    fn schema(&self) -> String {
        self.known.op.signature()
    }

    /// The description.
    #[getter]
    fn doc(&self) -> &str {
        self.known.op.doc()
    }

    /// The GIL during a call: "hold", "release", or the size of the arguments from which it is
    /// released.
    #[getter]
    // stub: -> str | int
    fn gil(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self.known.gil {
            Gil::Hold => "hold".into_pyobject(py)?.into_any().unbind(),
            Gil::Release => "release".into_pyobject(py)?.into_any().unbind(),
            Gil::BySize(size) => size.into_pyobject(py)?.into_any().unbind(),
            _ => py.None(),
        })
    }

    /// File and line of the declaration.
    #[getter]
    fn source(&self) -> &str {
        self.known.op.place()
    }

    /// The parameters: for each its name, type, default as text or None, and whether it is
    /// keyword-only.
    #[getter]
    fn params(&self) -> Vec<(String, String, Option<String>, bool)> {
        let param = |param: &Param| {
            let default = param.default.as_ref().map(ToString::to_string);
            (param.name.to_string(), param.ty.to_string(), default, param.keyword_only)
        };
        self.known.op.params().iter().map(param).collect()
    }

    /// The type of the result.
    #[getter]
    fn result(&self) -> String {
        self.known.op.result().to_string()
    }

    /// The kernels, oldest first: for each "key", "source", "available", and "current", which is
    /// true for the kernel that calls use now.
    #[getter]
    // stub: -> list[_Kernel]
    fn kernels<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let kernels = self.known.op.kernels().into_iter().map(|kernel| {
            let dict = PyDict::new(py);
            dict.set_item("key", kernel.key.name())?;
            dict.set_item("source", kernel.place)?;
            dict.set_item("available", kernel.available)?;
            dict.set_item("current", kernel.current)?;
            Ok(dict)
        });
        kernels.collect()
    }

    fn __repr__(&self) -> String {
        format!("<op {}: {}>", self.known.op.name(), self.known.op.signature())
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    classes::add::<PyOp>(module)?;
    let class = py.get_type::<PyOp>().as_type_ptr();
    // SAFETY: the module keeps the class alive.
    let size = unsafe { (*class).tp_basicsize };
    if usize::try_from(size) != Ok(size_of::<ffi::PyObject>() + size_of::<PyOp>()) {
        let text = "this version of PyO3 has an object layout that lexpool does not support";
        return Err(PyRuntimeError::new_err(text));
    }
    Ok(())
}
