//! Arenas and append-only storage that threads share.
//!
//! ```
//! use lexpool_pool::{Error, SegmentedVec, ChunkArena};
//!
//! let words = SegmentedVec::new(); // shared by all threads; items never move
//! let apple = words.push("apple")?;
//! let mut arena = ChunkArena::new(); // one worker's; documents side by side
//! let doc = arena.place(&[apple], b"apple")?;
//! assert_eq!(words.get(doc.records()[0]), Some(&"apple"));
//! # Ok::<(), Error>(())
//! ```
//!
//! | type | holds | who may use it | freed |
//! | --- | --- | --- | --- |
//! | [`Pool`] | anything plain, for one job | one thread at a time | at once, or by `reset` |
//! | [`ChunkArena`] | many small documents | one worker | chunk by chunk, with its last [`RecordBuffer`] |
//! | [`ArrayArena`] | the later arrays of one document | the document | with the document |
//! | [`RecordBuffer`] | one document's records and bytes | its owner; any thread | with its owner |
//! | [`SharedRegion`] | what lends leaves memory of others | all threads | with its last buffer |
//! | [`SegmentedVec`] | items with stable addresses | all threads | at once |
//! | [`SegmentedBytes`] | byte strings with stable addresses | all threads | at once |
//! | [`Index`] | positions by key | all threads | at once |
//! | [`ZoneSlot`] | at most one open zone | all threads | with the zone's last holder |
//! | [`Access`], [`OnceOpen`], [`ForkGate`] | who may use something: a cell, a lease, a process that forks | all threads | at once |
//!
//! Reads of `SegmentedVec`, `SegmentedBytes` and `Index` never wait. Every refusal is an [`Error`] with a
//! stable code, out of memory among them; what is allocated without a check is small and of fixed
//! size. [`Stats`] says what a structure holds.
//!
//! There are no features. Absent on purpose: any notion of text or language, global state, I/O,
//! clocks, removal of single items, and drop glue in arenas.
//!
//! Built with `--cfg loom`, the crate takes its atomics and locks from the model checker;
//! `tests/schedules.rs` has the models.

mod access;
mod active_slot;
mod array_arena;
mod block;
mod chunk_arena;
mod error;
mod fork_gate;
mod index;
mod once;
mod pool;
mod record_buffer;
mod segmented_bytes;
mod segmented_vec;
mod stats;
mod sync;
mod zone;

pub use access::Access;
pub use active_slot::ActiveSlot;
pub use array_arena::ArrayArena;
pub use block::MemoryOwner;
pub use chunk_arena::ChunkArena;
pub use error::Error;
pub use fork_gate::ForkGate;
pub use index::Index;
pub use once::{OnceOpen, Opening};
pub use pool::Pool;
pub use record_buffer::{KeepAlive, RecordBuffer, SharedRegion};
pub use segmented_bytes::{BytesAt, SegmentedBytes};
pub use segmented_vec::SegmentedVec;
pub use stats::Stats;
pub use zone::ZoneSlot;
