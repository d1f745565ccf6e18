//! Arrow's PyCapsule interface: documents, spans and vocabs for any library that reads it.
//!
//! Unsafe code: reads the requested schema of a consumer from its capsule.
//!
//! Everything in a capsule owns its memory, apart from Python objects; a capsule that nobody has
//! consumed releases it. So a consumer may keep an array for any time, on any thread.
//!
//! Invariants:
//! - **W1** A capsule with the name "arrow_schema" contains a schema, and lives while it is
//!   borrowed.

use std::ops::Range;

use lexpool::tokens::Doc;
use lexpool_io::arrow::c::FFI_ArrowSchema;
use lexpool_io::arrow::{self, Schema, Table};
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
use crate::runtime::items;

pub(crate) type Capsule<'py> = Bound<'py, PyCapsule>;
pub(crate) type CapsulePair<'py> = (Capsule<'py>, Capsule<'py>);
/// The schema that a consumer requests.
pub(crate) type RequestedSchema<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// A table as the two capsules of `__arrow_c_array__`, with the requested schema.
pub(crate) fn array<'py>(
    py: Python<'py>,
    table: Table,
    asked: RequestedSchema<'_, 'py>,
) -> PyResult<CapsulePair<'py>> {
    let (schema, array) = as_requested(table, asked)?.into_array().or_raise()?;
    let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
    Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
}

/// A table as the capsule of `__arrow_c_stream__`, with the requested schema.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    table: Table,
    asked: RequestedSchema<'_, 'py>,
) -> PyResult<Capsule<'py>> {
    let stream = as_requested(table, asked)?.into_stream();
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// The table of a range of a document's tokens.
fn tokens(py: Python<'_>, doc: &Doc, range: Range<usize>) -> PyResult<Table> {
    unlocked(py, range.len(), || arrow::tokens(doc, range)).or_raise()
}

/// Converts a table to the requested schema.
fn as_requested(table: Table, asked: RequestedSchema<'_, '_>) -> PyResult<Table> {
    match asked {
        Some(asked) => table.requested(&schema_of(asked)?).or_raise(),
        None => Ok(table),
    }
}

fn schema_of(asked: &Bound<'_, PyAny>) -> PyResult<Schema> {
    let Ok(capsule) = asked.cast::<PyCapsule>() else {
        let given = asked.get_type().name()?;
        let text = format!(
            "requested_schema must be a capsule named \"arrow_schema\", not \
                            {given}"
        );
        return Err(PyTypeError::new_err(text));
    };
    let schema = capsule.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    // SAFETY: W1.
    let schema = unsafe { schema.as_ref() };
    if schema.release.is_none() || schema.format.is_null() {
        return Err(PyValueError::new_err("the requested schema was released; request it again"));
    }
    Schema::try_from(schema).map_err(|error| {
        PyValueError::new_err(format!("the requested schema is not a struct of columns: {error}"))
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
    /// The tokens as an Arrow struct array, one row per token: a pair of capsules, for any library
    /// that reads them.
    ///
    /// Columns: text, start and end (in characters), orth, space; lemma, pos, tag, dep, head (a
    /// position in the document), ent_type, ent_iob, sent_start, null if not set. Texts are not
    /// copied: they lie in the document's memory, which the array keeps alive.
    ///
    /// requested_schema: strings are utf8 or large_utf8 as requested, which copies them. Raises
    /// ValueError for other columns, TypeError for an object other than a capsule.
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
    /// heads refer to the document.
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
    /// The lexemes as an Arrow stream, one row per lexeme, those of an open zone included.
    ///
    /// Columns: text; orth, lower, norm, shape, prefix, suffix and lang, which are ids of strings;
    /// length, flags, id. No value is null. requested_schema: as for `Doc.__arrow_c_array__`.
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

/// Documents as a table for Arrow readers; made by `lexpool.arrow.docs` and `.tokens`.
///
/// The documents are kept alive, and read when a reader requests them.
#[pyclass(name = "Rows", module = "lexpool.arrow", frozen)]
pub(crate) struct Rows {
    docs: Vec<Py<PyDoc>>,
    by_token: bool,
}

class!(Rows);

impl Rows {
    /// Calls `make` with the documents, which it may read without the GIL.
    fn with<T: Send>(&self, py: Python<'_>, make: impl FnOnce(&[&Doc]) -> T + Send) -> PyResult<T> {
        let reading =
            self.docs.iter().map(|doc| doc.get().read(py)).collect::<PyResult<Vec<_>>>()?;
        let docs: Vec<&Doc> = reading.iter().map(|doc| &**doc).collect();
        // Each text that is a Python string takes the GIL for a moment, to change its reference
        // count; for short documents that costs more than keeping the GIL.
        let tokens: usize = docs.iter().map(|doc| doc.len()).sum();
        Ok(unlocked(py, tokens / docs.len().max(1), || make(&docs)))
    }
}

#[pymethods]
impl Rows {
    /// Rows(docs, by_token=False)
    ///
    /// Raises TypeError for an item other than a document.
    #[new]
    #[pyo3(signature = (docs, by_token=false))]
    // stub: (docs: Iterable[Doc])
    fn py_new(docs: &Bound<'_, PyAny>, by_token: bool) -> PyResult<Rows> {
        let mut position = 0..;
        let docs = items::read(docs, |item| {
            let i = position.next().unwrap_or(usize::MAX);
            item.cast_into::<PyDoc>().map(Bound::unbind).map_err(|error| {
                let class = error.into_inner().get_type();
                PyTypeError::new_err(format!("expected documents; item {i} is {class}"))
            })
        })?;
        Ok(Rows { docs, by_token })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.docs.iter().try_for_each(|doc| visit.call(doc))
    }

    /// Returns the number of rows.
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
