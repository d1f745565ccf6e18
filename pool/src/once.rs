//! The life of a thing that is opened once and closed once, by any threads.
//!
//! ```text
//!         begin              open              end
//!   new ----------> opening ------> open ------------> ended
//!    ^                 |                                 ^
//!    +-- drop (failed) +            new -- retire -------+
//! ```
//!
//! **Invariant.** Each arrow is one atomic transition, so of several threads that try it one succeeds. What
//! its opener did before `open` happens before what the thread does that ends it.

use crate::sync::{AtomicU8, Ordering};

const NEW: u8 = 0;
const OPENING: u8 = 1;
const OPEN: u8 = 2;
const ENDED: u8 = 3;

/// The state of something that is opened at most once.
///
/// ```
/// use lexpool_pool::OnceOpen;
///
/// let state = OnceOpen::new();
/// drop(state.begin().unwrap()); // failed on the way, so it may be tried again
/// state.begin().unwrap().open();
/// assert!(state.begin().is_none());
/// assert!(state.end());
/// assert!(!state.end());
/// ```
#[derive(Debug)]
pub struct OnceOpen(AtomicU8);

impl OnceOpen {
    /// A state that has not been opened.
    pub fn new() -> OnceOpen {
        OnceOpen(AtomicU8::new(NEW))
    }

    /// Begins to open, or returns `None` if that was begun or done before.
    pub fn begin(&self) -> Option<Opening<'_>> {
        // Not `then_some`: an `Opening` that is made is dropped, and then gives back what another thread has.
        self.step(NEW, OPENING).then(|| Opening(self))
    }

    /// Ends what is open; returns whether this call did.
    pub fn end(&self) -> bool {
        self.step(OPEN, ENDED)
    }

    /// Returns whether it is open at this moment.
    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed) == OPEN
    }

    /// Ends what was not opened, so that it never is; returns whether this call did.
    pub fn retire(&self) -> bool {
        self.step(NEW, ENDED)
    }

    fn step(&self, from: u8, to: u8) -> bool {
        self.0.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

impl Default for OnceOpen {
    fn default() -> OnceOpen {
        OnceOpen::new()
    }
}

/// The right to open; dropped without [`open`](Opening::open), by an error or a panic, it is given back.
#[derive(Debug)]
pub struct Opening<'a>(&'a OnceOpen);

impl Opening<'_> {
    /// Says that it is open now.
    pub fn open(self) {
        self.0.0.store(OPEN, Ordering::Release);
        std::mem::forget(self);
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.0.store(NEW, Ordering::Release);
    }
}
