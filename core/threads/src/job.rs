//! Work on many items that threads of a pool and the thread that waits for it do together.
//!
//! The items are claimed in their order from a shared counter, and the results are taken in the
//! same order: Blumofe and Leiserson's work sharing without queues, since the items are known from
//! the beginning. A thread that finds the next result missing claims an item itself ([`Job::help`])
//! instead of sleeping, so that no core is left to a thread that only waits.

#![forbid(unsafe_code)]

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::ForkGuard;
use super::busy::{SharingGuard, is_sharing};
use super::on_worker;
use super::pools::{size, spawn_each};
use super::scope::{HomeProcess, forked};
use lexpool_error::codes;
use lexpool_error::{Error, ErrorKind, Result};

/// Work on the items of a list. Dropping it asks the threads to stop.
///
/// ```
/// use std::time::Duration;
/// use lexpool_threads::{Job, Progress};
///
/// let mut job = Job::each(vec![1, 2, 3], 2, |_| true, |n: u32, _| n * n)?;
/// let (mut squares, mut time) = (Vec::new(), Duration::ZERO);
/// loop {
///     match job.next(time)? {
///         Progress::Done(square) => squares.push(square),
///         Progress::Ended => break,
///         // Does an item meanwhile; waits if others have begun all of them.
///         Progress::Working if job.help()? => time = Duration::ZERO,
///         Progress::Working => time = Duration::from_millis(50),
///     }
/// }
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), lexpool_error::Error>(())
/// ```
pub struct Job<T> {
    tasks: Arc<dyn Tasks<T>>,
    /// The number of results that were taken.
    position: usize,
    /// The process whose threads are at work; a child has inherited the job without them.
    home: HomeProcess,
}

/// The state of the next result of a [`Job`].
#[derive(Debug, PartialEq, Eq)]
pub enum Progress<T> {
    /// The result.
    Done(T),
    /// The item is not done yet.
    Working,
    /// All results were taken.
    Ended,
}

impl<T: Send + 'static> Job<T> {
    /// Hands items to a pool of `threads` threads (0: one a core) and returns at once. If the
    /// caller may [`help`](Job::help) with all items, the pool has one thread fewer, but at least
    /// one: jobs that follow each other then never have more threads than were asked for, which
    /// would drive each other's data out of the processors' caches. On a thread of a pool, and
    /// within `help`, this thread does all items before this returns.
    ///
    /// `is_short` says which items the caller may take up; the threads do the others. `work` is
    /// given the flag that tells that nobody waits any more.
    ///
    /// # Errors
    ///
    /// `threads` if none can be started.
    pub fn each<I: Send + 'static>(
        items: Vec<I>,
        threads: usize,
        is_short: impl Fn(&I) -> bool,
        work: impl Fn(I, &AtomicBool) -> T + Send + Sync + 'static,
    ) -> Result<Job<T>> {
        let slots = items.into_iter().map(|item| Slot {
            is_short: is_short(&item),
            state: Mutex::new(SlotState { content: Content::Item(item), is_awaited: false }),
            done: Condvar::new(),
        });
        let list = TaskList {
            slots: slots.collect(),
            claimed: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            work,
        };
        let n_items = list.slots.len();
        let caller_helps = list.slots.iter().all(|slot| slot.is_short);
        let tasks = Arc::new(list);
        if on_worker() || is_sharing() {
            while tasks.run_next(false) {}
        } else {
            let workers = (size(threads) - usize::from(caller_helps)).max(1);
            // Weak, so that a dropped job frees its items though the pool has not come to it yet.
            let shared = Arc::downgrade(&tasks);
            spawn_each(workers, workers.min(n_items), move || {
                loop {
                    // Longer than `tasks`: what the last thread frees may be Python's, and a fork
                    // waits until that is done.
                    let _busy = ForkGuard::enter();
                    let tasks = shared.upgrade();
                    if !tasks.is_some_and(|tasks| tasks.run_next(false)) {
                        break;
                    }
                }
            })?;
        }
        Ok(Job { tasks, position: 0, home: HomeProcess::this_process() })
    }
}

impl<T> Job<T> {
    /// Waits until the next result is there, at most for `time`, and takes it.
    ///
    /// # Errors
    ///
    /// `forked` in a child of the process that began the work; `worker-lost` if the work panicked.
    pub fn next(&mut self, time: Duration) -> Result<Progress<T>> {
        if self.home.is_left() {
            return Err(forked());
        }
        if self.position == self.tasks.len() {
            return Ok(Progress::Ended);
        }
        let Some(done) = self.tasks.take(self.position, time) else { return Ok(Progress::Working) };
        self.position += 1;
        done.map(Progress::Done).map_err(|panic| {
            let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
            let text = format!(
                "a thread panicked before its batch was done ({}); this is a bug in lexpool",
                message.unwrap_or_default()
            );
            Error::new(ErrorKind::State, codes::WORKER_LOST, text)
        })
    }

    /// Does the first item that no thread has begun, on this thread. Returns `false` if all were
    /// begun, or if that item is a long one.
    ///
    /// # Errors
    ///
    /// `forked` in a child of the process that began the work.
    pub fn help(&self) -> Result<bool> {
        if self.home.is_left() {
            return Err(forked());
        }
        let _sharing = SharingGuard::enter();
        Ok(self.tasks.run_next(true))
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.tasks.stop();
    }
}

/// A [`TaskList`] whose items are of some type.
trait Tasks<T>: Send + Sync {
    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Claims the next item and does it. Returns `false` if all were claimed, or if `only_short` is
    /// set and the item is a long one.
    fn run_next(&self, only_short: bool) -> bool;

    /// Takes the result of an item, if it is there within the time.
    fn take(&self, at: usize, time: Duration) -> Option<std::thread::Result<T>>;

    /// Asks the threads to stop.
    fn stop(&self);
}

struct TaskList<I, T, F> {
    slots: Vec<Slot<I, T>>,
    /// The number of items that a thread has begun; may run past the end.
    claimed: AtomicUsize,
    stop: AtomicBool,
    work: F,
}

struct Slot<I, T> {
    is_short: bool,
    state: Mutex<SlotState<I, T>>,
    /// Notified when the item is done, if somebody waits for it.
    done: Condvar,
}

struct SlotState<I, T> {
    content: Content<I, T>,
    is_awaited: bool,
}

enum Content<I, T> {
    Item(I),
    /// A thread has the item, or the result was taken.
    Absent,
    Result(Result<T, Box<dyn Any + Send>>),
}

impl<I, T> Slot<I, T> {
    fn lock(&self) -> MutexGuard<'_, SlotState<I, T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<I, T, F> TaskList<I, T, F> {
    /// Claims an item for this thread.
    fn claim(&self, only_short: bool) -> Option<&Slot<I, T>> {
        let at = if only_short {
            let is_short = |at: usize| self.slots.get(at).is_some_and(|slot| slot.is_short);
            let next = |at| is_short(at).then_some(at + 1);
            self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?
        } else {
            self.claimed.fetch_add(1, Ordering::Relaxed)
        };
        self.slots.get(at)
    }
}

impl<I, T, F> Tasks<T> for TaskList<I, T, F>
where
    I: Send,
    T: Send,
    F: Fn(I, &AtomicBool) -> T + Send + Sync,
{
    fn len(&self) -> usize {
        self.slots.len()
    }

    fn run_next(&self, only_short: bool) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return false;
        }
        // Before the item is claimed: a fork waits for claimed items only.
        let _busy = ForkGuard::enter();
        let Some(slot) = self.claim(only_short) else { return false };
        let item = std::mem::replace(&mut slot.lock().content, Content::Absent);
        let Content::Item(item) = item else { return true };
        let result = catch_unwind(AssertUnwindSafe(|| (self.work)(item, &self.stop)));
        let mut state = slot.lock();
        state.content = Content::Result(result);
        let is_awaited = state.is_awaited;
        drop(state);
        if is_awaited {
            slot.done.notify_one();
        }
        true
    }

    fn take(&self, at: usize, time: Duration) -> Option<std::thread::Result<T>> {
        let slot = &self.slots[at];
        let mut state = slot.lock();
        if !time.is_zero() {
            let until = Instant::now() + time;
            state.is_awaited = true;
            while !matches!(state.content, Content::Result(_)) {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                let woken = slot.done.wait_timeout(state, left);
                state = woken.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        if !matches!(state.content, Content::Result(_)) {
            return None;
        }
        match std::mem::replace(&mut state.content, Content::Absent) {
            Content::Result(result) => Some(result),
            Content::Item(_) | Content::Absent => None,
        }
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All results of a job; this thread helps if it may.
    fn results<T: Send + 'static>(job: &mut Job<T>, helps: bool) -> Vec<Result<T>> {
        let mut results = Vec::new();
        loop {
            if helps && job.help().unwrap() {
                continue;
            }
            match job.next(Duration::from_millis(50)) {
                Ok(Progress::Done(result)) => results.push(Ok(result)),
                Ok(Progress::Working) => {}
                Ok(Progress::Ended) => return results,
                Err(error) => results.push(Err(error)),
            }
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_items_whoever_does_them() {
        for threads in [0, 1, 2, 5] {
            for n_items in [0, 1, 2, 300] {
                for helps in [false, true] {
                    let work = |n: usize, _: &AtomicBool| {
                        if n % 7 == 0 {
                            std::thread::yield_now();
                        }
                        2 * n
                    };
                    let mut job =
                        Job::each((0..n_items).collect(), threads, |n| n % 3 > 0, work).unwrap();
                    let done = results(&mut job, helps);
                    let done: Vec<usize> = done.into_iter().map(|done| done.unwrap()).collect();
                    assert_eq!(done, (0..n_items).map(|n| 2 * n).collect::<Vec<_>>());
                    assert_eq!(job.next(Duration::ZERO).unwrap(), Progress::Ended);
                }
            }
        }
    }

    #[test]
    fn the_thread_that_waits_leaves_long_items_to_the_others() {
        let here = std::thread::current().id();
        let work = |n: usize, _: &AtomicBool| (n, std::thread::current().id());
        let mut job = Job::each((0..200).collect(), 2, |n| n % 2 == 0, work).unwrap();
        for done in results(&mut job, true) {
            let (number, thread) = done.unwrap();
            assert!(number % 2 == 0 || thread != here, "item {number}");
        }
    }

    #[test]
    fn a_panic_is_the_error_of_its_item_alone() {
        let work = |n: usize, _: &AtomicBool| {
            if n == 3 {
                std::panic::resume_unwind(Box::new("told to"));
            }
            n
        };
        let mut job = Job::each((0..6).collect(), 2, |_| true, work).unwrap();
        let done = results(&mut job, true);
        let error = done[3].as_ref().unwrap_err();
        assert_eq!(error.code(), "worker-lost");
        assert!(error.to_string().contains("(told to)"), "{error}");
        assert_eq!(done.iter().filter(|done| done.is_ok()).count(), 5);
    }

    #[test]
    fn a_dropped_job_begins_no_further_item() {
        let begun = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&begun);
        let work = move |(), stop: &AtomicBool| {
            counted.fetch_add(1, Ordering::Relaxed);
            while !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        };
        let job = Job::each(vec![(); 100], 2, |()| false, work).unwrap();
        while begun.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        drop(job);
        // The pool has this thread's work behind that of the job.
        crate::on_pool(1, |_| ()).unwrap();
        assert!(begun.load(Ordering::Relaxed) <= 2);
    }
}
