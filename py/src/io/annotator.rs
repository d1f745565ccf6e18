//! `lexpool.arrow.Annotator`: adds columns of tokens to batches of texts.
//!
//! Unsafe code: moves Arrow structs out of the capsules of other libraries.
//!
//! Invariants:
//! - **W1** A capsule of the Arrow PyCapsule interface with the right name contains the struct of
//!   that name, made for one consumer.
//!
//! All work is done without the GIL, even if the reader of a stream holds it: rules may be Python
//! functions, which other threads call.

use std::sync::Arc;

use lexpool::arrow::c::{FFI_ArrowArray, FFI_ArrowArrayStream, FFI_ArrowSchema};
use lexpool::arrow::{self, Annotator, AnnotatorOptions, Batches, RecordBatch, Table};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::io::arrow::{Capsule, CapsulePair};
use crate::object::strings::PyStringStore;
use crate::runtime::classes::{self, class};
use crate::runtime::error::{OrRaise, to_py};
use crate::runtime::gil;
use crate::tokenizer::PyTokenizer;

/// Adds columns of tokens to tables with a column of texts.
///
/// `annotator(data)` takes any object with an Arrow stream or array, such as a pyarrow table or a
/// Polars data frame, and returns one. Any number of threads may share an annotator.
///
/// tokenizer: the tokenizer, with the rules that it has when a reader requests the result.
/// text: the column of texts; None for the only column of strings.
/// columns: the columns to add, by name: "tokens", "n_tokens", "strings", "start", "end", "space",
///     and attributes of words as lists, as numbers ("lower", "is_alpha") or strings ("lower_").
/// prefix: a prefix for the names of the added columns.
/// threads: number of threads for one batch; 0 for one per core, 1 for the caller's thread only.
/// signed: use signed numbers, for engines without unsigned ones.
///
/// Raises ValueError for an unknown column.
#[pyclass(name = "Annotator", module = "lexpool.arrow", frozen)]
pub(crate) struct PyAnnotator {
    tokenizer: Py<PyTokenizer>,
    options: AnnotatorOptions,
}

class!(PyAnnotator);

impl PyAnnotator {
    /// An annotator with the tokenizer's present state. It is not stored, since it would own users'
    /// functions where the garbage collector does not see them.
    fn now(&self) -> PyResult<Arc<Annotator>> {
        let tokenizer = Arc::clone(&self.tokenizer.get().state()?.tokenizer);
        Ok(Arc::new(Annotator::new(&tokenizer, self.options.clone()).or_raise()?))
    }
}

#[pymethods]
impl PyAnnotator {
    #[new]
    #[pyo3(signature = (tokenizer, text=None, columns=None, prefix="", threads=0, signed=false))]
    #[pyo3(text_signature = "(tokenizer, text=None, columns=('tokens', 'strings'), prefix='', \
                             threads=0, signed=False)")]
    fn py_new(
        tokenizer: &Bound<'_, PyTokenizer>,
        text: Option<String>,
        columns: Option<Vec<String>>,
        prefix: &str,
        threads: isize,
        signed: bool,
    ) -> PyResult<PyAnnotator> {
        let threads = usize::try_from(threads).map_err(|_| {
            PyValueError::new_err(format!(
                "threads is {threads}; expected 0 (one per core) or a \
                                           positive number"
            ))
        })?;
        let plain = AnnotatorOptions::default();
        let options = AnnotatorOptions {
            text,
            columns: columns.unwrap_or(plain.columns),
            prefix: prefix.to_owned(),
            threads,
            signed,
        };
        let made = PyAnnotator { tokenizer: tokenizer.clone().unbind(), options };
        made.now()?;
        Ok(made)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tokenizer)
    }

    /// Annotates a table or a batch. Nothing is read until a reader requests the result.
    ///
    /// Raises TypeError for an object that has neither `__arrow_c_stream__` nor
    /// `__arrow_c_array__`.
    // stub: (data: Any)
    fn __call__<'py>(
        slf: &Bound<'py, PyAnnotator>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAnnotatedStream>> {
        let py = data.py();
        let made =
            PyAnnotatedStream { annotator: slf.clone().unbind(), data: data.clone().unbind() };
        if data.hasattr(ARRAY)? {
            let batch = PyClassInitializer::from(made).add_subclass(PyAnnotatedBatch);
            return Ok(Bound::new(py, batch)?.into_super());
        }
        if !data.hasattr(STREAM)? {
            return Err(no_arrow(data)?);
        }
        Bound::new(py, made)
    }
}

/// A table with columns of tokens, for any library that reads Arrow.
///
/// Its batches are annotated one by one as a reader requests them, so a stream may be longer than
/// memory. Each reader starts from the beginning, if the input can be read again.
#[pyclass(name = "Annotated", module = "lexpool.arrow", frozen, subclass)]
pub(crate) struct PyAnnotatedStream {
    annotator: Py<PyAnnotator>,
    data: Py<PyAny>,
}

class!(PyAnnotatedStream);

#[pymethods]
impl PyAnnotatedStream {
    /// An Arrow stream of the annotated batches, divided as the input.
    ///
    /// requested_schema is ignored.
    ///
    /// Raises ValueError unless there is one column of texts, or if a column to add exists. Later
    /// failures are errors of the reader, with the same text.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None) -> CapsuleType
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Capsule<'py>> {
        let _ = requested_schema;
        let reader = self.annotator.get().now()?.reader(batches(self.data.bind(py))?).or_raise()?;
        PyCapsule::new_with_value(py, reader.into_stream(unlocked), c"arrow_array_stream")
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.annotator)?;
        visit.call(&self.data)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Annotated {}>", self.data.bind(py).get_type().name()?))
    }
}

/// A record batch with columns of tokens: a stream of one batch, or that batch.
#[pyclass(name = "AnnotatedBatch", module = "lexpool.arrow", frozen, extends = PyAnnotatedStream)]
pub(crate) struct PyAnnotatedBatch;

class!(PyAnnotatedBatch);

#[pymethods]
impl PyAnnotatedBatch {
    /// The annotated batch as an Arrow struct array: a pair of capsules. requested_schema is
    /// ignored.
    ///
    /// Raises ValueError as for a stream, and for failures of the tokenizer.
    #[pyo3(signature = (requested_schema=None))]
    // stub: (requested_schema: CapsuleType | None) -> tuple[CapsuleType, CapsuleType]
    fn __arrow_c_array__<'py>(
        slf: &Bound<'py, PyAnnotatedBatch>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<CapsulePair<'py>> {
        let _ = requested_schema;
        let (py, own) = (slf.py(), slf.as_super().get());
        let batch = batch(own.data.bind(py))?;
        let annotator = own.annotator.get().now()?;
        // The working threads register with the fork gate themselves: a fork in a function that
        // they call waits for no other.
        let done = gil::waiting(py, || annotator.annotate(&batch)).or_raise()?;
        crate::io::arrow::array(py, Table::from(done), None)
    }
}

/// Adds the strings of a column to a store, such as the column "strings" of annotated data, so that
/// the ids of its rows have strings. Returns the number of new strings.
///
/// data: any object with an Arrow stream or array; a stream is read to its end.
///
/// Raises HashCollisionError if two strings have the same id, ValueError unless there is a column
/// of strings or of lists of strings.
#[pyfunction]
#[pyo3(signature = (store, data, column="strings"))]
// stub: (data: Any)
fn add_strings(
    py: Python<'_>,
    store: &Bound<'_, PyStringStore>,
    data: &Bound<'_, PyAny>,
    column: &str,
) -> PyResult<usize> {
    let batches = batches(data)?;
    let store = store.get().store();
    gil::detached(py, || {
        let mut new = 0;
        for batch in batches {
            let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
            new += arrow::add_strings(store, &batch, column).map_err(|error| to_py(&error))?;
        }
        Ok(new)
    })
}

const STREAM: &str = "__arrow_c_stream__";
const ARRAY: &str = "__arrow_c_array__";

fn no_arrow(data: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let given = data.get_type().name()?;
    let text = format!(
        "expected an object with an Arrow stream or array, such as a pyarrow.Table or a \
         polars.DataFrame, not {given}"
    );
    Ok(PyTypeError::new_err(text))
}

/// Runs `work` without the GIL, whether this thread holds it or not.
fn unlocked(work: &mut (dyn FnMut() + Send)) {
    let mut todo = Some(work);
    Python::try_attach(|py| {
        if let Some(work) = todo.take() {
            gil::waiting(py, work);
        }
    });
    // At the end of the interpreter a thread cannot attach.
    if let Some(work) = todo {
        work();
    }
}

/// Returns true if an object has an Arrow stream or array.
pub(crate) fn has_arrow(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(data.hasattr(STREAM)? || data.hasattr(ARRAY)?)
}

/// The batches of an object.
pub(crate) fn batches(data: &Bound<'_, PyAny>) -> PyResult<Batches> {
    if !data.hasattr(STREAM)? {
        return Ok(Table::from(batch(data)?).into_batches());
    }
    let capsule = data.call_method0(STREAM)?;
    let capsule = as_capsule(&capsule)?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let stream = stream.cast::<FFI_ArrowArrayStream>().as_ptr();
    // SAFETY: W1. The stream's schema is requested at once, with the GIL, as its producer may
    // expect.
    unsafe { arrow::stream_from_c(stream) }.or_raise()
}

/// The single batch of an object.
fn batch(data: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    if !data.hasattr(ARRAY)? {
        return Err(no_arrow(data)?);
    }
    let pair = data.call_method0(ARRAY)?;
    let pair = pair.cast::<PyTuple>()?;
    let (schema, array) = (pair.get_item(0)?, pair.get_item(1)?);
    let (schema, array) = (as_capsule(&schema)?, as_capsule(&array)?);
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>().as_ptr();
    // SAFETY: W1.
    unsafe { arrow::batch_from_c(schema.as_ref(), array) }.or_raise()
}

fn as_capsule<'a, 'py>(capsule: &'a Bound<'py, PyAny>) -> PyResult<&'a Capsule<'py>> {
    capsule.cast::<PyCapsule>().map_err(|_| {
        let text = format!("expected a capsule from an Arrow method, not {}", capsule.get_type());
        PyTypeError::new_err(text)
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyAnnotator>(module)?;
    classes::add::<PyAnnotatedStream>(module)?;
    classes::add::<PyAnnotatedBatch>(module)?;
    module.add_function(wrap_pyfunction!(add_strings, module)?)
}
