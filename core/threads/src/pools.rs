//! The thread pools of this process: two at most, each of a bounded size.
//!
//! A number of threads often comes from a request or a configuration. If each number had a pool of
//! its own, threads would pile up until the system has no more. So two pools live at a time, those
//! that were asked for last; a third number takes the place of the older one if that is idle, and
//! shares one that is at work if none is.
//!
//! Contains unsafe code: the pools are reached through an atomic pointer, since a forked child
//! could inherit a locked lock. Invariants:
//!
//! - `P1`: `POOLS` is null, or came from `Box::into_raw` and is never freed.
//! - `P2`: a pointer that lost the race for `POOLS` is known to the thread that made it only.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::busy::{DetachedWork, InheritedGuard, is_sharing, on_worker};
use lexpool_error::codes;
use lexpool_error::{Error, ErrorKind, Result};

/// The pools of one process.
struct Pools {
    process: u32,
    /// The one that was asked for last comes last.
    live: Mutex<Vec<Arc<ThreadPool>>>,
}

static POOLS: AtomicPtr<Pools> = AtomicPtr::new(std::ptr::null_mut());

/// The number of pools that live at a time.
const MAX_POOLS: usize = 2;

/// The number of threads that a pool may have for each core.
const MAX_A_CORE: usize = 4;

/// The number of threads that `0`, meaning all cores, stands for.
pub fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The size of the largest pool on a machine of one or two cores.
const LEAST_MAX: usize = 8;

/// The size of the largest pool: four threads a core, and eight at the least. More are asked for in
/// vain.
pub fn max_threads() -> usize {
    (MAX_A_CORE * all_cores()).max(LEAST_MAX)
}

/// The number of threads that a pool of so many (0: one a core) has.
pub fn size(threads: usize) -> usize {
    match threads {
        0 => all_cores(),
        // Files of the system are read to count the cores.
        1..=LEAST_MAX => threads,
        _ => threads.min(max_threads()),
    }
}

/// Bytes of the stack of a pool's thread. Untouched, a stack takes no memory. A function of the
/// user's may call in again, until Python ends that at a depth of its own, a thousand by default; a
/// tokenizer that is its own `token_match` takes between 4 and 6 MiB for so many, and Rust's
/// threads have 2.
const STACK: usize = 16 << 20;

/// Returns a pool of this many threads (0: one a core), at most [`max_threads`]. It is shared by
/// all that ask for the same number. If two pools of other sizes are at work it is the larger of
/// them.
///
/// # Errors
///
/// `threads` if the system cannot start them.
pub fn pool(threads: usize) -> Result<Arc<ThreadPool>> {
    let threads = size(threads);
    let mut live = lock(&own_pools().live);
    let same = live.iter().position(|pool| pool.current_num_threads() == threads);
    if let Some(found) = same {
        let pool = live.remove(found);
        live.push(Arc::clone(&pool));
        return Ok(pool);
    }
    if live.len() == MAX_POOLS {
        // A caller at work on a pool holds it, and so does a job.
        let Some(idle) = live.iter().position(|pool| Arc::strong_count(pool) == 1) else {
            let largest = live.iter().max_by_key(|pool| pool.current_num_threads());
            return Ok(Arc::clone(largest.expect("two pools")));
        };
        // Its threads end by themselves.
        drop(live.remove(idle));
    }
    let pool = Arc::new(start(threads)?);
    live.push(Arc::clone(&pool));
    Ok(pool)
}

fn start(threads: usize) -> Result<ThreadPool> {
    let name = |i| format!("lexpool-{i}");
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(name);
    builder.stack_size(STACK).build().map_err(|error| {
        let text = format!("cannot start {threads} threads: {error}");
        Error::new(ErrorKind::Memory, codes::THREADS, text).caused_by(error)
    })
}

/// Returns whether this thread does the work without others: it was asked for one thread, is one of
/// a pool's itself, leads a [`phase`](super::phase), or [helps](super::Job::help) with a job.
pub fn alone(threads: usize) -> bool {
    threads == 1 || on_worker() || is_sharing()
}

/// Runs `work` on a pool of `threads` threads (0: one a core), and waits for it. What it does in
/// parallel enters by the [`InheritedGuard`] of the thread that called. Not for a thread of a pool
/// ([`alone`]).
///
/// # Errors
///
/// `threads` if the system cannot start them.
pub fn on_pool<T: Send>(
    threads: usize,
    work: impl FnOnce(InheritedGuard) -> T + Send,
) -> Result<T> {
    debug_assert!(!on_worker(), "a thread of a pool waits for others");
    let within = InheritedGuard::this_thread();
    Ok(pool(threads)?.install(|| work(within)))
}

/// Hands `work` to a pool of so many threads (0: one a core) and comes back at once.
///
/// # Errors
///
/// `threads` if the system cannot start them.
pub fn spawn(threads: usize, work: impl FnOnce() + Send + 'static) -> Result<()> {
    spawn_on(&pool(threads)?, work);
    Ok(())
}

/// Hands `times` copies of `work` to a pool of so many threads (0: one a core) and comes back at
/// once.
///
/// # Errors
///
/// `threads` if the system cannot start them.
pub(super) fn spawn_each(
    threads: usize,
    times: usize,
    work: impl Fn() + Send + Clone + 'static,
) -> Result<()> {
    let pool = pool(threads)?;
    for _ in 0..times {
        spawn_on(&pool, work.clone());
    }
    Ok(())
}

fn spawn_on(pool: &Arc<ThreadPool>, work: impl FnOnce() + Send + 'static) {
    let (errand, at_work) = (DetachedWork::new(), Arc::clone(pool));
    pool.spawn(move || {
        errand.run(work);
        drop(at_work);
    });
}

/// The number of this process, by which a child knows what it has inherited. WebAssembly has none,
/// and no children.
pub fn process() -> u32 {
    if cfg!(target_family = "wasm") { 0 } else { std::process::id() }
}

/// The pools of this process. Those inherited over a fork are left alone, not dropped: dropping
/// a pool tells threads that are not here.
fn own_pools() -> &'static Pools {
    let process = process();
    loop {
        let address = POOLS.load(Ordering::Acquire);
        // SAFETY: P1: null, or the address of pools that are never freed.
        if let Some(pools) = unsafe { address.as_ref() } {
            if pools.process == process {
                return pools;
            }
        }
        let new_pools = Box::into_raw(Box::new(Pools { process, live: Mutex::default() }));
        let won = POOLS.compare_exchange(address, new_pools, Ordering::AcqRel, Ordering::Acquire);
        if won.is_err() {
            // SAFETY: P2: `new_pools` came from `Box::into_raw` above and was not published.
            drop(unsafe { Box::from_raw(new_pools) });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_two_pools_live_whatever_numbers_are_asked_for() {
        for threads in (2..40).chain([1000, 70_000, usize::MAX]) {
            let size = pool(threads).unwrap().current_num_threads();
            assert!(size <= max_threads(), "{size} threads for {threads}");
            assert!(lock(&own_pools().live).len() <= MAX_POOLS);
        }
    }

    #[test]
    fn a_pool_is_shared_while_it_is_held() {
        let two = pool(2).unwrap();
        for threads in [3, 4, 5] {
            drop(pool(threads).unwrap());
        }
        assert!(Arc::ptr_eq(&two, &pool(2).unwrap()), "a pool at work was replaced");
    }

    #[test]
    fn a_third_size_shares_a_pool_while_two_are_at_work() {
        let held: Vec<_> = [2, 3, 4, 5].map(|threads| pool(threads).unwrap()).into();
        let live = lock(&own_pools().live);
        assert!(held.iter().all(|pool| live.iter().any(|own| Arc::ptr_eq(own, pool))));
    }
}
