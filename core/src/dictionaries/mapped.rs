//! Mapped files of dictionaries.
//!
//! Invariants:
//!
//! - **M1.** Any bytes are sound: the readers of `lexpool-lattice` check each position at its use.
//!   A file that is in use is replaced, not written to, as `pip` does; the guide says so.

use std::fs::File;
use std::path::Path;

use bytes::Bytes;
use memmap2::Mmap;

use crate::{Error, Result};

/// Maps a file. Cost: constant.
pub(super) fn map(path: &Path) -> Result<Bytes> {
    let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
    let len = file.metadata().map_err(|error| Error::io("read", path, error))?.len();
    if len == 0 {
        // The system cannot map zero bytes.
        return Ok(Bytes::new());
    }
    // SAFETY: M1: any bytes are sound, and files are replaced, not written to.
    let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io("map", path, error))?;
    Ok(Bytes::from_owner(map))
}
