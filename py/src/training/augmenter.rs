//! Variants of training examples.

use std::sync::{Mutex, PoisonError};

use lexpool::nn::learn::PythonRandom;
use lexpool_training::{Augmenter, Reference, read_augmenter};
use pyo3::prelude::*;

use super::examples::reference;
use crate::io::json::Setting;
use crate::object::doc::PyDoc;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;

/// Replaces documents to learn from by variants, such as in lower case, as `lexpool train` does.
///
/// settings: the section of an augmenter such as spacy.lower_case.v1.
/// name: the name of the section, for errors.
///
/// Raises ValueError: training-config for wrong settings, training-unsupported for another
/// augmenter.
#[pyclass(name = "Augmenter", module = "lexpool._core", frozen)]
pub(super) struct PyAugmenter {
    augmenter: Option<Augmenter>,
    random: Mutex<PythonRandom>,
}

class!(PyAugmenter);

#[pymethods]
impl PyAugmenter {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
    fn py_new(settings: Setting, name: &str) -> PyResult<PyAugmenter> {
        let augmenter = read_augmenter(&settings.0, name).or_raise()?;
        Ok(PyAugmenter { augmenter, random: Mutex::new(PythonRandom::new(0)) })
    }

    /// Begins the random numbers of a seed.
    fn seed(&self, seed: u64) {
        *self.random.lock().unwrap_or_else(PoisonError::into_inner) = PythonRandom::new(seed);
    }

    /// Returns the text of a variant of a document with its annotation, categories and span groups
    /// aside, or None to keep the document as it is.
    // stub: (doc: Doc) -> tuple[str, Doc] | None
    fn variant<'py>(
        &self,
        doc: &Bound<'py, PyDoc>,
    ) -> PyResult<Option<(String, Bound<'py, PyDoc>)>> {
        let py = doc.py();
        let Some(augmenter) = &self.augmenter else { return Ok(None) };
        let mut reference: Reference = reference(doc, String::new())?;
        let text = {
            let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
            augmenter.apply(&mut reference, &mut random).or_raise()?
        };
        let Some(text) = text else { return Ok(None) };
        let vocab = doc.get().py_vocab().clone_ref(py);
        let made = Bound::new(py, PyDoc::new(reference.doc, vocab))?;
        Ok(Some((text, made)))
    }
}
