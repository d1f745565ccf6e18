//! Numbers in users' arrays, read through the buffer protocol.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Format prefixes of the other byte order than this machine's. `PyBuffer` checks only the size
/// and kind of the numbers and would accept them, with wrong values.
const OTHER_ORDER: &[u8] = if cfg!(target_endian = "little") { b">!" } else { b"<" };

/// The buffer of an object whose numbers have this type and this machine's byte order.
///
/// # Errors
///
/// `BufferError` or `TypeError` for an object without a buffer or with numbers of another type,
/// `TypeError` (buffer-order) for numbers in the other byte order.
pub(crate) fn buffer_of<T: Element>(given: &Bound<'_, PyAny>) -> PyResult<PyBuffer<T>> {
    let buffer = PyBuffer::<T>::get(given)?;
    let format = buffer.format();
    if format.to_bytes().first().is_some_and(|mark| OTHER_ORDER.contains(mark)) {
        let text = format!(
            "[buffer-order] numbers of the format {format:?} have another byte order than this machine; \
             convert them first"
        );
        return Err(PyTypeError::new_err(text));
    }
    Ok(buffer)
}
