//! Cell that is filled once, and that a forked child never finds half filled.
//!
//! PyO3's `PyOnceLock` marks itself as being filled while its function runs. The function runs
//! Python, so another thread may fork meanwhile, and in the child the cell is never filled: who
//! reads it there waits for ever. Clippy refuses that type and `intern!`, which is built on it
//! (`disallowed-types`, `disallowed-macros`). PyO3 uses it inside for objects that a process has
//! once.

use std::sync::OnceLock;

use pyo3::prelude::*;

/// A value that is computed on first access, with the GIL held.
///
/// Two threads may compute it at once; the first value is kept.
///
/// **Invariant.** The cell is marked as being filled only by [`set`](OnceCell::set), with the GIL
/// held and without running Python, so no thread forks meanwhile.
pub(crate) struct OnceCell<T>(OnceLock<T>);

impl<T> OnceCell<T> {
    pub(crate) const fn new() -> OnceCell<T> {
        OnceCell(OnceLock::new())
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Sets the value unless there is one, which is returned.
    pub(crate) fn set(&self, _py: Python<'_>, value: T) -> &T {
        let mut value = Some(value);
        // A value that is not needed is dropped after this, since that may run Python.
        self.0.get_or_init(|| value.take().expect("the function is called once"))
    }

    /// Returns the value, which `f` computes on first access.
    ///
    /// # Errors
    ///
    /// That of `f`; the cell then stays empty.
    pub(crate) fn get_or_try_init<E>(
        &self,
        py: Python<'_>,
        f: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        match self.get() {
            Some(value) => Ok(value),
            None => Ok(self.set(py, f()?)),
        }
    }
}

impl<T> Default for OnceCell<T> {
    fn default() -> OnceCell<T> {
        OnceCell::new()
    }
}
