//! The word vectors of a vocab: any object with the interface of `lexpool.vectors.BaseVectors`.

use std::sync::{Arc, Weak};

use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::vocab::{Lexeme, OOV_RANK};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::{PyVocab, attr_of};
use crate::object::strings::id_of;
use crate::object::vectors::PyVectorTable;
use crate::runtime::array;
use crate::runtime::error::{OrRaise, from_py};
use crate::runtime::items;
use crate::runtime::python_side;
use crate::runtime::text::with_utf8;

impl PyVocab {
    /// The vectors, if they were set or requested before.
    pub(crate) fn vectors_if_any<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let vectors = self.parts().vectors.as_ref().map(|vectors| vectors.bind(py).clone());
        if vectors.is_some() || !self.has_vectors_in_image() {
            return vectors;
        }
        self.py_vectors(py).ok()
    }

    fn has_vectors_in_image(&self) -> bool {
        self.vocab.mapped().is_some_and(|image| image.has_vectors())
    }

    fn py_vectors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(vectors) = self.parts().vectors.as_ref() {
            return Ok(vectors.bind(py).clone());
        }
        if let Some(vectors) = self.vectors_of_image(py)? {
            self.put_vectors(&vectors)?;
            return Ok(vectors);
        }
        let named = PyDict::new(py);
        named.set_item("strings", self.py_strings(py)?)?;
        named
            .set_item("name", self.parts().vectors_name.as_ref().map(|name| name.clone_ref(py)))?;
        let vectors = python_side::VECTORS.call_with(py, (), Some(&named))?;
        self.put_vectors(&vectors)?;
        Ok(vectors)
    }

    /// Installs vectors whose strings are the vocab's.
    fn put_vectors(&self, vectors: &Bound<'_, PyAny>) -> PyResult<()> {
        let shared = Arc::new(vectors.clone().unbind());
        if vectors.hasattr("key2row")? {
            let weak = Arc::downgrade(&shared);
            self.vocab.set_ranks(Some(Arc::new(move |orth| rank(&weak, orth))));
        } else {
            self.vocab.set_ranks(None);
        }
        let old = self.parts().vectors.replace(shared);
        drop(old);
        Ok(())
    }

    /// The width of the vectors; -1 if they have none.
    pub(crate) fn width(&self, py: Python<'_>) -> PyResult<isize> {
        match self.py_vectors(py)?.getattr_opt("shape")? {
            Some(shape) => shape.get_item(1)?.extract(),
            None => Ok(-1),
        }
    }

    pub(crate) fn has_vector_of(&self, py: Python<'_>, lexeme: &Lexeme) -> PyResult<bool> {
        match self.vectors_if_any(py) {
            Some(vectors) => vectors.contains(key_of(&vectors, lexeme)?),
            None => Ok(false),
        }
    }

    pub(crate) fn vector_of<'py>(
        &self,
        py: Python<'py>,
        lexeme: &Lexeme,
    ) -> PyResult<Bound<'py, PyAny>> {
        let vectors = self.py_vectors(py)?;
        let key = key_of(&vectors, lexeme)?;
        if vectors.contains(key)? {
            return vectors.get_item(key);
        }
        let width = usize::try_from(self.width(py)?).unwrap_or(0);
        array::array(py, &vec![0.0_f32; width], &[width])
    }

    pub(crate) fn set_vector_of(&self, lexeme: &Lexeme, vector: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = vector.py();
        let vectors = self.py_vectors(py)?;
        let key = key_of(&vectors, lexeme)?;
        if vectors.getattr("is_full")?.is_truthy()? && !vectors.contains(key)? {
            let (rows, width): (usize, usize) = vectors.getattr("shape")?.extract()?;
            let width = if width == 0 { vector.len()? } else { width };
            let rows = (rows + rows * 3 / 10).max(100);
            vectors.call_method1("resize", ((rows, width),))?;
        }
        let named = PyDict::new(py);
        named.set_item("vector", vector)?;
        let row: i64 = vectors.call_method("add", (key,), Some(&named))?.extract()?;
        if let Ok(row) = u64::try_from(row) {
            lexeme.cell().set_attr(AttrId::ID, row).or_raise()?;
        }
        Ok(())
    }

    /// The lexeme of a word or of an id.
    fn lexeme_at(&self, orth: &Bound<'_, PyAny>) -> PyResult<Lexeme> {
        match orth.cast::<PyString>() {
            Ok(text) => with_utf8(text, |text| self.vocab.lexeme(text).or_raise()),
            Err(_) => self.vocab.lexeme_of(StrId::new(id_of(orth)?)).or_raise(),
        }
    }
}

/// The key of a word in the vectors: usually its id, or the value of another attribute.
fn key_of(vectors: &Bound<'_, PyAny>, lexeme: &Lexeme) -> PyResult<u64> {
    match vectors.getattr_opt("attr")? {
        Some(attr) => Ok(lexeme.attr(attr_of(&attr)?)),
        None => Ok(lexeme.orth().get()),
    }
}

/// The row of a new word. Vectors that the vocab no longer owns have none.
fn rank(vectors: &Weak<Py<PyAny>>, orth: StrId) -> lexpool::Result<u64> {
    Python::attach(|py| {
        let row = || -> PyResult<u64> {
            let Some(vectors) = vectors.upgrade() else { return Ok(OOV_RANK) };
            let vectors = vectors.bind(py);
            // The class of lexpool itself, which subclasses may change.
            if vectors.get_type().is(&python_side::VECTORS.get(py)?) {
                let table = vectors.getattr("_table")?;
                if let Ok(table) = table.cast::<PyVectorTable>() {
                    let row = table.get().read().keys().get(orth.get());
                    return Ok(row.map_or(OOV_RANK, u64::from));
                }
            }
            let rows = vectors.getattr("key2row")?;
            rows.call_method1("get", (orth.get(), OOV_RANK))?.extract()
        };
        row().map_err(|error| from_py(py, error, "the rows of the vectors could not be read"))
    })
}

#[pymethods]
impl PyVocab {
    /// The word vectors. Assigning copies their strings into the vocab's store, which they use from
    /// then on.
    #[getter]
    // stub: -> Any
    fn vectors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.py_vectors(py)
    }

    #[setter]
    // stub: (value: Any)
    fn set_vectors(&self, vectors: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = vectors.py();
        if let Some(strings) = vectors.getattr_opt("strings")? {
            for string in items::iterate(&strings)? {
                let string = string?.cast_into::<PyString>()?;
                let store = self.vocab.strings();
                with_utf8(&string, |text| store.add_permanent(text).or_raise().map(drop))?;
            }
        }
        vectors.setattr("strings", self.py_strings(py)?)?;
        self.put_vectors(vectors)
    }

    /// The width of the vectors; -1 if the vectors object has none.
    #[getter]
    fn vectors_length(&self, py: Python<'_>) -> PyResult<isize> {
        self.width(py)
    }

    /// Returns the vector of a word, given as text or by its id; zeros if it has none.
    // stub: (orth: str | _Id) -> Any
    fn get_vector<'py>(&self, orth: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.vector_of(orth.py(), &self.lexeme_at(orth)?)
    }

    /// Sets the vector of a word, given as text or by its id. A full table grows by 30 percent, to
    /// at least 100 rows; the word's rank becomes its row.
    // stub: (orth: str | _Id, vector: Any)
    fn set_vector(&self, orth: &Bound<'_, PyAny>, vector: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(text) = orth.cast::<PyString>() {
            // Stored permanently even if a zone is open: the table keeps the id.
            with_utf8(text, |text| self.vocab.strings().add_permanent(text).or_raise().map(drop))?;
        }
        self.set_vector_of(&self.lexeme_at(orth)?, vector)
    }

    /// Returns True if a word, given as text or by its id, has a vector.
    // stub: (orth: str | _Id)
    fn has_vector(&self, orth: &Bound<'_, PyAny>) -> PyResult<bool> {
        let lexeme = self.lexeme_at(orth)?;
        self.has_vector_of(orth.py(), &lexeme)
    }

    /// Replaces the vectors by an empty table.
    ///
    /// width (int | None): the width of a table with as many rows as the present one.
    /// shape (tuple[int, int] | None): rows and width.
    ///
    /// Raises ValueError: E065 if both are given, E849 if the vectors are not `Vectors`.
    #[pyo3(signature = (*, width=None, shape=None))]
    // stub: (width: int | None, shape: tuple[int, int] | None)
    fn reset_vectors(
        slf: &Bound<'_, PyVocab>,
        width: Option<Py<PyAny>>,
        shape: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        python_side::VOCAB_RESET_VECTORS.call(slf.py(), (slf, width, shape)).map(drop)
    }

    /// Merges equal rows.
    ///
    /// Raises ValueError: E849 if the vectors are not `Vectors`, E858 if they are in floret mode.
    fn deduplicate_vectors(slf: &Bound<'_, PyVocab>) -> PyResult<()> {
        python_side::VOCAB_DEDUPLICATE_VECTORS.call(slf.py(), (slf,)).map(drop)
    }

    /// Keeps the vectors of the most probable words, and assign the most similar of these to the
    /// others.
    ///
    /// nr_row (int): how many vectors to keep.
    /// batch_size (int): ignored, for compatibility with spaCy.
    ///
    /// Returns a dict from each word that lost its vector to the word whose vector it has now and
    /// their similarity.
    ///
    /// Raises ValueError: E849 if the vectors are not `Vectors`, E858 if they are in floret mode.
    #[pyo3(signature = (nr_row, batch_size=1024))]
    // stub: -> dict[str, tuple[str, float]]
    fn prune_vectors<'py>(
        slf: &Bound<'py, PyVocab>,
        nr_row: usize,
        batch_size: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = batch_size;
        python_side::VOCAB_PRUNE_VECTORS.call(slf.py(), (slf, nr_row))
    }
}
