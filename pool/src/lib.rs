//! Arenas and append-only storage that threads share.
//!
//! ```
//! use lexpool_pool::{Error, Pages, Shelf};
//!
//! let words = Pages::new(); // shared by all threads; items never move
//! let apple = words.push("apple")?;
//! let mut shelf = Shelf::new(); // one worker's; documents side by side
//! let doc = shelf.place(&[apple], b"apple")?;
//! assert_eq!(words.get(doc.records()[0]), Some(&"apple"));
//! # Ok::<(), Error>(())
//! ```
//!
//! | type | holds | who may use it | freed |
//! | --- | --- | --- | --- |
//! | [`Pool`] | anything plain, for one job | one thread at a time | at once, or by `reset` |
//! | [`Shelf`] | many small documents | one worker | chunk by chunk, with its last [`Leaf`] |
//! | [`Folio`] | the later arrays of one document | the document | with the document |
//! | [`Leaf`] | one document's records and bytes | its owner; any thread | with its owner |
//! | [`Lender`] | what lends leaves memory of others | all threads | with its last leaf |
//! | [`Pages`] | items with stable addresses | all threads | at once |
//! | [`BytePages`] | byte strings with stable addresses | all threads | at once |
//! | [`Index`] | positions by key | all threads | at once |
//! | [`ZoneSlot`] | at most one open zone | all threads | with the zone's last holder |
//! | [`Access`], [`OnceOpen`], [`Gate`] | who may use something: a cell, a lease, a process that forks | all threads | at once |
//!
//! Reads of `Pages`, `BytePages` and `Index` never wait. Every refusal is an [`Error`] with a
//! stable code, out of memory among them; what is allocated without a check is small and of fixed
//! size. [`Stats`] says what a structure holds.
//!
//! There are no features. Absent on purpose: any notion of text or language, global state, I/O,
//! clocks, removal of single items, and drop glue in arenas.
//!
//! Built with `--cfg loom`, the crate takes its atomics and locks from the model checker;
//! `tests/schedules.rs` has the models.

mod access;
mod block;
mod bytes;
mod error;
mod folio;
mod gate;
mod index;
mod leaf;
mod once;
mod pages;
mod pool;
mod shelf;
mod stats;
mod switch;
mod sync;
mod zone;

pub use access::Access;
pub use block::Keeper;
pub use bytes::{BytePages, BytesAt};
pub use error::Error;
pub use folio::Folio;
pub use gate::Gate;
pub use index::Index;
pub use leaf::{Keep, Leaf, Lender};
pub use once::{OnceOpen, Opening};
pub use pages::Pages;
pub use pool::Pool;
pub use shelf::Shelf;
pub use stats::Stats;
pub use switch::Switch;
pub use zone::ZoneSlot;
