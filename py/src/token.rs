//! `lexpool.tokens.Token`.

use lexpool::structs::AttrId;
use lexpool::tokens::Token;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::doc::PyDoc;
use crate::lexeme::PyLexeme;
use crate::slots::{self, HasAttrs};
use crate::vocab::{PyVocab, attr_of};

/// A token of a document: a view on its record, holding the document.
#[pyclass(name = "Token", module = "lexpool.tokens", frozen)]
pub(crate) struct PyToken {
    doc: Py<PyDoc>,
    i: usize,
}

impl PyToken {
    /// The token at a position that the caller has found to be within the document.
    pub(crate) fn new(doc: Py<PyDoc>, i: usize) -> PyToken {
        PyToken { doc, i }
    }

    fn token(&self) -> Token<'_> {
        self.doc.get().doc().token(self.i).expect("a token is made within its document")
    }
}

impl HasAttrs for PyToken {
    fn attr(&self, attr: AttrId) -> u64 {
        self.token().attr(attr)
    }

    fn attr_text<'py>(&self, py: Python<'py>, attr: AttrId) -> PyResult<Bound<'py, PyString>> {
        Ok(PyString::new(py, self.token().text_of(attr)))
    }
}

#[pymethods]
impl PyToken {
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

    /// Position in the document.
    #[getter]
    fn i(&self) -> usize {
        self.i
    }

    /// Character offset in the document's text.
    #[getter]
    fn idx(&self) -> usize {
        self.token().idx()
    }

    /// The text, cut from the document's own.
    #[getter]
    fn text(&self) -> &str {
        self.token().text()
    }

    /// The text, cut from the document's own.
    #[getter]
    fn orth_(&self) -> &str {
        self.token().text()
    }

    /// The text with the space that follows, if any.
    #[getter]
    fn text_with_ws(&self) -> &str {
        self.token().text_with_ws()
    }

    /// A space if one follows, else the empty string.
    #[getter]
    fn whitespace_(&self) -> &'static str {
        self.token().whitespace()
    }

    /// The word type.
    #[getter]
    fn lex(&self) -> PyLexeme {
        let doc = self.doc.get();
        let lexeme = doc.doc().scope().lexeme(self.token().lex_ix());
        Python::attach(|py| PyLexeme::new(doc.py_vocab().clone_ref(py), lexeme))
    }

    /// Whether a flag is set; by number or by name.
    fn check_flag(&self, flag_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let attr = attr_of(flag_id)?;
        Ok(attr.is_flag() && self.token().attr(attr) != 0)
    }

    /// The token `i` places further on (or back, if negative). Raises IndexError (E042).
    #[pyo3(signature = (i=1))]
    fn nbor(&self, py: Python<'_>, i: isize) -> PyResult<PyToken> {
        let len = self.doc.get().doc().len();
        match self.i.checked_add_signed(i) {
            Some(at) if at < len => Ok(PyToken::new(self.doc.clone_ref(py), at)),
            _ => {
                let text = format!("[E042] token {} of {len} has no neighbour at {i:+}", self.i);
                Err(PyIndexError::new_err(text))
            }
        }
    }

    fn __len__(&self) -> usize {
        self.token().len()
    }

    fn __hash__(&self) -> u64 {
        // Documents lie at different addresses; positions spread by a large odd number.
        let doc = self.doc.as_ptr() as u64 >> 4;
        doc ^ (self.i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: &PyToken| self.doc.is(&other.doc) && self.i == other.i;
        other.cast::<PyToken>().is_ok_and(|other| same(other.get()))
    }

    fn __str__(&self) -> &str {
        self.token().text()
    }

    fn __repr__(&self) -> &str {
        self.token().text()
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyToken>()?;
    slots::install::<PyToken>(module.py())
}
