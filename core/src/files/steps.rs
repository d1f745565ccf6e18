//! The steps of writing a file, and a fault that a test injects at the n-th of them on its thread.
//! Builds without debug assertions, as those of users, have no faults.

#[cfg(not(any(test, debug_assertions)))]
use std::io;

/// A step of writing a file. Tests make each one fail in turn.
#[cfg_attr(
    not(any(test, debug_assertions)),
    expect(unreachable_pub, reason = "public for the tests of other crates only")
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Creating the temporary file.
    Create,
    /// Writing a part of its bytes.
    Write,
    /// `fsync` of the file.
    SyncFile,
    /// Renaming it to its final name.
    Rename,
    /// `fsync` of the folder.
    SyncFolder,
}

/// Does nothing in optimized builds; in others, counts a step and returns the injected fault if it
/// is the one.
#[cfg(not(any(test, debug_assertions)))]
#[expect(clippy::unnecessary_wraps, reason = "it fails in tests")]
pub(super) fn attempt(_: Step) -> io::Result<()> {
    Ok(())
}

#[cfg(any(test, debug_assertions))]
pub(crate) use injected::attempt;
#[cfg(any(test, debug_assertions))]
pub use injected::with_fault;

#[cfg(any(test, debug_assertions))]
mod injected {
    use std::cell::Cell;
    use std::io;

    use super::Step;

    thread_local! {
        /// Number of steps that succeed before one fails; `None` if no fault is injected.
        static STEPS_LEFT: Cell<Option<usize>> = const { Cell::new(None) };
        static FAILED: Cell<Option<Step>> = const { Cell::new(None) };
    }

    /// Runs `f` with a fault at a step, counted from 0. Returns the step that failed, or `None` if
    /// `f` took fewer steps.
    pub fn with_fault<T>(at: usize, f: impl FnOnce() -> T) -> (T, Option<Step>) {
        STEPS_LEFT.set(Some(at));
        FAILED.set(None);
        let result = f();
        STEPS_LEFT.set(None);
        (result, FAILED.take())
    }

    /// Counts a step, and fails if the fault is injected at it.
    pub(crate) fn attempt(step: Step) -> io::Result<()> {
        match STEPS_LEFT.get() {
            None => Ok(()),
            Some(0) => {
                STEPS_LEFT.set(None);
                FAILED.set(Some(step));
                let text = format!("{step:?} was made to fail");
                Err(io::Error::new(io::ErrorKind::StorageFull, text))
            }
            Some(left) => {
                STEPS_LEFT.set(Some(left - 1));
                Ok(())
            }
        }
    }
}
