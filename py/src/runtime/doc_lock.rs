//! A value that many may read or one may change, across threads and across calls into Python.
//!
//! Holds unsafe code: the value is handed out by reference under a count of its readers, [`Access`], which
//! has the state machine and its models.
//!
//! While the interpreter has a GIL, the count itself is only touched by who holds it, so a read
//! costs two plain loads and stores. Without one the count is changed atomically. Either way a loop
//! that has let go of the GIL still counts as a reader, and so does a caller further up the stack:
//! a change meets [`BusyError`](crate::runtime::error::BusyError) rather than a reader's slice.
//!
//! A value may be lent to code that neither reads nor writes by these means. Nobody is let in then
//! until [`DocLock::reclaim`] has ended the loan; that is a number of readers too, so it costs those
//! nothing who come to a value that is not lent.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use lexpool_pool::Access;
use pyo3::prelude::*;

use crate::runtime::error::BusyError;
use crate::runtime::gil;

/// How long a change waits for readers in other threads.
const WRITE_TIMEOUT: Duration = Duration::from_millis(20);

/// A value with a count of those who read it.
pub(crate) struct DocLock<T> {
    value: UnsafeCell<T>,
    access: Access,
}

// SAFETY: the value is reached through `read` and `write` only, which let in many readers or one
// writer; so sharing the cell shares `&T` (hence `Sync`) and moves `&mut T` (hence `Send`).
unsafe impl<T: Send + Sync> Sync for DocLock<T> {}

impl<T> DocLock<T> {
    pub(crate) fn new(value: T) -> DocLock<T> {
        DocLock { value: UnsafeCell::new(value), access: Access::new() }
    }

    /// The value, to be read; it may be taken along where the GIL is let go.
    ///
    /// None while it is being changed or lent.
    #[inline]
    pub(crate) fn try_read<'a, 'py>(&'a self, py: Python<'py>) -> Option<ReadGuard<'a, 'py, T>> {
        self.enter().then(|| ReadGuard { lock: self, _py: py })
    }

    /// The value without counting a reader; none while it is being changed or lent, and where
    /// there is no GIL.
    ///
    /// # Safety
    ///
    /// While the reference lives, the GIL is not let go and no code of Python runs.
    #[inline]
    pub(crate) unsafe fn peek<'a>(&'a self, _py: Python<'_>) -> Option<&'a T> {
        if cfg!(Py_GIL_DISABLED) || !self.access.is_readable() {
            return None;
        }
        // SAFETY: nobody is changing the value, and only who gets the GIL could begin to.
        Some(unsafe { &*self.value.get() })
    }

    /// The value, to be changed.
    ///
    /// Waits a moment for readers in other threads, then fails with `BusyError`. One that is lent has
    /// to be recalled first.
    pub(crate) fn write<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<WriteGuard<'a, 'py, T>> {
        if !self.access.claim() {
            let start = Instant::now();
            loop {
                gil::waiting(py, || std::thread::sleep(Duration::from_micros(50)));
                if self.access.claim() {
                    break;
                }
                if start.elapsed() > WRITE_TIMEOUT {
                    return Err(self.busy());
                }
            }
        }
        Ok(WriteGuard { lock: self, _py: py })
    }

    /// The value, to be changed by a caller that has kept it.
    ///
    /// # Safety
    ///
    /// The caller has called [`WriteGuard::leak`] for this value, and this once since.
    pub(crate) unsafe fn reacquire_leaked<'a, 'py>(
        &'a self,
        py: Python<'py>,
    ) -> WriteGuard<'a, 'py, T> {
        WriteGuard { lock: self, _py: py }
    }

    /// Whether the value is lent.
    #[inline]
    pub(crate) fn is_exported(&self) -> bool {
        self.access.is_lent()
    }

    /// The value, to be changed, if it was lent until now.
    pub(crate) fn reclaim<'a, 'py>(&'a self, py: Python<'py>) -> Option<WriteGuard<'a, 'py, T>> {
        self.access.recall().then(|| WriteGuard { lock: self, _py: py })
    }

    /// Why nobody may come in, or change the value.
    #[cold]
    pub(crate) fn busy(&self) -> PyErr {
        let text = if self.access.is_lent() {
            "another thread has just taken the document's tokens for native code; try again"
        } else if self.access.is_changing() {
            "the document is being changed, by another thread or under a lease of its records; \
             come back when that is done"
        } else {
            "the document is being read, by a loop that runs outside of the GIL or by a caller \
             of this function; change it when that is done"
        };
        BusyError::new_err(text)
    }

    /// Counts a reader in. All who count hold the GIL, if there is one.
    fn enter(&self) -> bool {
        if cfg!(Py_GIL_DISABLED) { self.access.enter() } else { self.access.enter_under_lock() }
    }

    fn leave(&self) {
        if cfg!(Py_GIL_DISABLED) { self.access.leave() } else { self.access.leave_under_lock() }
    }
}

/// Leave to read. Bound to the GIL, so that it is given back by who holds it.
pub(crate) struct ReadGuard<'a, 'py, T> {
    lock: &'a DocLock<T>,
    _py: Python<'py>,
}

impl<T> Deref for ReadGuard<'_, '_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the count says that there is a reader, so nobody has `&mut` (type invariant).
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> Drop for ReadGuard<'_, '_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.leave();
    }
}

/// Leave to change.
pub(crate) struct WriteGuard<'a, 'py, T> {
    lock: &'a DocLock<T>,
    _py: Python<'py>,
}

impl<T> Deref for WriteGuard<'_, '_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the count says that this is the only one who may look (type invariant).
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for WriteGuard<'_, '_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> WriteGuard<'_, '_, T> {
    /// Keeps all others away beyond the life of this borrow; see [`DocLock::reacquire_leaked`].
    pub(crate) fn leak(self) {
        std::mem::forget(self);
    }

    /// Ends the change by lending the value; see [`DocLock::reclaim`].
    pub(crate) fn export(self) {
        self.lock.access.lend();
        std::mem::forget(self);
    }
}

impl<T> Drop for WriteGuard<'_, '_, T> {
    fn drop(&mut self) {
        self.lock.access.release();
    }
}
