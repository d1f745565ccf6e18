//! Shared parts of streams of texts: conversion of their items, and waiting for a batch.

use std::time::Duration;

use lexpool::limits;
use lexpool::threads::{Job, Progress};
use lexpool::tokenizer::Text;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use crate::runtime::error::OrRaise;
use crate::runtime::gil;
use crate::runtime::text::text;

/// Size in bytes at which a batch is closed, whatever its number of texts.
pub(crate) const MAX_BATCH_BYTES: usize = 4 << 20;

/// Interval at which a wait for documents checks for signals such as Ctrl-C.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Waits for the next result of a job and handles signals meanwhile; `None` if all were taken. If a
/// signal handler raises, the job continues and can be waited for again.
pub(crate) fn wait_with_signals<T: Send + 'static>(
    py: Python<'_>,
    job: &mut Job<T>,
) -> PyResult<lexpool::Result<Option<T>>> {
    loop {
        match gil::waiting(py, || job.next(SIGNAL_INTERVAL)) {
            Ok(Progress::Working) => py.check_signals()?,
            Ok(Progress::Done(result)) => return Ok(Ok(Some(result))),
            Ok(Progress::Ended) => return Ok(Ok(None)),
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// Converts an item of a stream of texts.
///
/// # Errors
///
/// `TypeError` if it is not a `str`, with its position; `UnicodeEncodeError` for a lone surrogate.
pub(crate) fn as_text(item: &Bound<'_, PyAny>, position: usize) -> PyResult<Text> {
    let Ok(string) = item.cast::<PyString>() else {
        let class = item.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "text {position} of the stream must be a str, not {class}"
        )));
    };
    text(string)
}

/// The iterator of a stream. A single `str` is an error, since its characters would be taken for
/// texts.
pub(crate) fn iterator<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    if texts.is_instance_of::<PyString>() {
        let text = "pipe() expected an iterable of texts, not a single text; wrap it: \
                    pipe([text])";
        return Err(PyTypeError::new_err(text));
    }
    PyIterator::from_object(texts)
}

/// Validates a number of threads.
pub(crate) fn thread_count(count: isize) -> PyResult<usize> {
    usize::try_from(count).map_err(|_| {
        let text = format!(
            "n_threads is {count}; expected a number of threads, or 0 for all \
                            cores"
        );
        PyValueError::new_err(text)
    })
}

/// Validates a batch size.
pub(crate) fn batch_size(size: isize) -> PyResult<usize> {
    if size < 1 {
        return Err(PyValueError::new_err(format!("batch_size is {size}; expected at least 1")));
    }
    limits::PIPE_BATCH.check(size, "batch_size").or_raise()
}
