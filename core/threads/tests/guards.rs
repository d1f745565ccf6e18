//! Guards at the gate of the process. In a file of their own, and one at a time: no other test is
//! at work, so whether the process is quiet depends on these threads alone.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lexpool_threads::{
    ForkGuard, InheritedGuard, is_quiet, pause, process, resume, resume_in_child, spawn,
};

fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn on_another_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(work).join().unwrap())
}

/// Waits until no other thread is at work.
fn wait_for_quiet() {
    for _ in 0..60_000 {
        if is_quiet() {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("a thread is at work for ever");
}

/// Runs `enter` on a thread while another thread pauses, and checks that it waits for the end of
/// the pause.
fn waits_for_the_end_of_a_pause(enter: impl FnOnce() -> ForkGuard + Send) {
    let (send, entered) = mpsc::channel();
    pause();
    thread::scope(|scope| {
        scope.spawn(move || {
            let _busy = enter();
            send.send(()).unwrap();
        });
        let early = entered.recv_timeout(Duration::from_millis(50));
        assert_eq!(early, Err(RecvTimeoutError::Timeout), "it entered during a pause");
        assert!(is_quiet());
        resume();
        entered.recv().unwrap();
    });
    assert!(is_quiet());
}

#[test]
fn a_thread_that_is_not_busy_waits_for_the_end_of_a_pause() {
    let _one = one_at_a_time();
    waits_for_the_end_of_a_pause(ForkGuard::enter);
}

#[test]
fn a_thread_that_is_not_busy_hands_on_no_right_to_enter() {
    let _one = one_at_a_time();
    let within = InheritedGuard::this_thread();
    waits_for_the_end_of_a_pause(move || within.enter());
}

#[test]
fn a_busy_thread_is_counted_once_however_often_it_enters() {
    let _one = one_at_a_time();
    let outer = ForkGuard::enter();
    let within = InheritedGuard::this_thread();
    let inner = [ForkGuard::enter(), within.enter(), within.enter()];
    assert!(is_quiet(), "only this thread is at work");
    assert!(!on_another_thread(is_quiet));
    drop(outer);
    assert!(!on_another_thread(is_quiet));
    drop(inner);
    assert!(on_another_thread(is_quiet));
}

#[test]
fn work_that_a_busy_thread_has_sent_is_at_work_until_it_is_done() {
    let _one = one_at_a_time();
    let (finish, may_finish) = mpsc::channel::<()>();
    let busy = ForkGuard::enter();
    spawn(2, move || may_finish.recv().unwrap()).unwrap();
    drop(busy);
    assert!(!is_quiet(), "the work is on its way, or begun");
    finish.send(()).unwrap();
    wait_for_quiet();
}

#[test]
fn a_worker_that_takes_up_other_work_while_it_waits_is_counted_once() {
    let _one = one_at_a_time();
    let (second, is_there) = mpsc::channel::<()>();
    let (done, is_done) = mpsc::channel::<()>();
    let busy = ForkGuard::enter();
    spawn(1, move || {
        is_there.recv().unwrap();
        while is_done.try_recv().is_err() {
            // As rayon's own waits do, this takes up what is sent to the same pool.
            rayon::yield_now();
        }
    })
    .unwrap();
    spawn(1, move || done.send(()).unwrap()).unwrap();
    second.send(()).unwrap();
    drop(busy);
    wait_for_quiet();
}

#[test]
fn work_of_a_thread_that_is_not_busy_is_not_waited_for() {
    let _one = one_at_a_time();
    let (finish, may_finish) = mpsc::channel::<()>();
    let (begin, has_begun) = mpsc::channel::<()>();
    spawn(2, move || {
        begin.send(()).unwrap();
        may_finish.recv().unwrap();
    })
    .unwrap();
    has_begun.recv().unwrap();
    assert!(is_quiet());
    finish.send(()).unwrap();
}

#[test]
fn a_forked_child_forgets_pauses_and_threads_that_it_does_not_have() {
    let _one = one_at_a_time();
    // In the child the other thread would be gone, with its count.
    on_another_thread(|| std::mem::forget(ForkGuard::enter()));
    pause();
    assert!(!is_quiet());
    resume_in_child();
    assert!(is_quiet());
    on_another_thread(|| drop(ForkGuard::enter()));

    let own = ForkGuard::enter();
    pause();
    resume_in_child();
    assert!(is_quiet(), "its own count is left");
    assert!(!on_another_thread(is_quiet));
    drop(own);
    assert!(is_quiet());
}

#[test]
fn the_number_of_a_process_is_the_systems() {
    assert_eq!(process(), std::process::id());
}
