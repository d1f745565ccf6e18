//! The command `lexpool`, called by `lexpool.__main__`.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::runtime::error::check_signals;
use crate::runtime::gil;

/// Runs the command `lexpool`; returns its exit code.
///
/// argv: the arguments, the name of the program first.
///
/// Releases the GIL. Ctrl-C stops the command; the code is 130 then.
#[pyfunction]
// stub: (argv: Sequence[str])
fn main(py: Python<'_>, argv: Vec<OsString>) -> u8 {
    gil::waiting(py, || lexpool_cli::main(argv, &check_signals))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(main, module)?)
}
