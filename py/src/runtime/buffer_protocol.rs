//! Numbers in users' arrays, and bytes, read through the buffer protocol.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyMemoryView;

/// Format prefixes of the other byte order than this machine's. `PyBuffer` checks only the size
/// and kind of the numbers and would accept them, with wrong values.
const OTHER_ORDER: &[u8] = if cfg!(target_endian = "little") { b">!" } else { b"<" };

/// Returns the bytes of an object: those of `bytes` themselves, a copy of others. A list of numbers
/// has none: PyO3 would read one as a `Vec`, by the length that it claims.
///
/// # Errors
///
/// `TypeError` for an object without a buffer.
pub(crate) fn bytes_of(object: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    match object.extract::<PyBackedBytes>() {
        Ok(bytes) => Ok(bytes),
        Err(_) => Ok(PyMemoryView::from(object)?.call_method0("tobytes")?.extract()?),
    }
}

/// The buffer of an object whose numbers have this type and this machine's byte order.
///
/// # Errors
///
/// `BufferError` or `TypeError` for an object without a buffer or with numbers of another type,
/// `TypeError` (buffer-order) for numbers in the other byte order.
pub(crate) fn buffer_of<T: Element>(object: &Bound<'_, PyAny>) -> PyResult<PyBuffer<T>> {
    let buffer = PyBuffer::<T>::get(object)?;
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
