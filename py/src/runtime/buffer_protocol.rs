//! Numbers of users' arrays, by the buffer protocol and in this machine's byte order.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The mark in a buffer's format that says that its numbers lie the other way round. `PyBuffer` judges
/// size and kind alone and takes such numbers, whose bytes then mean something else.
const OTHER_ORDER: &[u8] = if cfg!(target_endian = "little") { b">!" } else { b"<" };

/// The buffer of an object that has numbers of this type, as this machine has them.
///
/// # Errors
///
/// `BufferError` or `TypeError` for an object without a buffer or with another type of numbers,
/// `TypeError` buffer-order for numbers in the other byte order.
pub(crate) fn buffer_of<T: Element>(given: &Bound<'_, PyAny>) -> PyResult<PyBuffer<T>> {
    let buffer = PyBuffer::<T>::get(given)?;
    let format = buffer.format();
    if format.to_bytes().first().is_some_and(|mark| OTHER_ORDER.contains(mark)) {
        let text = format!(
            "[buffer-order] numbers of the format {format:?} do not lie in this machine's byte order; \
             convert them first"
        );
        return Err(PyTypeError::new_err(text));
    }
    Ok(buffer)
}
