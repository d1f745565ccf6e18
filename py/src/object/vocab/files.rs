//! A vocab as bytes, as a folder and as a pickle.

use pyo3::prelude::*;

use super::PyVocab;
use crate::object::morphology::PyMorphology;
use crate::runtime::python_side;

#[pymethods]
impl PyVocab {
    /// The strings, vectors and lookups as bytes; lexemes are computed anew.
    ///
    /// exclude (Iterable[str]): parts to leave out: "strings", "vectors", "lookups".
    #[pyo3(signature = (*, exclude=None))]
    fn to_bytes<'py>(
        slf: &Bound<'py, PyVocab>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        python_side::VOCAB_TO_BYTES.call(slf.py(), (slf, exclude))
    }

    /// Load what `to_bytes` gave, and give the vocab back. Strings that are there stay; lexemes are
    /// forgotten, so that words get their attributes anew.
    #[pyo3(signature = (bytes_data, *, exclude=None))]
    fn from_bytes<'py>(
        slf: &Bound<'py, PyVocab>,
        bytes_data: Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyVocab>> {
        python_side::VOCAB_FROM_BYTES.call(slf.py(), (slf, bytes_data, exclude))?;
        Ok(slf.clone())
    }

    /// Write the strings, vectors and lookups into a folder, which is made if it is not there.
    ///
    /// exclude (Iterable[str]): parts to leave out: "strings", "vectors", "lookups".
    #[pyo3(signature = (path, *, exclude=None))]
    fn to_disk(
        slf: &Bound<'_, PyVocab>,
        path: Bound<'_, PyAny>,
        exclude: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        python_side::VOCAB_TO_DISK.call(slf.py(), (slf, path, exclude)).map(drop)
    }

    /// Load what `to_disk` wrote, and give the vocab back; as `from_bytes`.
    #[pyo3(signature = (path, *, exclude=None))]
    fn from_disk<'py>(
        slf: &Bound<'py, PyVocab>,
        path: Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyVocab>> {
        python_side::VOCAB_FROM_DISK.call(slf.py(), (slf, path, exclude))?;
        Ok(slf.clone())
    }

    /// Forgets all lexemes: for what loads the parts that they are computed from.
    fn _forget_lexemes(&self) {
        self.vocab.forget_lexemes();
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyVocab>) -> PyResult<Bound<'py, PyAny>> {
        python_side::VOCAB_REDUCED.call(slf.py(), (slf, slf.get().vectors_if_any(slf.py())))
    }

    /// The analyses of word forms, by id.
    #[getter]
    fn morphology(&self, py: Python<'_>) -> PyResult<Py<PyMorphology>> {
        Ok(self.py_morphology(py)?.clone_ref(py))
    }
}
