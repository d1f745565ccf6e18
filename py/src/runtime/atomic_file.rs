//! Atomic files for whatever saves from Python: no other code of the binding, or of the Python package,
//! writes under a final name.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use lexpool::Result;
use lexpool::files::AtomicFile;
use pyo3::prelude::*;

use crate::runtime::error::{OrRaise, check_signals};
use crate::runtime::gil;

/// Writes a file that appears when it is whole, while other threads run.
pub(crate) fn write(py: Python<'_>, path: &Path, bytes: &[u8]) -> PyResult<()> {
    finish(py, || AtomicFile::create(path), bytes)
}

/// The same with a path (`str` or `os.PathLike`) and bytes of Python's.
pub(crate) fn write_object(path: &Bound<'_, PyAny>, bytes: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, bytes) = (path.py(), bytes.extract::<Cow<'_, [u8]>>()?);
    write(py, &path.extract::<PathBuf>()?, &bytes)
}

/// Writes more to a file, while other threads run and fork: it takes no lock, and a pipe may have a slow
/// reader. Signals are handled in between.
pub(crate) fn put(py: Python<'_>, file: &mut AtomicFile, bytes: &[u8]) -> PyResult<()> {
    gil::waiting(py, || file.put(bytes, &check_signals)).or_raise()
}

/// Writes the rest of a file, which then appears, in the same way.
pub(crate) fn finish(
    py: Python<'_>,
    file: impl FnOnce() -> Result<AtomicFile> + Send,
    bytes: &[u8],
) -> PyResult<()> {
    gil::waiting(py, || {
        let mut file = file()?;
        file.put(bytes, &check_signals)?;
        file.commit()
    })
    .or_raise()
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

/// Write a part of a folder, as `write_file`, but a symbolic link in its place is replaced and not followed:
/// the folder was named, and no file elsewhere.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
fn write_part(py: Python<'_>, path: PathBuf, data: &Bound<'_, PyAny>) -> PyResult<()> {
    let bytes = data.extract::<Cow<'_, [u8]>>()?;
    finish(py, || AtomicFile::create_part(&path), &bytes)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(write_file, module)?)?;
    module.add_function(wrap_pyfunction!(write_part, module)?)
}
