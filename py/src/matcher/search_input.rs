//! Input of matchers, and conversion of matches into Python objects.

use std::ops::Range;
use std::sync::Arc;

use lexpool::strings::StrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

use crate::object::doc::PyDoc;
use crate::object::span::{PySpan, label_id};
use crate::runtime::doc_lock::ReadGuard;
use crate::runtime::error::OrRaise;
use crate::tokenizer::PyTokenizer;

/// A match: its key, its first token, and the token after its last.
pub(super) type MatchTuple = (u64, usize, usize);

/// A document, or a range of tokens of one.
pub(super) enum SearchInput<'a, 'py> {
    Doc(&'a Bound<'py, PyDoc>),
    Span(&'a Bound<'py, PySpan>),
}

impl<'a, 'py> SearchInput<'a, 'py> {
    /// The input of a matcher; `None` if it is empty.
    ///
    /// # Errors
    ///
    /// `E195` for an object that is neither a document nor a span.
    pub(super) fn new(given: &'a Bound<'py, PyAny>) -> PyResult<Option<SearchInput<'a, 'py>>> {
        if let Ok(doc) = given.cast::<PyDoc>() {
            return Ok(Some(SearchInput::Doc(doc)));
        }
        if let Ok(span) = given.cast::<PySpan>() {
            return Ok(Some(SearchInput::Span(span)));
        }
        if given.len()? == 0 {
            return Ok(None);
        }
        Err(neither(given)?)
    }

    /// As [`new`](SearchInput::new), for an object that must be a document or a span.
    pub(super) fn one(given: &'a Bound<'py, PyAny>) -> PyResult<SearchInput<'a, 'py>> {
        if let Ok(doc) = given.cast::<PyDoc>() {
            return Ok(SearchInput::Doc(doc));
        }
        match given.cast::<PySpan>() {
            Ok(span) => Ok(SearchInput::Span(span)),
            Err(_) => Err(neither(given)?),
        }
    }

    /// Locks the document for reading; returns it with the range of tokens.
    pub(super) fn read(
        &self,
        py: Python<'py>,
    ) -> PyResult<(ReadGuard<'_, 'py, Doc>, Range<usize>)> {
        match self {
            SearchInput::Doc(doc) => {
                let doc = doc.get().read(py)?;
                let tokens = 0..doc.len();
                Ok((doc, tokens))
            }
            SearchInput::Span(span) => span.get().read(py),
        }
    }

    /// The document.
    pub(super) fn doc(&self, py: Python<'py>) -> &Bound<'py, PyDoc> {
        match self {
            SearchInput::Doc(doc) => doc,
            SearchInput::Span(span) => span.get().owner(py),
        }
    }
}

fn neither(given: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let kind = given.get_type().name()?;
    Ok(PyValueError::new_err(format!("[E195] expected a Doc or a Span, not {kind}")))
}

/// Matches as tuples of key, start and end.
pub(super) fn tuples<'py>(py: Python<'py>, found: &[MatchTuple]) -> PyResult<Bound<'py, PyList>> {
    // Adjacent matches often have the same key, whose int is created once.
    let mut last: Option<(u64, Bound<'_, PyInt>)> = None;
    let tuples = found.iter().map(|(key, start, end)| {
        let number = match &last {
            Some((own, number)) if own == key => number.clone(),
            _ => {
                let Ok(number) = key.into_pyobject(py);
                last.insert((*key, number)).1.clone()
            }
        };
        (number, *start, *end)
    });
    PyList::new(py, tuples)
}

/// Matches as spans with their keys as labels.
///
/// # Errors
///
/// `E084` for a key that is the id of an unknown string of the document's vocab; `E035` if the
/// document has changed meanwhile.
pub(super) fn spans<'py>(
    doc: &Bound<'py, PyDoc>,
    found: &[MatchTuple],
) -> PyResult<Bound<'py, PyList>> {
    let py = doc.py();
    let spans = PyList::empty(py);
    let mut last = None;
    for (key, start, end) in found {
        if last != Some(*key) {
            label_id(doc, Some(key.into_pyobject(py)?.as_any()))?;
            last = Some(*key);
        }
        let span = {
            let read = doc.get().read(py)?;
            let record = read.span(*start, *end).or_raise()?.record(StrId::new(*key));
            PySpan::from_record(doc, &read, record)
        };
        spans.append(Bound::new(py, span)?)?;
    }
    Ok(spans)
}

/// A tokenizer, or the tokenizer of a pipeline.
///
/// # Errors
///
/// `TypeError` for any other object.
pub(super) fn tokenizer(given: &Bound<'_, PyAny>) -> PyResult<Arc<Tokenizer>> {
    if let Ok(tokenizer) = given.cast::<PyTokenizer>() {
        return Ok(Arc::clone(&tokenizer.get().state()?.tokenizer));
    }
    if let Ok(own) = given.getattr("tokenizer") {
        if let Ok(tokenizer) = own.cast::<PyTokenizer>() {
            return Ok(Arc::clone(&tokenizer.get().state()?.tokenizer));
        }
    }
    let kind = given.get_type().name()?;
    let text = format!("expected a lexpool.Tokenizer or a Language with one, not {kind}");
    Err(PyTypeError::new_err(text))
}
