//! Threads of lexpool's own: private pools that survive a fork of the process.
//!
//! A thread pool does not: its threads are gone in the child, and waiting for one hangs. So pools
//! belong to the process that made them ([`pool`]); a child finds that the ones it sees are not its own,
//! leaves them be, and makes others. Locks are the other danger: one that a thread holds at the
//! moment of the fork stays locked in the child for ever. So work that takes shared locks runs inside a
//! [`ForkGuard`] guard, and a thread that forks calls [`pause`] before.
//!
//! A thread of a pool that waits for others of its pool takes up other work meanwhile (rayon steals it),
//! under the locks and in the state that it waits in; and where all wait so, nothing goes on. So what it is
//! asked to do in parallel it does alone.

mod batch;
mod busy;
mod job;
mod pools;
mod scope;

pub(crate) use self::batch::{each, each_watched};
pub(crate) use self::busy::{Errand, Within};
pub use self::busy::{ForkGuard, is_quiet, pause, resume, resume_in_child};
pub use self::job::Job;
pub use self::pools::{all_cores, max_threads, on_worker, pool, spawn};
pub(crate) use self::pools::{alone, on_pool, process, size};
pub(crate) use self::scope::{Home, in_scope};
