//! A reader-writer lock among threads of which some hold the GIL.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use pyo3::prelude::*;

use crate::runtime::gil::waiting;

/// Data that is written with the GIL held, and read with it or without.
///
/// No thread holds the GIL while it waits: a writer tries, and lets others run in between. Readers that come
/// without the GIL let writers go first, for they may be many and read for long.
///
/// **Invariant.** Only a thread that holds the GIL has the lock to write, and it runs no code of Python's
/// meanwhile.
#[derive(Default)]
pub(crate) struct GilLock<T> {
    data: RwLock<T>,
    /// The number of threads that want to write.
    writers: AtomicUsize,
}

/// The time that a thread sleeps before it tries again.
const RETRY_INTERVAL: Duration = Duration::from_micros(50);

impl<T> GilLock<T> {
    pub(crate) fn new(data: T) -> GilLock<T> {
        GilLock { data: RwLock::new(data), writers: AtomicUsize::new(0) }
    }

    /// Reads with the GIL held; at once, for nobody writes meanwhile.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.data.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads without the GIL, after the threads that want to write.
    pub(crate) fn read_detached(&self) -> RwLockReadGuard<'_, T> {
        while self.writers.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(RETRY_INTERVAL);
        }
        self.data.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes, as soon as the readers that are at it have ended.
    ///
    /// # Errors
    ///
    /// An exception that a signal handler raises meanwhile.
    pub(crate) fn write(&self, py: Python<'_>) -> PyResult<RwLockWriteGuard<'_, T>> {
        let _waiting = WaitingWriter::of(&self.writers);
        loop {
            match self.data.try_write() {
                Ok(guard) => return Ok(guard),
                // A panic leaves what is locked here whole.
                Err(TryLockError::Poisoned(guard)) => return Ok(guard.into_inner()),
                Err(TryLockError::WouldBlock) => waiting(py, || std::thread::sleep(RETRY_INTERVAL)),
            }
            py.check_signals()?;
        }
    }
}

/// A thread that wants to write.
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
