//! The folder of a pipeline while Python reads it.

use std::path::PathBuf;

use lexpool::loading::MAX_LOADS;
use lexpool::pipeline_files::ReadFolder;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;

/// The folder of a pipeline while its files are read, which another process may replace meanwhile.
#[pyclass(name = "ReadFolder", module = "lexpool._core", frozen)]
struct PyReadFolder(ReadFolder);

class!(PyReadFolder);

#[pymethods]
impl PyReadFolder {
    /// Number of attempts at a folder that is replaced while it is loaded.
    #[classattr]
    // stub: int
    const MAX_LOADS: usize = MAX_LOADS;

    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
    fn py_new(path: PathBuf) -> PyReadFolder {
        PyReadFolder(ReadFolder::open(&path))
    }

    /// Checks that the vocab and components of these names were saved together.
    ///
    /// Raises ValueError (save-mixed) if they have numbers of different saves.
    // stub: (parts: tuple[str, ...])
    fn check_parts(&self, parts: &Bound<'_, PyTuple>) -> PyResult<()> {
        let parts = parts.iter().map(|part| part.extract()).collect::<PyResult<Vec<String>>>()?;
        self.0.check_parts(parts.iter().map(String::as_str)).or_raise()
    }

    /// Checks that the folder is still the one that was opened. Raises OSError (save-replaced).
    fn check_current(&self) -> PyResult<()> {
        self.0.check_current().or_raise()
    }

    /// Returns whether the folder is still the one that was opened.
    fn is_current(&self) -> bool {
        self.0.is_current()
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyReadFolder>(module)
}
