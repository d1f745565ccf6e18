//! Jobs whose items wait for each other. In a file of its own, and one at a time: a pool has the
//! threads that an item waits for only if no other test has the pools.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lexpool_threads::{Job, Progress, on_all};

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of results of a job; this thread helps if it may.
fn count<T: Send + 'static>(job: &mut Job<T>, helps: bool) -> usize {
    let mut count = 0;
    loop {
        if helps && job.help().unwrap() {
            continue;
        }
        match job.next(Duration::from_millis(50)).unwrap() {
            Progress::Done(_) => count += 1,
            Progress::Working => {}
            Progress::Ended => return count,
        }
    }
}

#[test]
fn work_runs_on_all_threads_that_were_asked_for_and_on_this_one_after_its_own() {
    let _alone = alone();
    for threads in [1, 2, 4] {
        let (here, began) = (std::thread::current().id(), Mutex::new(Vec::new()));
        let (together, mut is_ready) = (Barrier::new(threads), false);
        let work = || {
            together.wait();
            began.lock().unwrap().push(std::thread::current().id());
        };
        on_all(threads, || is_ready = true, work).unwrap();
        let began = began.into_inner().unwrap();
        assert!(is_ready && began.contains(&here));
        assert_eq!(began.len(), threads);
    }
}

#[test]
fn long_items_have_as_many_threads_as_were_asked_for() {
    let _alone = alone();
    let together = Barrier::new(2);
    let work = move |(), _: &AtomicBool| together.wait().is_leader();
    let mut job = Job::each(vec![(), ()], 2, |()| false, work).unwrap();
    assert_eq!(count(&mut job, true), 2);
}

#[test]
fn two_jobs_of_one_long_item_each_run_at_once() {
    let _alone = alone();
    let together = Arc::new(Barrier::new(2));
    let jobs = [(); 2].map(|()| {
        let together = Arc::clone(&together);
        let work = move |(), _: &AtomicBool| together.wait().is_leader();
        Job::each(vec![()], 2, |()| false, work).unwrap()
    });
    for mut job in jobs {
        assert_eq!(count(&mut job, true), 1);
    }
}

#[test]
fn a_thread_that_helps_does_alone_what_an_item_would_share() {
    let _alone = alone();
    let lock = Mutex::new(());
    // With the lock held, work for the pool would wait for threads that wait for the lock.
    let work = move |n: usize, _: &AtomicBool| {
        let _held = lock.lock().unwrap();
        let mut inner = Job::each(vec![n; 3], 2, |_| false, |n, _| n).unwrap();
        count(&mut inner, false)
    };
    let mut job = Job::each((0..50).collect(), 2, |_| true, work).unwrap();
    assert_eq!(count(&mut job, true), 50);
}

#[test]
fn a_dropped_job_frees_its_items_though_the_pool_has_not_come_to_it() {
    let _alone = alone();
    let gate = Arc::new(Barrier::new(2));
    let inner = Arc::clone(&gate);
    // The only thread of the pool waits for this one.
    let work = move |(), _: &AtomicBool| inner.wait().is_leader();
    let mut busy = Job::each(vec![()], 2, |()| true, work).unwrap();
    let item = Arc::new(());
    drop(Job::each(vec![Arc::clone(&item); 9], 2, |_| true, |_, _| ()).unwrap());
    assert_eq!(Arc::strong_count(&item), 1);
    gate.wait();
    assert_eq!(count(&mut busy, false), 1);
}
