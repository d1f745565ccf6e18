//! Reader-writer lock for data that threads read with and without the GIL.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use pyo3::prelude::*;

use crate::runtime::gil::waiting;

/// Data that is written with the GIL held, and read with it or without.
///
/// No thread holds the GIL while it waits: a writer polls, and lets others run in between. Readers
/// without the GIL let writers go first, since they may be many and read for long.
///
/// **Invariant.** Only a thread that holds the GIL has the write lock, and it runs no Python code
/// meanwhile.
#[derive(Default)]
pub(crate) struct GilLock<T> {
    data: RwLock<T>,
    /// The number of waiting writers.
    writers: AtomicUsize,
}

/// Interval between two attempts to take the lock.
const RETRY_INTERVAL: Duration = Duration::from_micros(50);

impl<T> GilLock<T> {
    pub(crate) fn new(data: T) -> GilLock<T> {
        GilLock { data: RwLock::new(data), writers: AtomicUsize::new(0) }
    }

    /// Locks for reading with the GIL held; never waits, since a writer would hold the GIL.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.data.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks for reading without the GIL, after the waiting writers.
    pub(crate) fn read_detached(&self) -> RwLockReadGuard<'_, T> {
        while self.writers.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(RETRY_INTERVAL);
        }
        self.data.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks for writing, after the present readers.
    ///
    /// # Errors
    ///
    /// An exception that a signal handler raises meanwhile.
    pub(crate) fn write(&self, py: Python<'_>) -> PyResult<RwLockWriteGuard<'_, T>> {
        let _waiting = WaitingWriter::of(&self.writers);
        loop {
            match self.data.try_write() {
                Ok(guard) => return Ok(guard),
                // The lock holder does not run code that could panic halfway through a change.
                Err(TryLockError::Poisoned(guard)) => return Ok(guard.into_inner()),
                Err(TryLockError::WouldBlock) => waiting(py, || std::thread::sleep(RETRY_INTERVAL)),
            }
            py.check_signals()?;
        }
    }
}

/// A counted waiting writer.
struct WaitingWriter<'a>(&'a AtomicUsize);

impl WaitingWriter<'_> {
    fn of(writers: &AtomicUsize) -> WaitingWriter<'_> {
        writers.fetch_add(1, Ordering::Relaxed);
        WaitingWriter(writers)
    }
}

impl Drop for WaitingWriter<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
