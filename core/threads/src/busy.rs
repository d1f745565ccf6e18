//! Guards of threads that may hold shared locks, so that a fork waits for them.
//!
//! A thread is counted in at one [`ForkGate`] for the process (its module has the argument why this
//! is right). Three things make nesting safe:
//!
//! - **On one thread** the gate is re-entrant: a function of the user's that runs inside a
//!   [`ForkGuard`] and calls lexpool again does not wait at a gate that is closed until the outer
//!   guard has gone.
//! - **Across threads in a scope**: what a busy thread hands to a pool and waits for enters by an
//!   [`InheritedGuard`].
//! - **Across threads by a job** that outlives the call: [`DetachedWork`] takes a count of its own
//!   along.
//!
//! **Invariant.** `DEPTH` is the number of guards that live on this thread. While it is above zero,
//! the thread has one count at the gate, in the slot `SLOT`, which does not change meanwhile.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lexpool_pool::ForkGate;

static GATE: ForkGate = ForkGate::new();

/// The time that a thread sleeps before it looks again whether the fork is over.
const NAP: Duration = Duration::from_micros(100);

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static IS_SHARING: Cell<bool> = const { Cell::new(false) };
    /// Threads are dealt out to the slots of the gate in turn; one that takes up [`DetachedWork`]
    /// goes on in its slot.
    static SLOT: Cell<usize> = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Cell::new(NEXT.fetch_add(1, Ordering::Relaxed))
    };
}

/// Returns whether this is a thread of a pool.
pub fn on_worker() -> bool {
    rayon::current_thread_index().is_some()
}

/// Returns whether this thread, not one of a pool, works on what it shares with threads of a pool.
pub(super) fn is_sharing() -> bool {
    IS_SHARING.get()
}

/// Marks this thread as one that works on what it shares with threads of a pool: a phase (see
/// `team.rs`) or the items of a job. What that work would share in turn, the thread does
/// [alone](super::alone): a function of the user's in it may hold a lock that the other threads
/// wait for.
#[must_use]
pub(super) struct SharingGuard {
    before: bool,
    // The mark is the thread's own.
    _not_send: PhantomData<*const ()>,
}

impl SharingGuard {
    pub(super) fn enter() -> SharingGuard {
        SharingGuard { before: IS_SHARING.replace(true), _not_send: PhantomData }
    }
}

impl Drop for SharingGuard {
    fn drop(&mut self) {
        IS_SHARING.set(self.before);
    }
}

/// Marks this thread as one that may hold locks that others wait for; dropped on the same thread.
#[must_use]
pub struct ForkGuard {
    // The depth is the thread's own.
    _not_send: PhantomData<*const ()>,
}

impl ForkGuard {
    /// Waits while another thread forks, unless this thread is busy already, and counts it in.
    /// Cost: two atomics, or none if it is busy already.
    pub fn enter() -> ForkGuard {
        if DEPTH.get() == 0 {
            while !GATE.try_enter(SLOT.get()) {
                std::thread::sleep(NAP);
            }
        }
        ForkGuard::counted()
    }

    /// The guard of a thread that has its count at the gate.
    fn counted() -> ForkGuard {
        DEPTH.set(DEPTH.get() + 1);
        ForkGuard { _not_send: PhantomData }
    }
}

impl Drop for ForkGuard {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            GATE.leave(SLOT.get());
        }
    }
}

/// Lets another thread fork, if one waits for that, in the middle of work that takes long. The
/// caller holds no lock at this point, and neither does what it was called by; this thread is busy
/// by one [`ForkGuard`], else nothing happens.
///
/// Cost: three atomics.
pub fn allow_fork() {
    if DEPTH.get() != 1 || is_sharing() || on_worker() {
        return;
    }
    let slot = SLOT.get();
    GATE.leave(slot);
    while !GATE.try_enter(slot) {
        std::thread::sleep(NAP);
    }
}

/// Guard for threads of a pool that work for a thread which waits for them.
///
/// Made before the work is handed out, and used only until that thread has it back.
#[derive(Clone, Copy)]
pub struct InheritedGuard {
    is_busy: bool,
}

impl InheritedGuard {
    /// Takes note of whether this thread is busy.
    pub fn this_thread() -> InheritedGuard {
        InheritedGuard { is_busy: DEPTH.get() > 0 }
    }

    /// As [`ForkGuard::enter`], but without waiting if the thread that waits for this one is busy.
    pub fn enter(self) -> ForkGuard {
        if !self.is_busy || DEPTH.get() > 0 {
            return ForkGuard::enter();
        }
        GATE.enter_within(SLOT.get());
        ForkGuard::counted()
    }
}

/// Work on its way to another thread, counted in already if the thread that sends it is busy: that
/// thread may wait for it.
pub(crate) struct DetachedWork {
    /// The slot of its count at the gate.
    slot: Option<usize>,
}

impl DetachedWork {
    /// Work that this thread sends.
    ///
    /// A thread of a pool sends none: its count could outlive the thread that waits for it, and
    /// [`ForkGate::is_empty`] would miss it.
    pub(crate) fn new() -> DetachedWork {
        debug_assert!(!on_worker(), "a thread of a pool sends work on");
        let slot = (DEPTH.get() > 0).then(|| SLOT.get());
        if let Some(slot) = slot {
            GATE.enter_within(slot);
        }
        DetachedWork { slot }
    }

    /// Runs the work on the thread that it came to. If it was counted in, the thread is busy
    /// meanwhile; else it enters where it takes locks.
    pub(crate) fn run<T>(mut self, work: impl FnOnce() -> T) -> T {
        let Some(slot) = self.slot.take() else { return work() };
        if DEPTH.get() > 0 {
            // The thread has a count already: it took up this work while it waited for other.
            GATE.leave(slot);
            return work();
        }
        SLOT.set(slot);
        let _busy = ForkGuard::counted();
        work()
    }
}

impl Drop for DetachedWork {
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            GATE.leave(slot);
        }
    }
}

/// Lets no thread begin until [`resume`], as often as this was called. Before a fork; ask
/// [`is_quiet`] next.
pub fn pause() {
    GATE.close();
}

/// Returns whether no thread but this one is at work. Let go in between of whatever a thread at
/// work may wait for.
pub fn is_quiet() -> bool {
    GATE.is_empty(usize::from(DEPTH.get() > 0))
}

/// Undoes one [`pause`], after a fork in the parent.
pub fn resume() {
    GATE.open();
}

/// Lets threads begin in a forked child, whatever other threads of the parent were at.
pub fn resume_in_child() {
    GATE.reset(SLOT.get(), usize::from(DEPTH.get() > 0));
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
    use std::time::Instant;

    use super::*;

    /// These tests close the gate of the process; one at a time.
    fn alone() -> MutexGuard<'static, ()> {
        static ONE: Mutex<()> = Mutex::new(());
        ONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread is at work; other tests may be, on threads of their own.
    fn wait_for_pause() {
        let start = Instant::now();
        while !is_quiet() {
            assert!(start.elapsed() < Duration::from_secs(60), "a thread is at work for ever");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_pause_waits_for_other_threads_at_work() {
        let _alone = alone();
        let (entered, has_entered) = mpsc::channel();
        let (leave, may_leave) = mpsc::channel::<()>();
        let worker = std::thread::spawn(move || {
            let _busy = ForkGuard::enter();
            entered.send(()).unwrap();
            may_leave.recv().unwrap();
        });
        has_entered.recv().unwrap();
        pause();
        assert!(!is_quiet());
        leave.send(()).unwrap();
        wait_for_pause();
        resume();
        worker.join().unwrap();
    }

    #[test]
    fn long_work_lets_a_fork_pass_where_it_says_so_and_nowhere_else() {
        let _alone = alone();
        let (entered, has_entered) = mpsc::channel();
        let (step, next) = mpsc::channel::<bool>();
        let worker = std::thread::spawn(move || {
            let _busy = ForkGuard::enter();
            entered.send(()).unwrap();
            while let Ok(is_nested) = next.recv() {
                let _inner = is_nested.then(ForkGuard::enter);
                allow_fork();
                entered.send(()).unwrap();
            }
        });
        has_entered.recv().unwrap();
        pause();
        step.send(true).unwrap();
        has_entered.recv().unwrap();
        assert!(!is_quiet(), "what has called nested work may hold a lock");
        step.send(false).unwrap();
        wait_for_pause();
        resume();
        has_entered.recv().unwrap();
        pause();
        assert!(!is_quiet(), "the work goes on after the fork");
        resume();
        drop(step);
        worker.join().unwrap();
    }

    #[test]
    fn a_busy_thread_enters_again_while_another_thread_pauses() {
        let _alone = alone();
        let outer = ForkGuard::enter();
        pause();
        drop(ForkGuard::enter());
        drop(InheritedGuard::this_thread().enter());
        wait_for_pause();
        drop(outer);
        wait_for_pause();
        resume();
    }

    #[test]
    fn what_a_busy_thread_hands_on_comes_in_while_another_thread_pauses() {
        let _alone = alone();
        let outer = ForkGuard::enter();
        pause();
        let (within, errand) = (InheritedGuard::this_thread(), DetachedWork::new());
        std::thread::spawn(move || {
            drop(within.enter());
            errand.run(|| drop(ForkGuard::enter()));
        })
        .join()
        .unwrap();
        // Sent and never run, as in a pool that has ended.
        drop(DetachedWork::new());
        drop(outer);
        wait_for_pause();
        resume();
    }
}
