//! Lock of a value that one thread at a time uses without the GIL, and that a forked child finds
//! free.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use lexpool::threads::ForkGuard;
use pyo3::prelude::*;

use crate::runtime::gil::detached;

/// A value that one thread at a time uses, mostly without the GIL. Nobody waits for it: a second
/// user is told that it is in use.
///
/// **Invariant.** The value is locked only by a thread that a fork waits for (under a
/// [`ForkGuard`], which ends after the lock), or by a thread that keeps the GIL, which a forking
/// thread needs. So no thread that is left behind by a fork has it.
pub(crate) struct DetachedLock<T>(Mutex<T>);

impl<T: Send> DetachedLock<T> {
    pub(crate) fn new(value: T) -> DetachedLock<T> {
        DetachedLock(Mutex::new(value))
    }

    /// Calls a function with the value, without the GIL. Returns `None` while the value is in use.
    pub(crate) fn with<R: Send>(
        &self,
        py: Python<'_>,
        function: impl FnOnce(&mut T) -> R + Send,
    ) -> Option<R> {
        detached(py, || self.with_detached(function))
    }

    /// Calls a function with the value on a thread that has released the GIL. Returns `None` while
    /// the value is in use.
    pub(crate) fn with_detached<R>(&self, function: impl FnOnce(&mut T) -> R) -> Option<R> {
        let _busy = ForkGuard::enter();
        let mut value = self.try_lock()?;
        Some(function(&mut value))
    }

    /// Calls a function with all values, without the GIL. The same value may be listed several
    /// times. Returns `None` while one of them is in use.
    pub(crate) fn with_all<R: Send>(
        py: Python<'_>,
        values: &[&DetachedLock<T>],
        function: impl FnOnce(&mut LockedValues<'_, T>) -> R + Send,
    ) -> Option<R> {
        detached(py, || {
            let mut all =
                LockedValues { guards: Vec::with_capacity(values.len()), places: Vec::new() };
            for (at, value) in values.iter().enumerate() {
                let same = |earlier: &&DetachedLock<T>| std::ptr::eq(*earlier, *value);
                let place = if let Some(first) = values[..at].iter().position(same) {
                    all.places[first]
                } else {
                    all.guards.push(value.try_lock()?);
                    all.guards.len() - 1
                };
                all.places.push(place);
            }
            Some(function(&mut all))
        })
    }

    /// Calls a short function with the value, which keeps the GIL and runs no Python code. Returns
    /// `None` while the value is in use.
    pub(crate) fn with_gil<R>(
        &self,
        _py: Python<'_>,
        function: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        self.try_lock().map(|mut value| function(&mut value))
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            // As after an error: what the function has left is used further.
            Err(TryLockError::Poisoned(guard)) => Some(PoisonError::into_inner(guard)),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Several values that one thread uses at once.
pub(crate) struct LockedValues<'a, T> {
    guards: Vec<MutexGuard<'a, T>>,
    /// For each value of the list, the position of its guard.
    places: Vec<usize>,
}

impl<T> LockedValues<'_, T> {
    /// Returns the value at a position of the list.
    pub(crate) fn get(&mut self, at: usize) -> &mut T {
        &mut self.guards[self.places[at]]
    }
}
