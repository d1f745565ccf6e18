//! Plan of a stream: the groups of native steps, and the Python steps between them.

use std::sync::Arc;

use lexpool::pipeline::{Pipeline, Step};
use lexpool::segment::Segment;
use lexpool::threads;
use lexpool::tokenizer::Tokenizer;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::component::PyComponent;
use crate::object::vocab::PyVocab;
use crate::runtime::error::warn;
use crate::runtime::items::Items;
use crate::runtime::text_stream::MAX_BATCH_BYTES;
use crate::tokenizer::segmenter_with_details;

/// A component as it is passed to a stream: its name, the component, its native equivalent
/// (possibly for new documents only), and further arguments.
pub(super) type StepArgument<'py> = (
    Bound<'py, PyString>,
    Bound<'py, PyAny>,
    Option<Bound<'py, PyComponent>>,
    Option<Bound<'py, PyDict>>,
);

/// The processing of each item of a stream.
pub(crate) struct Plan {
    pub(super) vocab: Py<PyVocab>,
    /// The tokenizer with the first native steps; `None` if texts become documents in Python.
    pub(super) front: Option<Pipeline>,
    /// The segmenter of the tokenizer, if it has details of the tokens.
    pub(super) segmenter: Option<Arc<dyn Segment>>,
    /// The number of step groups that texts have passed when they come from the threads.
    pub(super) front_runs: usize,
    pub(super) steps: Vec<PyStep>,
    pub(super) runs: Vec<StepGroup>,
    /// True if a component runs in Python even for new documents.
    pub(super) visits_python: bool,
    /// Makes a document of an item other than a text, or of any item if there is no `front`.
    pub(super) make_doc: Option<Py<PyAny>>,
    /// The error handler of components that have none; without it errors are raised.
    pub(super) default_handler: Option<Py<PyAny>>,
    /// Maximum number of characters of a text.
    pub(super) max_length: Option<usize>,
    pub(super) as_tuples: bool,
    pub(super) batch_size: usize,
    pub(super) threads: usize,
}

/// Components that a batch passes together; steps are numbered through the whole plan.
pub(super) enum StepGroup {
    /// Native steps, run without the GIL, with the number of the first one.
    Native(usize, Vec<Step>),
    /// The number of a step that runs in Python.
    Python(usize),
}

/// A Python component, with its arguments.
pub(super) struct PyStep {
    pub(super) name: Py<PyString>,
    pub(super) component: Py<PyAny>,
    pub(super) kwargs: Option<Py<PyDict>>,
}

impl Plan {
    /// The plan of a tokenizer alone.
    pub(crate) fn of_tokenizer(
        tokenizer: Arc<Tokenizer>,
        vocab: Py<PyVocab>,
        batch_size: usize,
        threads: usize,
    ) -> Plan {
        Plan {
            vocab,
            segmenter: segmenter_with_details(&tokenizer),
            front: Some(Pipeline::new(tokenizer, Vec::new())),
            front_runs: 0,
            steps: Vec::new(),
            runs: Vec::new(),
            visits_python: false,
            make_doc: None,
            default_handler: None,
            max_length: None,
            as_tuples: false,
            batch_size,
            threads,
        }
    }

    /// Returns the size in bytes at which a batch is closed, whatever its number of texts.
    ///
    /// Documents with rows of networks have about 20 times as much memory as text, so batches of
    /// them are as long as all threads need to have work, and no longer.
    pub(super) fn batch_bytes(&self) -> usize {
        const BYTES_PER_THREAD: usize = 32 << 10;
        match &self.front {
            Some(front) if front.prefers_groups() => {
                MAX_BATCH_BYTES.min(BYTES_PER_THREAD * threads::size(self.threads).max(2))
            }
            _ => MAX_BATCH_BYTES,
        }
    }

    /// Returns true if documents from the threads have passed all step groups.
    pub(super) fn ends_with_front(&self) -> bool {
        self.runs.len() == self.front_runs
    }

    /// Issues the warnings that native components have collected since the last call.
    pub(super) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let front = self.front.iter().flat_map(Pipeline::steps);
        let later = self.runs.iter().flat_map(|run| match run {
            StepGroup::Native(_, steps) => &steps[..],
            StepGroup::Python(_) => &[],
        });
        for text in front.chain(later).filter_map(|step| step.component.take_warning()) {
            warn(py, &text)?;
        }
        Ok(())
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)?;
        visit.call(&self.make_doc)?;
        visit.call(&self.default_handler)?;
        self.steps.iter().try_for_each(|step| {
            visit.call(&step.name)?;
            visit.call(&step.component)?;
            visit.call(&step.kwargs)
        })
    }
}

/// The steps of a pipeline, in order.
pub(super) struct Steps {
    /// The native steps that run on the tokenizing threads, and the number of their step groups.
    pub(super) front: (Vec<Step>, usize),
    pub(super) all: Vec<PyStep>,
    /// Step groups; adjacent native steps form one group.
    pub(super) runs: Vec<StepGroup>,
    pub(super) visits_python: bool,
}

impl Steps {
    pub(super) fn new(components: Items<StepArgument<'_>>) -> PyResult<Steps> {
        let (mut front, mut front_runs, mut visits_python) = (Vec::new(), 0, false);
        let (mut all, mut runs) = (Vec::new(), Vec::new());
        for (number, (name, component, native, kwargs)) in components.into_iter().enumerate() {
            let native = native.as_ref().map(Bound::get);
            let step = native.map(|native| {
                let component = Arc::clone(&native.component);
                name.to_str().map(|name| Step { name: name.to_owned(), component })
            });
            let step = step.transpose()?;
            visits_python |= step.is_none();
            if !visits_python {
                front.extend(step.clone());
            }
            let of_all = step.filter(|_| native.is_some_and(|native| !native.of_texts));
            match (of_all, runs.last_mut()) {
                (Some(step), Some(StepGroup::Native(_, steps))) => steps.push(step),
                (Some(step), _) => runs.push(StepGroup::Native(number, vec![step])),
                (None, _) => runs.push(StepGroup::Python(number)),
            }
            if !visits_python {
                front_runs = runs.len();
            }
            all.push(PyStep {
                name: name.unbind(),
                component: component.unbind(),
                kwargs: kwargs.map(Bound::unbind),
            });
        }
        Ok(Steps { front: (front, front_runs), all, runs, visits_python })
    }
}
