//! Mapped files of dictionaries.
//!
//! Invariants:
//!
//! - **M1.** No bytes that a file has when it is mapped are unsound: the readers of
//!   `lexpool-lattice` check each position at its use. The bytes do not change afterwards, since a
//!   file that is in use is replaced, as `pip` does, not written to or truncated; the guide and
//!   `SECURITY.md` say so.

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
    // SAFETY: M1: any bytes are sound, and they do not change while they are mapped.
    let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io("map", path, error))?;
    Ok(Bytes::from_owner(map))
}
