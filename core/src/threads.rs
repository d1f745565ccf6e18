//! Threads of lexpool's own: private pools that survive a fork of the process.
//!
//! A thread pool does not: its threads are gone in the child, and waiting for one hangs. So pools
//! belong to the process that made them ([`pool`]); a child finds that the ones it sees are not its own,
//! leaves them be, and makes others. Locks are the other danger: one that a thread holds at the
//! moment of the fork stays locked in the child for ever. So work that takes shared locks runs inside a
//! [`Busy`] guard, and a thread that forks calls [`pause`] before.

mod batch;
mod busy;
mod job;
mod pools;

pub(crate) use self::batch::{each, each_here, each_watched};
pub use self::busy::{Busy, is_quiet, pause, resume, resume_in_child};
pub(crate) use self::busy::{Errand, Within};
pub use self::job::Job;
pub use self::pools::{all_cores, max_threads, pool};
pub(crate) use self::pools::{on_pool, process, spawn};
