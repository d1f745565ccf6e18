//! `lexpool.arrow.Annotator`: adds columns of tokens and annotation to batches of texts.
//!
//! All work is done without the GIL, even if the reader of a stream holds it: rules may be Python
//! functions, which other threads call.

use std::error::Error as _;
use std::sync::Arc;

use lexpool::codes;
use lexpool::pipeline::{Pipeline, Step};
use lexpool_io::arrow::{Annotator, AnnotatorOptions, Table};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::component::PyComponent;
use crate::io::arrow::{Capsule, CapsulePair, array};
use crate::io::incoming::{ARRAY, STREAM, batch, batches, no_arrow};
use crate::runtime::classes::{self, class};
use crate::runtime::error::{OrRaise, check_signals};
use crate::runtime::gil;
use crate::runtime::items::Items;
use crate::tokenizer::PyTokenizer;

/// Adds columns of tokens and annotation to tables with a column of texts.
///
/// `annotator(data)` takes any object with an Arrow stream or array, such as a pyarrow table or a
/// Polars data frame, and returns one. Any number of threads may share an annotator.
///
/// tokenizer: the tokenizer, with the rules that it has when a reader requests the result.
/// text: the column of texts; None for the only column of strings.
/// columns: the columns to add, by name: "tokens", "n_tokens", "strings", "start", "end", "space",
///     "cats", and attributes of words and tokens as lists, as numbers ("lower", "is_alpha", "tag")
///     or strings ("lower_", "tag_").
/// prefix: a prefix for the names of the added columns.
/// threads: number of threads for one batch; 0 for one per core, 1 for the caller's thread only.
/// signed: use signed numbers, for engines without unsigned ones.
/// steps: the names and the native forms of the components, which run if a column of annotation is
///     requested; None for a component that runs in Python.
///
/// Raises ValueError for an unknown column, for one of annotation that no component sets, and for
/// one of annotation with components that run in Python.
#[pyclass(name = "Annotator", module = "lexpool.arrow", frozen)]
pub(crate) struct PyAnnotator {
    tokenizer: Py<PyTokenizer>,
    steps: Vec<(String, Option<Py<PyComponent>>)>,
    options: AnnotatorOptions,
}

class!(PyAnnotator);

impl PyAnnotator {
    /// An annotator with the tokenizer's present state. It is not stored, since it would own users'
    /// functions where the garbage collector does not see them.
    fn now(&self) -> PyResult<Arc<Annotator>> {
        let tokenizer = Arc::clone(&self.tokenizer.get().state()?.tokenizer);
        let mut steps = Vec::new();
        if self.options.annotates().or_raise()? {
            self.check_native()?;
            let native = |(name, step): &(String, Option<Py<PyComponent>>)| {
                let component = Arc::clone(&step.as_ref()?.get().component);
                Some(Step { name: name.clone(), component })
            };
            steps.extend(self.steps.iter().filter_map(native));
        }
        let annotator =
            Annotator::of_pipeline(Pipeline::new(tokenizer, steps), self.options.clone());
        Ok(Arc::new(annotator.or_raise()?))
    }

    /// Checks that no component runs in Python.
    fn check_native(&self) -> PyResult<()> {
        let python = self.steps.iter().filter(|(_, step)| step.is_none());
        let names = python.map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        if names.is_empty() {
            return Ok(());
        }
        let text = format!(
            "these components run in Python, and tables are annotated without it: {names}; disable \
             them with nlp.select_pipes(disable=[...]), or take the documents of nlp.pipe"
        );
        Err(lexpool::Error::value(codes::PIPELINE_UNSUPPORTED, text)).or_raise()
    }
}

#[pymethods]
impl PyAnnotator {
    #[new]
    #[pyo3(signature = (tokenizer, text=None, columns=None, prefix="", threads=0, signed=false,
                        steps=Items::default()))]
    #[pyo3(text_signature = "(tokenizer, text=None, columns=('tokens', 'strings'), prefix='', \
                             threads=0, signed=False, steps=())")]
    // stub: (steps: Sequence[tuple[str, NativeComponent | None]])
    fn py_new(
        tokenizer: &Bound<'_, PyTokenizer>,
        text: Option<String>,
        columns: Option<Items<String>>,
        prefix: &str,
        threads: isize,
        signed: bool,
        steps: Items<(String, Option<Py<PyComponent>>)>,
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
            columns: columns.map_or(plain.columns, Items::into_vec),
            prefix: prefix.to_owned(),
            threads,
            signed,
        };
        let (tokenizer, steps) = (tokenizer.clone().unbind(), steps.into_vec());
        let annotator = PyAnnotator { tokenizer, steps, options };
        annotator.now()?;
        Ok(annotator)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.tokenizer)?;
        self.steps.iter().try_for_each(|(_, step)| visit.call(step))
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
        let stream =
            PyAnnotatedStream { annotator: slf.clone().unbind(), data: data.clone().unbind() };
        if data.hasattr(ARRAY)? {
            let batch = PyClassInitializer::from(stream).add_subclass(PyAnnotatedBatch);
            return Ok(Bound::new(py, batch)?.into_super());
        }
        if !data.hasattr(STREAM)? {
            return Err(no_arrow(data)?);
        }
        Bound::new(py, stream)
    }
}

/// A table with columns of tokens and annotation, for any library that reads Arrow.
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
        PyCapsule::new_with_value(
            py,
            reader.into_stream(unlocked, check_stream),
            c"arrow_array_stream",
        )
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.annotator)?;
        visit.call(&self.data)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Annotated {}>", self.data.bind(py).get_type().name()?))
    }
}

/// A record batch with columns of tokens and annotation: a stream of one batch, or that batch.
#[pyclass(name = "AnnotatedBatch", module = "lexpool.arrow", frozen, extends = PyAnnotatedStream)]
pub(crate) struct PyAnnotatedBatch;

class!(PyAnnotatedBatch);

#[pymethods]
impl PyAnnotatedBatch {
    /// The annotated batch as an Arrow struct array: a pair of capsules. requested_schema is
    /// ignored.
    ///
    /// Raises ValueError as for a stream, the errors of the tokenizer and of components, and the
    /// exceptions of signal handlers.
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
        let work = || annotator.annotate_watched(&batch, &mut check_signals);
        let done = gil::waiting(py, work).or_raise()?;
        array(py, Table::from(done), None)
    }
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

/// Handles pending signals while a reader waits for a batch of a stream.
///
/// The reader's library raises an error of its own, which a program may handle as one of the data.
/// So an interrupt is raised again after it.
fn check_stream() -> lexpool::Result<()> {
    check_signals().inspect_err(|error| {
        let raised = error.source().and_then(|raised| raised.downcast_ref::<PyErr>());
        let Some(raised) = raised else { return };
        Python::attach(|py| {
            if raised.is_instance_of::<PyKeyboardInterrupt>(py) {
                // Fails only at the end of the interpreter, which raises nothing more.
                let _ = py.import("_thread").and_then(|it| it.call_method0("interrupt_main"));
            }
        });
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyAnnotator>(module)?;
    classes::add::<PyAnnotatedStream>(module)?;
    classes::add::<PyAnnotatedBatch>(module)
}
