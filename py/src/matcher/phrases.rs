//! The engine behind `lexpool.matcher.PhraseMatcher`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::matcher::PhraseMatcher;
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::search;
use crate::doc::PyDoc;
use crate::error::OrRaise;

/// Phrases under keys.
#[pyclass(name = "PhraseTree", module = "lexpool._core", frozen)]
pub(super) struct PyPhraseTree(Mutex<Arc<PhraseMatcher>>);

impl PyPhraseTree {
    /// Held for a moment, and never while Python code runs.
    fn phrases(&self) -> MutexGuard<'_, Arc<PhraseMatcher>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyPhraseTree {
    #[new]
    fn py_new(attr: u32) -> PyPhraseTree {
        PyPhraseTree(Mutex::new(Arc::new(PhraseMatcher::new(AttrId::new(attr)))))
    }

    /// The phrase that a document is: a number for each token.
    fn ids(&self, doc: &Bound<'_, PyDoc>) -> PyResult<Vec<u64>> {
        let phrases = Arc::clone(&self.phrases());
        Ok(phrases.ids(&*doc.get().read(doc.py())?))
    }

    /// Add a phrase under a key.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn add(&self, key: u64, phrase: Vec<u64>) -> PyResult<()> {
        Arc::make_mut(&mut *self.phrases()).add(StrId::new(key), &phrase).or_raise()
    }

    /// Remove a phrase of a key.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn remove(&self, key: u64, phrase: Vec<u64>) -> PyResult<()> {
        Arc::make_mut(&mut *self.phrases()).remove(StrId::new(key), &phrase).or_raise()
    }

    /// The phrases among the tokens from `start` to before `end`: tuples of key, start and end, as
    /// positions in the document.
    fn find<'py>(
        &self,
        doc: &Bound<'py, PyDoc>,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = doc.py();
        let phrases = Arc::clone(&self.phrases());
        let doc = doc.get().read(py)?;
        let found = search(py, start..end, &doc, |doc, tokens| phrases.find(doc, tokens));
        let found = found.or_raise()?;
        let found = found
            .into_iter()
            .map(|found| (found.key.get(), found.tokens.start, found.tokens.end).into_pyobject(py));
        PyList::new(py, found.collect::<PyResult<Vec<_>>>()?)
    }
}
