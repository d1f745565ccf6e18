//! Batches: many items processed by a pool, in order, in bounded memory.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::{ForkGuard, InheritedGuard, alone, in_scope, on_pool, pool};
use lexpool_error::Result;

/// Interval between two calls of the check.
const GLANCE: Duration = Duration::from_millis(50);

/// Returns the result of `work` for each item, in order, on `threads` threads (0: one a core; 1:
/// this one). A thread takes `share` items at the least.
///
/// # Errors
///
/// `threads` when none can be started.
pub fn each<I: Send, T: Send>(
    items: Vec<I>,
    threads: usize,
    share: usize,
    work: impl Fn(I) -> T + Send + Sync,
) -> Result<Vec<T>> {
    if alone(threads) || items.len() <= 1 {
        let _busy = ForkGuard::enter();
        return Ok(items.into_iter().map(work).collect());
    }
    on_pool(threads, |within| each_within(within, items, share, work))
}

fn each_within<I: Send, T: Send>(
    within: InheritedGuard,
    items: Vec<I>,
    share: usize,
    work: impl Fn(I) -> T + Send + Sync,
) -> Vec<T> {
    let work = |item| {
        let _busy = within.enter();
        work(item)
    };
    items.into_par_iter().with_min_len(share).map(work).collect()
}

/// Works on items where they lie, and asks `watch` on this thread every 50 ms whether to go on. If
/// this thread works alone, or there is one item, it asks between items only.
///
/// `work` is given the flag that ends all; once it is set, items are to be left as they are.
///
/// # Errors
///
/// An error of `watch`, when all threads have let go of the items; `threads` when none can be
/// started; `forked` in a child that `watch` came to be in.
pub fn each_watched<I: Send>(
    items: &mut [I],
    threads: usize,
    watch: &mut dyn FnMut() -> Result<()>,
    work: impl Fn(&mut I, &AtomicBool) + Send + Sync,
) -> Result<()> {
    let stop = AtomicBool::new(false);
    let within = InheritedGuard::this_thread();
    let work = |item: &mut I| {
        let _busy = within.enter();
        work(item, &stop);
    };
    if alone(threads) || items.len() <= 1 {
        // WebAssembly has no clock.
        let now = || (!cfg!(target_family = "wasm")).then(Instant::now);
        let mut last_watch = now();
        for item in items {
            work(item);
            if last_watch.is_some_and(|last_watch| last_watch.elapsed() >= GLANCE) {
                watch()?;
                last_watch = now();
            }
        }
        return Ok(());
    }
    let (send, done) = mpsc::sync_channel::<()>(1);
    let all = move || {
        items.par_iter_mut().for_each(work);
        // The watcher may have gone.
        let _ = send.send(());
    };
    in_scope(&*pool(threads)?, [all], |home| {
        while done.recv_timeout(GLANCE) == Err(RecvTimeoutError::Timeout) {
            let verdict = watch();
            if verdict.is_err() {
                stop.store(true, Ordering::Relaxed);
                return verdict;
            }
            if home.is_left() {
                break;
            }
        }
        Ok(())
    })?
}
