//! Python binding of lexpool: thin classes over the crate `lexpool`, without algorithms of its own.
//!
//! Each module uses only modules above it in this table; a test
//! (`tests/workspace/test_modules.py`) reads the order from here. A file holds one class or one
//! concern, which its function `register` adds to the module.
//!
//! | module | contents |
//! | --- | --- |
//! | `runtime` | GIL, forks, errors, strings, arrays, locks, allocation of objects |
//! | `object` | documents, tokens, spans, lexemes, vocabs |
//! | `memory` | handles on records, leases, pools, the C API |
//! | `ops` | functions and types of the registry |
//! | `tokenizer` | the tokenizer and its rules |
//! | `io` | bytes, files, corpora, Arrow tables, drawings |
//! | `matcher` | engines of the matchers |
//! | `pipeline` | components and streams of documents |
//! | `knowledge` | knowledge bases, and links of entities to them |
//! | `trained` | networks of trained components |
//! | `thinc` | kernels of a backend of thinc |
//! | `parser` | parse states, transition systems, beams |
//! | `training` | components that learn; alignment, entity tags, projective trees |
//! | `scoring` | figures of evaluation |
//! | `command` | the command `lexpool` |
//!
//! Files use each other one way too, except in `object`, whose classes make each other.

#![allow(clippy::unused_self, reason = "methods of Python classes take what Python gives")]
#![allow(clippy::doc_markdown, reason = "what documents a Python class is its Python docstring")]

mod command;
mod io;
mod knowledge;
mod matcher;
mod memory;
mod object;
mod ops;
mod parser;
mod pipeline;
mod runtime;
mod scoring;
mod thinc;
mod tokenizer;
mod trained;
mod training;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Native part of lexpool; use it through the modules of the package `lexpool`.
#[pymodule(gil_used = true)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    refuse_subinterpreters()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ATTRS", attrs(module.py())?)?;
    module.add("SYMBOLS", lexpool::structs::symbols::SYMBOLS.to_vec())?;
    module.add("IOB_STRINGS", lexpool::structs::IOB_STRINGS.to_vec())?;
    module.add("PARTS_OF_SPEECH", parts_of_speech(module.py())?)?;
    runtime::register(module)?;
    object::register(module)?;
    memory::register(module)?;
    ops::register(module)?;
    tokenizer::register(module)?;
    io::register(module)?;
    matcher::register(module)?;
    pipeline::register(module)?;
    knowledge::register(module)?;
    trained::register(module)?;
    thinc::register(module)?;
    parser::register(module)?;
    training::register(module)?;
    scoring::register(module)?;
    command::register(module)?;
    runtime::classes::register(module)
}

/// Refuses all interpreters but the first of the process: all threads share the types and caches of
/// this module, and a second interpreter would destroy its objects when it ends.
fn refuse_subinterpreters() -> PyResult<()> {
    // SAFETY: this thread is attached to an interpreter, since it imports a module.
    let is_main = unsafe { ffi::PyInterpreterState_Get() == ffi::PyInterpreterState_Main() };
    if is_main {
        return Ok(());
    }
    let text = "[second-interpreter] lexpool supports only the main interpreter of a process, and \
                this is a subinterpreter; use threads, which lexpool runs without the GIL, or \
                processes";
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
