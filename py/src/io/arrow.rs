//! Arrow's `PyCapsule` interface: documents, spans and vocabs for any library that reads it.
//!
//! Holds unsafe code: reads the schema that a consumer asks for from its capsule.
//!
//! What is in a capsule owns its memory, apart from Python's objects; a capsule that nobody has
//! taken releases it. So a consumer may keep an array for as long as it likes, on any thread.

use std::ops::Range;

use lexpool::arrow::c::FFI_ArrowSchema;
use lexpool::arrow::{self, Schema, Table};
use lexpool::tokens::Doc;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::object::doc::PyDoc;
use crate::object::span::PySpan;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil::unlocked;

pub(crate) type Capsule<'py> = Bound<'py, PyCapsule>;
pub(crate) type CapsulePair<'py> = (Capsule<'py>, Capsule<'py>);
/// A schema to give a table in, as a reader passes it.
pub(crate) type RequestedSchema<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// A table as the two capsules of `__arrow_c_array__`, in the form that was asked for.
pub(crate) fn array<'py>(
    py: Python<'py>,
    table: Table,
    asked: RequestedSchema<'_, 'py>,
) -> PyResult<CapsulePair<'py>> {
    let (schema, array) = as_requested(table, asked)?.into_array().or_raise()?;
    let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
    Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
}

/// A table as the capsule of `__arrow_c_stream__`, in the form that was asked for.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    table: Table,
    asked: RequestedSchema<'_, 'py>,
) -> PyResult<Capsule<'py>> {
    let stream = as_requested(table, asked)?.into_stream();
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// The table of some of a document's tokens.
fn tokens(py: Python<'_>, doc: &Doc, range: Range<usize>) -> PyResult<Table> {
    unlocked(py, range.len(), || arrow::tokens(doc, range)).or_raise()
}

/// A table in the form that was asked for.
fn as_requested(table: Table, asked: RequestedSchema<'_, '_>) -> PyResult<Table> {
    match asked {
        Some(asked) => table.requested(&schema_of(asked)?).or_raise(),
        None => Ok(table),
    }
}

fn schema_of(asked: &Bound<'_, PyAny>) -> PyResult<Schema> {
    let Ok(capsule) = asked.cast::<PyCapsule>() else {
        let given = asked.get_type().name()?;
        let text = format!("requested_schema is a capsule named \"arrow_schema\", not {given}");
        return Err(PyTypeError::new_err(text));
    };
    let schema = capsule.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    // SAFETY: a capsule of this name holds such a struct, and lives as long as it is looked at.
    let schema = unsafe { schema.as_ref() };
    if schema.release.is_none() || schema.format.is_null() {
        return Err(PyValueError::new_err("the requested schema was released; ask for it anew"));
    }
    Schema::try_from(schema).map_err(|error| {
        PyValueError::new_err(format!("the requested schema is no struct of columns: {error}"))
    })
}

impl PyDoc {
    fn arrow_table(&self, py: Python<'_>) -> PyResult<Table> {
        let doc = self.read(py)?;
        tokens(py, &doc, 0..doc.len())
    }
}

#[pymethods]
impl PyDoc {
    /// The tokens as an Arrow struct array, a row a token: a pair of capsules, for any library that
    /// reads them.
    ///
    /// Columns: text, start and end (in characters), orth, space; lemma, pos, tag, dep, head (a
    /// position in the document), ent_type, ent_iob, sent_start, null where nothing is set. Texts are
    /// not copied: they lie in the document's memory, which outlives it for as long as the array.
    ///
    /// requested_schema: strings are given as utf8 or large_utf8 if it says so, which copies them.
    /// Raises ValueError if it has other columns, TypeError if it is no capsule.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None) -> tuple[CapsuleType, CapsuleType]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: RequestedSchema<'_, 'py>,
    ) -> PyResult<CapsulePair<'py>> {
        array(py, self.arrow_table(py)?, requested_schema)
    }

    /// The tokens as an Arrow stream of one batch; see `__arrow_c_array__`.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None) -> CapsuleType
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: RequestedSchema<'_, 'py>,
    ) -> PyResult<Capsule<'py>> {
        stream(py, self.arrow_table(py)?, requested_schema)
    }
}

impl PySpan {
    fn arrow_table(&self, py: Python<'_>) -> PyResult<Table> {
        let (doc, range) = self.read(py)?;
        tokens(py, &doc, range)
    }
}

#[pymethods]
impl PySpan {
    /// The tokens of the span as an Arrow struct array; see `Doc.__arrow_c_array__`. Offsets and
    /// heads are those in the document.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None) -> tuple[CapsuleType, CapsuleType]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: RequestedSchema<'_, 'py>,
    ) -> PyResult<CapsulePair<'py>> {
        array(py, self.arrow_table(py)?, requested_schema)
    }

    /// The tokens of the span as an Arrow stream of one batch; see `__arrow_c_array__`.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None) -> CapsuleType
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: RequestedSchema<'_, 'py>,
    ) -> PyResult<Capsule<'py>> {
        stream(py, self.arrow_table(py)?, requested_schema)
    }
}

#[pymethods]
impl PyVocab {
    /// The lexemes as an Arrow stream, a row a lexeme, those of an open zone included.
    ///
    /// Columns: text; orth, lower, norm, shape, prefix, suffix and lang, which are ids of strings;
    /// length, flags, id. Nothing is null. requested_schema: as for `Doc.__arrow_c_array__`.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None) -> CapsuleType
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: RequestedSchema<'_, 'py>,
    ) -> PyResult<Capsule<'py>> {
        let vocab = self.vocab();
        let table = unlocked(py, vocab.len(), || arrow::lexemes(vocab)).or_raise()?;
        stream(py, table, requested_schema)
    }
}

/// Documents as a table that Arrow's readers take; made by `lexpool.arrow.docs` and `.tokens`.
///
/// The documents are held, and read when a reader asks.
#[pyclass(name = "Rows", module = "lexpool.arrow", frozen)]
pub(crate) struct Rows {
    docs: Vec<Py<PyDoc>>,
    by_token: bool,
}

class!(Rows);

impl Rows {
    /// What `make` gives for the documents, which it may read without the GIL.
    fn with<T: Send>(&self, py: Python<'_>, make: impl FnOnce(&[&Doc]) -> T + Send) -> PyResult<T> {
        let reading =
            self.docs.iter().map(|doc| doc.get().read(py)).collect::<PyResult<Vec<_>>>()?;
        let docs: Vec<&Doc> = reading.iter().map(|doc| &**doc).collect();
        // Each text that is a Python string takes the GIL for a moment, to be counted; for short
        // documents that costs more than to keep it.
        let tokens: usize = docs.iter().map(|doc| doc.len()).sum();
        Ok(unlocked(py, tokens / docs.len().max(1), || make(&docs)))
    }
}

#[pymethods]
impl Rows {
    /// Rows(docs, by_token=False)
    ///
    /// Raises TypeError for what is no document.
    #[new]
    #[pyo3(signature = (docs, by_token=false))]
    // stub: (docs: Iterable[Doc])
    fn py_new(docs: &Bound<'_, PyAny>, by_token: bool) -> PyResult<Rows> {
        let doc = |(i, item): (usize, PyResult<Bound<'_, PyAny>>)| {
            let item = item?;
            item.cast::<PyDoc>().map(|doc| doc.clone().unbind()).map_err(|_| {
                let given = item.get_type();
                PyTypeError::new_err(format!("rows are made of documents; item {i} is {given}"))
            })
        };
        let docs = docs.try_iter()?.enumerate().map(doc).collect::<PyResult<_>>()?;
        Ok(Rows { docs, by_token })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.docs.iter().try_for_each(|doc| visit.call(doc))
    }

    /// How many rows there are.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        if !self.by_token {
            return Ok(self.docs.len());
        }
        self.docs.iter().map(|doc| Ok(doc.get().read(py)?.len())).sum()
    }

    /// An Arrow stream of the rows. requested_schema: as for `Doc.__arrow_c_array__`.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None) -> CapsuleType
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: RequestedSchema<'_, 'py>,
    ) -> PyResult<Capsule<'py>> {
        let make = if self.by_token { arrow::tokens_of_docs } else { arrow::docs };
        let table = self.with(py, make)?.or_raise()?;
        stream(py, table, requested_schema)
    }

    fn __repr__(&self) -> String {
        let row = if self.by_token { "token" } else { "document" };
        format!("<Rows of {} documents, one a {row}>", self.docs.len())
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<Rows>(module)
}
