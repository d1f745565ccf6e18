//! The state machine of a resource that is opened once and closed once, by any threads.
//!
//! ```text
//!         begin              open              end
//!   new ----------> opening ------> open ------------> ended
//!    ^                 |                                 ^
//!    +-- drop (failed) +            new -- retire -------+
//! ```
//!
//! **Invariant.** Each arrow is one atomic transition, so it succeeds for one of several threads
//! that try it. Everything before `open` happens before the `end` that follows.

#![forbid(unsafe_code)]

use crate::sync::{AtomicU8, Ordering};

const NEW: u8 = 0;
const OPENING: u8 = 1;
const OPEN: u8 = 2;
const ENDED: u8 = 3;

/// The state of a resource that is opened at most once.
///
/// ```
/// use lexpool_pool::OpenOnce;
///
/// let state = OpenOnce::new();
/// drop(state.begin().unwrap()); // opening failed, and may be tried again
/// state.begin().unwrap().open();
/// assert!(state.begin().is_none());
/// assert!(state.end());
/// assert!(!state.end());
/// ```
#[derive(Debug)]
pub struct OpenOnce(AtomicU8);

impl OpenOnce {
    /// Creates the state of a resource that was not opened.
    pub fn new() -> OpenOnce {
        OpenOnce(AtomicU8::new(NEW))
    }

    /// Begins to open. Returns `None` if opening was begun before and did not fail.
    pub fn begin(&self) -> Option<OpenGuard<'_>> {
        // Not `then_some`: it would build and drop a guard also on failure, and reset another
        // thread's state.
        self.step(NEW, OPENING).then(|| OpenGuard(self))
    }

    /// Ends an open resource. Returns whether this call ended it.
    pub fn end(&self) -> bool {
        self.step(OPEN, ENDED)
    }

    /// Returns whether the resource is open at this moment.
    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed) == OPEN
    }

    /// Ends a resource that was not opened, so that it cannot be opened. Returns whether this call
    /// ended it.
    pub fn retire(&self) -> bool {
        self.step(NEW, ENDED)
    }

    fn step(&self, from: u8, to: u8) -> bool {
        self.0.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

impl Default for OpenOnce {
    fn default() -> OpenOnce {
        OpenOnce::new()
    }
}

/// The exclusive right to open. If it is dropped without [`open`](OpenGuard::open), by an error or
/// a panic, opening may be tried again.
#[derive(Debug)]
pub struct OpenGuard<'a>(&'a OpenOnce);

impl OpenGuard<'_> {
    /// Marks the resource as open.
    pub fn open(self) {
        self.0.0.store(OPEN, Ordering::Release);
        std::mem::forget(self);
    }
}

impl Drop for OpenGuard<'_> {
    fn drop(&mut self) {
        self.0.0.store(NEW, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_resource_that_was_retired_is_neither_opened_nor_ended() {
        let state = OpenOnce::default();
        assert!(state.retire());
        assert!(state.begin().is_none());
        assert!(!state.retire() && !state.end() && !state.is_open());
    }

    #[test]
    fn a_resource_is_open_between_its_opening_and_its_end() {
        let state = OpenOnce::new();
        let opening = state.begin().unwrap();
        assert!(!state.is_open() && !state.end() && !state.retire());
        assert!(state.begin().is_none());
        opening.open();
        assert!(state.is_open() && !state.retire());
        assert!(state.end());
        assert!(!state.is_open() && state.begin().is_none());
    }

    #[test]
    fn opening_that_failed_is_tried_again() {
        let state = OpenOnce::new();
        drop(state.begin());
        assert!(!state.is_open());
        state.begin().unwrap().open();
        assert!(state.is_open());
    }
}
