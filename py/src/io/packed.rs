//! Packed pipelines, and their parts where they are mapped.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use lexpool::pipeline_files::PipelineFiles;
use lexpool::vocab::OpenOptions;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;

/// A packed pipeline that is memory-mapped: `lexpool model pack` writes it.
///
/// Raises ValueError (container-kind, container-checksum, pack-name, ...) for another file or a
/// damaged one, OSError for one that cannot be read.
#[pyclass(name = "PackedPipeline", module = "lexpool._core", frozen)]
pub(super) struct PyPackedPipeline(PipelineFiles);

class!(PyPackedPipeline);

#[pymethods]
impl PyPackedPipeline {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
    fn py_new(py: Python<'_>, path: PathBuf) -> PyResult<PyPackedPipeline> {
        detached(py, || PipelineFiles::open(&path)).map(PyPackedPipeline).or_raise()
    }

    /// The packed file.
    #[getter]
    // stub: -> PathLike[str]
    fn path(&self) -> &Path {
        self.0.root()
    }

    /// Returns the names of all files, sorted.
    fn names(&self) -> PyResult<Vec<String>> {
        self.0.names().or_raise()
    }

    /// Returns a file. Its bytes are not copied. Raises OSError if it is missing, ValueError
    /// (container-checksum) if it is damaged.
    fn read(&self, py: Python<'_>, name: &str) -> PyResult<PyFilePart> {
        detached(py, || self.0.read(name)).map(PyFilePart).or_raise()
    }

    /// Returns whether there is a file of this name.
    fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Returns whether there is a folder of this name.
    fn contains_folder(&self, name: &str) -> bool {
        self.0.contains_folder(name)
    }

    /// Returns the vocab, whose strings and vectors stay in the file. None if the file lacks one.
    fn vocab(&self, py: Python<'_>) -> PyResult<Option<PyVocab>> {
        let opened = detached(py, || self.0.vocab(&OpenOptions::new()));
        opened.or_raise().map(|vocab| vocab.map(PyVocab::new))
    }
}

/// Bytes of a mapped file, which stays open as long as they are used.
#[pyclass(name = "FilePart", module = "lexpool._core", frozen)]
pub(crate) struct PyFilePart(pub(crate) Bytes);

class!(PyFilePart);

#[pymethods]
impl PyFilePart {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns a copy.
    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0)
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyPackedPipeline>(module)?;
    classes::add::<PyFilePart>(module)
}
