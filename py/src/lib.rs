//! The Python face of lexpool: thin classes over the crate `lexpool`, and nothing else.
//!
//! Each file holds one class or one concern; `register` functions put them into the module. No
//! algorithm lives here.

#![allow(clippy::doc_markdown, reason = "what documents a Python class is its Python docstring")]

mod doc;
mod error;
mod gil;
mod handle;
mod interned;
mod lexeme;
mod pipe;
mod shell;
mod slots;
mod span;
mod strings;
mod structs;
mod text;
mod token;
mod tokenizer;
mod vocab;

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// lexpool's native part; use it through the modules of the package `lexpool`.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ATTRS", attrs(module.py())?)?;
    module.add("SYMBOLS", lexpool::structs::symbols::SYMBOLS.to_vec())?;
    error::register(module)?;
    strings::register(module)?;
    vocab::register(module)?;
    lexeme::register(module)?;
    doc::register(module)?;
    token::register(module)?;
    span::register(module)?;
    structs::register(module)?;
    shell::register(module)?;
    tokenizer::register(module)?;
    module.add_function(wrap_pyfunction!(pause_for_fork, module)?)?;
    module.add_function(wrap_pyfunction!(resume_after_fork, module)?)
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

/// Before a fork: waits until no thread of lexpool's holds a lock.
///
/// For ten seconds at most: a getter of the user's that forks, called from such a thread, would
/// otherwise wait for itself.
#[pyfunction]
fn pause_for_fork(py: Python<'_>) {
    let start = Instant::now();
    while !lexpool::threads::pause() && start.elapsed() < Duration::from_secs(10) {
        py.detach(|| std::thread::sleep(Duration::from_micros(100)));
    }
}

/// After a fork, in the parent and in the child.
#[pyfunction]
fn resume_after_fork() {
    lexpool::threads::resume();
}
