//! Fork-join teams: short phases of parallel work, one after another, of one thread.
//!
//! A thread that sleeps takes tens of microseconds to wake, as long as some phases of a training.
//! So the threads of a pool that help in a phase wait for the next one awake, for a moment, and
//! only then go back to their pool. The calling thread leads: it takes part in the phase, and
//! waits for no helper that has not begun, so that a phase takes no longer than on one thread if
//! the processors are busy with other work.
//!
//! Contains unsafe code: helpers call a function that borrows from the leader. Invariant:
//!
//! - `T1`: [`Team::run`] ends, by a result or a panic, after its gate was closed and then empty; a
//!   helper reads and calls the function only while it is inside of the gate.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use lexpool_pool::PhaseGate;

use super::busy::{InheritedGuard, SharingGuard};
use super::pools::{all_cores, alone, pool, size};
use super::scope::HomeProcess;
use lexpool_error::Result;

/// The time that a thread which waits keeps its processor: about that of going to sleep and waking.
const SPINNING: Duration = Duration::from_micros(20);
/// The time that a helper waits for the next phase.
const AT_HAND: Duration = Duration::from_micros(200);
/// The time after which a helper goes back to its pool, where other work may wait.
const TURN: Duration = Duration::from_millis(20);
/// The time that a leader waits awake for helpers to finish their last items.
const AWAKE: Duration = Duration::from_micros(100);

thread_local! {
    /// The team that this thread has led last.
    static TEAM: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
}

/// Returns the result of `work` for each item, in order, on this thread and the threads of a pool
/// of `threads` threads (0: one a core; 1: on this one alone), but on no more than there are cores.
///
/// As [`each`](super::each), for work of microseconds that a thread does again and again: between
/// two calls that follow each other within 200 µs, no thread has to wake.
///
/// # Errors
///
/// `threads` when none can be started.
pub fn phase<I: Send, T: Send>(
    items: Vec<I>,
    threads: usize,
    work: impl Fn(I) -> T + Sync,
) -> Result<Vec<T>> {
    if items.len() <= 1 || alone(threads) {
        return Ok(items.into_iter().map(work).collect());
    }
    let team = Team::of_this_thread(threads);
    match team.helpers.min(items.len() - 1) {
        0 => Ok(items.into_iter().map(work).collect()),
        helpers => team.share(items, helpers, work),
    }
}

/// The helpers of a thread, and the phase that they are in.
struct Team {
    home: HomeProcess,
    /// The number of threads that was asked for, and that of its pool.
    threads: (usize, usize),
    /// The most helpers.
    helpers: usize,
    leader: Thread,
    gate: PhaseGate,
    /// The function of the phase; `None` between phases.
    work: Mutex<Option<&'static Shared<'static>>>,
    /// The number of helpers that wait for a phase, are in one, or are on their way.
    at_hand: AtomicUsize,
    /// The payload of the first panic of a helper in this phase.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The function of a phase, which the leader and its helpers call once each.
type Shared<'w> = dyn Fn(Role) + Sync + 'w;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Leader,
    Helper,
}

impl Team {
    fn new(threads: usize) -> Team {
        let in_pool = size(threads);
        Team {
            home: HomeProcess::this_process(),
            threads: (threads, in_pool),
            helpers: in_pool.min(all_cores()) - 1,
            leader: std::thread::current(),
            gate: PhaseGate::new(),
            work: Mutex::default(),
            at_hand: AtomicUsize::new(0),
            panic: Mutex::default(),
        }
    }

    /// Returns the team of this thread, a new one in a child of the process that it is of.
    fn of_this_thread(threads: usize) -> Arc<Team> {
        TEAM.with_borrow_mut(|team| {
            let fits = |team: &&Arc<Team>| team.threads.0 == threads && !team.home.is_left();
            if let Some(team) = team.as_ref().filter(fits) {
                return Arc::clone(team);
            }
            let new_team = Arc::new(Team::new(threads));
            *team = Some(Arc::clone(&new_team));
            new_team
        })
    }

    /// Shares items: the leader takes them from the front, helpers from the back, so that items of
    /// the same place in several phases mostly have the same processor and its caches.
    fn share<I: Send, T: Send>(
        self: &Arc<Team>,
        items: Vec<I>,
        helpers: usize,
        work: impl Fn(I) -> T + Sync,
    ) -> Result<Vec<T>> {
        let n = items.len();
        let items = Mutex::new(items.into_iter().enumerate());
        let done = Mutex::new(Vec::with_capacity(n));
        let within = InheritedGuard::this_thread();
        self.run(helpers, &|role| {
            let _busy = within.enter();
            let next = || {
                let mut items = lock(&items);
                if role == Role::Leader { items.next() } else { items.next_back() }
            };
            let mut results = Vec::new();
            while let Some((at, item)) = next() {
                results.push((at, work(item)));
            }
            lock(&done).append(&mut results);
        })?;
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    /// Calls a function on this thread, and at the same time on as many helpers as come in time.
    ///
    /// # Panics
    ///
    /// Those of the function, when all have ended.
    fn run(self: &Arc<Team>, helpers: usize, work: &Shared<'_>) -> Result<()> {
        *lock(&self.panic) = None;
        // SAFETY: T1: `phase` waits on every way out of this function, so the function outlives
        // all calls.
        let shared: &'static Shared<'static> = unsafe { std::mem::transmute(work) };
        *lock(&self.work) = Some(shared);
        let phase = Phase::begin(self);
        self.call(helpers)?;
        work(Role::Leader);
        drop(phase);
        match lock(&self.panic).take() {
            Some(panic) => resume_unwind(panic),
            None => Ok(()),
        }
    }

    /// Sees to it that so many helpers are at hand or on their way.
    fn call(self: &Arc<Team>, helpers: usize) -> Result<()> {
        // After the gate was opened: a helper that leaves is counted out first and looks at the
        // gate then, so that one which is still counted here finds it open (store buffering).
        fence(Ordering::SeqCst);
        let missing = helpers.saturating_sub(self.at_hand.load(Ordering::Relaxed));
        if missing == 0 {
            return Ok(());
        }
        let pool = pool(self.threads.1)?;
        for _ in 0..missing {
            self.at_hand.fetch_add(1, Ordering::Relaxed);
            let (team, at_work) = (Arc::clone(self), Arc::clone(&pool));
            pool.spawn(move || {
                team.help();
                drop(at_work);
            });
        }
        Ok(())
    }

    /// Takes part in phases, until none comes for a moment or the turn is over.
    fn help(&self) {
        let mut last = None;
        loop {
            self.help_for_a_turn(&mut last);
            self.at_hand.fetch_sub(1, Ordering::Relaxed);
            // Pairs with that of `call`.
            fence(Ordering::SeqCst);
            if !self.gate.is_open(last) {
                return;
            }
            // The leader may have counted this helper, and has called no other.
            self.at_hand.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Helps once; `last` is the number of the last phase.
    fn help_for_a_turn(&self, last: &mut Option<u32>) {
        let began = Instant::now();
        let mut wait = Wait::new();
        while wait.lasts(AT_HAND) {
            let Some(number) = self.gate.try_enter(*last) else { continue };
            *last = Some(number);
            let work = || {
                let work = *lock(&self.work);
                work.expect("a function while the gate is open")(Role::Helper);
            };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
                lock(&self.panic).get_or_insert(panic);
            }
            if self.gate.leave() {
                self.leader.unpark();
            }
            if began.elapsed() > TURN {
                return;
            }
            wait = Wait::new();
        }
    }
}

/// A phase that has begun; it ends when this is dropped.
struct Phase<'t> {
    team: &'t Team,
    _sharing: SharingGuard,
}

impl Phase<'_> {
    fn begin(team: &Team) -> Phase<'_> {
        let sharing = SharingGuard::enter();
        team.gate.open();
        Phase { team, _sharing: sharing }
    }
}

impl Drop for Phase<'_> {
    fn drop(&mut self) {
        let team = self.team;
        team.gate.close();
        let mut wait = Wait::new();
        while !team.gate.is_empty() {
            if !wait.lasts(AWAKE) {
                // The last helper wakes this thread, which may also wake for no reason.
                std::thread::park();
            }
        }
        *lock(&team.work) = None;
    }
}

/// A wait in a loop: at first the thread keeps its processor, then it gives others a chance.
struct Wait {
    rounds: u32,
    /// The time at which the first rounds had ended.
    began: Option<Instant>,
}

impl Wait {
    fn new() -> Wait {
        Wait { rounds: 0, began: None }
    }

    /// Waits for an instant. Returns whether less than a time has gone by.
    fn lasts(&mut self, time: Duration) -> bool {
        // The clock is not read for waits that end at once.
        const ROUNDS: u32 = 64;
        std::hint::spin_loop();
        self.rounds += 1;
        if self.rounds < ROUNDS {
            return true;
        }
        let waited = self.began.get_or_insert_with(Instant::now).elapsed();
        if waited > SPINNING {
            std::thread::yield_now();
        }
        waited < time
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{each, on_worker};

    #[test]
    fn a_phase_has_the_results_of_one_thread_in_order() {
        for n in [0, 1, 2, 3, 40, 1000_u64] {
            let expected: Vec<u64> = (0..n).map(|at| at * at).collect();
            for threads in [0, 1, 2, 3, 8, 64] {
                assert_eq!(phase((0..n).collect(), threads, |at| at * at).unwrap(), expected);
            }
        }
    }

    #[test]
    fn helpers_work_beside_the_leader_in_each_of_many_phases() {
        let team = Arc::new(Team::new(2));
        for number in 0..1000 {
            // Each waits for the other.
            let (barrier, roles) = (Barrier::new(2), AtomicUsize::new(0));
            let meet = |role| {
                assert_eq!(on_worker(), role == Role::Helper);
                barrier.wait();
                roles.fetch_add(if role == Role::Leader { 1 } else { 10 }, Ordering::Relaxed);
            };
            team.run(1, &meet).unwrap();
            assert_eq!(roles.into_inner(), 11, "phase {number}");
        }
    }

    #[test]
    fn a_leader_does_all_items_while_the_threads_of_the_pool_are_at_other_work() {
        let team = Arc::new(Team::new(2));
        let (pool, free) = (pool(2).unwrap(), Arc::new(AtomicBool::new(false)));
        for _ in 0..pool.current_num_threads() {
            let free = Arc::clone(&free);
            pool.spawn(move || {
                while !free.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
            });
        }
        let done = team.share((0..100).collect(), 1, |at: usize| at);
        free.store(true, Ordering::Relaxed);
        assert!(done.unwrap().into_iter().eq(0..100));
    }

    #[test]
    fn helpers_go_back_to_their_pool_and_come_again() {
        let team = Arc::new(Team::new(3));
        for _ in 0..3 {
            team.share((0..50).collect(), 2, |at: usize| at).unwrap();
            let start = Instant::now();
            while team.at_hand.load(Ordering::Relaxed) > 0 {
                assert!(start.elapsed() < Duration::from_secs(60), "a helper stays for ever");
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn a_panic_of_a_leader_or_of_a_helper_comes_out_when_both_have_ended() {
        let team = Arc::new(Team::new(2));
        for panics in [Role::Leader, Role::Helper] {
            let (barrier, ended) = (Barrier::new(2), AtomicUsize::new(0));
            let work = |role| {
                barrier.wait();
                if role == panics {
                    resume_unwind(Box::new("a panic"));
                }
                std::thread::sleep(Duration::from_millis(5));
                ended.fetch_add(1, Ordering::Relaxed);
            };
            let panic = catch_unwind(AssertUnwindSafe(|| team.run(1, &work))).unwrap_err();
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"a panic"));
            assert_eq!(ended.into_inner(), 1);
        }
        assert_eq!(team.share(vec![1, 2, 3], 1, |x: i32| x).unwrap(), [1, 2, 3]);
    }

    #[test]
    fn work_in_a_phase_is_alone() {
        let threads = |_: i32| {
            let own = std::thread::current().id();
            let inner = phase((0..20).collect(), 2, |_: i32| std::thread::current().id());
            assert!(inner.unwrap().into_iter().all(|thread| thread == own));
            let inner = each((0..20).collect(), 2, 1, |_: i32| std::thread::current().id());
            assert!(inner.unwrap().into_iter().all(|thread| thread == own));
        };
        phase((0..20).collect(), 2, threads).unwrap();
        assert!(!alone(2));
        each((0..20).collect(), 2, 1, threads).unwrap();
    }
}
