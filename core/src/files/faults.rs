//! Faults on request: the n-th step of writing files fails, on this thread.

use std::cell::Cell;
use std::io;

use super::Step;

thread_local! {
    /// Number of steps that go well before one fails; none for all of them.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    static FAILED: Cell<Option<Step>> = const { Cell::new(None) };
}

/// Runs `f` with a fault at a step, counted from 0; gives which step it was, none if there were fewer.
pub(crate) fn with_fault<T>(at: usize, f: impl FnOnce() -> T) -> (T, Option<Step>) {
    LEFT.set(Some(at));
    FAILED.set(None);
    let result = f();
    LEFT.set(None);
    (result, FAILED.take())
}

/// Counts a step, and fails if it is the one.
pub(crate) fn attempt(step: Step) -> io::Result<()> {
    match LEFT.get() {
        None => Ok(()),
        Some(0) => {
            LEFT.set(None);
            FAILED.set(Some(step));
            Err(io::Error::new(io::ErrorKind::StorageFull, format!("{step:?} was made to fail")))
        }
        Some(left) => {
            LEFT.set(Some(left - 1));
            Ok(())
        }
    }
}
