//! Sequences and iterables of callers, read item by item.
//!
//! The length that an object claims is never believed: PyO3's `Vec<T>` reserves `len()` items
//! before it reads one, and an iterator of PyO3's reports `__length_hint__`, so that
//! `range(2**62)` would end the process. Here memory grows with the items that have arrived, and
//! only exact lists, tuples and ranges, whose lengths are true, are reserved for at once. Refused
//! memory is a `MemoryError`, and signals are handled between items, so Ctrl-C ends a sequence
//! without end.
//!
//! Clippy refuses a bare `try_iter` (`disallowed-methods`), and `tests/workspace` a `Vec` that is
//! an argument or is extracted.
//!
//! Unsafe code: asks CPython if an object is a sequence.
//!
//! Invariants:
//! - **Q1** A borrowed object is alive, and this thread holds the GIL.

use std::ops::Deref;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::iter::{BoundListIterator, BoundTupleIterator};
use pyo3::types::{PyIterator, PyList, PyRange, PySequence, PyString, PyTuple};
use pyo3::{Borrowed, CastError, PyTypeInfo, ffi};

use super::error::to_py;
use super::gil;

/// Number of items after which signals are handled.
const SIGNALS_EVERY: usize = 1 << 12;

/// Number of items after which other threads may run: some milliseconds of work. An iterator that
/// is not written in Python, such as that of a `range`, never lets them.
const TURNS_EVERY: usize = 1 << 18;

/// The items of a sequence that a caller passed, as an argument or as a part of one.
///
/// Takes what PyO3 takes as `Vec<T>`, with the same exceptions: objects of the sequence protocol,
/// but neither `str` nor `dict`.
#[derive(Debug)]
pub(crate) struct Items<T>(Vec<T>);

impl<T> Items<T> {
    pub(crate) fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T> Default for Items<T> {
    fn default() -> Items<T> {
        Items(Vec::new())
    }
}

impl<T> Deref for Items<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> IntoIterator for Items<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Items<T> {
    type Error = PyErr;

    fn extract(sequence: Borrowed<'_, 'py, PyAny>) -> PyResult<Items<T>> {
        if sequence.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("expected a sequence of items, not a single str"));
        }
        // SAFETY: Q1.
        if unsafe { ffi::PySequence_Check(sequence.as_ptr()) } == 0 {
            let expected = PySequence::type_object(sequence.py()).into_any();
            return Err(CastError::new(sequence, expected).into());
        }
        read(&sequence, |item| item.extract().map_err(Into::into)).map(Items)
    }
}

/// Reads all items of an iterable.
///
/// # Errors
///
/// `TypeError` for an object without items, `MemoryError` if memory for more items is refused, and
/// the exceptions of the iterator, of `item` and of signal handlers.
pub(crate) fn read<'py, T>(
    iterable: &Bound<'py, PyAny>,
    item: impl FnMut(Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    iterate(iterable)?.read(item)
}

/// Reserves memory for more items.
///
/// # Errors
///
/// `MemoryError` if it is refused.
pub(crate) fn reserve<T>(items: &mut Vec<T>, more: usize) -> PyResult<()> {
    items.try_reserve(more).map_err(|refused| to_py(&refused.into()))
}

/// Returns an iterator over an iterable, which handles signals between the items.
///
/// # Errors
///
/// `TypeError` for an object without items, `OverflowError` for a range of 2^63 items or more.
pub(crate) fn iterate<'py>(iterable: &Bound<'py, PyAny>) -> PyResult<ItemIterator<'py>> {
    let source = if let Ok(list) = iterable.cast_exact::<PyList>() {
        Source::List(list.iter())
    } else if let Ok(tuple) = iterable.cast_exact::<PyTuple>() {
        Source::Tuple(tuple.iter())
    } else {
        let len = if iterable.is_exact_instance_of::<PyRange>() { iterable.len()? } else { 0 };
        Source::Other(PyIterator::from_object(iterable)?, len)
    };
    Ok(ItemIterator { source, count: 0 })
}

/// An iterator over an iterable of a caller. It has no `size_hint`, which would be a claim.
pub(crate) struct ItemIterator<'py> {
    source: Source<'py>,
    /// The number of items that were read.
    count: usize,
}

enum Source<'py> {
    /// A list, which may shrink meanwhile.
    List(BoundListIterator<'py>),
    Tuple(BoundTupleIterator<'py>),
    /// An iterator and the number of its items that are certain.
    Other(Bound<'py, PyIterator>, usize),
}

impl<'py> ItemIterator<'py> {
    /// Reads all items that are left; errors as for [`read`].
    pub(crate) fn read<T>(
        self,
        item: impl FnMut(Bound<'py, PyAny>) -> PyResult<T>,
    ) -> PyResult<Vec<T>> {
        match self.source {
            Source::List(list) => collected(list.len(), list.map(Ok), item),
            Source::Tuple(tuple) => collected(tuple.len(), tuple.map(Ok), item),
            Source::Other(iterator, len) => collected(len, iterator, item),
        }
    }
}

impl<'py> Iterator for ItemIterator<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    fn next(&mut self) -> Option<PyResult<Bound<'py, PyAny>>> {
        let next = match &mut self.source {
            Source::List(list) => Ok(list.next()?),
            Source::Tuple(tuple) => Ok(tuple.next()?),
            Source::Other(iterator, _) => iterator.next()?,
        };
        self.count += 1;
        Some(next.and_then(|item| pause(item.py(), self.count).map(|()| item)))
    }
}

/// The items of an iterator, of which so many are certain.
#[inline]
fn collected<'py, T>(
    len: usize,
    iterator: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    mut item: impl FnMut(Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let mut items = Vec::new();
    reserve(&mut items, len)?;
    for next in iterator {
        let next = next?;
        pause(next.py(), items.len() + 1)?;
        let next = item(next)?;
        if items.len() == items.capacity() {
            reserve(&mut items, 1)?;
        }
        items.push(next);
    }
    Ok(items)
}

/// Lets signal handlers run after some items, and other threads after more.
#[inline]
fn pause(py: Python<'_>, count: usize) -> PyResult<()> {
    if count % SIGNALS_EVERY != 0 {
        return Ok(());
    }
    if count % TURNS_EVERY == 0 {
        gil::waiting(py, || ());
    }
    py.check_signals()
}
