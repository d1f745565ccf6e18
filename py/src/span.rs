//! `lexpool.tokens.Span`.

use lexpool::strings::StrId;
use lexpool::tokens::Span;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyString};

use crate::doc::{PyDoc, TokenIter, bounds, position, to_array};
use crate::error::OrRaise;
use crate::strings::id_of;
use crate::text::with_utf8;
use crate::token::PyToken;
use crate::vocab::PyVocab;

/// Neighbouring tokens of a document, perhaps with a label.
#[pyclass(name = "Span", module = "lexpool.tokens", frozen)]
pub(crate) struct PySpan {
    doc: Py<PyDoc>,
    start: usize,
    end: usize,
    label: StrId,
}

impl PySpan {
    /// The tokens of a range that the caller has found to be within the document.
    pub(crate) fn new(doc: Py<PyDoc>, start: usize, end: usize) -> PySpan {
        PySpan { doc, start, end, label: StrId::EMPTY }
    }

    fn span(&self) -> Span<'_> {
        let span = self.doc.get().doc().span(self.start, self.end);
        span.expect("a span is made within its document")
    }
}

#[pymethods]
impl PySpan {
    /// Span(doc, start, end, label=0)
    ///
    /// Raises IndexError (E035) unless 0 <= start <= end <= len(doc).
    #[new]
    #[pyo3(signature = (doc, start, end, label=None))]
    fn py_new(
        doc: &Bound<'_, PyDoc>,
        start: isize,
        end: isize,
        label: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySpan> {
        let inner = doc.get().doc();
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let fits = |(start, end): &(usize, usize)| start <= end && *end <= inner.len();
        let Some((start, end)) = range.filter(fits) else {
            let len = inner.len();
            let text = format!("[E035] no span {start}..{end} in a document of {len} tokens");
            return Err(PyIndexError::new_err(text));
        };
        let mut span = PySpan::new(doc.clone().unbind(), start, end);
        if let Some(label) = label {
            span.label = match label.cast::<PyString>() {
                Ok(label) => with_utf8(label, |text| inner.vocab().strings().add(text).or_raise())?,
                Err(_) => StrId::new(id_of(label)?),
            };
        }
        Ok(span)
    }

    /// The document.
    #[getter]
    fn doc(&self, py: Python<'_>) -> Py<PyDoc> {
        self.doc.clone_ref(py)
    }

    /// The vocab.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.doc.get().py_vocab().clone_ref(py)
    }

    /// Position of the first token.
    #[getter]
    fn start(&self) -> usize {
        self.start
    }

    /// Position after the last token.
    #[getter]
    fn end(&self) -> usize {
        self.end
    }

    /// Character offset of the start in the document's text.
    #[getter]
    fn start_char(&self) -> usize {
        self.span().start_char()
    }

    /// Character offset of the end in the document's text.
    #[getter]
    fn end_char(&self) -> usize {
        self.span().end_char()
    }

    /// Id of the label.
    #[getter]
    fn label(&self) -> u64 {
        self.label.get()
    }

    /// The label.
    #[getter]
    fn label_(&self) -> PyResult<String> {
        let doc = self.doc.get().doc();
        match doc.scope().string(self.label) {
            Some(label) => Ok(label.to_owned()),
            None => Err(PyKeyError::new_err(format!("[E018] no string has the id {}", self.label))),
        }
    }

    /// The text, cut from the document's own.
    #[getter]
    fn text(&self) -> &str {
        self.span().text()
    }

    /// The text with the space after the last token, if any.
    #[getter]
    fn text_with_ws(&self) -> String {
        let last = self.span().iter().next_back();
        let space = last.map_or("", |token| token.whitespace());
        format!("{}{space}", self.span().text())
    }

    fn __len__(&self) -> usize {
        self.end - self.start
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let len = self.end - self.start;
        if let Ok(slice) = key.cast::<PySlice>() {
            let (start, end) = bounds(slice, len)?;
            let span = PySpan::new(self.doc.clone_ref(py), self.start + start, self.start + end);
            return Ok(Bound::new(py, span)?.into_any());
        }
        let given = key.extract::<isize>()?;
        let Some(i) = position(given, len) else {
            let text = format!("[E1002] no token {given} in a span of {len} tokens");
            return Err(PyIndexError::new_err(text));
        };
        let token = PyToken::new(self.doc.clone_ref(py), self.start + i);
        Ok(Bound::new(py, token)?.into_any())
    }

    fn __iter__(&self, py: Python<'_>) -> TokenIter {
        TokenIter::new(self.doc.clone_ref(py), self.start, self.end)
    }

    /// Attributes of the tokens, always of shape (n, m); see Doc.to_array.
    fn to_array<'py>(
        &self,
        py: Python<'py>,
        attr_ids: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        to_array(py, self.doc.get().doc(), self.start, self.end, attr_ids, true)
    }

    fn __hash__(&self) -> u64 {
        let doc = self.doc.as_ptr() as u64 >> 4;
        let place = (self.start as u64) << 32 | self.end as u64;
        doc ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.label.get()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<PySpan>() else { return false };
        let other = other.get();
        self.doc.is(&other.doc)
            && (self.start, self.end, self.label) == (other.start, other.end, other.label)
    }

    fn __str__(&self) -> &str {
        self.span().text()
    }

    fn __repr__(&self) -> &str {
        self.span().text()
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySpan>()
}
