//! Letting go of the GIL for short work, and taking it back without a queue.
//!
//! A thread that finds the GIL taken sleeps until it is told, and being woken costs tens of
//! microseconds: more than tokenizing a paragraph. Two threads that each tokenize paragraph after
//! paragraph would be slower than one. Yet what they do in between, with the GIL, takes less than
//! a microsecond. So a thread whose work is done first waits that long, awake, for the thread that
//! came back before it to let go again.

use std::sync::atomic::{AtomicUsize, Ordering};

use lexpool::threads::Busy;
use pyo3::prelude::*;

/// The thread that last came back from work of ours and has not begun other such work; 0 for none.
/// It may have ended or be busy elsewhere: this is a hint.
static HOLDER: AtomicUsize = AtomicUsize::new(0);

/// How often to look whether the holder has let go: some microseconds in all.
const GLANCES: u32 = 300;

/// Letting go of the GIL costs as much as reading so many numbers, nearly.
const MANY: usize = 1024;

/// Runs `f` while other Python threads may run, but not while one of them forks.
pub(crate) fn detached<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> T {
    let own = own_number();
    let _ = HOLDER.compare_exchange(own, 0, Ordering::Release, Ordering::Relaxed);
    let result = py.detach(|| {
        let busy = Busy::enter();
        let result = f();
        drop(busy);
        await_turn();
        result
    });
    HOLDER.store(own, Ordering::Relaxed);
    result
}

/// Runs `f`, which looks at so many numbers: while other Python threads may run if that takes longer
/// than to let them.
pub(crate) fn unlocked<T>(py: Python<'_>, numbers: usize, f: impl FnOnce() -> T + Send) -> T
where
    T: Send,
{
    if numbers < MANY { f() } else { py.detach(f) }
}

fn await_turn() {
    for _ in 0..GLANCES {
        if HOLDER.load(Ordering::Relaxed) == 0 {
            return;
        }
        std::hint::spin_loop();
    }
}

/// A number that no other living thread has: the address of something of its own.
fn own_number() -> usize {
    thread_local!(static OWN: u8 = const { 0 });
    OWN.with(|own| std::ptr::from_ref(own) as usize)
}
