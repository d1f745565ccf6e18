//! Atomic files for whatever saves from Python: no other code of the binding, or of the Python package,
//! writes under a final name.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use lexpool::files::AtomicFile;
use pyo3::prelude::*;

use crate::error::OrRaise;
use crate::gil;

/// Writes a file that appears when it is whole, while other threads run.
pub(crate) fn write(py: Python<'_>, path: &Path, bytes: &[u8]) -> PyResult<()> {
    // Takes no lock, and a pipe may have a slow reader, for whom no fork should wait.
    gil::waiting(py, || AtomicFile::write(path, bytes)).or_raise()
}

/// The same with a path (`str` or `os.PathLike`) and bytes of Python's.
pub(crate) fn write_object(path: &Bound<'_, PyAny>, bytes: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, bytes) = (path.py(), bytes.extract::<Cow<'_, [u8]>>()?);
    write(py, &path.extract::<PathBuf>()?, &bytes)
}

/// Write a file that consists of these bytes. It takes its name when it is whole and on the disk; after a
/// failure, what stood under the name is as it was.
///
/// path (str | PathLike): behind a symbolic link, the file that it leads to is replaced; a pipe or a device
/// is written to directly.
///
/// Raises OSError, also for a pipe that nobody reads from.
#[pyfunction]
fn write_file(path: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<()> {
    write_object(path, data)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(write_file, module)?)
}
