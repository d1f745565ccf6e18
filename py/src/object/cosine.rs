//! Lengths of vectors and cosines between them, for NumPy arrays and similar objects.

use pyo3::prelude::*;

use crate::runtime::buffer_protocol::buffer_of;
use crate::runtime::op_calls;

/// The Euclidean length of a vector, as a number of its array's own type.
pub(crate) fn norm<'py>(vector: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    vector.call_method1("dot", (vector,))?.call_method1("__pow__", (0.5,))
}

/// The cosine of the angle between two vectors, whose lengths are given and not 0.
pub(crate) fn cosine(
    (a, a_norm): (&Bound<'_, PyAny>, f64),
    (b, b_norm): (&Bound<'_, PyAny>, f64),
) -> PyResult<f64> {
    let dot = match (floats(a)?, floats(b)?) {
        (Some(a), Some(b)) if a.len() == b.len() => op_calls::dot(&a, &b)?.into(),
        _ => a.call_method1("dot", (b,))?.call_method0("item")?.extract::<f64>()?,
    };
    Ok(dot / (a_norm * b_norm))
}

/// A copy of a vector of 32-bit floats in main memory, since the array may be written meanwhile.
/// `None` for other vectors.
fn floats(vector: &Bound<'_, PyAny>) -> PyResult<Option<Vec<f32>>> {
    match buffer_of::<f32>(vector) {
        Ok(buffer) if buffer.dimensions() == 1 => buffer.to_vec(vector.py()).map(Some),
        _ => Ok(None),
    }
}
