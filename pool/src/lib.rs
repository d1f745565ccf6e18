//! Arenas and append-only data structures that threads share.
//!
//! ```
//! use lexpool_pool::{Error, SegmentedVec, ChunkArena};
//!
//! let words = SegmentedVec::new(); // shared by all threads; items do not move
//! let apple = words.push("apple")?;
//! let mut arena = ChunkArena::new(); // of one worker; documents side by side
//! let doc = arena.place(&[apple], b"apple")?;
//! assert_eq!(words.get(doc.records()[0]), Some(&"apple"));
//! # Ok::<(), Error>(())
//! ```
//!
//! | type | contents | access | freed |
//! | --- | --- | --- | --- |
//! | [`Pool`] (bump allocator) | plain records of one job | one thread at a time | at once, or by `reset` |
//! | [`ChunkArena`] | records and bytes of many small documents | one worker | each chunk with its last [`RecordBuffer`] |
//! | [`ArrayArena`] | annotation columns of one document | the document | with the document |
//! | [`RecordBuffer`] | records and bytes of one document | its owner, on any thread | with its owner |
//! | [`SharedRegion`] | foreign memory that buffers borrow | all threads | with its last buffer |
//! | [`SegmentedVec`] | items with stable addresses | all threads | at once |
//! | [`SegmentedBytes`] | byte strings with stable addresses | all threads | at once |
//! | [`Index`] (concurrent hash index) | positions by key | all threads | at once |
//! | [`ActiveSlot`] | several values, one of them active | all threads | at once |
//! | [`ZoneSlot`] | at most one open zone | all threads | with the last reference to the zone |
//! | [`RwState`] | the state of a reader-writer lock | all threads | at once |
//! | [`OpenOnce`] | the state of a resource that is opened once | all threads | at once |
//! | [`ForkGate`] | counts of threads that delay `fork` | all threads | at once |
//! | [`PhaseGate`] | the count of threads that share a phase of work | all threads | at once |
//!
//! Reads of `SegmentedVec`, `SegmentedBytes` and `Index` never wait. Every failure, also of the
//! allocator, is an [`Error`] with a stable code; only small allocations of fixed size are not
//! checked. [`Stats`] has the memory use of a structure.
//!
//! The crate has no features. Absent on purpose: any notion of text or language, global state, I/O,
//! clocks, removal of single items, and drop glue in arenas.
//!
//! Modules with unsafe code list their invariants at the head, numbered with a letter of the
//! module, and each `SAFETY` comment cites the invariants that it relies on.
//!
//! With `--cfg loom`, the crate uses the atomics and locks of the model checker;
//! `tests/schedules.rs` has the models.

mod active_slot;
mod array_arena;
mod block;
mod chunk_arena;
mod error;
mod fork_gate;
mod index;
mod open_once;
mod phase_gate;
mod pool;
mod record_buffer;
mod rw_state;
mod segmented_bytes;
mod segmented_vec;
mod stats;
mod sync;
mod zone;

pub use active_slot::ActiveSlot;
pub use array_arena::ArrayArena;
pub use block::MemoryOwner;
pub use chunk_arena::ChunkArena;
pub use error::Error;
pub use fork_gate::ForkGate;
pub use index::{Index, IndexWriter};
pub use open_once::{OpenGuard, OpenOnce};
pub use phase_gate::PhaseGate;
pub use pool::Pool;
pub use record_buffer::{KeepAlive, RecordBuffer, SharedRegion};
pub use rw_state::RwState;
pub use segmented_bytes::{BytesAt, SegmentedBytes};
pub use segmented_vec::{SegmentedVec, VecWriter};
pub use stats::Stats;
pub use zone::ZoneSlot;
