//! What a stream does with a document: its runs of native components, and those of Python's between.

use std::sync::Arc;

use lexpool::pipeline::{Pipeline, Step};
use lexpool::tokenizer::Tokenizer;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::PyComponent;
use crate::error::warn;
use crate::vocab::PyVocab;

/// A component as it is given to a stream: its name, what is called, what does the same natively, and
/// further arguments.
pub(super) type GivenStep<'py> = (
    Bound<'py, PyString>,
    Bound<'py, PyAny>,
    Option<Bound<'py, PyComponent>>,
    Option<Bound<'py, PyDict>>,
);

/// What is done with each item of a stream.
pub(crate) struct Plan {
    pub(super) vocab: Py<PyVocab>,
    /// The tokenizer with the native run in front; none where texts become documents in Python.
    pub(super) front: Option<Pipeline>,
    pub(super) runs: Vec<Run>,
    /// Makes a document of an item that is no text, or of any where there is no front.
    pub(super) make_doc: Option<Py<PyAny>>,
    /// For components that have no error handler; none raises.
    pub(super) default_handler: Option<Py<PyAny>>,
    /// The most characters of a text.
    pub(super) max_length: Option<usize>,
    pub(super) as_tuples: bool,
    pub(super) batch_size: usize,
    pub(super) threads: usize,
}

/// Components that a batch goes through at once.
pub(super) enum Run {
    /// Without the GIL; each step has its component beside it, for handlers of errors.
    Native(Vec<Step>, Vec<Py<PyAny>>),
    /// One of Python's.
    Python(PyStep),
}

/// A component that is called in Python.
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
            front: Some(Pipeline::new(tokenizer, Vec::new())),
            runs: Vec::new(),
            make_doc: None,
            default_handler: None,
            max_length: None,
            as_tuples: false,
            batch_size,
            threads,
        }
    }

    /// The number of runs that texts have behind them when they come from the threads.
    pub(super) fn front_runs(&self) -> usize {
        usize::from(self.front.as_ref().is_some_and(|front| !front.steps().is_empty()))
    }

    /// Whether what comes from the threads is done.
    pub(super) fn ends_with_front(&self) -> bool {
        self.runs.len() == self.front_runs()
    }

    /// Whether a document comes to Python before it is handed out.
    pub(super) fn visits_python(&self) -> bool {
        self.runs.iter().any(|run| matches!(run, Run::Python(_)))
    }

    /// Warns of what native components have met since this was last called.
    pub(super) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let front = self.front.iter().flat_map(Pipeline::steps);
        let later = self.runs.iter().flat_map(|run| match run {
            Run::Native(steps, _) => &steps[..],
            Run::Python(_) => &[],
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
        self.runs.iter().try_for_each(|run| match run {
            Run::Native(_, components) => components.iter().try_for_each(|each| visit.call(each)),
            Run::Python(step) => {
                visit.call(&step.component)?;
                visit.call(&step.kwargs)
            }
        })
    }
}

/// Steps, put together where one native one follows another.
pub(super) fn runs_of(steps: Vec<GivenStep<'_>>) -> PyResult<Vec<Run>> {
    let mut runs = Vec::new();
    for (name, component, native, kwargs) in steps {
        let Some(native) = native else {
            let kwargs = kwargs.map(Bound::unbind);
            let step = PyStep { name: name.unbind(), component: component.unbind(), kwargs };
            runs.push(Run::Python(step));
            continue;
        };
        let step = Step { name: name.to_str()?.to_owned(), component: Arc::clone(&native.get().0) };
        if let Some(Run::Native(steps, components)) = runs.last_mut() {
            steps.push(step);
            components.push(component.unbind());
        } else {
            runs.push(Run::Native(vec![step], vec![component.unbind()]));
        }
    }
    Ok(runs)
}
