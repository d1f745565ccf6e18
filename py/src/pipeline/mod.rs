//! Pipelines: native components and streams of documents.

#![forbid(unsafe_code)]

mod annotator;
mod attribute_ruler;
mod batch;
mod caller_work;
mod component;
mod component_table;
mod edit_trees;
mod error_handler;
mod input;
mod lemmatizer;
mod merge;
mod plan;
mod rulers;
mod sentencizer;
mod stream;
mod tokenizer_pipe;

use pyo3::prelude::*;

use crate::runtime::classes;

pub(crate) use component::PyComponent;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::prepare::<batch::DocIterator>(module.py());
    classes::add::<component::PyComponent>(module)?;
    classes::add::<edit_trees::PyEditTrees>(module)?;
    classes::add::<sentencizer::PySentenceMarks>(module)?;
    classes::add::<rulers::PyRuleNames>(module)?;
    module.add_function(wrap_pyfunction!(rulers::entity_order, module)?)?;
    module.add_function(wrap_pyfunction!(component_table::component_table, module)?)?;
    lemmatizer::register(module)?;
    attribute_ruler::register(module)?;
    annotator::register(module)?;
    stream::register(module)
}
