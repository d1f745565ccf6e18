//! `vocab.c`: the records of all lexemes.
//!
//! Unsafe code: hands out handles on the vocab's segments, whose addresses are stable.

use lexpool::structs::{LexemeC, Record};
use pyo3::exceptions::PyIndexError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use super::record_handle::Handle;
use crate::object::doc::position;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::free_list;

/// The records of a vocab's lexemes, except those of memory zones.
///
/// `vocab.c[i]` is a handle on the record that tokens with `lex == i` refer to; record 0 is the
/// empty one that stands for no word. The records lie in a few segments with stable addresses, and
/// `segments` has them all.
#[pyclass(name = "Lexemes", module = "lexpool", frozen, sequence)]
pub(crate) struct Lexemes {
    vocab: Py<PyVocab>,
}

class!(Lexemes);

impl Lexemes {
    pub(crate) fn of(vocab: &Bound<'_, PyVocab>) -> Lexemes {
        Lexemes { vocab: vocab.clone().unbind() }
    }

    fn handle<'py>(
        &self,
        py: Python<'py>,
        first: *const LexemeC,
        len: usize,
    ) -> PyResult<Bound<'py, Handle>> {
        let owner = self.vocab.clone_ref(py).into_any();
        // SAFETY: H1: records of the vocab's segments, which live as long as the vocab, and the
        // handle keeps it alive.
        free_list::make(py, unsafe { Handle::new(owner, &LexemeC::INFO, first.cast(), len) })
    }
}

#[pymethods]
impl Lexemes {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)
    }

    /// Handles on the segments of records, in order; one after another they contain all records.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, Handle>>> {
        let runs = self.vocab.get().vocab().lexeme_runs();
        runs.into_iter().map(|run| self.handle(py, run.as_ptr().cast(), run.len())).collect()
    }

    fn __len__(&self) -> usize {
        self.vocab.get().vocab().lexemes().len()
    }

    /// A handle on one record. Raises IndexError out of range.
    fn __getitem__<'py>(&self, py: Python<'py>, i: isize) -> PyResult<Bound<'py, Handle>> {
        let vocab = self.vocab.get().vocab();
        let len = vocab.lexemes().len();
        let cell = position(i, len).and_then(|i| vocab.lexeme_at(i));
        let cell = cell.ok_or_else(|| {
            PyIndexError::new_err(format!(
                "lexeme {i} is out of range for {len} \
                                                               lexemes"
            ))
        })?;
        self.handle(py, cell.as_ptr(), 1)
    }

    fn __repr__(&self) -> String {
        format!("<{} LexemeC>", self.__len__())
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<Lexemes>(module)
}
