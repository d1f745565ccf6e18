//! Direct access to memory: handles on records, leases to write them, pools, the layout of the
//! records as reflection, and the C API.

pub(crate) mod call_claims;
mod capi;
pub(crate) mod handle;
mod structs;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    handle::register(module)?;
    structs::register(module)?;
    capi::register(module)
}
