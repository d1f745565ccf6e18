//! `nlp.pipe` and `Tokenizer.pipe`: a stream of texts or documents in, documents out in the same order.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use std::{mem, vec};

use lexpool::pipeline::{Outcome, Pipeline};
use lexpool::threads::Job;
use lexpool::tokenizer::Text;
use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use super::batch::{Due, Item, advance};
use super::error_handler::Raised;
use super::input::Given;
use super::plan::{GivenStep, Plan, Steps};
use super::{set_groups, set_notes};
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::error::{OrRaise, to_py};
use crate::runtime::gil;
use crate::runtime::text_stream::{self, GLANCE, MOST_BYTES, iterator, watch};
use crate::runtime::user_calls::nested;
use crate::tokenizer::PyTokenizer;

/// The documents of a stream of texts. Holds two batches at the most: one whose documents are
/// being given out, and one that other threads are at work on.
#[pyclass(name = "Stream", module = "lexpool.pipeline", frozen)]
pub(crate) struct PyStream {
    plan: Plan,
    state: Mutex<State>,
}

class!(PyStream);

struct State {
    /// None once the garbage collector has cut a circle through the stream.
    texts: Option<Py<PyIterator>>,
    stream: Stream,
    at_work: Option<Batch>,
    /// The batch that came from the threads last; its documents are made as they are asked for.
    ready: Ready,
    /// What goes before it.
    due: VecDeque<Due>,
    taken: usize,
}

/// Whether there are more texts to take.
enum Stream {
    Open,
    Ended,
    /// What it raised, to be raised when the texts before it are done.
    Broken(Raised),
}

/// What was taken from the stream at once.
struct Batch {
    places: Vec<Place>,
    work: Work,
}

/// What is done about the texts of a batch.
enum Work {
    Threads(Job<Vec<Outcome>>),
    /// On the caller's thread, text by text.
    Here(vec::IntoIter<Text>, Vec<Outcome>),
}

/// An item of the stream, in its place.
struct Place {
    kind: Kind,
    context: Option<Py<PyAny>>,
    position: usize,
}

enum Kind {
    /// The next of those that the threads were given.
    Text,
    Doc(Py<PyDoc>),
    Refused(Raised),
}

#[derive(Default)]
struct Ready {
    places: vec::IntoIter<Place>,
    outcomes: vec::IntoIter<Outcome>,
}

impl PyStream {
    pub(crate) fn new(plan: Plan, texts: &Bound<'_, PyAny>) -> PyResult<PyStream> {
        let state = State {
            texts: Some(iterator(texts)?.unbind()),
            stream: Stream::Open,
            at_work: None,
            ready: Ready::default(),
            due: VecDeque::new(),
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
        // In use means reachable; then there is nothing to collect.
        self.state.try_lock().map_or(Ok(()), |state| state.traverse(&visit))
    }

    fn __clear__(&self) {
        let cleared = self.state.try_lock().ok().map(|mut state| {
            let texts = state.texts.take();
            let stream = mem::replace(&mut state.stream, Stream::Ended);
            let (at_work, ready) = (state.at_work.take(), mem::take(&mut state.ready));
            (texts, stream, at_work, ready, mem::take(&mut state.due))
        });
        drop(cleared);
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py).map_err(|error| no_end(py, error))
    }
}

impl PyStream {
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // The stream may be an iterator written in Python that asks this very pipe for documents.
        let Ok(mut state) = self.state.try_lock() else {
            let text = "this pipe is being read by another thread, or by its own stream of texts or \
                        one of its components";
            return Err(PyRuntimeError::new_err(text));
        };
        let (state, plan) = (&mut *state, &self.plan);
        loop {
            match state.due.pop_front() {
                Some(Due::Raise(error)) => return Err(error.error(py)),
                Some(Due::Batch(batch)) => {
                    advance(py, plan, batch, &mut state.due)?;
                    continue;
                }
                Some(Due::Done(mut batch)) => {
                    let Some(item) = batch.pop_front() else { continue };
                    state.due.push_front(Due::Done(batch));
                    return plan.hand_out(py, item).map(Some);
                }
                None => {}
            }
            if let Some(place) = state.ready.places.next() {
                if plan.ends_with_front() && !matches!(place.kind, Kind::Doc(_)) {
                    let item = state.meet(py, plan, place)?;
                    if item.run == plan.runs.len() && item.failure.is_none() {
                        return plan.hand_out(py, item).map(Some);
                    }
                    state.due.push_back(Due::Batch(VecDeque::from([item])));
                } else {
                    state.meet_all(py, plan, place);
                }
                continue;
            }
            state.start(py, plan)?;
            state.finish(py, plan)?;
            plan.warn(py)?;
            // Work goes on while these documents are given out, or Python works on them.
            if plan.threads != 1 {
                state.start(py, plan)?;
            }
            if state.ready.places.len() == 0 && state.at_work.is_none() && state.due.is_empty() {
                match mem::replace(&mut state.stream, Stream::Ended) {
                    Stream::Open => state.stream = Stream::Open,
                    Stream::Ended => return Ok(None),
                    Stream::Broken(error) => return Err(error.error(py)),
                }
            }
        }
    }
}

/// An error as a stream raises it: a `StopIteration` of a component's would read as the stream's end.
fn no_end(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyStopIteration>(py) {
        return error;
    }
    let raised = PyRuntimeError::new_err("a component or a tokenizer raised StopIteration");
    raised.set_cause(py, Some(error));
    raised
}

impl State {
    /// Starts the next batch, unless one is at work or the stream has ended.
    fn start(&mut self, py: Python<'_>, plan: &Plan) -> PyResult<()> {
        if self.at_work.is_some() || !matches!(self.stream, Stream::Open) {
            return Ok(());
        }
        let (places, texts) = self.take(py, plan);
        if places.is_empty() {
            return Ok(());
        }
        let work = match &plan.front {
            Some(front) if plan.threads != 1 && !texts.is_empty() => {
                // On a thread of a pool the work is done before this comes back.
                let submit = || front.submit(texts, plan.threads);
                Work::Threads(gil::waiting(py, submit).or_raise()?)
            }
            _ => Work::Here(texts.into_iter(), Vec::new()),
        };
        self.at_work = Some(Batch { places, work });
        Ok(())
    }

    /// Takes items from the stream, up to a batch.
    fn take(&mut self, py: Python<'_>, plan: &Plan) -> (Vec<Place>, Vec<Text>) {
        let (mut places, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
        let Some(mut stream) = self.texts.as_ref().map(|texts| texts.bind(py).clone()) else {
            self.stream = Stream::Ended;
            return (places, texts);
        };
        while places.len() < plan.batch_size && bytes < MOST_BYTES {
            let next = match nested(py, || stream.next().transpose()) {
                Ok(None) => {
                    self.stream = Stream::Ended;
                    break;
                }
                Err(error) => {
                    self.stream = Stream::Broken(Raised::new(py, error));
                    break;
                }
                Ok(Some(next)) => next,
            };
            let position = self.taken;
            self.taken += 1;
            let (item, context) = match plan.parts(next, position) {
                Ok(parts) => parts,
                Err(error) => {
                    let kind = Kind::Refused(Raised::new(py, error));
                    places.push(Place { kind, context: None, position });
                    continue;
                }
            };
            let kind = match plan.given(&item, position) {
                Ok(Given::Text(text)) => {
                    bytes += text.as_str().len();
                    texts.push(text);
                    Kind::Text
                }
                Ok(Given::Doc(doc)) => {
                    bytes += doc.get().read(py).map_or(0, |doc| doc.text().len());
                    Kind::Doc(doc.unbind())
                }
                Err(error) => Kind::Refused(Raised::new(py, error)),
            };
            places.push(Place { kind, context: context.map(Bound::unbind), position });
        }
        (places, texts)
    }

    /// Waits for the batch at work.
    fn finish(&mut self, py: Python<'_>, plan: &Plan) -> PyResult<()> {
        let Some(mut batch) = self.at_work.take() else { return Ok(()) };
        let done = match &mut batch.work {
            Work::Threads(job) => watch(py, job),
            Work::Here(texts, done) => {
                let front = plan.front.as_ref();
                let worked = front.map_or(Ok(()), |front| work_here(py, front, texts, done));
                worked.map(|()| Ok(mem::take(done)))
            }
        };
        match done {
            Ok(Ok(outcomes)) => {
                let (places, outcomes) = (batch.places.into_iter(), outcomes.into_iter());
                self.ready = Ready { places, outcomes };
                Ok(())
            }
            // As in a child of the process that began it.
            Ok(Err(error)) => {
                self.due.push_back(Due::Raise(Raised::new(py, to_py(&error))));
                Ok(())
            }
            Err(signal) => {
                self.at_work = Some(batch);
                Err(signal)
            }
        }
    }

    /// The document in a place, with what went wrong with it so far.
    ///
    /// # Errors
    ///
    /// Why there is none.
    fn meet(&mut self, py: Python<'_>, plan: &Plan, place: Place) -> PyResult<Item> {
        let Place { kind, context, position } = place;
        let (doc, run, failure) = match kind {
            Kind::Refused(error) => return Err(error.error(py)),
            Kind::Doc(doc) => (doc, 0, None),
            Kind::Text => {
                let outcome = self.ready.outcomes.next().ok_or_else(|| {
                    PyRuntimeError::new_err("a text was lost on its way; this is a bug in lexpool")
                })?;
                let (made, failure) = match outcome {
                    Ok(made) => (Some(made), None),
                    Err(failed) => {
                        let step = failed.step.as_ref().map_or(0, |(step, _)| *step);
                        (failed.annotated, Some((step, to_py(&failed.error))))
                    }
                };
                let failure = failure.map(|(step, error)| (step, Raised::new(py, error)));
                let Some(made) = made else {
                    return Err(
                        failure.map_or_else(|| PyRuntimeError::new_err(""), |(_, e)| e.error(py))
                    );
                };
                let doc = Bound::new(py, PyDoc::new(made.doc, plan.vocab.clone_ref(py)))?;
                set_groups(&doc, &made.groups)?;
                set_notes(&doc, made.notes)?;
                (doc.unbind(), plan.front_runs, failure)
            }
        };
        if let (Some(context), true) = (&context, plan.visits_python) {
            // Where components of spaCy's kind look for it.
            doc.get().extras.set(py, "_context", context.bind(py))?;
        }
        Ok(Item { doc, context, position, run, failure })
    }

    /// Makes a batch of all that are ready; what cannot be one is raised in its turn.
    fn meet_all(&mut self, py: Python<'_>, plan: &Plan, first: Place) {
        let mut items = VecDeque::with_capacity(1 + self.ready.places.len());
        let mut place = Some(first);
        while let Some(next) = place {
            match self.meet(py, plan, next) {
                Ok(item) => items.push_back(item),
                Err(error) => {
                    self.due.push_back(Due::Batch(mem::take(&mut items)));
                    self.due.push_back(Due::Raise(Raised::new(py, error)));
                }
            }
            place = self.ready.places.next();
        }
        self.due.push_back(Due::Batch(items));
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.texts)?;
        if let Stream::Broken(raised) = &self.stream {
            raised.traverse(visit)?;
        }
        let at_work = self.at_work.iter().flat_map(|batch| &batch.places);
        for Place { kind, context, .. } in at_work.chain(self.ready.places.as_slice()) {
            visit.call(context)?;
            match kind {
                Kind::Text => {}
                Kind::Doc(doc) => visit.call(doc)?,
                Kind::Refused(raised) => raised.traverse(visit)?,
            }
        }
        self.due.iter().try_for_each(|due| match due {
            Due::Batch(items) | Due::Done(items) => {
                items.iter().try_for_each(|item| item.traverse(visit))
            }
            Due::Raise(raised) => raised.traverse(visit),
        })
    }
}

/// Works on texts on this thread, with an eye on signals; where one raises, the others wait.
fn work_here(
    py: Python<'_>,
    front: &Pipeline,
    texts: &mut vec::IntoIter<Text>,
    done: &mut Vec<Outcome>,
) -> PyResult<()> {
    let never = AtomicBool::new(false);
    while texts.len() > 0 {
        gil::detached(py, || {
            let began = Instant::now();
            for text in texts.by_ref() {
                done.push(front.annotate(text, &never));
                if began.elapsed() >= GLANCE {
                    break;
                }
            }
        });
        py.check_signals()?;
    }
    Ok(())
}

/// A stream of a pipeline.
///
/// tokenizer: what cuts texts natively; None where `make_doc` does. make_doc: makes a document of any
/// other item. steps: for each component its name, itself, what does the same natively or None, and
/// further arguments or None.
#[pyfunction]
#[pyo3(signature = (texts, *, tokenizer, vocab, steps, make_doc, error_handler, max_length,
                    as_tuples, batch_size, n_threads))]
#[expect(clippy::too_many_arguments, reason = "called by lexpool/language.py alone")]
fn stream(
    texts: &Bound<'_, PyAny>,
    tokenizer: Option<Bound<'_, PyTokenizer>>,
    vocab: Bound<'_, PyVocab>,
    steps: Vec<GivenStep<'_>>,
    make_doc: Py<PyAny>,
    error_handler: Option<Py<PyAny>>,
    max_length: usize,
    as_tuples: bool,
    batch_size: isize,
    n_threads: isize,
) -> PyResult<PyStream> {
    let py = texts.py();
    let (batch_size, threads) =
        (text_stream::batch_size(batch_size)?, text_stream::threads(n_threads)?);
    let Steps { front: (native, front_runs), all: steps, runs, visits_python } = Steps::new(steps)?;
    let front = tokenizer.map(|own| own.get().parts(py)).transpose()?;
    let (front, vocab) = match front {
        Some((tokenizer, vocab)) => (Some(Pipeline::new(tokenizer, native)), vocab),
        None => (None, vocab.unbind()),
    };
    let plan = Plan {
        vocab,
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
