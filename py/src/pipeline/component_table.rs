//! The table of spaCy's factories, from which Python's are made.

use lexpool::components::{COMPONENTS, default_settings};
use lexpool::config::Value;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::io::json::to_object;
use crate::runtime::error::OrRaise;

/// component_table() -> dict
///
/// Returns what is known of each of spaCy's factories, by its name: the default settings, the
/// attributes that its components assign and require, whether they merge or split tokens, the names
/// of their scores, and the weights of these.
#[pyfunction]
// stub: () -> dict[str, tuple[Any, ...]]
pub(super) fn component_table(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = default_settings().or_raise()?;
    let table = PyDict::new(py);
    for row in &COMPONENTS {
        let own_settings = settings.get(row.factory).unwrap_or(&Value::Null);
        let weights = PyDict::new(py);
        for (name, weight) in row.scores {
            weights.set_item(name, weight)?;
        }
        let facts = (
            to_object(py, own_settings)?,
            PyTuple::new(py, row.assigns)?,
            PyTuple::new(py, row.requires)?,
            row.retokenizes,
            weights.keys(),
            weights,
        );
        table.set_item(row.factory, facts)?;
    }
    Ok(table)
}
