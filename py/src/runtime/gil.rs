//! Letting go of the GIL: the one place where that is done.
//!
//! - [`detached`] is for work. It counts the thread in at the gate that a fork waits at, since the work may
//!   take locks that a forked child would find locked for ever.
//! - [`waiting`] is for waits: for time to pass, or for lexpool's own threads, which count themselves in.
//! - [`plain`] is for ops on plain data, which take no lock, where nanoseconds count.
//!
//! A lock that a detached thread may hold is a `GilLock`.
//!
//! A bare `Python::detach` is refused by Clippy (`disallowed-methods`).
//!
//! Holds unsafe code: [`plain`] calls CPython past PyO3.
//!
//! **Invariant.** `Detached` has the thread state that its own thread gave up, and gives it back once, on that
//! thread: it is neither `Send` nor `Clone`.
//!
//! # Taking the GIL back
//!
//! A thread that finds the GIL taken sleeps until it is told, and being woken costs tens of
//! microseconds: more than tokenizing a paragraph. Two threads that each tokenize paragraph after
//! paragraph would be slower than one. Yet what they do in between, with the GIL, takes less than
//! a microsecond. So a thread whose work is done first waits that long, awake, for the thread that
//! came back before it to let go again.

use std::sync::atomic::{AtomicUsize, Ordering};

use lexpool::threads::ForkGuard;
use pyo3::ffi;
use pyo3::prelude::*;

/// The thread that last came back from work of ours and has not begun other such work; 0 for none.
/// It may have ended or be busy elsewhere: this is a hint.
static RECENT_HOLDER: AtomicUsize = AtomicUsize::new(0);

/// How often to look whether the holder has let go: some microseconds in all.
const SPINS: u32 = 300;

/// Letting go of the GIL costs as much as reading so many numbers, nearly.
const UNLOCK_FROM: usize = 1024;

/// Runs `f` while other Python threads may run, but not while one of them forks.
pub(crate) fn detached<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> T {
    let own = thread_number();
    let _ = RECENT_HOLDER.compare_exchange(own, 0, Ordering::Release, Ordering::Relaxed);
    let result = waiting(py, || {
        let busy = ForkGuard::enter();
        let result = f();
        drop(busy);
        await_turn();
        result
    });
    RECENT_HOLDER.store(own, Ordering::Relaxed);
    result
}

/// Runs `f`, which looks at so many numbers: while other Python threads may run if that takes longer
/// than to let them.
pub(crate) fn unlocked<T: Send>(py: Python<'_>, numbers: usize, f: impl FnOnce() -> T + Send) -> T {
    if numbers < UNLOCK_FROM { f() } else { detached(py, f) }
}

/// Runs `f`, which waits, while other Python threads may run and fork. It takes no lock of lexpool's on this
/// thread.
pub(crate) fn waiting<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> T {
    #[expect(clippy::disallowed_methods, reason = "the others of this module build on it")]
    py.detach(f)
}

/// Runs `f` on plain data, without the GIL.
///
/// # Safety
///
/// This thread holds the GIL. `f` takes no lock, touches nothing of Python's, and does not come back to
/// Python: PyO3 still takes the thread for attached.
#[inline]
pub(crate) unsafe fn plain<T>(f: impl FnOnce() -> T) -> T {
    struct Detached(*mut ffi::PyThreadState);
    impl Drop for Detached {
        #[inline]
        fn drop(&mut self) {
            // SAFETY: the state that this thread gave up, once (the module's invariant).
            unsafe { ffi::PyEval_RestoreThread(self.0) }
        }
    }
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    // SAFETY: this thread holds the GIL, as the caller promises; the guard takes it back, also on a panic.
    let _detached = Detached(unsafe { ffi::PyEval_SaveThread() });
    f()
}

fn await_turn() {
    for _ in 0..SPINS {
        if RECENT_HOLDER.load(Ordering::Relaxed) == 0 {
            return;
        }
        std::hint::spin_loop();
    }
}

/// A number that no other living thread has: the address of something of its own.
fn thread_number() -> usize {
    thread_local!(static OWN: u8 = const { 0 });
    OWN.with(|own| std::ptr::from_ref(own) as usize)
}
