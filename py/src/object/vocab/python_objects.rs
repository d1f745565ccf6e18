//! Objects of a vocab that only Python uses.

use std::sync::{Arc, MutexGuard, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::PyVocab;
use crate::object::morphology::PyMorphology;
use crate::object::strings::PyStringStore;
use crate::runtime::python_side;

/// The objects, each created on first access.
#[derive(Default)]
pub(super) struct PythonObjects {
    /// A dict, or the mapping that reports its changes to the vocab.
    pub(super) getters: Option<Py<PyAny>>,
    pub(super) lookups: Option<Py<PyAny>>,
    /// Shared, so that the core can look up ranks without owning an object that refers to the
    /// vocab.
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
    /// Locked for a moment only, and never while Python code runs.
    pub(super) fn parts(&self) -> MutexGuard<'_, PythonObjects> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An object; created if necessary. If two threads create it, the first wins.
    pub(super) fn part<'py>(
        &self,
        py: Python<'py>,
        place: fn(&mut PythonObjects) -> &mut Option<Py<PyAny>>,
        make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(part) = place(&mut self.parts()) {
            return Ok(part.bind(py).clone());
        }
        let object = make()?;
        let mut parts = self.parts();
        let part = place(&mut parts).get_or_insert_with(|| object.clone().unbind());
        Ok(part.bind(py).clone())
    }

    /// Replaces an object; the old one is dropped after the lock is released.
    pub(super) fn set_part(
        &self,
        place: fn(&mut PythonObjects) -> &mut Option<Py<PyAny>>,
        part: Option<Py<PyAny>>,
    ) {
        let old = std::mem::replace(place(&mut self.parts()), part);
        drop(old);
    }

    /// The Python object of the string store.
    pub(crate) fn py_strings(&self, py: Python<'_>) -> PyResult<&Py<PyStringStore>> {
        self.strings.get_or_try_init(py, || Py::new(py, PyStringStore::of(&self.vocab)))
    }

    /// The Python object of the morphology.
    pub(crate) fn py_morphology(&self, py: Python<'_>) -> PyResult<&Py<PyMorphology>> {
        let strings = self.py_strings(py)?.clone_ref(py);
        let make = || Py::new(py, PyMorphology::new(self.vocab.morphology(), strings));
        self.morphology.get_or_try_init(py, make)
    }

    /// The Python string of a permanent id (outside of zones), cached.
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
