//! Arrays that ops return, in place through the buffer protocol.
//!
//! Holds unsafe code (invariants G1, G2 of [`ops`](super)): views that CPython fills.

use std::ffi::{CStr, c_int};

use lexpool_ops::Value;
use lexpool_ops::plugin::{ArrayC, Dtype, Owned, copy_array};
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::c_ints::ssize;
use crate::runtime::classes::{self, class};
use crate::runtime::once_cell::OnceCell;
use crate::runtime::op_failure::raise;

/// An array returned by an op, exported in place through the buffer protocol.
#[pyclass(name = "Numbers", module = "lexpool.ops", frozen)]
pub(crate) struct PyNumbers {
    held: Owned<'static>,
    strides: Box<[isize]>,
}

class!(PyNumbers);

/// The `struct` module's format letter of a dtype.
fn format_of(dtype: Dtype) -> &'static CStr {
    match dtype {
        Dtype::Bool => c"?",
        Dtype::I8 => c"b",
        Dtype::I16 => c"h",
        Dtype::I32 => c"i",
        Dtype::I64 => c"q",
        Dtype::U16 => c"H",
        Dtype::U32 => c"I",
        Dtype::U64 => c"Q",
        Dtype::F32 => c"f",
        Dtype::F64 => c"d",
        _ => c"B",
    }
}

#[pymethods]
impl PyNumbers {
    /// Fills a view of the numbers: the buffer protocol of CPython.
    ///
    /// # Safety
    ///
    /// For CPython: `view` is null or points to a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, PyNumbers>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let owner = slf.clone();
        let this = owner.get();
        let held = this.held.get();
        let array = held.as_array().filter(|_| !view.is_null());
        let Some(array) = array else {
            return Err(PyBufferError::new_err("no view to fill"));
        };
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE && !array.is_writable() {
            return Err(PyBufferError::new_err("the numbers are read-only"));
        }
        let dtype = array.dtype().unwrap_or(Dtype::U8);
        let asked = |flag: c_int| flags & flag == flag;
        let if_asked = |flag, at: *mut isize| if asked(flag) { at } else { std::ptr::null_mut() };
        // SAFETY: `view` is a view to be filled; all it points to lives in this object, which the
        // view owns through `obj`.
        unsafe {
            (*view).buf = array.data().cast();
            (*view).len = ssize(array.len() * dtype.size());
            (*view).readonly = c_int::from(!array.is_writable());
            (*view).itemsize = ssize(dtype.size());
            (*view).format =
                if_asked(ffi::PyBUF_FORMAT, format_of(dtype).as_ptr().cast_mut().cast()).cast();
            (*view).ndim = c_int::try_from(array.shape().len()).unwrap_or(0);
            (*view).shape = if_asked(ffi::PyBUF_ND, array.shape().as_ptr().cast_mut());
            (*view).strides = if_asked(ffi::PyBUF_STRIDES, this.strides.as_ptr().cast_mut());
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }

    /// The lengths of the dimensions.
    #[getter]
    // stub: -> tuple[int, ...]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let held = self.held.get();
        PyTuple::new(py, held.as_array().map_or(&[][..], ArrayC::shape))
    }

    fn __len__(&self) -> usize {
        let held = self.held.get();
        let first = held.as_array().and_then(|array| array.shape().first().copied());
        first.map_or(0, isize::unsigned_abs)
    }
}

/// Exposes an op's array in place: as a NumPy array if NumPy is installed, otherwise as a
/// memoryview.
pub(super) fn give(py: Python<'_>, held: Owned<'static>) -> PyResult<Py<PyAny>> {
    static VIEW: OnceCell<Py<PyAny>> = OnceCell::new();
    let view = VIEW.get_or_try_init(py, || {
        let numpy = py.import("numpy").and_then(|numpy| numpy.getattr("asarray"));
        let view = numpy.or_else(|_| py.import("builtins")?.getattr("memoryview"));
        view.map(Bound::unbind)
    })?;
    let strides = {
        let array = held.get();
        let array = array.as_array().filter(|array| array.is_contiguous());
        let array = array.ok_or_else(|| PyValueError::new_err("an op gave an array with gaps"))?;
        let mut step = ssize(array.dtype().map_or(1, Dtype::size));
        let mut strides: Vec<_> = array
            .shape()
            .iter()
            .rev()
            .map(|len| {
                let stride = step;
                step *= (*len).max(1);
                stride
            })
            .collect();
        strides.reverse();
        strides.into()
    };
    view.call1(py, (Bound::new(py, PyNumbers { held, strides })?,))
}

/// Copies a borrowed array.
pub(super) fn copy(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
    let array = value.as_array().ok_or_else(|| PyValueError::new_err("no array in an array"))?;
    give(py, copy_array(array).map_err(|failed| raise(py, failed))?)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyNumbers>(module)
}
