//! Functions for training data: alignment of tokenizations, entity tags and projective trees.

#![forbid(unsafe_code)]

mod alignment;
mod iob;
mod projective;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    alignment::register(module)?;
    iob::register(module)?;
    projective::register(module)
}
