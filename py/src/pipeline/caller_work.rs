//! The work of `nlp.pipe` on one thread.

use std::iter::Peekable;
use std::sync::atomic::AtomicBool;
use std::vec;

use lexpool::pipeline::{AnnotationResult, Pipeline};
use lexpool::threads::Job;
use lexpool::tokenizer::Text;
use pyo3::prelude::*;

use crate::runtime::gil;
use crate::runtime::text_stream::wait_with_signals;

/// Texts that the thread that iterates annotates group by group.
///
/// A long text is annotated by a thread of a pool while the iterating one waits, since Ctrl-C can
/// end a wait, but not work. So one thread works at a time.
pub(super) struct CallerWork {
    texts: Peekable<vec::IntoIter<Text>>,
    /// The work on a long text; `Some` if a signal handler has ended the wait for it.
    long: Option<Job<Vec<AnnotationResult>>>,
}

impl CallerWork {
    pub(super) fn new(texts: Vec<Text>) -> CallerWork {
        CallerWork { texts: texts.into_iter().peekable(), long: None }
    }

    /// Annotates the next group of texts; returns an empty list after the last one. If a signal
    /// handler raises, the next call waits for the same text.
    pub(super) fn next_group(
        &mut self,
        py: Python<'_>,
        front: &Pipeline,
    ) -> PyResult<lexpool::Result<Vec<AnnotationResult>>> {
        let job = match self.long.take() {
            Some(job) => job,
            None => match self.texts.next_if(|text| front.is_long(text)) {
                // On a pool thread `submit` does the work before it returns.
                Some(text) => match gil::waiting(py, || front.submit(vec![text], 1)) {
                    Ok(job) => job,
                    Err(error) => return Ok(Err(error)),
                },
                None => return Ok(Ok(self.next_short(py, front))),
            },
        };
        let done = wait_with_signals(py, self.long.insert(job))?;
        self.long = None;
        Ok(done.map(Option::unwrap_or_default))
    }

    fn next_short(&mut self, py: Python<'_>, front: &Pipeline) -> Vec<AnnotationResult> {
        let (texts, never) = (&mut self.texts, AtomicBool::new(false));
        gil::detached(py, || front.annotate_next(texts, &never))
    }
}
