//! `.c`: handles on records, leases, and pools, for direct access to the memory.

mod annotation;
mod buffer;
mod c_export;
mod getters;
mod lease;
mod lexemes;
mod pool;
mod record;
mod record_handle;

use pyo3::prelude::*;

use crate::runtime::classes;
use crate::runtime::free_list;

pub(crate) use record_handle::Handle;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<Handle>(module)?;
    free_list::install::<Handle>(module.py())?;
    lease::register(module)?;
    lexemes::register(module)?;
    pool::register(module)?;
    record::register(module)
}
