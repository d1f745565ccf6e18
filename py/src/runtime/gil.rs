//! Release of the GIL; no other module releases it.
//!
//! - [`detached`] is for work. It registers the thread with the fork gate, since the work may take
//!   locks that a forked child would find locked for ever.
//! - [`waiting`] is for waiting: for time to pass, or for lexpool's own threads, which register
//!   themselves.
//! - [`plain`] is for ops on plain data that take no lock, where nanoseconds count.
//!
//! A lock that a detached thread may hold must be a `GilLock`. Clippy refuses a bare
//! `Python::detach` (`disallowed-methods`).
//!
//! Unsafe code: [`plain`] calls CPython directly.
//!
//! Invariants:
//! - **D1** `Detached` holds the thread state that its own thread gave up, and restores it once, on
//!   that thread: it is neither `Send` nor `Clone`.
//!
//! # Taking the GIL back
//!
//! A thread that finds the GIL taken sleeps until it is woken, which costs tens of microseconds:
//! more than tokenizing a paragraph. Two threads that each tokenize paragraph after paragraph would
//! be slower than one. Yet the work between two releases takes less than a microsecond. So a thread
//! whose detached work is done first spins for the turn, which a thread has from before it takes
//! the GIL back until after it has released it again: with the turn it finds the GIL free.

use std::sync::atomic::{AtomicUsize, Ordering};

use lexpool::threads::ForkGuard;
use pyo3::ffi;
use pyo3::prelude::*;

/// The thread that returns from detached work, or has returned and has not begun other such work; 0
/// at first. It may have ended or be busy elsewhere: this is a hint.
static TURN: AtomicUsize = AtomicUsize::new(0);

/// Number of attempts to get the turn: some microseconds in all.
const SPINS: u32 = 300;

/// Number of values from which [`unlocked`] releases the GIL: releasing it costs nearly as much as
/// reading this many.
const UNLOCK_FROM: usize = 1024;

/// Runs `f` while other Python threads may run, but not while one of them forks.
pub(crate) fn detached<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> T {
    let this_thread = thread_number();
    let result = waiting(py, || {
        // Only now that the GIL is released: the next thread takes it at once.
        let _ = TURN.compare_exchange(this_thread, 0, Ordering::Release, Ordering::Relaxed);
        let busy = ForkGuard::enter();
        let result = f();
        drop(busy);
        await_turn(this_thread);
        result
    });
    // Without the turn the wait was too long, and others spin for this thread instead.
    TURN.store(this_thread, Ordering::Relaxed);
    result
}

/// Runs `f`, which reads this many numbers. Releases the GIL if that pays off.
pub(crate) fn unlocked<T: Send>(py: Python<'_>, numbers: usize, f: impl FnOnce() -> T + Send) -> T {
    if numbers < UNLOCK_FROM { f() } else { detached(py, f) }
}

/// Runs `f`, which waits, while other Python threads may run and fork. `f` must not take a lock of
/// lexpool on this thread.
pub(crate) fn waiting<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> T {
    #[expect(clippy::disallowed_methods, reason = "the others of this module build on it")]
    py.detach(f)
}

/// Runs `f` on plain data, without the GIL.
///
/// # Safety
///
/// This thread holds the GIL. `f` takes no lock, uses no Python object, and does not call Python:
/// PyO3 still considers the thread attached.
#[inline]
pub(crate) unsafe fn plain<T>(f: impl FnOnce() -> T) -> T {
    struct Detached(*mut ffi::PyThreadState);
    impl Drop for Detached {
        #[inline]
        fn drop(&mut self) {
            // SAFETY: D1: the state that this thread gave up, restored once.
            unsafe { ffi::PyEval_RestoreThread(self.0) }
        }
    }
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    // SAFETY: D1: the caller holds the GIL; the guard takes it back, also on a panic.
    let _detached = Detached(unsafe { ffi::PyEval_SaveThread() });
    f()
}

fn await_turn(thread: usize) {
    for _ in 0..SPINS {
        // Read first: a failed exchange would take the cache line from the turn's thread.
        if TURN.load(Ordering::Relaxed) == 0
            && TURN.compare_exchange(0, thread, Ordering::Acquire, Ordering::Relaxed).is_ok()
        {
            return;
        }
        std::hint::spin_loop();
    }
}

/// A number that no other living thread has: the address of a thread-local variable.
fn thread_number() -> usize {
    thread_local!(static OWN: u8 = const { 0 });
    OWN.with(|own| std::ptr::from_ref(own) as usize)
}
