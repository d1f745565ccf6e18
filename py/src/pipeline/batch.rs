//! A batch of documents on its way through the steps of a plan.
//!
//! Failures are handled in the order of the documents: those before the failed one continue first,
//! then the error is raised, and those after it wait. So each document is either yielded once, or
//! reported by an exception, or skipped by its error handler.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool::pipeline::{Groups, PipelineDoc, Step, annotate_all};
use pyo3::exceptions::PyException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator};

use super::component::{given_groups, set_groups, set_notes};
use super::error_handler::{ComponentError, FailedDoc, as_doc, handle, note};
use super::plan::{Plan, PyStep, StepGroup};
use crate::object::doc::PyDoc;
use crate::runtime::classes::class;
use crate::runtime::error::{check_signals, to_py};
use crate::runtime::gil;
use crate::runtime::user_calls::nested;

/// A document between two step groups.
pub(super) struct StreamItem {
    pub(super) doc: Py<PyDoc>,
    pub(super) context: Option<Py<PyAny>>,
    pub(super) position: usize,
    /// The next step group.
    pub(super) run: usize,
    /// The failure in the last group with the number of the step, if it was not handled yet.
    pub(super) failure: Option<(usize, ComponentError)>,
}

impl StreamItem {
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.doc)?;
        visit.call(&self.context)?;
        self.failure.iter().try_for_each(|(_, raised)| raised.traverse(visit))
    }
}

/// Pending work of a stream, in order.
pub(super) enum PendingWork {
    Batch(VecDeque<StreamItem>),
    /// Items that have passed all step groups.
    Done(VecDeque<StreamItem>),
    Raise(ComponentError),
}

/// Takes a batch through one step group, and puts the results in front of the pending work.
///
/// # Errors
///
/// The exception of a signal handler; the batch is then pending again.
pub(super) fn advance(
    py: Python<'_>,
    plan: &Plan,
    mut batch: VecDeque<StreamItem>,
    pending: &mut VecDeque<PendingWork>,
) -> PyResult<()> {
    if let Some(raised) = handle_failures(py, plan, &mut batch) {
        let (error, rest) = raised;
        pending.push_front(PendingWork::Batch(rest));
        pending.push_front(PendingWork::Raise(ComponentError::new(py, error)));
        pending.push_front(PendingWork::Batch(batch));
        return Ok(());
    }
    let next = batch.iter().map(|item| item.run).min().unwrap_or(plan.runs.len());
    match plan.runs.get(next) {
        None => pending.push_front(PendingWork::Done(batch)),
        Some(StepGroup::Native(first, steps)) => {
            let done = run_native(py, plan, (*first, steps), next, &mut batch);
            pending.push_front(PendingWork::Batch(batch));
            done?;
        }
        Some(StepGroup::Python(step)) => {
            let (done, raised, rest) = run_python(py, plan, &plan.steps[*step], batch);
            pending.push_front(PendingWork::Batch(rest));
            if let Some(error) = raised {
                pending.push_front(PendingWork::Raise(ComponentError::new(py, error)));
            }
            pending.push_front(PendingWork::Batch(done));
        }
    }
    Ok(())
}

/// Calls the error handlers of the failed items. If one raises, returns its error with the items
/// after the failed one; `batch` keeps those before.
fn handle_failures(
    py: Python<'_>,
    plan: &Plan,
    batch: &mut VecDeque<StreamItem>,
) -> Option<(PyErr, VecDeque<StreamItem>)> {
    while let Some(at) = batch.iter().position(|item| item.failure.is_some()) {
        let rest = batch.split_off(at + 1);
        let Some(StreamItem { doc, position, failure: Some((step, error)), .. }) = batch.pop_back()
        else {
            return None;
        };
        let PyStep { name, component, .. } = &plan.steps[step];
        let (name, component, doc) = (name.bind(py), component.bind(py), doc.bind(py));
        let error = error.error(py);
        if let Err(error) = handle(plan, &FailedDoc { name, component, doc, position }, error) {
            return Some((error, rest));
        }
        batch.extend(rest);
    }
    None
}

/// Takes the items that are at this native step group through it, all at once.
fn run_native(
    py: Python<'_>,
    plan: &Plan,
    (first, steps): (usize, &[Step]),
    run: usize,
    batch: &mut VecDeque<StreamItem>,
) -> PyResult<()> {
    // A document that is in the batch twice waits until the others are done.
    let mut addresses = HashSet::new();
    let (mut numbers, mut inputs) = (Vec::new(), Vec::new());
    for (number, item) in batch.iter_mut().enumerate() {
        if item.run != run || !addresses.insert(item.doc.as_ptr() as usize) {
            continue;
        }
        let doc = item.doc.bind(py);
        let mut groups = Groups::new();
        let result = steps
            .iter()
            .try_for_each(|step| given_groups(doc, &*step.component, &mut groups))
            .and_then(|()| doc.get().sync_tensor(py));
        match result {
            Ok(()) => {
                numbers.push(number);
                inputs.push((doc.clone(), groups));
            }
            Err(error) => {
                (item.run, item.failure) = (run + 1, Some((first, ComponentError::new(py, error))));
            }
        }
    }
    let mut writing = Vec::with_capacity(inputs.len());
    for ((doc, groups), number) in inputs.iter_mut().zip(&numbers) {
        match doc.get().write(py) {
            Ok(guard) => writing.push((*number, guard, std::mem::take(groups))),
            Err(error) => {
                let raised = ComponentError::new(py, error);
                (batch[*number].run, batch[*number].failure) = (run + 1, Some((first, raised)));
            }
        }
    }
    let numbers: Vec<usize> = writing.iter().map(|(number, ..)| *number).collect();
    let mut items: Vec<PipelineDoc<'_>> = writing
        .iter_mut()
        .map(|(_, guard, groups)| PipelineDoc::new(guard, std::mem::take(groups)))
        .collect();
    let waited = {
        let items = &mut items[..];
        gil::waiting(py, || annotate_all(steps, items, plan.threads, &mut check_signals))
    };
    let ended: Vec<_> =
        items.into_iter().map(|item| (item.groups, item.notes, item.result)).collect();
    drop(writing);
    for (number, (groups, notes, ended)) in numbers.into_iter().zip(ended) {
        let Some(ended) = ended else { continue };
        let item = &mut batch[number];
        item.run = run + 1;
        item.failure =
            ended.err().map(|(step, error)| (first + step, ComponentError::new(py, to_py(&error))));
        let doc = item.doc.bind(py);
        let set = set_groups(doc, &groups).and_then(|()| set_notes(doc, notes));
        if let (Err(error), None) = (set, &item.failure) {
            item.failure = Some((first, ComponentError::new(py, error)));
        }
    }
    waited.map_err(|error| to_py(&error))
}

/// Takes a batch through a Python component: through its `pipe` if it has one, else document by
/// document.
fn run_python(
    py: Python<'_>,
    plan: &Plan,
    step: &PyStep,
    mut batch: VecDeque<StreamItem>,
) -> BatchOutcome {
    match step.component.bind(py).getattr_opt("pipe") {
        Ok(Some(pipe)) => piped(plan, step, &pipe, batch),
        Ok(None) => one_by_one(py, plan, step, batch),
        Err(error) => {
            batch.pop_front();
            (VecDeque::new(), Some(error), batch)
        }
    }
}

/// Items that are done, the exception that stopped them, and the remaining items.
type BatchOutcome = (VecDeque<StreamItem>, Option<PyErr>, VecDeque<StreamItem>);

fn one_by_one(
    py: Python<'_>,
    plan: &Plan,
    step: &PyStep,
    mut batch: VecDeque<StreamItem>,
) -> BatchOutcome {
    let (name, component) = (step.name.bind(py), step.component.bind(py));
    let mut done = VecDeque::with_capacity(batch.len());
    let kwargs = match call_kwargs(py, step, None) {
        Ok(kwargs) => kwargs,
        Err(error) => {
            batch.pop_front();
            return (done, Some(error), batch);
        }
    };
    while let Some(mut item) = batch.pop_front() {
        let called = nested(py, || component.call((item.doc.bind(py),), kwargs.as_ref()))
            .and_then(|given| as_doc(name, given));
        match called {
            Ok(doc) => {
                item.run += 1;
                item.doc = doc.unbind();
                done.push_back(item);
            }
            Err(error) => {
                let (doc, position) = (item.doc.bind(py), item.position);
                let failed = FailedDoc { name, component, doc, position };
                if let Err(error) = handle(plan, &failed, error) {
                    return (done, Some(error), batch);
                }
            }
        }
    }
    (done, None, batch)
}

fn piped(
    plan: &Plan,
    step: &PyStep,
    pipe: &Bound<'_, PyAny>,
    mut batch: VecDeque<StreamItem>,
) -> BatchOutcome {
    let py = pipe.py();
    let name = step.name.bind(py);
    let mut done = VecDeque::with_capacity(batch.len());
    let docs: Vec<_> = batch.iter().map(|item| item.doc.clone_ref(py)).collect();
    let docs_in =
        match Bound::new(py, DocIterator(Mutex::new(DocIteratorState { docs, position: 0 }))) {
            Ok(docs_in) => docs_in,
            Err(error) => return (done, Some(error), VecDeque::new()),
        };
    let run = batch.front().map_or(0, |item| item.run);
    let mut run_through = || -> PyResult<()> {
        let kwargs = call_kwargs(py, step, Some(plan.batch_size))?;
        let mut docs_out: Bound<'_, PyIterator> =
            PyIterator::from_object(&nested(py, || pipe.call((&docs_in,), kwargs.as_ref()))?)?;
        while let Some(doc) = nested(py, || docs_out.next().transpose())? {
            let doc = as_doc(name, doc)?;
            let open = batch.len().saturating_sub(docs_in.get().left());
            done.push_back(match_item(&doc, &mut batch, open, run));
        }
        Ok(())
    };
    let raised = run_through().err();
    // Documents that were taken but not returned are left out: an error handler has skipped them,
    // or the error is about one of them.
    let mut open = batch.len().saturating_sub(docs_in.get().end());
    if raised.is_some() && open == 0 {
        // The component failed before it took the next document, and would fail again.
        open = batch.len().min(1);
    }
    let mut rest = batch.split_off(open);
    match &raised {
        None => rest.clear(),
        Some(error) if error.is_instance_of::<PyException>(py) => {
            let place = match (batch.front(), batch.back()) {
                (Some(first), Some(last)) if first.position < last.position => {
                    format!("one of the documents {} to {}", first.position, last.position)
                }
                (Some(only), _) => format!("document {}", only.position),
                _ => "behind the last document".to_owned(),
            };
            let only = batch.front().filter(|_| batch.len() == 1).map(|item| item.doc.bind(py));
            note(error, name, &place, only);
        }
        Some(_) => {}
    }
    (done, raised, rest)
}

/// The item of a document that a component returned, searched among the first `open` ones, which
/// the component has taken. A document that the component created itself replaces the first one
/// with the same text. Without such an item the document becomes an item of its own, with the
/// context that the component has set.
fn match_item(
    doc: &Bound<'_, PyDoc>,
    batch: &mut VecDeque<StreamItem>,
    open: usize,
    run: usize,
) -> StreamItem {
    let py = doc.py();
    let same_text = |item: &StreamItem| {
        let (Ok(own), Ok(other)) = (doc.get().read(py), item.doc.get().read(py)) else {
            return false;
        };
        own.text() == other.text()
    };
    let same = batch.iter().take(open).position(|item| item.doc.is(doc));
    let same = same.or_else(|| batch.iter().take(open).position(same_text));
    let position = batch.front().map_or(0, |item| item.position);
    let (context, position) = if let Some(item) = same.and_then(|at| batch.remove(at)) {
        (item.context, item.position)
    } else {
        // spaCy's components pass the context along in this attribute.
        let context = doc.getattr("_context").ok().filter(|context| !context.is_none());
        (context.map(Bound::unbind), position)
    };
    StreamItem { doc: doc.clone().unbind(), context, position, run: run + 1, failure: None }
}

/// The keyword arguments of a component.
fn call_kwargs<'py>(
    py: Python<'py>,
    step: &PyStep,
    batch_size: Option<usize>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let kwargs = match &step.kwargs {
        Some(kwargs) => kwargs.bind(py).copy()?,
        None if batch_size.is_none() => return Ok(None),
        None => PyDict::new(py),
    };
    match batch_size {
        Some(size) if !kwargs.contains("batch_size")? => kwargs.set_item("batch_size", size)?,
        None if kwargs.contains("batch_size")? => kwargs.del_item("batch_size")?,
        _ => {}
    }
    Ok(Some(kwargs))
}

/// Iterator over the documents of a batch for a component's `pipe`, which counts the documents
/// taken.
#[pyclass(module = "lexpool.pipeline", frozen)]
pub(super) struct DocIterator(Mutex<DocIteratorState>);

class!(DocIterator);

struct DocIteratorState {
    docs: Vec<Py<PyDoc>>,
    position: usize,
}

impl DocIterator {
    fn state(&self) -> MutexGuard<'_, DocIteratorState> {
        // Locked for a few Rust operations only.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of documents that were not taken.
    fn left(&self) -> usize {
        let state = self.state();
        state.docs.len() - state.position
    }

    /// Ends the iterator, and returns the number of documents that were not taken.
    fn end(&self) -> usize {
        let left = self.left();
        let docs = {
            let mut state = self.state();
            state.position = 0;
            std::mem::take(&mut state.docs)
        };
        drop(docs);
        left
    }
}

#[pymethods]
impl DocIterator {
    fn __iter__(slf: PyRef<'_, DocIterator>) -> PyRef<'_, DocIterator> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> Option<Py<PyDoc>> {
        let mut state = self.state();
        let doc = state.docs.get(state.position)?.clone_ref(py);
        state.position += 1;
        Some(doc)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0
            .try_lock()
            .map_or(Ok(()), |docs_in| docs_in.docs.iter().try_for_each(|doc| visit.call(doc)))
    }

    fn __clear__(&self) {
        self.end();
    }
}
