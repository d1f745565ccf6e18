//! The Python face of lexpool: thin classes over the crate `lexpool`, and nothing else.
//!
//! Each file holds one class or one concern; `register` functions put them into the module. No
//! algorithm lives here.

#![allow(clippy::unused_self, reason = "methods of Python classes take what Python gives")]
#![allow(clippy::doc_markdown, reason = "what documents a Python class is its Python docstring")]

mod alignment;
mod annotate;
mod annotations;
mod array;
mod arrow;
mod bloom;
mod buffers;
mod capi;
mod classes;
mod conllu;
mod corpus;
mod doc;
mod doc_annotation;
mod doc_bytes;
mod doc_copies;
mod doc_vectors;
mod docbin;
mod error;
mod extras;
mod files;
mod forks;
mod forms;
mod gil;
mod gil_lock;
mod graph;
mod guard;
mod handle;
mod interned;
mod iob;
mod kernels;
mod levenshtein;
mod lex_attrs;
mod lexeme;
mod matcher;
mod memory;
mod morphology;
mod msgpack;
mod ops;
mod parser;
mod pipe;
mod pipeline;
mod plugins;
mod projective;
mod recycled;
mod render;
mod retokenizer;
mod rules;
mod sequences;
mod shell;
mod similarity;
mod slots;
mod span;
mod span_group;
mod span_tree;
mod sparse;
mod strings;
mod structs;
mod text;
mod token;
mod token_tree;
mod tokenizer;
mod underscore;
mod user_calls;
mod vectors;
mod vocab;
mod words;
mod zone;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// lexpool's native part; use it through the modules of the package `lexpool`.
#[pymodule(gil_used = true)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    refuse_subinterpreters()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ATTRS", attrs(module.py())?)?;
    module.add("SYMBOLS", lexpool::structs::symbols::SYMBOLS.to_vec())?;
    module.add("IOB_STRINGS", lexpool::structs::IOB_STRINGS.to_vec())?;
    module.add("PARTS_OF_SPEECH", parts_of_speech(module.py())?)?;
    kernels::prepare();
    error::register(module)?;
    files::register(module)?;
    msgpack::register(module)?;
    vectors::register(module)?;
    strings::register(module)?;
    vocab::register(module)?;
    morphology::register(module)?;
    lex_attrs::register(module)?;
    lexeme::register(module)?;
    handle::register(module)?;
    doc::register(module)?;
    arrow::register(module)?;
    annotate::register(module)?;
    docbin::register(module)?;
    conllu::register(module)?;
    corpus::register(module)?;
    token::register(module)?;
    span::register(module)?;
    span_group::register(module)?;
    retokenizer::register(module)?;
    underscore::register(module)?;
    structs::register(module)?;
    shell::register(module)?;
    render::register(module)?;
    tokenizer::register(module)?;
    alignment::register(module)?;
    iob::register(module)?;
    graph::register(module)?;
    projective::register(module)?;
    words::register(module)?;
    capi::register(module)?;
    bloom::register(module)?;
    levenshtein::register(module)?;
    matcher::register(module)?;
    pipeline::register(module)?;
    parser::register(module)?;
    ops::register(module)?;
    plugins::register(module)?;
    classes::register(module)?;
    forks::register(module)
}

/// Refuses every interpreter but the process's first: types and caches of this module are shared by all
/// threads, and a second interpreter would take its objects along when it ends.
fn refuse_subinterpreters() -> PyResult<()> {
    // SAFETY: this thread is attached to an interpreter, since it imports a module.
    let is_main = unsafe { ffi::PyInterpreterState_Get() == ffi::PyInterpreterState_Main() };
    if is_main {
        return Ok(());
    }
    let text = "lexpool works in the main interpreter of a process only, and this is another one \
                (a subinterpreter); use threads, which lexpool runs without the GIL, or processes";
    Err(PyImportError::new_err(text))
}

/// Attribute names with their numbers.
fn attrs(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("", 0)?;
    for attr in lexpool::structs::AttrId::all() {
        dict.set_item(attr.name(), attr.number())?;
    }
    Ok(dict)
}

/// Names of the parts of speech with their numbers.
fn parts_of_speech(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for pos in lexpool::structs::Pos::all() {
        dict.set_item(pos.name(), pos.number())?;
    }
    Ok(dict)
}
