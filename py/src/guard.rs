//! A value that many may read or one may change, across threads and across calls into Python.
//!
//! Holds unsafe code: the value is handed out by reference under a count of its readers.
//!
//! While the interpreter has a GIL, the count itself is only touched by who holds it, so a read
//! costs two plain loads and stores. Without one the count is changed atomically. Either way a loop
//! that has let go of the GIL still counts as a reader, and so does a caller further up the stack:
//! a change meets [`BusyError`](crate::error::BusyError) rather than a reader's slice.
//!
//! A value may be lent to code that neither reads nor writes by these means. Nobody is let in then
//! until [`Guarded::recall`] has ended the loan; that is a number of readers too, so it costs those
//! nothing who come to a value that is not lent.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::error::BusyError;

/// How long a change waits for readers in other threads.
const PATIENCE: Duration = Duration::from_millis(20);

/// The count of a value that is being changed.
const CHANGING: u32 = u32::MAX;

/// The count of a value that is lent.
const LENT: u32 = CHANGING - 1;

/// A value with a count of those who read it.
pub(crate) struct Guarded<T> {
    value: UnsafeCell<T>,
    readers: AtomicU32,
}

// SAFETY: the value is reached through `read` and `write` only, which let in many readers or one
// writer; so sharing the cell shares `&T` (hence `Sync`) and moves `&mut T` (hence `Send`).
unsafe impl<T: Send + Sync> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub(crate) fn new(value: T) -> Guarded<T> {
        Guarded { value: UnsafeCell::new(value), readers: AtomicU32::new(0) }
    }

    /// The value, to be read; it may be taken along where the GIL is let go.
    ///
    /// None while it is being changed or lent.
    #[inline]
    pub(crate) fn try_read<'a, 'py>(&'a self, py: Python<'py>) -> Option<Reading<'a, 'py, T>> {
        self.enter().then(|| Reading { of: self, _py: py })
    }

    /// The value without counting a reader; none while it is being changed or lent, and where
    /// there is no GIL.
    ///
    /// # Safety
    ///
    /// While the reference lives, the GIL is not let go and no code of Python runs.
    #[inline]
    pub(crate) unsafe fn peek<'a>(&'a self, _py: Python<'_>) -> Option<&'a T> {
        if cfg!(Py_GIL_DISABLED) || self.readers.load(Ordering::Relaxed) >= LENT {
            return None;
        }
        // SAFETY: nobody is changing the value, and only who gets the GIL could begin to.
        Some(unsafe { &*self.value.get() })
    }

    /// The value, to be changed.
    ///
    /// Waits a moment for readers in other threads, then fails with `BusyError`. One that is lent has
    /// to be recalled first.
    pub(crate) fn write<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<Writing<'a, 'py, T>> {
        if !self.claim() {
            let start = Instant::now();
            loop {
                py.detach(|| std::thread::sleep(Duration::from_micros(50)));
                if self.claim() {
                    break;
                }
                if start.elapsed() > PATIENCE {
                    return Err(self.busy());
                }
            }
        }
        Ok(Writing { of: self, _py: py })
    }

    /// The value, to be changed by who holds it.
    ///
    /// # Safety
    ///
    /// The caller has forgotten a `Writing` of this value, and called this once since.
    pub(crate) unsafe fn held<'a, 'py>(&'a self, py: Python<'py>) -> Writing<'a, 'py, T> {
        Writing { of: self, _py: py }
    }

    /// Whether the value is lent.
    #[inline]
    pub(crate) fn is_lent(&self) -> bool {
        self.readers.load(Ordering::Relaxed) == LENT
    }

    /// The value, to be changed, if it was lent until now.
    pub(crate) fn recall<'a, 'py>(&'a self, py: Python<'py>) -> Option<Writing<'a, 'py, T>> {
        let recalled = self.is_lent()
            && self
                .readers
                .compare_exchange(LENT, CHANGING, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        recalled.then(|| Writing { of: self, _py: py })
    }

    /// Why nobody may come in, or change the value.
    #[cold]
    pub(crate) fn busy(&self) -> PyErr {
        let text = match self.readers.load(Ordering::Relaxed) {
            LENT => {
                "another thread has just taken the document's tokens for native code; try again"
            }
            CHANGING => {
                "the document is being changed, by another thread or under a lease of its records; \
                 come back when that is done"
            }
            _ => {
                "the document is being read, by a loop that runs outside of the GIL or by a caller \
                 of this function; change it when that is done"
            }
        };
        BusyError::new_err(text)
    }

    /// Counts a reader in, unless the value is being changed.
    #[cfg(not(Py_GIL_DISABLED))]
    fn enter(&self) -> bool {
        // Only who holds the GIL comes here, so nothing happens between the two.
        let readers = self.readers.load(Ordering::Relaxed);
        if readers >= LENT - 1 {
            return false;
        }
        self.readers.store(readers + 1, Ordering::Relaxed);
        true
    }

    #[cfg(Py_GIL_DISABLED)]
    fn enter(&self) -> bool {
        let more = |readers| (readers < LENT - 1).then(|| readers + 1);
        self.readers.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_ok()
    }

    #[cfg(not(Py_GIL_DISABLED))]
    fn leave(&self) {
        self.readers.store(self.readers.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
    }

    #[cfg(Py_GIL_DISABLED)]
    fn leave(&self) {
        self.readers.fetch_sub(1, Ordering::Release);
    }

    fn claim(&self) -> bool {
        self.readers.compare_exchange(0, CHANGING, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

/// Leave to read. Bound to the GIL, so that it is given back by who holds it.
pub(crate) struct Reading<'a, 'py, T> {
    of: &'a Guarded<T>,
    _py: Python<'py>,
}

impl<T> Deref for Reading<'_, '_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the count says that there is a reader, so nobody has `&mut` (type invariant).
        unsafe { &*self.of.value.get() }
    }
}

impl<T> Drop for Reading<'_, '_, T> {
    #[inline]
    fn drop(&mut self) {
        self.of.leave();
    }
}

/// Leave to change.
pub(crate) struct Writing<'a, 'py, T> {
    of: &'a Guarded<T>,
    _py: Python<'py>,
}

impl<T> Deref for Writing<'_, '_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the count says that this is the only one who may look (type invariant).
        unsafe { &*self.of.value.get() }
    }
}

impl<T> DerefMut for Writing<'_, '_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.of.value.get() }
    }
}

impl<T> Writing<'_, '_, T> {
    /// Ends the change by lending the value; see [`Guarded::recall`].
    pub(crate) fn lend(self) {
        self.of.readers.store(LENT, Ordering::Release);
        std::mem::forget(self);
    }
}

impl<T> Drop for Writing<'_, '_, T> {
    fn drop(&mut self) {
        self.of.readers.store(0, Ordering::Release);
    }
}
