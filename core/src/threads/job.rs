//! Work that was handed to a pool: to be waited for, or dropped, which stops it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use super::{process, spawn};
use crate::{Error, ErrorKind, Result};

/// Work that other threads are at; dropping it asks them to stop.
pub struct Job<T> {
    done: Receiver<T>,
    /// The process whose threads are at work; a child has inherited the job without them.
    process: u32,
    stop: Arc<AtomicBool>,
}

impl<T: Send + 'static> Job<T> {
    /// Hands work to a pool of so many threads (0: one a core) and comes back at once. On a thread of a
    /// pool, that one does it, and comes back when it is done.
    ///
    /// `work` runs on a thread of the pool, and is told by the flag that nobody waits any more.
    ///
    /// # Errors
    ///
    /// `threads` when none can be started.
    pub fn start(
        threads: usize,
        work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
    ) -> Result<Job<T>> {
        let (send, done) = mpsc::sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let run = move || {
            let result = work(&stopped);
            // Nobody waits any more if the job was dropped.
            let _ = send.send(result);
        };
        // A thread of a pool does not wait for others of its pool, which may all be waiting so.
        if rayon::current_thread_index().is_some() {
            run();
        } else {
            spawn(threads, run)?;
        }
        Ok(Job { done, process: process(), stop })
    }

    /// What the work gave, or nothing if that is not there in time.
    ///
    /// # Errors
    ///
    /// `forked` in a child of the process that began the work; `worker-lost` if a thread has ended
    /// before its time.
    pub fn wait(&mut self, time: Duration) -> Option<Result<T>> {
        if self.process != process() {
            let text = "this batch was begun before the process forked, on threads that the child \
                        does not have; begin it anew in the child";
            return Some(Err(Error::new(ErrorKind::State, "forked", text)));
        }
        match self.done.recv_timeout(time) {
            Ok(done) => Some(Ok(done)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                let text = "a worker ended before its batch was done; this is a bug in lexpool";
                Some(Err(Error::new(ErrorKind::State, "worker-lost", text)))
            }
        }
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
