//! Files that are mapped into memory, to be read in place.
//!
//! # Safety
//!
//! - M1: Any bytes are sound to the readers of this crate and of those above it, because they read
//!   numbers and texts with bounds checks. The bytes must not change while they are mapped: lexpool
//!   writes a new file and renames it, and the documentation of what opens such files asks other
//!   writers to do the same.

use std::fs::File;
use std::path::Path;

use bytes::Bytes;
use memmap2::Mmap;

use crate::{Error, Result};

/// Opens and maps a file, which must not be written to or truncated while the bytes are in use.
/// Cost: constant. Processes that map one file share its memory.
///
/// # Errors
///
/// `file-not-found`, `file-permission`, `file-io`.
pub fn map(path: &Path) -> Result<(File, Bytes)> {
    let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
    let len = file.metadata().map_err(|error| Error::io("read", path, error))?.len();
    if len == 0 {
        // The system cannot map zero bytes.
        return Ok((file, Bytes::new()));
    }
    // SAFETY: M1: any bytes are sound, and they do not change while they are mapped.
    let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io("map", path, error))?;
    Ok((file, Bytes::from_owner(map)))
}
