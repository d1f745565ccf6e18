//! Atomic files: a file appears under its name complete, or not at all.
//!
//! All code of lexpool that saves a file writes through an [`AtomicFile`] (temporary file, fsync,
//! rename); [`TemporaryFile`] is the file it writes to, and serves as scratch space too. The lint
//! `disallowed-methods` (`clippy.toml`) forbids the calls of the standard library that would write
//! under the final name. Depends on nothing of the crate but its error type.

#![forbid(unsafe_code)]

mod atomic;
mod carry;
#[cfg(unix)]
mod descriptors;
mod folder;
mod open;
mod steps;
mod target;
mod temporary;
mod update;

pub use atomic::AtomicFile;
pub use folder::{remove_leftovers, write_folder, write_folder_by};
pub use open::{Links, open_own, write_parts};
#[cfg(any(test, debug_assertions))]
pub use steps::{Step, with_fault};
pub(crate) use target::is_same_file;
pub use temporary::TemporaryFile;
pub(crate) use temporary::write_new;
pub use update::{Guard, update_folder};
