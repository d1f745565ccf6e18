//! Input and output of documents: bytes, files, corpora, Arrow tables, and drawings.

pub(crate) mod arrow;
pub(crate) mod config;
mod conllu;
mod converters;
mod corpus;
mod doc_bytes;
mod docbin;
pub(crate) mod incoming;
pub(crate) mod json;
mod loading;
pub(crate) mod mapped_lookups;
pub(crate) mod msgpack;
pub(crate) mod packed;
mod read_folder;
mod render;
mod span_group_bytes;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    msgpack::register(module)?;
    json::register(module)?;
    config::register(module)?;
    loading::register(module)?;
    arrow::register(module)?;
    incoming::register(module)?;
    docbin::register(module)?;
    conllu::register(module)?;
    converters::register(module)?;
    corpus::register(module)?;
    packed::register(module)?;
    mapped_lookups::register(module)?;
    read_folder::register(module)?;
    render::register(module)
}
