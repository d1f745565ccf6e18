//! Noun chunks by the rules of a language.

use lexpool::strings::StrId;
use lexpool::tokens::NounChunkRules;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::object::doc::PyDoc;
use crate::object::span::PySpan;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;

/// Finds the noun chunks of documents and spans by the rules of a language.
///
/// lang: the code of a language with rules for noun chunks. Raises ValueError for any other.
#[pyclass(name = "NounChunks", module = "lexpool._core", frozen)]
pub(crate) struct PyNounChunks {
    lang: String,
    rules: &'static NounChunkRules,
}

class!(PyNounChunks);

impl PyNounChunks {
    pub(crate) fn rules(&self) -> &'static NounChunkRules {
        self.rules
    }
}

#[pymethods]
impl PyNounChunks {
    #[new]
    fn py_new(lang: &str) -> PyResult<PyNounChunks> {
        let rules = NounChunkRules::of_language(lang).ok_or_else(|| {
            let langs: Vec<&str> = NounChunkRules::languages().collect();
            let text = format!("no noun chunks for {lang:?}; they exist for {}", langs.join(", "));
            PyValueError::new_err(text)
        })?;
        Ok(PyNounChunks { lang: lang.to_owned(), rules })
    }

    /// The code of the language.
    #[getter]
    fn lang(&self) -> &str {
        &self.lang
    }

    /// Returns the noun chunks of a document or span, each as start, end and the id of the label
    /// "NP".
    ///
    /// doclike (Doc | Span): parsed, with parts of speech.
    ///
    /// Raises ValueError: E029 if it is not parsed, E1019 if it lacks parts of speech that the
    /// rules need.
    // stub: (doclike: Doc | Span)
    fn __call__(&self, doclike: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, usize, u64)>> {
        let py = doclike.py();
        let (doc, range) = if let Ok(doc) = doclike.cast::<PyDoc>() {
            let doc = doc.get().read(py)?;
            let all = 0..doc.len();
            (doc, all)
        } else if let Ok(span) = doclike.cast::<PySpan>() {
            span.get().read(py)?
        } else {
            let kind = doclike.get_type();
            return Err(PyTypeError::new_err(format!("expected a Doc or a Span, not {kind}")));
        };
        let span = doc.span(range.start, range.end).or_raise()?;
        let chunks = span.noun_chunks(self.rules).or_raise()?;
        let label = doc.snapshot().add("NP").or_raise()?.get();
        Ok(chunks.into_iter().map(|chunk| (chunk.start, chunk.end, label)).collect())
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyNounChunks>) -> PyResult<Bound<'py, PyAny>> {
        let (class, args) = (slf.get_type(), (slf.get().lang(),));
        Ok((class, args).into_pyobject(slf.py())?.into_any())
    }

    // stub: (other: object)
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyNounChunks>().is_ok_and(|other| other.get().lang == self.lang)
    }

    fn __hash__(&self) -> u64 {
        StrId::of(&self.lang).get()
    }

    fn __repr__(&self) -> String {
        format!("<NounChunks {}>", self.lang)
    }
}

/// Returns the noun chunks of a language, for `Vocab.get_noun_chunks`; `None` if it has no rules.
pub(crate) fn of_language<'py>(py: Python<'py>, lang: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(rules) = NounChunkRules::of_language(lang) else { return Ok(None) };
    let chunks = PyNounChunks { lang: lang.to_owned(), rules };
    Ok(Some(Bound::new(py, chunks)?.into_any()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyNounChunks>(module)
}
