//! `Doc.retokenize`, and the plan under `lexpool.tokens.Retokenizer`.

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
use crate::object::span::PySpan;
use crate::object::token::PyToken;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::python_side;

/// An attribute by number, with its value.
type Attr = (u32, u64);

/// The part of a token: its text, its head with the number of a part of that, and attributes.
type SplitPartTuple<'py> = (String, (Bound<'py, PyToken>, usize), Vec<Attr>);

/// What to merge and to split in a document; applied at once, or not at all.
#[pyclass(name = "Retokenization", module = "lexpool.tokens", frozen)]
pub(crate) struct PyRetokenization {
    doc: Py<PyDoc>,
    // Held for work of Rust's only.
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

    /// The positions of tokens of the document.
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

    /// The plan of one token for each entity. Raises ValueError (E093) for an inside that nothing begins.
    #[staticmethod]
    fn entities(doc: &Bound<'_, PyDoc>) -> PyResult<PyRetokenization> {
        PyRetokenization::planned(doc, pipeline::merge_entities)
    }

    /// The plan of one token for each English noun chunk; nothing in a document that is not parsed.
    #[staticmethod]
    fn english_noun_chunks(doc: &Bound<'_, PyDoc>) -> PyResult<PyRetokenization> {
        PyRetokenization::planned(doc, pipeline::merge_noun_chunks)
    }

    /// The plan of one token for each run of tokens with a relation, given by its id, and the token
    /// behind it. Raises ValueError (E155) for a document that is not parsed.
    #[staticmethod]
    fn subtokens(doc: &Bound<'_, PyDoc>, label: u64) -> PyResult<PyRetokenization> {
        let label = StrId::new(label);
        PyRetokenization::planned(doc, |doc| pipeline::merge_subtokens(doc, label))
    }

    /// The plan of parts of so many characters for each token that has as many as a minimum.
    #[staticmethod]
    fn long_tokens(
        doc: &Bound<'_, PyDoc>,
        min_length: usize,
        split_length: usize,
    ) -> PyResult<PyRetokenization> {
        PyRetokenization::planned(doc, |doc| pipeline::split_tokens(doc, min_length, split_length))
    }

    /// Whether nothing is to be changed.
    #[getter]
    fn is_empty(&self) -> bool {
        self.plan().is_empty()
    }

    /// Make one token of a span. attrs: numbers of attributes with their values; those of no
    /// attribute are ignored.
    fn merge(&self, span: &Bound<'_, PySpan>, attrs: Vec<Attr>) -> PyResult<()> {
        let range = self.range(span)?;
        let doc = self.doc.get().read(span.py())?;
        self.plan().merge(&doc, range, &known(attrs)).or_raise()
    }

    /// Make several tokens of one: for each the text, the head as a token and the number of a part
    /// of it, and attributes.
    fn split(&self, token: &Bound<'_, PyToken>, parts: Vec<SplitPartTuple<'_>>) -> PyResult<()> {
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

    /// Change the document. Returns for each new token the position of the old one that stands for
    /// it, None for the part of a token.
    fn apply(&self, py: Python<'_>) -> PyResult<Vec<Option<usize>>> {
        let mut doc = self.doc.get().write(py)?;
        self.plan().apply(&mut doc).or_raise()
    }
}

#[pymethods]
impl PyDoc {
    /// A context manager that collects what to merge and to split, and does it at the end of its
    /// block: a `lexpool.tokens.Retokenizer`. Nothing is done if the block raises.
    fn retokenize<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyAny>> {
        python_side::RETOKENIZER.call(slf.py(), (slf,))
    }
}

/// Set attributes on a token, and on its word type those that it has; the norm on the token alone.
#[pyfunction]
fn set_attrs(token: &Bound<'_, PyToken>, attrs: Vec<Attr>) -> PyResult<()> {
    let py = token.py();
    let i = token.get().read(py)?.1;
    token.get().owner(py).get().write(py)?.attrs_mut().set_with_lexeme(i, &known(attrs)).or_raise()
}

/// Whether a vocab has word vectors. To ask for them would make a table of none.
#[pyfunction]
fn has_vectors(py: Python<'_>, vocab: &Bound<'_, PyVocab>) -> PyResult<bool> {
    let vocab = vocab.get();
    Ok(vocab.vectors_if_any(py).is_some() && vocab.width(py)? > 0)
}

/// The attributes that there are.
fn known(attrs: Vec<Attr>) -> Vec<(AttrId, u64)> {
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
