//! Knowledge bases, and the linking of entities to them.

#![forbid(unsafe_code)]

mod link;
mod table;

use pyo3::prelude::*;

use crate::runtime::classes;

pub(crate) use link::link_settings;
pub(crate) use table::PyKnowledgeTable;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<table::PyKnowledgeTable>(module)
}
