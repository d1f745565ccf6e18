//! Services between Python and the core that do not know documents: GIL and forks, errors, strings,
//! arrays, callers' sequences, classes and their objects' memory, locks, calls of users' functions
//! and of Python code.

pub(crate) mod array;
pub(crate) mod atomic_file;
pub(crate) mod buffer_protocol;
pub(crate) mod classes;
pub(crate) mod cython_class;
pub(crate) mod detached_lock;
pub(crate) mod doc_lock;
pub(crate) mod error;
pub(crate) mod fork_hooks;
pub(crate) mod free_list;
pub(crate) mod gil;
pub(crate) mod gil_lock;
pub(crate) mod interned_strings;
pub(crate) mod items;
mod limits;
pub(crate) mod memory_usage;
pub(crate) mod once_cell;
pub(crate) mod op_calls;
pub(crate) mod op_failure;
pub(crate) mod property_cache;
pub(crate) mod python_side;
pub(crate) mod sparse_vec;
pub(crate) mod text;
pub(crate) mod text_stream;
pub(crate) mod user_calls;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    op_calls::prepare();
    error::register(module)?;
    limits::register(module)?;
    atomic_file::register(module)?;
    fork_hooks::register(module)
}
