//! Lengths of vectors and the angle between them, for vectors that are NumPy's or alike.

use pyo3::prelude::*;

/// The Euclidean length of a vector, as a number of its array's own type.
pub(crate) fn norm<'py>(vector: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    vector.call_method1("dot", (vector,))?.call_method1("__pow__", (0.5,))
}

/// The cosine of the angle between two vectors of these lengths, which are not 0.
pub(crate) fn cosine(
    (a, a_norm): (&Bound<'_, PyAny>, f64),
    (b, b_norm): (&Bound<'_, PyAny>, f64),
) -> PyResult<f64> {
    let dot: f64 = a.call_method1("dot", (b,))?.call_method0("item")?.extract()?;
    Ok(dot / (a_norm * b_norm))
}
