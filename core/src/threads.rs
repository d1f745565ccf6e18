//! Threads of lexpool's own: a private pool that survives a fork of the process.
//!
//! A thread pool does not: its threads are gone in the child, and waiting for one hangs. So pools
//! belong to the process that made them; a child finds that the ones it sees are not its own,
//! leaves them be, and makes others. Locks are the other danger: one that a thread holds at the
//! moment of the fork stays locked in the child for ever. So work that takes shared locks on other
//! threads runs inside of a [`Busy`] guard, and whoever forks calls [`pause`] before.
//!
//! Holds unsafe code: the pools are reached through an atomic pointer, for a lock could be inherited.

mod batch;
mod job;

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};

pub(crate) use self::batch::{each, each_here, each_watched};
pub use self::job::Job;
use crate::{Error, ErrorKind, Result};

/// The pools of one process, by their number of threads.
struct Pools {
    process: u32,
    by_size: Mutex<Vec<Arc<ThreadPool>>>,
}

static POOLS: AtomicPtr<Pools> = AtomicPtr::new(std::ptr::null_mut());

/// How many threads `0`, meaning all cores, stands for.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// What calls back into Python may call in again, until Python ends that at a depth of its own, a thousand.
/// A tokenizer that is its own `token_match` takes between 4 and 6 MiB for so many; Rust's threads have 2.
/// Untouched, a stack takes no memory.
const STACK: usize = 16 << 20;

/// A pool of this many threads (0: one a core), shared by all that ask for the same number.
///
/// # Errors
///
/// `threads` when the system gives no threads.
pub fn pool(threads: usize) -> Result<Arc<ThreadPool>> {
    let threads = if threads == 0 { all_cores() } else { threads };
    let mut pools = lock(&own_pools().by_size);
    if let Some(pool) = pools.iter().find(|pool| pool.current_num_threads() == threads) {
        return Ok(Arc::clone(pool));
    }
    let name = |i| format!("lexpool-{i}");
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(name);
    let pool = builder.stack_size(STACK).build();
    let pool = Arc::new(pool.map_err(|error| {
        let text = format!("cannot start {threads} threads: {error}");
        Error::new(ErrorKind::Memory, "threads", text).caused_by(error)
    })?);
    pools.push(Arc::clone(&pool));
    Ok(pool)
}

/// The number of this process, by which a child knows what it has inherited. WebAssembly has none,
/// and no children.
pub(crate) fn process() -> u32 {
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}

/// The pools of this process. Those inherited over a fork are left alone, not dropped: dropping
/// a pool waits for threads that are not here.
fn own_pools() -> &'static Pools {
    let process = process();
    loop {
        let seen = POOLS.load(Ordering::Acquire);
        // SAFETY: null, or from `Box::into_raw` below and never freed.
        if let Some(pools) = unsafe { seen.as_ref() } {
            if pools.process == process {
                return pools;
            }
        }
        let own = Box::into_raw(Box::new(Pools { process, by_size: Mutex::default() }));
        let won = POOLS.compare_exchange(seen, own, Ordering::AcqRel, Ordering::Acquire);
        if won.is_err() {
            // SAFETY: `own` was made here and no one else has seen it.
            drop(unsafe { Box::from_raw(own) });
        }
    }
}

/// How many threads are at work, counted in several places so that threads do not take a cache line
/// from each other for every document. No lock: one that a waiting thread holds would stay locked
/// in the child.
static BUSY: [Counter; 16] = [const { Counter(AtomicUsize::new(0)) }; 16];
static PAUSED: AtomicBool = AtomicBool::new(false);

#[repr(align(128))]
struct Counter(AtomicUsize);

/// How long a thread sleeps before it looks again whether the fork is over.
const NAP: Duration = Duration::from_micros(100);

/// Says that this thread may hold locks that other threads wait for.
pub struct Busy(&'static AtomicUsize);

impl Busy {
    /// Waits while someone forks, then says that this thread is at work. Cost: two atomics.
    pub fn enter() -> Busy {
        let count = own_counter();
        loop {
            // Either this thread sees the pause, or who pauses sees this thread: both write first
            // and read then, in one order for all.
            count.fetch_add(1, Ordering::SeqCst);
            if !PAUSED.load(Ordering::SeqCst) {
                return Busy(count);
            }
            count.fetch_sub(1, Ordering::SeqCst);
            std::thread::sleep(NAP);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The counter of this thread; threads are dealt out to them in turn.
fn own_counter() -> &'static AtomicUsize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed) % BUSY.len());
    &BUSY[OWN.with(|own| *own)].0
}

/// Before a fork: lets no thread begin, and says whether none is at work. Call it until it
/// returns true, and let go in between of whatever a thread at work may wait for.
pub fn pause() -> bool {
    PAUSED.store(true, Ordering::SeqCst);
    BUSY.iter().all(|count| count.0.load(Ordering::SeqCst) == 0)
}

/// After a fork, in the parent and in the child: lets threads begin again.
pub fn resume() {
    PAUSED.store(false, Ordering::SeqCst);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_is_made_once_for_each_size() {
        let two = pool(2).unwrap();
        assert_eq!(two.current_num_threads(), 2);
        assert!(Arc::ptr_eq(&two, &pool(2).unwrap()));
        assert!(!Arc::ptr_eq(&two, &pool(3).unwrap()));
    }

    #[test]
    fn a_pause_waits_for_those_at_work() {
        let busy = Busy::enter();
        assert!(!pause());
        drop(busy);
        // Other tests may be at work on threads of their own.
        while !pause() {
            std::thread::yield_now();
        }
        resume();
        drop(Busy::enter());
    }
}
