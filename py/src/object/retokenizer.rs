//! `Doc.retokenize`, and the plan behind `lexpool.tokens.Retokenizer`.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool::pipeline;
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokens::{Doc, PartHead, Retokenization, SplitPart};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::object::doc::PyDoc;
use crate::object::noun_chunks::PyNounChunks;
use crate::object::span::PySpan;
use crate::object::token::PyToken;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;
use crate::runtime::python_side;

/// An attribute number with a value.
type Attr = (u32, u64);

/// A part of a split token: its text, its head (a token and the number of a part of it), and
/// attributes.
type SplitPartTuple<'py> = (String, (Bound<'py, PyToken>, usize), Items<Attr>);

/// Planned merges and splits of a document, applied together or not at all.
#[pyclass(name = "Retokenization", module = "lexpool.tokens", frozen)]
pub(crate) struct PyRetokenization {
    doc: Py<PyDoc>,
    // Never locked while Python code runs.
    plan: Mutex<Retokenization>,
}

class!(PyRetokenization);

impl PyRetokenization {
    fn planned(
        doc: &Bound<'_, PyDoc>,
        plan: impl FnOnce(&Doc) -> lexpool::Result<Retokenization>,
    ) -> PyResult<PyRetokenization> {
        let plan = plan(&*doc.get().read(doc.py())?).or_raise()?;
        Ok(PyRetokenization { doc: doc.clone().unbind(), plan: Mutex::new(plan) })
    }

    fn plan(&self) -> MutexGuard<'_, Retokenization> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The positions of a span's tokens; the span must be of the document.
    fn range(&self, span: &Bound<'_, PySpan>) -> PyResult<Range<usize>> {
        let py = span.py();
        if !span.get().owner(py).is(&self.doc) {
            return Err(foreign("span"));
        }
        Ok(span.get().read(py)?.1)
    }

    fn position(&self, token: &Bound<'_, PyToken>) -> PyResult<usize> {
        let py = token.py();
        if !token.get().owner(py).is(&self.doc) {
            return Err(foreign("token"));
        }
        Ok(token.get().read(py)?.1)
    }
}

#[pymethods]
impl PyRetokenization {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.doc)
    }

    #[new]
    fn py_new(doc: &Bound<'_, PyDoc>) -> PyResult<PyRetokenization> {
        let plan = Mutex::new(Retokenization::new(&*doc.get().read(doc.py())?));
        Ok(PyRetokenization { doc: doc.clone().unbind(), plan })
    }

    /// Returns the plan that merges each entity into one token. Raises ValueError (E093) for an "I"
    /// without a "B" before it.
    #[staticmethod]
    fn entities(doc: &Bound<'_, PyDoc>) -> PyResult<PyRetokenization> {
        PyRetokenization::planned(doc, pipeline::merge_entities)
    }

    /// Returns the plan that merges each noun chunk into one token; empty for an unparsed document.
    /// Raises ValueError (E1019) if the document lacks parts of speech that the rules need.
    #[staticmethod]
    fn noun_chunks(doc: &Bound<'_, PyDoc>, chunks: &PyNounChunks) -> PyResult<PyRetokenization> {
        PyRetokenization::planned(doc, |doc| pipeline::merge_noun_chunks(doc, chunks.rules()))
    }

    /// Returns the plan that merges each run of tokens with a relation, given by its id, with the
    /// token after it. Raises ValueError (E155) for an unparsed document.
    #[staticmethod]
    fn subtokens(doc: &Bound<'_, PyDoc>, label: u64) -> PyResult<PyRetokenization> {
        let label = StrId::new(label);
        PyRetokenization::planned(doc, |doc| pipeline::merge_subtokens(doc, label))
    }

    /// Returns the plan that splits each token of a minimum length into parts of a number of
    /// characters.
    #[staticmethod]
    fn long_tokens(
        doc: &Bound<'_, PyDoc>,
        min_length: usize,
        split_length: usize,
    ) -> PyResult<PyRetokenization> {
        PyRetokenization::planned(doc, |doc| pipeline::split_tokens(doc, min_length, split_length))
    }

    /// Returns True if the plan contains no change.
    #[getter]
    fn is_empty(&self) -> bool {
        self.plan().is_empty()
    }

    /// Merges a span into one token. attrs: numbers of attributes with their values; unknown
    /// numbers are ignored.
    // stub: (attrs: _AttrValues)
    fn merge(&self, span: &Bound<'_, PySpan>, attrs: Items<Attr>) -> PyResult<()> {
        let range = self.range(span)?;
        let doc = self.doc.get().read(span.py())?;
        self.plan().merge(&doc, range, &known(attrs)).or_raise()
    }

    /// Splits a token into several: for each the text, the head (a token and the number of a part
    /// of it), and attributes.
    // stub: (parts: Sequence[tuple[str, tuple[Token, int], _AttrValues]])
    fn split(&self, token: &Bound<'_, PyToken>, parts: Items<SplitPartTuple<'_>>) -> PyResult<()> {
        let i = self.position(token)?;
        let part = |(text, (head, part), attrs): SplitPartTuple<'_>| {
            let head = PartHead { token: self.position(&head)?, part };
            Ok(SplitPart { text, head, attrs: known(attrs) })
        };
        let parts = parts.into_iter().map(part).collect::<PyResult<Vec<_>>>()?;
        let doc = self.doc.get().read(token.py())?;
        self.plan().split(&doc, i, parts).or_raise()
    }

    /// The spans to merge, in the order of the text.
    fn merged(&self, py: Python<'_>) -> PyResult<Vec<PySpan>> {
        let owner = self.doc.bind(py);
        let ranges: Vec<_> = self.plan().merged().collect();
        let doc = owner.get().read(py)?;
        let is_within = |range: &Range<usize>| range.end <= doc.len();
        let ranges = ranges.into_iter().filter(is_within);
        Ok(ranges.map(|range| PySpan::of(owner, &doc, range.start, range.end)).collect())
    }

    /// Changes the document. Returns for each new token the position of the old token that it
    /// replaces, or None for a part of a split token.
    fn apply(&self, py: Python<'_>) -> PyResult<Vec<Option<usize>>> {
        self.doc.get().sync_tensor(py)?;
        let mut doc = self.doc.get().write(py)?;
        self.plan().apply(&mut doc).or_raise()
    }
}

#[pymethods]
impl PyDoc {
    /// Returns a context manager that collects merges and splits and applies them at the end of its
    /// block: a `lexpool.tokens.Retokenizer`. Nothing is changed if the block raises.
    // stub: -> Retokenizer
    fn retokenize<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyAny>> {
        python_side::RETOKENIZER.call(slf.py(), (slf,))
    }
}

/// Sets attributes on a token. Lexical attributes are set on its word type, except for the norm,
/// which is set on the token alone.
#[pyfunction]
// stub: (attrs: _AttrValues)
fn set_attrs(token: &Bound<'_, PyToken>, attrs: Items<Attr>) -> PyResult<()> {
    let py = token.py();
    let i = token.get().read(py)?.1;
    token.get().owner(py).get().write(py)?.attrs_mut().set_with_lexeme(i, &known(attrs)).or_raise()
}

/// Returns True if a vocab has word vectors, without creating an empty table.
#[pyfunction]
fn has_vectors(py: Python<'_>, vocab: &Bound<'_, PyVocab>) -> PyResult<bool> {
    let vocab = vocab.get();
    Ok(vocab.vectors_if_any(py).is_some() && vocab.width(py)? > 0)
}

/// The known attributes of a list.
fn known(attrs: Items<Attr>) -> Vec<(AttrId, u64)> {
    let attrs = attrs.into_iter().map(|(attr, value)| (AttrId::new(attr), value));
    attrs.filter(|(attr, _)| attr.name().is_some()).collect()
}

fn foreign(what: &str) -> PyErr {
    let text = format!("[E191] the {what} belongs to another document than the retokenizer");
    PyValueError::new_err(text)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyRetokenization>(module)?;
    module.add_function(wrap_pyfunction!(has_vectors, module)?)?;
    module.add_function(wrap_pyfunction!(set_attrs, module)?)
}
