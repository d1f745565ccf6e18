//! Jobs on a pool that borrow from the thread which waits for them.
//!
//! As `rayon::scope`, but a forked child can leave it: there the threads that were at work are
//! gone, and a wait for them would never end.
//!
//! Contains unsafe code: a job that borrows is handed to the pool as one that does not. Invariant:
//!
//! - `S1`: [`in_scope`] ends, by a result or a panic, after each of its jobs has run, or in a
//!   process other than the one that it began in. No thread of that process ever runs them: a
//!   child's queues of its parent's pools are reached by nobody, and never dropped (see
//!   `pools.rs`).

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rayon::ThreadPool;

use super::busy::SharingGuard;
use super::{pool, process, size};
use lexpool_error::codes;
use lexpool_error::{Error, ErrorKind, Result};

/// Runs jobs on the threads of a pool and `here` on this one, and waits for all of them.
///
/// `here` should come back once it finds [`HomeProcess::is_left`]. Not for a thread of a pool
/// ([`alone`](super::alone)).
///
/// # Errors
///
/// `forked` in a child of the process that began the jobs.
///
/// # Panics
///
/// Panics of a job or of `here`, when all have ended.
pub fn in_scope<'a, T>(
    pool: &ThreadPool,
    jobs: impl IntoIterator<Item = impl FnOnce() + Send + 'a>,
    here: impl FnOnce(HomeProcess) -> T,
) -> Result<T> {
    let jobs: Vec<_> = jobs.into_iter().collect();
    let latch = Latch { home: HomeProcess::this_process(), state: Arc::new(State::of(jobs.len())) };
    for job in jobs {
        let state = Arc::clone(&latch.state);
        let job: Box<dyn FnOnce() + Send + 'a> = Box::new(job);
        // SAFETY: S1: `latch` waits on every way out of this function, so what the job borrows
        // outlives it.
        let job: Box<dyn FnOnce() + Send + 'static> = unsafe { std::mem::transmute(job) };
        pool.spawn(move || state.end(catch_unwind(AssertUnwindSafe(job))));
    }
    let result = here(latch.home);
    latch.wait();
    if latch.home.is_left() {
        return Err(forked());
    }
    if let Some(panic) = latch.state.locked().panic.take() {
        resume_unwind(panic);
    }
    Ok(result)
}

/// Runs `work` on `threads` threads at once (0: one a core): on this one, after `first`, and on
/// threads of a pool. Waits for all of them. Not for a thread of a pool ([`alone`](super::alone)).
///
/// # Errors
///
/// `threads` if the pool cannot be started; `forked` in a child that `first` came to be in, where
/// `work` is not run.
///
/// # Panics
///
/// Panics of `work` or of `first`, when all have ended.
pub fn on_all(threads: usize, first: impl FnOnce(), work: impl Fn() + Sync) -> Result<()> {
    let others = size(threads) - 1;
    let work = &work;
    in_scope(&*pool(others.max(1))?, (0..others).map(|_| work), |home| {
        first();
        if !home.is_left() {
            let _sharing = SharingGuard::enter();
            work();
        }
    })
}

/// The error of work whose threads are those of another process.
pub(super) fn forked() -> Error {
    let text = "this batch was begun before the process forked, on threads that the child does not have; \
                begin it anew in the child";
    Error::new(ErrorKind::State, codes::FORKED, text)
}

/// The process that began some work.
#[derive(Clone, Copy)]
pub struct HomeProcess(u32);

impl HomeProcess {
    pub(super) fn this_process() -> HomeProcess {
        HomeProcess(process())
    }

    /// Returns whether this is a child of that process, which does not have its threads.
    pub fn is_left(self) -> bool {
        self.0 != process()
    }
}

/// Counts the jobs that have not ended; waits for them when it is dropped.
struct Latch {
    home: HomeProcess,
    state: Arc<State>,
}

impl Latch {
    fn wait(&self) {
        // In a child the lock may be held by a thread of the parent's.
        if self.home.is_left() {
            return;
        }
        let mut jobs = self.state.locked();
        while jobs.left > 0 {
            jobs = self.state.ended.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Latch {
    fn drop(&mut self) {
        self.wait();
    }
}

struct State {
    jobs: Mutex<Jobs>,
    ended: Condvar,
}

struct Jobs {
    left: usize,
    /// Payload of the first panic.
    panic: Option<Box<dyn Any + Send>>,
}

impl State {
    fn of(jobs: usize) -> State {
        State { jobs: Mutex::new(Jobs { left: jobs, panic: None }), ended: Condvar::new() }
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, job: std::thread::Result<()>) {
        let mut jobs = self.locked();
        jobs.left -= 1;
        if let Err(panic) = job {
            jobs.panic.get_or_insert(panic);
        }
        if jobs.left == 0 {
            self.ended.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::pool;

    #[test]
    fn a_process_is_left_in_any_other() {
        assert!(!HomeProcess::this_process().is_left());
        assert!(HomeProcess(process().wrapping_add(1)).is_left());
        assert_eq!(forked().code(), "forked");
    }

    #[test]
    fn jobs_borrow_and_have_ended_when_the_scope_ends() {
        let pool = pool(3).unwrap();
        for jobs in [0, 1, 2, 40] {
            let (done, mut places) = (AtomicUsize::new(0), vec![0; jobs]);
            let job = |place: &mut usize| {
                std::thread::yield_now();
                *place = 1 + done.fetch_add(1, Ordering::Relaxed);
            };
            let job = &job;
            let jobs = places.iter_mut().map(|place| move || job(place));
            assert_eq!(in_scope(&pool, jobs, |_| "here").unwrap(), "here");
            places.sort_unstable();
            assert!(places.iter().copied().eq(1..=done.into_inner()), "{places:?}");
        }
    }

    #[test]
    fn a_panic_of_a_job_or_of_this_thread_comes_out_when_all_have_ended() {
        let pool = pool(3).unwrap();
        for panics in ["a job", "here"] {
            let done = AtomicUsize::new(0);
            let job = |number: usize| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                done.fetch_add(1, Ordering::Relaxed);
                if number == 3 && panics == "a job" {
                    resume_unwind(Box::new("a job"));
                }
            };
            let job = &job;
            let here = |_| {
                if panics == "here" {
                    resume_unwind(Box::new("here"));
                }
            };
            let jobs = (0..8).map(|number| move || job(number));
            let panic = catch_unwind(AssertUnwindSafe(|| in_scope(&pool, jobs, here))).unwrap_err();
            assert_eq!(panic.downcast_ref::<&str>(), Some(&panics));
            assert_eq!(done.into_inner(), 8);
        }
    }
}
