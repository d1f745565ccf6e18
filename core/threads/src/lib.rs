//! Thread pools that survive a fork of the process, and the ways to run work on them.
//!
//! A thread pool usually does not survive: in the child its threads are gone, and waiting for one
//! hangs. Here a pool belongs to the process that made it ([`pool`]); a child finds that the pools
//! it inherited are not its own, leaves them alone, and makes others. Locks are the other danger:
//! one that a thread holds at the moment of the fork stays locked in the child for ever. So work
//! that takes shared locks runs under a [`ForkGuard`], and a thread that forks calls [`pause`]
//! before.
//!
//! ```
//! use lexpool_threads::each;
//!
//! let squares = each((1..=3).collect(), 2, 1, |n: u32| n * n)?;
//! assert_eq!(squares, [1, 4, 9]);
//! # Ok::<(), lexpool_error::Error>(())
//! ```
//!
//! | item | role |
//! | --- | --- |
//! | [`pool`] | a thread pool of this process, of a given size; at most two are kept |
//! | [`each`], [`each_watched`] | a function of each item, on a pool; results in the order of the items |
//! | [`phase`] | as [`each`], for short work that follows on other short work |
//! | [`Job`] | work on many items that the caller starts, helps with, and collects item by item |
//! | [`in_scope`], [`on_all`], [`HomeProcess`] | jobs that borrow from the thread that waits for them |
//! | [`on_pool`], [`spawn`] | one piece of work, waited for or not |
//! | [`ForkGuard`], [`InheritedGuard`] | proof that a thread works, so that a fork waits for it |
//! | [`allow_fork`] | a place in long work at which another thread may fork |
//! | [`StepCounter`] | calls a check now and then, so that long work can be interrupted |
//! | [`pause`], [`resume`], [`resume_in_child`], [`is_quiet`] | calls around a fork |
//!
//! A thread of a pool that waits for others of its pool takes up other work meanwhile (rayon steals
//! it), while it still holds its locks; if all threads wait so, there is a deadlock. So a task that
//! already runs on a pool does nested parallel work alone ([`alone`]).

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests start threads of their own"))]

mod batch;
mod busy;
mod job;
mod pools;
mod scope;
mod step_counter;
mod team;

pub use self::batch::{each, each_watched};
pub use self::busy::{
    ForkGuard, InheritedGuard, allow_fork, is_quiet, on_worker, pause, resume, resume_in_child,
};
pub use self::job::{Job, Progress};
pub use self::pools::{all_cores, max_threads, pool, spawn};
pub use self::pools::{alone, on_pool, process, size};
pub use self::scope::{HomeProcess, in_scope, on_all};
pub use self::step_counter::StepCounter;
pub use self::team::phase;
