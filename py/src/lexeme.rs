//! `lexpool.lexeme.Lexeme`.
//!
//! Holds unsafe code: gives out a handle on the record.

use lexpool::structs::{AttrId, LexemeC, Record};
use lexpool::vocab::Lexeme;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::handle::Handle;
use crate::slots::{self, HasAttrs};
use crate::vocab::{PyVocab, attr_of};

/// A word type: its text and what the vocab knows of it.
///
/// A view on the vocab's record; made by `vocab["word"]`.
#[pyclass(name = "Lexeme", module = "lexpool.lexeme", frozen)]
pub(crate) struct PyLexeme {
    vocab: Py<PyVocab>,
    lexeme: Lexeme,
}

impl PyLexeme {
    pub(crate) fn new(vocab: Py<PyVocab>, lexeme: Lexeme) -> PyLexeme {
        PyLexeme { vocab, lexeme }
    }
}

impl HasAttrs for PyLexeme {
    fn attr(&self, attr: AttrId) -> u64 {
        self.lexeme.attr(attr)
    }

    fn attr_text<'py>(&self, py: Python<'py>, attr: AttrId) -> PyResult<Bound<'py, PyString>> {
        Ok(PyString::new(py, self.lexeme.text_of(attr)))
    }
}

#[pymethods]
impl PyLexeme {
    /// The vocab.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }

    /// The word.
    #[getter]
    fn text(&self) -> &str {
        self.lexeme.text()
    }

    /// The word.
    #[getter]
    fn orth_(&self) -> &str {
        self.lexeme.text()
    }

    /// All flags as one number, a bit each.
    #[getter]
    fn flags(&self) -> u64 {
        self.lexeme.record().flags
    }

    /// Whether a flag is set; by number or by name.
    fn check_flag(&self, flag_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let attr = attr_of(flag_id)?;
        Ok(attr.is_flag() && self.lexeme.attr(attr) != 0)
    }

    /// The record itself, as a handle on the vocab's memory.
    #[getter]
    fn c(slf: &Bound<'_, PyLexeme>) -> Handle {
        let address = slf.get().lexeme.cell().as_ptr();
        // SAFETY: the record stays where it is for as long as the lexeme's vocab and zone, which
        // the lexeme holds, and the handle holds the lexeme.
        unsafe { Handle::new(slf.clone().into_any().unbind(), &LexemeC::INFO, address.cast(), 1) }
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.lexeme.attr(AttrId::LENGTH)).unwrap_or(usize::MAX)
    }

    fn __hash__(&self) -> u64 {
        self.lexeme.orth().get()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        if let Ok(other) = other.cast::<PyLexeme>() {
            return self.lexeme.orth() == other.get().lexeme.orth();
        }
        if let Ok(id) = other.extract::<u64>() {
            return self.lexeme.orth().get() == id;
        }
        other.extract::<&str>().is_ok_and(|text| text == self.lexeme.text())
    }

    fn __str__(&self) -> &str {
        self.lexeme.text()
    }

    fn __repr__(&self) -> String {
        format!("<Lexeme {:?}>", self.lexeme.text())
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyLexeme>()?;
    slots::install::<PyLexeme>(module.py())
}
