//! Atomic files for Python code: the only way in which the binding and the Python package write
//! files.

use std::path::{Path, PathBuf};

use lexpool::Result;
use lexpool::files::{AtomicFile, Links, remove_leftovers, update_folder, write_folder_by};
use lexpool::pipeline_files::write_pipeline;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::runtime::buffer_protocol::bytes_of;
use crate::runtime::error::{OrRaise, check_signals, from_py};
use crate::runtime::gil;

/// Writes an atomic file without the GIL; it appears under its name when it is complete.
pub(crate) fn write(py: Python<'_>, path: &Path, bytes: &[u8]) -> PyResult<()> {
    finish(py, || AtomicFile::create(path, Links::Followed), bytes)
}

/// Writes an atomic file; `path` is a `str` or `os.PathLike`, `bytes` any Python bytes object.
pub(crate) fn write_object(path: &Bound<'_, PyAny>, bytes: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, bytes) = (path.py(), bytes_of(bytes)?);
    write(py, &path.extract::<PathBuf>()?, &bytes)
}

/// Appends to a file without the GIL and without any lock: other threads run and fork meanwhile,
/// since a pipe may have a slow reader. Signals are handled between writes.
pub(crate) fn put(py: Python<'_>, file: &mut AtomicFile, bytes: &[u8]) -> PyResult<()> {
    gil::waiting(py, || file.put(bytes, &check_signals)).or_raise()
}

/// Appends the last bytes to a file and commits it, as [`put`] does.
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

/// Writes a file that consists of these bytes. It appears under its name when it is complete and on
/// the disk; if writing fails, an existing file of that name is unchanged.
///
/// path (str | PathLike): the file. If it is a symbolic link, the file that it leads to is
///     replaced; a pipe or a device is written to directly.
///
/// Raises OSError, also for a pipe that nobody reads from.
#[pyfunction]
// stub: (path: str | PathLike[str], data: bytes)
fn write_file(path: &Bound<'_, PyAny>, data: &Bound<'_, PyAny>) -> PyResult<()> {
    write_object(path, data)
}

/// Writes a file of a folder, as `write_file`, except that a symbolic link of its name is replaced
/// and not followed, so that no file outside of the folder changes.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
// stub: (data: bytes)
fn write_part(py: Python<'_>, path: PathBuf, data: &Bound<'_, PyAny>) -> PyResult<()> {
    let bytes = bytes_of(data)?;
    finish(py, || AtomicFile::create(&path, Links::Replaced), &bytes)
}

/// Writes a folder, which replaces an old one of the name in one step when it is complete.
///
/// fill: a function that writes the files into the folder that it is called with.
///
/// Raises OSError, and the exceptions of `fill`, after which the old folder is unchanged.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
// stub: (fill: Callable[[str], object])
fn write_folder(path: PathBuf, fill: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = fill.py();
    let filled = |folder: &Path| {
        let called = fill.call1((folder.as_os_str(),));
        called.map(drop).map_err(|raised| from_py(py, raised, "a folder was to be written"))
    };
    write_folder_by(&path, filled).or_raise()
}

/// Writes files into a folder that may exist, in one step when they are complete. Other files of
/// the folder stay.
///
/// fill: a function that writes the files into the folder that it is called with.
///
/// Raises OSError, and the exceptions of `fill`, after which the folder is unchanged.
#[pyfunction]
#[pyo3(name = "update_folder")]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
// stub: (fill: Callable[[str], object])
fn update_folder_by(py: Python<'_>, path: PathBuf, fill: Py<PyAny>) -> PyResult<()> {
    gil::waiting(py, || update_folder(&path, |folder| called(&fill, folder), None)).or_raise()
}

/// Writes the files of a pipeline into a folder, as `update_folder`, with the number of the save.
///
/// parts: the names of the vocab and of components, into whose folders the number is written too.
#[pyfunction]
#[pyo3(name = "write_pipeline")]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
// stub: (parts: tuple[str, ...], fill: Callable[[str], object])
fn write_pipeline_by(path: PathBuf, parts: &Bound<'_, PyTuple>, fill: Py<PyAny>) -> PyResult<()> {
    let py = parts.py();
    let parts = parts.iter().map(|part| part.extract()).collect::<PyResult<Vec<String>>>()?;
    let filled = |folder: &Path| called(&fill, folder);
    gil::waiting(py, || write_pipeline(&path, &parts, filled)).or_raise()
}

/// Calls a function of Python's that fills a folder, from a thread without the GIL.
fn called(fill: &Py<PyAny>, folder: &Path) -> Result<()> {
    Python::attach(|py| {
        let called = fill.call1(py, (folder.as_os_str(),));
        called.map(drop).map_err(|raised| from_py(py, raised, "a folder was to be written"))
    })
}

/// Removes the temporary files and folders that killed processes have left in a folder.
#[pyfunction]
#[pyo3(name = "remove_leftovers")]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives it")]
fn remove_leftovers_of(folder: PathBuf) {
    remove_leftovers(&folder);
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(write_file, module)?)?;
    module.add_function(wrap_pyfunction!(write_part, module)?)?;
    module.add_function(wrap_pyfunction!(write_folder, module)?)?;
    module.add_function(wrap_pyfunction!(update_folder_by, module)?)?;
    module.add_function(wrap_pyfunction!(write_pipeline_by, module)?)?;
    module.add_function(wrap_pyfunction!(remove_leftovers_of, module)?)
}
