//! Work that was handed to a pool: to be waited for, or dropped, which stops it.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use super::batch::{each, each_here};
use super::scope::{HomeProcess, forked};
use super::{on_worker, spawn};
use lexpool_error::codes;
use lexpool_error::{Error, ErrorKind, Result};

/// Work that other threads are at; dropping it asks them to stop.
pub struct Job<T> {
    done: Receiver<T>,
    /// The process whose threads are at work; a child has inherited the job without them.
    home: HomeProcess,
    stop: Arc<AtomicBool>,
}

impl<T: Send + 'static> Job<Vec<T>> {
    /// Hands items to a pool of so many threads (0: one a core) and comes back at once; gives what
    /// `work` makes of each, in their order. On a thread of a pool, that one does all, and comes
    /// back when it is done.
    ///
    /// A thread takes `share` items at the least. The flag tells `work` that nobody waits any more.
    ///
    /// # Errors
    ///
    /// `threads` when none can be started.
    pub fn each<I: Send + 'static>(
        items: Vec<I>,
        threads: usize,
        share: usize,
        work: impl Fn(I, &AtomicBool) -> T + Send + Sync + 'static,
    ) -> Result<Job<Vec<T>>> {
        Job::of(items, threads, share, work, |done| done)
    }

    /// As [`each`](Job::each), where `work` makes several results of an item.
    ///
    /// # Errors
    ///
    /// `threads` when none can be started.
    pub fn each_flat<I: Send + 'static>(
        items: Vec<I>,
        threads: usize,
        work: impl Fn(I, &AtomicBool) -> Vec<T> + Send + Sync + 'static,
    ) -> Result<Job<Vec<T>>> {
        Job::of(items, threads, 1, work, |done| done.into_iter().flatten().collect())
    }

    fn of<I: Send + 'static, R: Send + 'static>(
        items: Vec<I>,
        threads: usize,
        share: usize,
        work: impl Fn(I, &AtomicBool) -> R + Send + Sync + 'static,
        finish: impl FnOnce(Vec<R>) -> Vec<T> + Send + 'static,
    ) -> Result<Job<Vec<T>>> {
        let (send, done) = mpsc::sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = move |item| work(item, &stopped);
        // A job that was dropped takes no results: they go with it.
        if on_worker() {
            let _ = send.send(finish(each(items, 1, share, work)?));
        } else {
            spawn(threads, move || drop(send.send(finish(each_here(items, share, work)))))?;
        }
        Ok(Job { done, home: HomeProcess::this_process(), stop })
    }
}

impl<T> Job<T> {
    /// Returns the result of the work, or `None` after the timeout.
    ///
    /// # Errors
    ///
    /// `forked` in a child of the process that began the work; `worker-lost` if a thread has ended
    /// before its time.
    pub fn wait(&mut self, time: Duration) -> Option<Result<T>> {
        if self.home.is_left() {
            return Some(Err(forked()));
        }
        match self.done.recv_timeout(time) {
            Ok(done) => Some(Ok(done)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let text = "a worker ended before its batch was done; this is a bug in lexpool";
                Some(Err(Error::new(ErrorKind::State, codes::WORKER_LOST, text)))
            }
        }
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
