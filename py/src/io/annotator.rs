//! `lexpool.arrow.Annotator`: batches of texts in, the same with columns of tokens out.
//!
//! Holds unsafe code: moves Arrow's structs out of the capsules that other libraries hand over.
//!
//! All work is done without the GIL, also where who reads a stream holds it: rules may be functions
//! of Python's, which other threads call.

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
/// `annotator(data)` takes any object with an Arrow stream or array, such as a table of pyarrow's or
/// a data frame of Polars', and gives one. Any number of threads may share an annotator.
///
/// tokenizer: what cuts the texts, by the rules that it has when a reader asks for the result.
/// text: the column of the texts; None for the only one that has strings.
/// columns: what to add, by name: "tokens", "n_tokens", "strings", "start", "end", "space", and
///     attributes of words as lists, as numbers ("lower", "is_alpha") or strings ("lower_").
/// prefix: what to put before the names of what is added.
/// threads: how many are at work on one batch; 0 for one a core, 1 for the caller's alone.
/// signed: whether numbers have a sign, for engines that know no others.
///
/// Raises ValueError for a column that there is not.
#[pyclass(name = "Annotator", module = "lexpool.arrow", frozen)]
pub(crate) struct PyAnnotator {
    tokenizer: Py<PyTokenizer>,
    options: AnnotatorOptions,
}

class!(PyAnnotator);

impl PyAnnotator {
    /// The annotator as the tokenizer is now. None is kept: it would hold functions of the user's where the
    /// garbage collector does not see them.
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
            PyValueError::new_err(format!("threads is 0, for one a core, or more, not {threads}"))
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

    /// Annotate a table or a batch. Nothing is read before a reader asks for the result.
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
/// Its batches are annotated one by one as a reader pulls them, so a stream may be longer than memory.
/// Each reader begins anew, where what was given can be read anew.
#[pyclass(name = "Annotated", module = "lexpool.arrow", frozen, subclass)]
pub(crate) struct PyAnnotatedStream {
    annotator: Py<PyAnnotator>,
    data: Py<PyAny>,
}

class!(PyAnnotatedStream);

#[pymethods]
impl PyAnnotatedStream {
    /// An Arrow stream of the batches, which are cut as they were given.
    ///
    /// requested_schema is passed over: columns come as they are.
    ///
    /// Raises ValueError unless there is one column of texts, or if there is a column of a name that
    /// is to be added. What fails later is an error of the reader's, with the same text.
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
    /// The pair of an Arrow struct array. requested_schema is passed over.
    ///
    /// Raises ValueError as for a stream, and for what fails while texts are cut.
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
        // The threads that work count themselves in: a fork in a function that they call waits for no other.
        let done = gil::waiting(py, || annotator.annotate(&batch)).or_raise()?;
        crate::io::arrow::array(py, Table::from(done), None)
    }
}

/// Add the strings of a column to a store, such as the column "strings" of annotated data: what the
/// ids of its rows stand for. Gives how many were new.
///
/// data: any object with an Arrow stream or array; a stream is read to its end.
///
/// Raises HashCollisionError if two strings have one id, ValueError unless there is a column of
/// strings or of lists of them.
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
        "annotated is what has an Arrow stream or array, such as a pyarrow.Table or a \
         polars.DataFrame, not {given}"
    );
    Ok(PyTypeError::new_err(text))
}

/// Lets go of the GIL, whether this thread holds it or not.
fn unlocked(work: &mut (dyn FnMut() + Send)) {
    let mut todo = Some(work);
    Python::try_attach(|py| {
        if let Some(work) = todo.take() {
            gil::waiting(py, work);
        }
    });
    // At the end of the interpreter there is none to attach to.
    if let Some(work) = todo {
        work();
    }
}

/// Whether an object has Arrow's data.
pub(crate) fn has_arrow(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(data.hasattr(STREAM)? || data.hasattr(ARRAY)?)
}

/// The batches that an object has.
pub(crate) fn batches(data: &Bound<'_, PyAny>) -> PyResult<Batches> {
    if !data.hasattr(STREAM)? {
        return Ok(Table::from(batch(data)?).into_batches());
    }
    let capsule = data.call_method0(STREAM)?;
    let capsule = as_capsule(&capsule)?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let stream = stream.cast::<FFI_ArrowArrayStream>().as_ptr();
    // SAFETY: a capsule of this name holds such a struct, which was made for this call; its schema is
    // asked for at once, with the GIL, as its maker may expect.
    unsafe { arrow::stream_from_c(stream) }.or_raise()
}

/// The one batch that an object is.
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
    // SAFETY: capsules of these names hold such structs, which were made for this call.
    unsafe { arrow::batch_from_c(schema.as_ref(), array) }.or_raise()
}

fn as_capsule<'a, 'py>(capsule: &'a Bound<'py, PyAny>) -> PyResult<&'a Capsule<'py>> {
    capsule.cast::<PyCapsule>().map_err(|_| {
        let text = format!("Arrow's methods give capsules, not {}", capsule.get_type());
        PyTypeError::new_err(text)
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyAnnotator>(module)?;
    classes::add::<PyAnnotatedStream>(module)?;
    classes::add::<PyAnnotatedBatch>(module)?;
    module.add_function(wrap_pyfunction!(add_strings, module)?)
}
