//! `Tokenizer.pipe`: a stream of texts in, documents out in the same order.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use std::{mem, vec};

use lexpool::tokenizer::{Job, Text, Tokenizer};
use lexpool::tokens::Doc;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::doc::PyDoc;
use crate::error::OrRaise;
use crate::text::text;
use crate::vocab::PyVocab;

/// A batch is closed when its texts reach this size, whatever their number.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// How often a wait for documents looks for signals such as Ctrl-C.
const GLANCE: Duration = Duration::from_millis(50);

/// The documents of a stream of texts. Holds two batches at the most: one whose documents are
/// being given out, and one that other threads are at work on.
#[pyclass(name = "Pipe", module = "lexpool.tokenizer", frozen)]
pub(crate) struct PyPipe {
    tokenizer: Arc<Tokenizer>,
    vocab: Py<PyVocab>,
    batch_size: usize,
    threads: usize,
    state: Mutex<State>,
}

struct State {
    /// None once the garbage collector has cut a circle through the stream.
    texts: Option<Py<PyIterator>>,
    stream: Stream,
    at_work: Option<Job>,
    ready: vec::IntoIter<lexpool::Result<Doc>>,
    taken: usize,
}

/// Whether there are more texts to take.
enum Stream {
    Open,
    Ended,
    /// What it raised, to be raised when the texts before it are done.
    Broken(PyErr),
}

impl PyPipe {
    pub(crate) fn new(
        tokenizer: Arc<Tokenizer>,
        vocab: Py<PyVocab>,
        texts: &Bound<'_, PyAny>,
        batch_size: isize,
        n_threads: isize,
    ) -> PyResult<PyPipe> {
        let Ok(threads) = usize::try_from(n_threads) else {
            let text =
                format!("n_threads is {n_threads}; it is a number of threads, or 0 for all cores");
            return Err(PyValueError::new_err(text));
        };
        let batch_size = match usize::try_from(batch_size) {
            Ok(size) if size > 0 => size,
            _ => {
                let text = format!("batch_size is {batch_size}; a batch has at least one text");
                return Err(PyValueError::new_err(text));
            }
        };
        if texts.is_instance_of::<PyString>() {
            let text = "pipe() takes an iterable of texts, not one text; wrap it: pipe([text])";
            return Err(PyTypeError::new_err(text));
        }
        let state = State {
            texts: Some(texts.try_iter()?.unbind()),
            stream: Stream::Open,
            at_work: None,
            ready: Vec::new().into_iter(),
            taken: 0,
        };
        Ok(PyPipe { tokenizer, vocab, batch_size, threads, state: Mutex::new(state) })
    }

    /// Starts the next batch, unless one is at work or the stream has ended.
    fn start(&self, py: Python<'_>, state: &mut State) -> PyResult<()> {
        if state.at_work.is_some() || !matches!(state.stream, Stream::Open) {
            return Ok(());
        }
        let texts = self.take(py, state);
        if texts.is_empty() {
            return Ok(());
        }
        if self.threads == 1 {
            let never = AtomicBool::new(false);
            let docs = py.detach(|| self.tokenizer.tokenize_all(texts, 1, &never)).or_raise()?;
            state.ready = docs.into_iter();
        } else {
            state.at_work = Some(self.tokenizer.submit(texts, self.threads).or_raise()?);
        }
        Ok(())
    }

    /// Takes texts from the stream; stops before one that is no text, and remembers why.
    fn take(&self, py: Python<'_>, state: &mut State) -> Vec<Text> {
        let mut texts = Vec::new();
        let mut bytes = 0;
        let Some(mut stream) = state.texts.as_ref().map(|texts| texts.bind(py).clone()) else {
            state.stream = Stream::Ended;
            return texts;
        };
        while texts.len() < self.batch_size && bytes < MOST_BYTES {
            let next = match stream.next() {
                None => {
                    state.stream = Stream::Ended;
                    break;
                }
                Some(next) => next.and_then(|next| as_text(&next, state.taken)),
            };
            match next {
                Ok(text) => {
                    bytes += text.as_str().len();
                    state.taken += 1;
                    texts.push(text);
                }
                Err(error) => {
                    state.stream = Stream::Broken(error);
                    break;
                }
            }
        }
        texts
    }
}

/// Waits for the batch at work.
fn finish(py: Python<'_>, state: &mut State) -> PyResult<()> {
    if let Some(job) = &mut state.at_work {
        state.ready = watch(py, job)?.into_iter();
        state.at_work = None;
    }
    Ok(())
}

/// Waits for a job with an eye on signals; the job goes on when one raises, and can be waited for
/// again.
pub(crate) fn watch(py: Python<'_>, job: &mut Job) -> PyResult<Vec<lexpool::Result<Doc>>> {
    loop {
        if let Some(docs) = py.detach(|| job.wait(GLANCE)) {
            return Ok(docs);
        }
        py.check_signals()?;
    }
}

#[pymethods]
impl PyPipe {
    fn __iter__(slf: PyRef<'_, PyPipe>) -> PyRef<'_, PyPipe> {
        slf
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)?;
        // In use means reachable; then there is nothing to collect.
        self.state.try_lock().map_or(Ok(()), |state| visit.call(&state.texts))
    }

    fn __clear__(&self) {
        let texts = self.state.try_lock().ok().and_then(|mut state| state.texts.take());
        drop(texts);
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyDoc>> {
        // The stream may be an iterator written in Python that asks this very pipe for documents.
        let Ok(mut state) = self.state.try_lock() else {
            let text = "this pipe is being read by another thread, or by its own stream of texts";
            return Err(PyRuntimeError::new_err(text));
        };
        let state = &mut *state;
        loop {
            if let Some(doc) = state.ready.next() {
                return Ok(Some(PyDoc::new(doc.or_raise()?, self.vocab.clone_ref(py))));
            }
            self.start(py, state)?;
            finish(py, state)?;
            // Work goes on while these documents are given out.
            self.start_ahead(py, state)?;
            if state.ready.len() == 0 && state.at_work.is_none() {
                match mem::replace(&mut state.stream, Stream::Ended) {
                    Stream::Open => state.stream = Stream::Open,
                    Stream::Ended => return Ok(None),
                    Stream::Broken(error) => return Err(error),
                }
            }
        }
    }
}

impl PyPipe {
    /// Starts a batch ahead of need, when threads are there to work on it.
    fn start_ahead(&self, py: Python<'_>, state: &mut State) -> PyResult<()> {
        if self.threads == 1 { Ok(()) } else { self.start(py, state) }
    }
}

/// An item of a stream of texts as a text.
///
/// # Errors
///
/// `TypeError` for what is none, with its position; `UnicodeEncodeError` for a lone surrogate.
pub(crate) fn as_text(item: &Bound<'_, PyAny>, position: usize) -> PyResult<Text> {
    let Ok(string) = item.cast::<PyString>() else {
        let given = item.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "text {position} of the stream is no str but {given}"
        )));
    };
    text(string)
}
