//! Networks of trained components for Python.

#![forbid(unsafe_code)]

mod linker;
mod model;
mod state_scorer;
mod vectors;

use pyo3::prelude::*;

use crate::runtime::classes;

pub(crate) use state_scorer::PyStateScorer;
pub(crate) use vectors::TableVectors;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<model::PyTrainedModel>(module)?;
    classes::add::<PyStateScorer>(module)?;
    module.add_function(wrap_pyfunction!(model::check_architecture, module)?)?;
    module.add_function(wrap_pyfunction!(model::trained_factories, module)?)
}
