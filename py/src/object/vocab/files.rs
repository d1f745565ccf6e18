//! A vocab as bytes, as a folder and as a pickle.

use pyo3::prelude::*;

use super::PyVocab;
use crate::object::morphology::PyMorphology;
use crate::runtime::python_side;

#[pymethods]
impl PyVocab {
    /// Returns the strings, vectors and lookups as bytes; lexemes are recomputed when loaded.
    ///
    /// exclude (Iterable[str]): parts to leave out: "strings", "vectors", "lookups".
    #[pyo3(signature = (*, exclude=None))]
    // stub: (exclude: Container[str] | None) -> bytes
    fn to_bytes<'py>(
        slf: &Bound<'py, PyVocab>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        python_side::VOCAB_TO_BYTES.call(slf.py(), (slf, exclude))
    }

    /// Loads the result of `to_bytes`, and returns the vocab. Present strings stay; lexemes are
    /// dropped, so that words get their attributes from the loaded data.
    #[pyo3(signature = (bytes_data, *, exclude=None))]
    // stub: (bytes_data: bytes, exclude: Container[str] | None)
    fn from_bytes<'py>(
        slf: &Bound<'py, PyVocab>,
        bytes_data: Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyVocab>> {
        python_side::VOCAB_FROM_BYTES.call(slf.py(), (slf, bytes_data, exclude))?;
        Ok(slf.clone())
    }

    /// Writes the strings, vectors and lookups into a folder, which is created if necessary.
    ///
    /// exclude (Iterable[str]): parts to leave out: "strings", "vectors", "lookups".
    #[pyo3(signature = (path, *, exclude=None))]
    // stub: (path: _Path, exclude: Container[str] | None)
    fn to_disk(
        slf: &Bound<'_, PyVocab>,
        path: Bound<'_, PyAny>,
        exclude: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        python_side::VOCAB_TO_DISK.call(slf.py(), (slf, path, exclude)).map(drop)
    }

    /// Loads the files of `to_disk`, and returns the vocab; as `from_bytes`.
    #[pyo3(signature = (path, *, exclude=None))]
    // stub: (path: _Path, exclude: Container[str] | None)
    fn from_disk<'py>(
        slf: &Bound<'py, PyVocab>,
        path: Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyVocab>> {
        python_side::VOCAB_FROM_DISK.call(slf.py(), (slf, path, exclude))?;
        Ok(slf.clone())
    }

    /// Drops all lexemes, after the data that they are computed from was loaded.
    fn _forget_lexemes(&self) {
        self.vocab.forget_lexemes();
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyVocab>) -> PyResult<Bound<'py, PyAny>> {
        python_side::VOCAB_REDUCED.call(slf.py(), (slf, slf.get().vectors_if_any(slf.py())))
    }

    /// The morphological analyses, by id.
    #[getter]
    fn morphology(&self, py: Python<'_>) -> PyResult<Py<PyMorphology>> {
        Ok(self.py_morphology(py)?.clone_ref(py))
    }
}
