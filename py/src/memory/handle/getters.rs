//! The attribute `c` of documents, tokens, spans, lexemes and vocabs: handles on their records.
//!
//! Unsafe code: passes on the address of a lexeme's record.

use lexpool::structs::{LexemeC, Record, SpanC};
use pyo3::prelude::*;

use super::lexemes::Lexemes;
use super::record::PyRecordValue;
use super::record_handle::Handle;
use crate::object::doc::PyDoc;
use crate::object::lexeme::PyLexeme;
use crate::object::span::PySpan;
use crate::object::token::PyToken;
use crate::object::vocab::PyVocab;
use crate::runtime::free_list;

#[pymethods]
impl PyDoc {
    /// The token records, as a handle on the document's memory.
    #[getter]
    fn c<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, Handle>> {
        let doc = slf.get().read(slf.py())?;
        Handle::of_tokens(slf, &doc, 0, doc.len())
    }
}

#[pymethods]
impl PyToken {
    /// The token's record, as a handle on the document's memory: `doc.c[i:i + 1]`.
    #[getter]
    fn c<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Handle>> {
        let (doc, i) = self.read(py)?;
        Handle::of_tokens(self.doc.bind(py), &doc, i, i + 1)
    }
}

#[pymethods]
impl PySpan {
    /// A copy of the span's record, as a handle; those of its tokens are
    /// `span.doc.c[span.start:span.end]`.
    #[getter]
    fn c<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Handle>> {
        let record = self.record(py)?;
        let copy = PyRecordValue::new(&SpanC::INFO, bytemuck::bytes_of(&record));
        let owner = Bound::new(py, copy)?;
        let (info, address) = owner.get().address();
        // SAFETY: H1: one record, in a box that the owner never changes.
        let handle = unsafe { Handle::new(owner.into_any().unbind(), info, address.cast(), 1) };
        free_list::make(py, handle)
    }
}

#[pymethods]
impl PyLexeme {
    /// The record itself, as a handle on the vocab's memory.
    #[getter]
    fn c<'py>(slf: &Bound<'py, PyLexeme>) -> PyResult<Bound<'py, Handle>> {
        let address = slf.get().lexeme.cell().as_ptr();
        let owner = slf.clone().into_any().unbind();
        // SAFETY: H1: the record's address is stable as long as the lexeme's vocab and zone live,
        // which the lexeme keeps alive, and the handle keeps the lexeme.
        free_list::make(slf.py(), unsafe { Handle::new(owner, &LexemeC::INFO, address.cast(), 1) })
    }
}

#[pymethods]
impl PyVocab {
    /// The records of all lexemes, for direct access to the memory.
    #[getter]
    fn c(slf: &Bound<'_, PyVocab>) -> Lexemes {
        Lexemes::of(slf)
    }
}
