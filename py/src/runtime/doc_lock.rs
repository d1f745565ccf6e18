//! Reader-writer lock of a document, valid across threads and across calls into Python.
//!
//! Unsafe code: hands out references to the value, which the reader count guards.
//! [`RwState`] is its state machine, which loom models check.
//!
//! While the interpreter has a GIL, only its holder changes the count, so a read costs two plain
//! loads and stores. Without a GIL the count is atomic. In both cases a loop that has released the
//! GIL still counts as a reader, and so does a caller further up the stack: a writer gets
//! [`BusyError`](crate::runtime::error::BusyError) and never invalidates a reader's slice.
//!
//! A value may be exported to native code that follows none of this. Then nobody gets access until
//! [`DocLock::reclaim`] has ended the export. The exported state is a reserved reader count, so the
//! fast path needs no extra check.
//!
//! Invariants:
//! - **L1** `RwState` allows many readers or one writer at a time; a [`ReadGuard`] or
//!   [`WriteGuard`] exists only while its thread is counted there.
//! - **L2** Readers and writers enter and leave with the GIL held, if there is one; the guards'
//!   lifetime `'py` proves it.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use lexpool_pool::RwState;
use pyo3::prelude::*;

use crate::runtime::error::BusyError;
use crate::runtime::gil;

/// Maximum time that a writer waits for readers in other threads.
const WRITE_TIMEOUT: Duration = Duration::from_millis(20);

/// A value with a count of its readers.
pub(crate) struct DocLock<T> {
    value: UnsafeCell<T>,
    access: RwState,
}

// SAFETY: L1: the value is reached through the guards only, by many readers or one writer; so
// sharing the lock shares `&T` (hence `Sync`) and moves `&mut T` (hence `Send`).
unsafe impl<T: Send + Sync> Sync for DocLock<T> {}

impl<T> DocLock<T> {
    pub(crate) fn new(value: T) -> DocLock<T> {
        DocLock { value: UnsafeCell::new(value), access: RwState::new() }
    }

    /// Locks the value for reading; the guard may be used while the GIL is released.
    ///
    /// Returns `None` while the value is being changed or exported.
    #[inline]
    pub(crate) fn try_read<'a, 'py>(&'a self, py: Python<'py>) -> Option<ReadGuard<'a, 'py, T>> {
        self.enter().then(|| ReadGuard { lock: self, _py: py })
    }

    /// The value without counting a reader. Returns `None` while it is being changed or exported,
    /// and if the interpreter has no GIL.
    ///
    /// # Safety
    ///
    /// While the reference lives, the GIL is not released and no Python code runs.
    #[inline]
    pub(crate) unsafe fn peek<'a>(&'a self, _py: Python<'_>) -> Option<&'a T> {
        if cfg!(Py_GIL_DISABLED) || !self.access.is_readable() {
            return None;
        }
        // SAFETY: L1, L2: nobody is changing the value, and a writer could begin only with the GIL,
        // which the caller keeps.
        Some(unsafe { &*self.value.get() })
    }

    /// Locks the value for writing.
    ///
    /// # Errors
    ///
    /// `BusyError` if readers in other threads have not left after 20 ms. An exported value must be
    /// reclaimed first.
    pub(crate) fn write<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<WriteGuard<'a, 'py, T>> {
        if !self.access.try_write() {
            let start = Instant::now();
            loop {
                gil::waiting(py, || std::thread::sleep(Duration::from_micros(50)));
                if self.access.try_write() {
                    break;
                }
                if start.elapsed() > WRITE_TIMEOUT {
                    return Err(self.busy());
                }
            }
        }
        Ok(WriteGuard { lock: self, _py: py })
    }

    /// Turns a leaked write lock into a guard again.
    ///
    /// # Safety
    ///
    /// The caller leaked the guard of this value with [`WriteGuard::leak`], and calls this once for
    /// it.
    pub(crate) unsafe fn reacquire_leaked<'a, 'py>(
        &'a self,
        py: Python<'py>,
    ) -> WriteGuard<'a, 'py, T> {
        WriteGuard { lock: self, _py: py }
    }

    /// Returns true while the value is exported.
    #[inline]
    pub(crate) fn is_exported(&self) -> bool {
        self.access.is_exported()
    }

    /// Ends an export and locks the value for writing. Returns `None` if it is not exported.
    pub(crate) fn reclaim<'a, 'py>(&'a self, py: Python<'py>) -> Option<WriteGuard<'a, 'py, T>> {
        self.access.try_reclaim().then(|| WriteGuard { lock: self, _py: py })
    }

    /// The error that says why the value cannot be read or changed.
    #[cold]
    pub(crate) fn busy(&self) -> PyErr {
        let text = if self.access.is_exported() {
            "another thread has just exported the document's tokens to native code; try again"
        } else if self.access.is_writing() {
            "the document is being changed, by another thread or under a lease of its records; \
             try again when the change is done"
        } else {
            "the document is being read, by a loop that runs without the GIL or by a caller of \
             this function; change it afterwards"
        };
        BusyError::new_err(text)
    }

    /// Counts a reader in. Every caller holds the GIL, if there is one (L2).
    fn enter(&self) -> bool {
        if cfg!(Py_GIL_DISABLED) {
            self.access.try_read()
        } else {
            self.access.try_read_under_lock()
        }
    }

    fn leave(&self) {
        if cfg!(Py_GIL_DISABLED) {
            self.access.end_read();
        } else {
            self.access.end_read_under_lock();
        }
    }
}

/// Read access. Bound to the GIL, so that its holder gives it back (L2).
pub(crate) struct ReadGuard<'a, 'py, T> {
    lock: &'a DocLock<T>,
    _py: Python<'py>,
}

impl<T> Deref for ReadGuard<'_, '_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: L1: this reader is counted, so no `&mut` exists.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> Drop for ReadGuard<'_, '_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.leave();
    }
}

/// Writes access.
pub(crate) struct WriteGuard<'a, 'py, T> {
    lock: &'a DocLock<T>,
    _py: Python<'py>,
}

impl<T> Deref for WriteGuard<'_, '_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: L1: this is the only access to the value.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for WriteGuard<'_, '_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: L1: this is the only access to the value.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> WriteGuard<'_, '_, T> {
    /// Keeps the lock beyond the life of this guard; see [`DocLock::reacquire_leaked`].
    pub(crate) fn leak(self) {
        std::mem::forget(self);
    }

    /// Ends the change and exports the value; see [`DocLock::reclaim`].
    pub(crate) fn export(self) {
        self.lock.access.export();
        std::mem::forget(self);
    }
}

impl<T> Drop for WriteGuard<'_, '_, T> {
    fn drop(&mut self) {
        self.lock.access.end_write();
    }
}
