//! The gate in a child that was forked on a thread of a pool.
//!
//! In a file of its own: nothing is forked here, but what a child does first is done to the whole
//! process.

#![expect(clippy::disallowed_methods, reason = "the thread that forks is not one of lexpool's")]

use lexpool::threads::{ForkGuard, Job, Progress, is_quiet, pause, resume, resume_in_child};
use std::time::Duration;

#[test]
fn a_child_that_was_forked_by_a_job_of_a_busy_thread_counts_itself_out() {
    // A child has not the thread that waits for the job, so its guard is never dropped there.
    let guard = ForkGuard::enter();
    let mut job = Job::each(vec![()], 2, |()| false, |(), _| resume_in_child()).unwrap();
    assert_eq!(job.next(Duration::from_secs(60)).unwrap(), Progress::Done(()));
    std::mem::forget(guard);
    let quiet = std::thread::spawn(|| {
        pause();
        let quiet = (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            is_quiet()
        });
        resume();
        quiet
    });
    assert!(quiet.join().unwrap(), "a count stayed behind, or was taken twice");
}
