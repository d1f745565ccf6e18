//! Contiguous arrays of numbers that a call reads or writes in place.
//!
//! Contains unsafe code: slices of memory that Python objects own. Invariants:
//!
//! - **N1** A buffer is contiguous in C's order and aligned, its items have the type `T` and this
//!   machine's byte order, and it keeps the memory alive (checked by [`Input::of`]).
//! - **N2** While a call runs, nobody writes to the memory of its arrays, or frees it: that of an
//!   output is writable and overlaps no other array of the call ([`Output::apart`]). `resize` of an
//!   array refuses, because the buffer has a reference to the array. As for NumPy's own functions,
//!   which the same ends, other threads must not write to the arrays or call
//!   `resize(refcheck=False)`, which is the duty of the caller.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::runtime::buffer_protocol::buffer_of;

/// An array that a call reads.
pub(super) struct Input<T: Element>(PyBuffer<T>);

impl<T: Element> Input<T> {
    /// Borrows an array with this many dimensions.
    ///
    /// # Errors
    ///
    /// As for [`buffer_of`]; `ValueError` for another number of dimensions, or an array that is
    /// not contiguous.
    pub(super) fn of(object: &Bound<'_, PyAny>, dimensions: usize) -> PyResult<Input<T>> {
        let buffer = buffer_of::<T>(object)?;
        if buffer.dimensions() != dimensions || !buffer.is_c_contiguous() {
            let text = format!(
                "[thinc-array] expected a contiguous array of {dimensions} dimensions; got shape {:?} and \
                 strides {:?}",
                buffer.shape(),
                buffer.strides()
            );
            return Err(PyValueError::new_err(text));
        }
        Ok(Input(buffer))
    }

    /// Returns the length of a dimension.
    pub(super) fn len_of(&self, dimension: usize) -> usize {
        self.0.shape()[dimension]
    }

    /// Returns the numbers.
    pub(super) fn numbers(&self) -> &[T] {
        if self.0.item_count() == 0 {
            return &[];
        }
        // SAFETY: N1, N2.
        unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast(), self.0.item_count()) }
    }

    /// Returns the addresses of the first byte and of that behind the last.
    fn bytes(&self) -> (usize, usize) {
        let start = self.0.buf_ptr() as usize;
        (start, start + self.0.len_bytes())
    }
}

/// An array that a call writes, apart from all others of the call.
pub(super) struct Output<T: Element>(Input<T>);

impl<T: Element> Output<T> {
    /// Borrows a writable array with this shape.
    ///
    /// # Errors
    ///
    /// As for [`Input::of`]; `ValueError` for another shape or an array that is read-only.
    pub(super) fn of(object: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Output<T>> {
        let array = Input::of(object, shape.len())?;
        if array.0.shape() != shape || array.0.readonly() {
            let kind = if array.0.readonly() { "a read-only one" } else { "one" };
            let text = format!(
                "[thinc-array] expected a writable array of shape {shape:?}; got {kind} of shape {:?}",
                array.0.shape()
            );
            return Err(PyValueError::new_err(text));
        }
        Ok(Output(array))
    }

    /// Checks that the array shares no memory with another of the call.
    ///
    /// # Errors
    ///
    /// `ValueError` if it does.
    pub(super) fn apart<U: Element>(self, other: &Input<U>) -> PyResult<Output<T>> {
        let ((start, end), (from, to)) = (self.0.bytes(), other.bytes());
        if start < to && from < end {
            let text = "[thinc-array] an output shares memory with another array of the call";
            return Err(PyValueError::new_err(text));
        }
        Ok(self)
    }

    /// Checks that the array shares no memory with another output of the call.
    ///
    /// # Errors
    ///
    /// `ValueError` if it does.
    pub(super) fn apart_from<U: Element>(self, other: &Output<U>) -> PyResult<Output<T>> {
        self.apart(&other.0)
    }

    /// Returns the numbers.
    pub(super) fn numbers(&mut self) -> &mut [T] {
        if self.0.0.item_count() == 0 {
            return &mut [];
        }
        // SAFETY: N1, N2; the array is writable (`Output::of`).
        unsafe { std::slice::from_raw_parts_mut(self.0.0.buf_ptr().cast(), self.0.0.item_count()) }
    }
}
