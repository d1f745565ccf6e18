//! Files that appear under their names whole or not at all.
//!
//! Every saver of lexpool writes through an [`AtomicFile`]; [`TemporaryFile`] is the file it writes to, and
//! serves as scratch space too. Lints (`disallowed-methods` in `clippy.toml`) refuse the calls of the
//! standard library that would write under the final name. Calls nothing else of the crate but its error.

mod atomic;
#[cfg(unix)]
mod descriptors;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod savers;
mod target;
mod temporary;

use std::io::{self, Write};

use crate::Result;

pub use atomic::AtomicFile;
pub use temporary::TemporaryFile;

/// Opens a file that belongs to lexpool itself, under a name that others can guess. A symbolic link in
/// its place is an error (Unix), for it would lead to somebody else's file.
///
/// # Errors
///
/// Those of the system; `ELOOP` for a symbolic link.
#[cfg(feature = "shell")]
pub(crate) fn open_own(
    options: &mut std::fs::OpenOptions,
    path: &std::path::Path,
) -> io::Result<std::fs::File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW);
    #[expect(clippy::disallowed_methods, reason = "a journal and a lock are not replaced but kept")]
    options.open(path)
}

/// So much is written between two looks at whether to go on.
const MAX_AT_ONCE: usize = 4 << 20;

/// Writes all of some bytes in parts. `check` is asked before each, and again where a signal broke a write
/// off: while a reader is slow, an interruption shows in no other place. Its error comes back within that of
/// the system.
pub(crate) fn write_parts(
    out: &mut dyn Write,
    bytes: &[u8],
    check: &dyn Fn() -> Result<()>,
) -> io::Result<()> {
    for part in bytes.chunks(MAX_AT_ONCE) {
        let mut rest = part;
        while !rest.is_empty() {
            check().map_err(io::Error::other)?;
            match out.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => rest = &rest[len..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// A step of writing a file, each of which the tests let fail in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Create,
    Write,
    SyncFile,
    Rename,
    SyncFolder,
}

/// Tells whether a step is to go wrong; never but in tests.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "it fails in tests")]
fn attempt(_: Step) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use faults::attempt;
#[cfg(test)]
pub(crate) use faults::with_fault;
