//! Vectors as arrays: conversion from Python objects, and views on a table's memory.
//!
//! Unsafe code: serves the buffer protocol from a table's memory, which may be written.
//!
//! Invariants:
//! - **B1** `start` and `shape` of a [`VectorMemory`] lie within its memory, which it keeps alive,
//!   and whose pointer may be written through.

use std::ffi::{CStr, c_int};
use std::ptr;
use std::sync::Arc;

use lexpool::vectors::RowMemory;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::runtime::buffer_protocol::buffer_of;
use crate::runtime::classes::class;
use crate::runtime::items::Items;

/// Numbers with their shape, from an array, a buffer, a list, or a list of lists.
pub(super) struct VectorData {
    pub(super) numbers: Vec<f32>,
    pub(super) shape: Vec<usize>,
}

impl VectorData {
    /// Copies the numbers of an array, also of one on another device.
    ///
    /// # Errors
    ///
    /// `TypeError` or `ValueError` for any object other than an array of numbers.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<VectorData> {
        let py = object.py();
        if let Ok(buffer) = buffer_of::<f32>(object) {
            return Ok(VectorData { numbers: buffer.to_vec(py)?, shape: buffer.shape().to_vec() });
        }
        // An array on another device is copied to main memory.
        let elsewhere = object.hasattr("__cuda_array_interface__")?;
        let object = if elsewhere { object.call_method0("get")? } else { object.clone() };
        if let Ok(numpy) = py.import("numpy") {
            let array = numpy.call_method1("asarray", (object, "float32"))?;
            let shape = array.getattr("shape")?.extract::<Items<usize>>()?.into_vec();
            let buffer = buffer_of::<f32>(&array.call_method1("reshape", (-1,))?)?;
            return Ok(VectorData { numbers: buffer.to_vec(py)?, shape });
        }
        if let Ok(number) = object.extract::<f32>() {
            return Ok(VectorData { numbers: vec![number], shape: Vec::new() });
        }
        if let Ok(numbers) = object.extract::<Items<f32>>() {
            let shape = vec![numbers.len()];
            return Ok(VectorData { numbers: numbers.into_vec(), shape });
        }
        let rows = object.extract::<Items<Items<f32>>>()?;
        let width = rows.first().map_or(0, |row| row.len());
        if rows.iter().any(|row| row.len() != width) {
            return Err(PyValueError::new_err("[vectors-shape] rows of different lengths"));
        }
        let shape = vec![rows.len(), width];
        Ok(VectorData { shape, numbers: rows.into_iter().flatten().collect() })
    }

    /// The numbers as one row; a single number fills it.
    pub(super) fn into_row(self, width: usize) -> PyResult<Vec<f32>> {
        if let ([], &[number]) = (&self.shape[..], &self.numbers[..]) {
            return Ok(vec![number; width]);
        }
        let outer = self.shape.split_last().map_or(&[][..], |(_, outer)| outer);
        if self.numbers.len() == width && outer.iter().all(|&length| length == 1) {
            return Ok(self.numbers);
        }
        Err(PyValueError::new_err(format!(
            "[vectors-shape] expected a vector of {width} numbers, found the shape {:?}",
            self.shape
        )))
    }

    /// The number of rows and their width.
    pub(super) fn rows(&self) -> PyResult<(usize, usize)> {
        match self.shape[..] {
            [len, width] => Ok((len, width)),
            _ => Err(PyValueError::new_err(format!(
                "[vectors-shape] expected rows of vectors, found the shape {:?}",
                self.shape
            ))),
        }
    }
}

/// The memory of a table, or one row of it, as a writable buffer of 32-bit floats.
///
/// The table uses the same memory until it is resized or replaced; then this buffer keeps the old
/// numbers.
#[pyclass(name = "VectorMemory", module = "lexpool.vectors", frozen)]
pub(super) struct VectorMemory {
    memory: Arc<RowMemory>,
    /// The offset of the first number; views of the buffer protocol point to `shape` and `strides`.
    start: usize,
    shape: Vec<ffi::Py_ssize_t>,
    strides: Vec<ffi::Py_ssize_t>,
}

class!(VectorMemory);

const FORMAT: &CStr = c"f";
const ITEM: usize = size_of::<f32>();

impl VectorMemory {
    /// A view of `shape` numbers from `start` on.
    pub(super) fn new(memory: Arc<RowMemory>, start: usize, shape: &[usize]) -> VectorMemory {
        assert!(start + shape.iter().product::<usize>() <= memory.len(), "a part of the memory");
        let stride = |axis: usize| ssize(shape[axis + 1..].iter().product::<usize>() * ITEM);
        let strides = (0..shape.len()).map(stride).collect();
        let shape = shape.iter().map(|&length| ssize(length)).collect();
        VectorMemory { memory, start, shape, strides }
    }

    /// An array that shares the memory: a NumPy array if NumPy is installed, else a memoryview.
    pub(super) fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let view = PyMemoryView::from(Bound::new(py, self)?.as_any())?.into_any();
        match py.import("numpy") {
            Ok(numpy) => numpy.call_method1("asarray", (view,)),
            Err(_) => Ok(view),
        }
    }
}

fn ssize(n: usize) -> ffi::Py_ssize_t {
    ffi::Py_ssize_t::try_from(n).expect("a size in memory")
}

#[pymethods]
impl VectorMemory {
    /// Fills a view of the numbers: the buffer protocol of CPython.
    ///
    /// # Safety
    ///
    /// CPython passes null or a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, VectorMemory>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill"));
        }
        let data = slf.get();
        let has = |flag: c_int| flags & flag == flag;
        if has(ffi::PyBUF_F_CONTIGUOUS) && data.shape.iter().filter(|n| **n > 1).count() > 1 {
            let text = "vectors lie row by row; request a buffer in the order of C";
            return Err(PyBufferError::new_err(text));
        }
        let axes = |is_visible: bool, axes: &[ffi::Py_ssize_t]| {
            if is_visible { axes.as_ptr().cast_mut() } else { ptr::null_mut() }
        };
        let len: ffi::Py_ssize_t = data.shape.iter().product();
        // SAFETY: B1: all pointers lead into the object or its memory, and the view owns the object
        // through `obj`.
        unsafe {
            (*view).buf = data.memory.as_ptr().add(data.start).cast();
            (*view).len = len * ssize(ITEM);
            (*view).readonly = 0;
            (*view).itemsize = ssize(ITEM);
            (*view).format =
                if has(ffi::PyBUF_FORMAT) { FORMAT.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).ndim = c_int::try_from(data.shape.len()).expect("one or two");
            (*view).shape = axes(has(ffi::PyBUF_ND), &data.shape);
            (*view).strides = axes(has(ffi::PyBUF_STRIDES), &data.strides);
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}
