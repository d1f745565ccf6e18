//! What a vocab holds for Python alone: objects that the core knows nothing of.

use std::sync::{Arc, MutexGuard, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::PyVocab;
use crate::object::morphology::PyMorphology;
use crate::object::strings::PyStringStore;
use crate::runtime::python_side;

/// The objects, each made when it is first asked for.
#[derive(Default)]
pub(super) struct PythonObjects {
    /// A dict, or the mapping that tells the vocab of its changes.
    pub(super) getters: Option<Py<PyAny>>,
    pub(super) lookups: Option<Py<PyAny>>,
    /// Shared so that the vocab can ask for ranks without holding what refers to it.
    pub(super) vectors: Option<Arc<Py<PyAny>>>,
    pub(super) vectors_name: Option<Py<PyAny>>,
    pub(super) cfg: Option<Py<PyAny>>,
    pub(super) writing_system: Option<Py<PyAny>>,
    pub(super) noun_chunks: Option<Py<PyAny>>,
}

impl PythonObjects {
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.getters)?;
        visit.call(&self.lookups)?;
        visit.call(self.vectors.as_deref())?;
        visit.call(&self.vectors_name)?;
        visit.call(&self.cfg)?;
        visit.call(&self.writing_system)?;
        visit.call(&self.noun_chunks)
    }
}

impl PyVocab {
    /// Locked only for a moment, and never while Python code runs.
    pub(super) fn parts(&self) -> MutexGuard<'_, PythonObjects> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A part, made if it is not there. Of two threads that make one, the first wins.
    pub(super) fn part<'py>(
        &self,
        py: Python<'py>,
        place: fn(&mut PythonObjects) -> &mut Option<Py<PyAny>>,
        make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(part) = place(&mut self.parts()) {
            return Ok(part.bind(py).clone());
        }
        let made = make()?;
        let mut parts = self.parts();
        let part = place(&mut parts).get_or_insert_with(|| made.clone().unbind());
        Ok(part.bind(py).clone())
    }

    /// Replaces a part; what was there is let go of when the lock is.
    pub(super) fn set_part(
        &self,
        place: fn(&mut PythonObjects) -> &mut Option<Py<PyAny>>,
        part: Option<Py<PyAny>>,
    ) {
        let old = std::mem::replace(place(&mut self.parts()), part);
        drop(old);
    }

    /// The strings as Python sees them.
    pub(crate) fn py_strings(&self, py: Python<'_>) -> PyResult<&Py<PyStringStore>> {
        self.strings.get_or_try_init(py, || Py::new(py, PyStringStore::of(&self.vocab)))
    }

    /// The morphology as Python sees it.
    pub(crate) fn py_morphology(&self, py: Python<'_>) -> PyResult<&Py<PyMorphology>> {
        let strings = self.py_strings(py)?.clone_ref(py);
        let make = || Py::new(py, PyMorphology::new(self.vocab.morphology(), strings));
        self.morphology.get_or_try_init(py, make)
    }

    /// The Python string of an id that does not depend on a zone, made once.
    pub(crate) fn permanent_string<'py>(
        &self,
        py: Python<'py>,
        id: u64,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        self.py_strings(py)?.get().permanent(py, id)
    }

    /// The lookups.
    pub(crate) fn py_lookups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.part(py, |parts| &mut parts.lookups, || python_side::LOOKUPS.call(py, ()))
    }
}
