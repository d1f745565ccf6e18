//! `nlp.pipe` and `Tokenizer.pipe`: a stream of texts or documents in, documents out in the same
//! order.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;
use std::{mem, vec};

use lexpool::pipeline::{AnnotationResult, Pipeline};
use lexpool::threads::{Job, Progress};
use lexpool::tokenizer::Text;
use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use super::batch::{PendingWork, StreamItem, advance};
use super::caller_work::CallerWork;
use super::component::{set_groups, set_notes};
use super::error_handler::ComponentError;
use super::input::StreamInput;
use super::plan::{Plan, StepArgument, Steps};
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::{OrRaise, to_py};
use crate::runtime::gil;
use crate::runtime::items::Items;
use crate::runtime::text_stream::{self, SIGNAL_INTERVAL, iterator};
use crate::runtime::user_calls::nested;
use crate::tokenizer::{PyTokenizer, segmenter_with_details};

/// The documents of a stream of texts. At most two batches are in memory: one whose documents are
/// being yielded, and one for other threads to work on.
///
/// The thread that iterates takes part in the work: where the next document is not done, it does
/// other texts of the two batches. So `n_threads` is the number of threads in all.
// stub: class Stream(Generic[_Item])
#[pyclass(name = "Stream", module = "lexpool.pipeline", frozen)]
pub(crate) struct PyStream {
    plan: Plan,
    state: Mutex<StreamState>,
}

class!(PyStream);

struct StreamState {
    /// `None` after the garbage collector has broken a cycle through the stream.
    texts: Option<Py<PyIterator>>,
    stream: InputState,
    /// The batch whose Python documents are created as they are requested.
    front: Batch,
    /// The batch after that, if it was begun.
    next: Option<Batch>,
    /// Work that precedes the batch in `front`.
    pending: VecDeque<PendingWork>,
    taken: usize,
}

/// The state of the input iterator.
enum InputState {
    Open,
    Ended,
    /// The exception that the iterator raised, to be raised after the documents of the texts before
    /// it.
    Broken(ComponentError),
}

/// Items that were taken from the input together.
#[derive(Default)]
struct Batch {
    slots: vec::IntoIter<BatchSlot>,
    work: BatchWork,
    /// The results of the last group of texts.
    outcomes: vec::IntoIter<AnnotationResult>,
}

/// The annotation of the texts of a batch, group by group.
enum BatchWork {
    Threads(Job<Vec<AnnotationResult>>),
    OnCaller(CallerWork),
}

impl Default for BatchWork {
    fn default() -> BatchWork {
        BatchWork::OnCaller(CallerWork::new(Vec::new()))
    }
}

/// An item of the input with its position.
struct BatchSlot {
    kind: SlotContent,
    context: Option<Py<PyAny>>,
    position: usize,
}

enum SlotContent {
    /// The next one of the texts that the threads were given.
    Text,
    Doc(Py<PyDoc>),
    Refused(ComponentError),
}

impl PyStream {
    pub(crate) fn new(plan: Plan, texts: &Bound<'_, PyAny>) -> PyResult<PyStream> {
        let state = StreamState {
            texts: Some(iterator(texts)?.unbind()),
            stream: InputState::Open,
            front: Batch::default(),
            next: None,
            pending: VecDeque::new(),
            taken: 0,
        };
        Ok(PyStream { plan, state: Mutex::new(state) })
    }
}

#[pymethods]
impl PyStream {
    fn __iter__(slf: PyRef<'_, PyStream>) -> PyRef<'_, PyStream> {
        slf
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.plan.traverse(&visit)?;
        // A locked stream is in use, hence reachable, and has nothing to collect.
        self.state.try_lock().map_or(Ok(()), |state| state.traverse(&visit))
    }

    fn __clear__(&self) {
        let cleared = self.state.try_lock().ok().map(|mut state| {
            let texts = state.texts.take();
            let stream = mem::replace(&mut state.stream, InputState::Ended);
            let batches = (mem::take(&mut state.front), state.next.take());
            (texts, stream, batches, mem::take(&mut state.pending))
        });
        drop(cleared);
    }

    // stub: -> _Item
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py).map_err(|error| no_end(py, error))
    }
}

impl PyStream {
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // The input may be a Python iterator that reads from this very pipe.
        let Ok(mut state) = self.state.try_lock() else {
            let text = "this pipe is being read by another thread, or by its own stream of texts or \
                        one of its components";
            return Err(PyRuntimeError::new_err(text));
        };
        let (state, plan) = (&mut *state, &self.plan);
        loop {
            match state.pending.pop_front() {
                Some(PendingWork::Raise(error)) => return Err(error.error(py)),
                Some(PendingWork::Batch(batch)) => {
                    advance(py, plan, batch, &mut state.pending)?;
                    continue;
                }
                Some(PendingWork::Done(mut batch)) => {
                    let Some(item) = batch.pop_front() else { continue };
                    state.pending.push_front(PendingWork::Done(batch));
                    return plan.hand_out(py, item).map(Some);
                }
                None => {}
            }
            if let Some(slot) = state.front.slots.as_slice().first() {
                let is_doc = matches!(slot.kind, SlotContent::Doc(_));
                if !plan.ends_with_front() || is_doc {
                    state.take_all_results(py, plan)?;
                } else if state.needs_outcome() {
                    state.annotate_group(py, plan)?;
                } else {
                    let Some(item) = state.take_result(py, plan)? else { continue };
                    if item.run == plan.runs.len() && item.failure.is_none() {
                        return plan.hand_out(py, item).map(Some);
                    }
                    state.pending.push_back(PendingWork::Batch(VecDeque::from([item])));
                }
                continue;
            }
            state.start(py, plan)?;
            state.front = state.next.take().unwrap_or_default();
            plan.warn(py)?;
            // The threads work while these documents are yielded, or Python works on them.
            if plan.threads != 1 {
                state.start(py, plan)?;
            }
            if state.front.slots.len() == 0 && state.next.is_none() && state.pending.is_empty() {
                match mem::replace(&mut state.stream, InputState::Ended) {
                    InputState::Open => state.stream = InputState::Open,
                    InputState::Ended => return Ok(None),
                    InputState::Broken(error) => return Err(error.error(py)),
                }
            }
        }
    }
}

/// An error as a stream raises it. A `StopIteration` of a component is replaced, since it would
/// look like the end of the stream.
fn no_end(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyStopIteration>(py) {
        return error;
    }
    let raised = PyRuntimeError::new_err("a component or a tokenizer raised StopIteration");
    raised.set_cause(py, Some(error));
    raised
}

impl StreamState {
    /// Starts the next batch, unless one is in progress or the input has ended.
    fn start(&mut self, py: Python<'_>, plan: &Plan) -> PyResult<()> {
        if self.next.is_some() || !matches!(self.stream, InputState::Open) {
            return Ok(());
        }
        let (slots, texts) = self.take(py, plan);
        if slots.is_empty() {
            return Ok(());
        }
        let work = match &plan.front {
            Some(front) if plan.threads != 1 && !texts.is_empty() => {
                // On a pool thread `submit` does the work before it returns.
                let submit = || front.submit(texts, plan.threads);
                BatchWork::Threads(gil::waiting(py, submit).or_raise()?)
            }
            _ => BatchWork::OnCaller(CallerWork::new(texts)),
        };
        self.next =
            Some(Batch { slots: slots.into_iter(), work, outcomes: Vec::new().into_iter() });
        Ok(())
    }

    /// Takes items from the input, up to a batch.
    fn take(&mut self, py: Python<'_>, plan: &Plan) -> (Vec<BatchSlot>, Vec<Text>) {
        let (mut slots, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
        let Some(mut stream) = self.texts.as_ref().map(|texts| texts.bind(py).clone()) else {
            self.stream = InputState::Ended;
            return (slots, texts);
        };
        let most = plan.batch_bytes();
        while slots.len() < plan.batch_size && bytes < most {
            let next = match nested(py, || stream.next().transpose()) {
                Ok(None) => {
                    self.stream = InputState::Ended;
                    break;
                }
                Err(error) => {
                    self.stream = InputState::Broken(ComponentError::new(py, error));
                    break;
                }
                Ok(Some(next)) => next,
            };
            let position = self.taken;
            self.taken += 1;
            let (item, context) = match plan.parts(next, position) {
                Ok(parts) => parts,
                Err(error) => {
                    let kind = SlotContent::Refused(ComponentError::new(py, error));
                    slots.push(BatchSlot { kind, context: None, position });
                    continue;
                }
            };
            let kind = match plan.given(&item, position) {
                Ok(StreamInput::Text(text)) => {
                    bytes += text.as_str().len();
                    texts.push(text);
                    SlotContent::Text
                }
                Ok(StreamInput::Doc(doc)) => {
                    bytes += doc.get().read(py).map_or(0, |doc| doc.text().len());
                    SlotContent::Doc(doc.unbind())
                }
                Err(error) => SlotContent::Refused(ComponentError::new(py, error)),
            };
            slots.push(BatchSlot { kind, context: context.map(Bound::unbind), position });
        }
        (slots, texts)
    }

    /// Returns whether the next slot is a text whose result was not taken from the threads yet.
    fn needs_outcome(&self) -> bool {
        let slot = self.front.slots.as_slice().first();
        let is_text = slot.is_some_and(|slot| matches!(slot.kind, SlotContent::Text));
        is_text && self.front.outcomes.len() == 0
    }

    /// Takes the results of the next group of texts, which this thread annotates if no other has
    /// begun. If a signal handler raises, nothing is lost.
    fn annotate_group(&mut self, py: Python<'_>, plan: &Plan) -> PyResult<()> {
        let group = match (&mut self.front.work, &plan.front) {
            (BatchWork::OnCaller(work), Some(front)) => work.next_group(py, front)?,
            (BatchWork::Threads(job), _) => {
                let next = self.next.as_ref().map(|batch| &batch.work);
                let next = match next {
                    Some(BatchWork::Threads(next)) => Some(next),
                    _ => None,
                };
                next_result(py, job, next)?
            }
            (BatchWork::OnCaller(_), None) => Ok(Vec::new()),
        };
        match group {
            Ok(group) if !group.is_empty() => {
                self.front.outcomes = group.into_iter();
                plan.warn(py)?;
                py.check_signals()
            }
            Ok(_) => Err(lost()),
            // In a child process, after a fork in the one that began the work, or after a panic.
            // The rest of the batch is lost, and the error is raised in its place.
            Err(error) => {
                let position = self.front.slots.as_slice().first().map_or(0, |slot| slot.position);
                let kind = SlotContent::Refused(ComponentError::new(py, to_py(&error)));
                let slots = vec![BatchSlot { kind, context: None, position }].into_iter();
                self.front = Batch { slots, ..Batch::default() };
                Ok(())
            }
        }
    }

    /// Takes the next slot, and returns its document with its failure so far; `None` after the last
    /// slot.
    ///
    /// # Errors
    ///
    /// The error that left no document.
    fn take_result(&mut self, py: Python<'_>, plan: &Plan) -> PyResult<Option<StreamItem>> {
        let Some(slot) = self.front.slots.next() else { return Ok(None) };
        let BatchSlot { kind, context, position } = slot;
        let (doc, run, failure) = match kind {
            SlotContent::Refused(error) => return Err(error.error(py)),
            SlotContent::Doc(doc) => (doc, 0, None),
            SlotContent::Text => {
                let outcome = self.front.outcomes.next().ok_or_else(lost)?;
                let (made, failure) = match outcome {
                    Ok(made) => (Some(made), None),
                    Err(failed) => {
                        let step = failed.step.as_ref().map_or(0, |(step, _)| *step);
                        (failed.annotated, Some((step, to_py(&failed.error))))
                    }
                };
                let failure = failure.map(|(step, error)| (step, ComponentError::new(py, error)));
                let Some(made) = made else {
                    return Err(
                        failure.map_or_else(|| PyRuntimeError::new_err(""), |(_, e)| e.error(py))
                    );
                };
                let doc = PyDoc::new(made.doc, plan.vocab.clone_ref(py));
                let doc = Bound::new(py, doc.with_segmenter(plan.segmenter.clone()))?;
                set_groups(&doc, &made.groups)?;
                set_notes(&doc, made.notes)?;
                (doc.unbind(), plan.front_runs, failure)
            }
        };
        if let (Some(context), true) = (&context, plan.visits_python) {
            // spaCy's components look for the context in this attribute.
            doc.get().python_attributes.set(py, "_context", context.bind(py))?;
        }
        Ok(Some(StreamItem { doc, context, position, run, failure }))
    }

    /// Makes a batch of all slots of the front; the error of a slot without a document is raised in
    /// its turn. If a signal handler raises, the slots so far are a batch of their own.
    fn take_all_results(&mut self, py: Python<'_>, plan: &Plan) -> PyResult<()> {
        let mut items = VecDeque::with_capacity(self.front.slots.len());
        let mut raised = Ok(());
        while raised.is_ok() {
            if self.needs_outcome() {
                raised = self.annotate_group(py, plan);
                continue;
            }
            match self.take_result(py, plan) {
                Ok(None) => break,
                Ok(Some(item)) => items.push_back(item),
                Err(error) => {
                    self.pending.push_back(PendingWork::Batch(mem::take(&mut items)));
                    self.pending.push_back(PendingWork::Raise(ComponentError::new(py, error)));
                }
            }
        }
        self.pending.push_back(PendingWork::Batch(items));
        raised
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.texts)?;
        if let InputState::Broken(raised) = &self.stream {
            raised.traverse(visit)?;
        }
        let batches = self.next.iter().chain([&self.front]);
        for BatchSlot { kind, context, .. } in batches.flat_map(|batch| batch.slots.as_slice()) {
            visit.call(context)?;
            match kind {
                SlotContent::Text => {}
                SlotContent::Doc(doc) => visit.call(doc)?,
                SlotContent::Refused(raised) => raised.traverse(visit)?,
            }
        }
        self.pending.iter().try_for_each(|pending| match pending {
            PendingWork::Batch(items) | PendingWork::Done(items) => {
                items.iter().try_for_each(|item| item.traverse(visit))
            }
            PendingWork::Raise(raised) => raised.traverse(visit),
        })
    }
}

/// Returns the next result of a job, and works on it, then on the next one, while it is not there.
/// If a signal handler raises, the jobs go on and can be asked again.
fn next_result<T: Send + 'static>(
    py: Python<'_>,
    job: &mut Job<T>,
    next: Option<&Job<T>>,
) -> PyResult<lexpool::Result<T>> {
    let mut time = Duration::ZERO;
    loop {
        let progress = match time {
            Duration::ZERO => job.next(time),
            _ => gil::waiting(py, || job.next(time)),
        };
        match progress {
            Ok(Progress::Done(result)) => return Ok(Ok(result)),
            Ok(Progress::Ended) => return Err(lost()),
            Ok(Progress::Working) => {}
            Err(error) => return Ok(Err(error)),
        }
        let helped = gil::detached(py, || match (job.help(), next) {
            (Ok(false), Some(next)) => next.help(),
            (helped, _) => helped,
        });
        match helped {
            Ok(helped) => time = if helped { Duration::ZERO } else { SIGNAL_INTERVAL },
            Err(error) => return Ok(Err(error)),
        }
        py.check_signals()?;
    }
}

fn lost() -> PyErr {
    PyRuntimeError::new_err("a text was lost; please report this bug in lexpool")
}

/// Returns a stream of a pipeline.
///
/// tokenizer: the native tokenizer; None if `make_doc` tokenizes.
/// make_doc: makes a document of any other item.
/// steps: for each component its name, the component, its native equivalent or None, and further
///     arguments or None.
#[pyfunction]
#[pyo3(signature = (texts, *, tokenizer, vocab, steps, make_doc, error_handler, max_length,
                    as_tuples, batch_size, n_threads))]
#[expect(clippy::too_many_arguments, reason = "called by lexpool/language.py alone")]
// stub: (texts: Iterable[Any], steps: list[tuple[str, Any, NativeComponent | None, dict[str,
//     Any] | None]], make_doc: Callable[[Any], Doc], error_handler: Callable[...,
//     Any] | None) -> Stream[Any]
fn stream(
    texts: &Bound<'_, PyAny>,
    tokenizer: Option<Bound<'_, PyTokenizer>>,
    vocab: Bound<'_, PyVocab>,
    steps: Items<StepArgument<'_>>,
    make_doc: Py<PyAny>,
    error_handler: Option<Py<PyAny>>,
    max_length: usize,
    as_tuples: bool,
    batch_size: isize,
    n_threads: isize,
) -> PyResult<PyStream> {
    let py = texts.py();
    let (batch_size, threads) =
        (text_stream::batch_size(batch_size)?, text_stream::thread_count(n_threads)?);
    let Steps { front: (native, front_runs), all: steps, runs, visits_python } = Steps::new(steps)?;
    let front = tokenizer.map(|own| own.get().parts(py)).transpose()?;
    let (segmenter, front, vocab) = match front {
        Some((tokenizer, vocab)) => {
            let segmenter = segmenter_with_details(&tokenizer);
            (segmenter, Some(Pipeline::new(tokenizer, native)), vocab)
        }
        None => (None, None, vocab.unbind()),
    };
    let plan = Plan {
        vocab,
        segmenter,
        front,
        front_runs,
        steps,
        runs,
        visits_python,
        make_doc: Some(make_doc),
        default_handler: error_handler,
        max_length: Some(max_length),
        as_tuples,
        batch_size,
        threads,
    };
    PyStream::new(plan, texts)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyStream>(module)?;
    module.add_function(wrap_pyfunction!(stream, module)?)
}
