//! Opening and writing of files that exist already: pipes, devices, and files of lexpool's own.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::Result;

/// Handling of a symbolic link under the final name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The file behind the link is replaced: for a path that the user named itself.
    Followed,
    /// The link is replaced by the file: for a part of a folder that the user named.
    Replaced,
}

/// Opens an existing file without waiting for the reader of a pipe (`O_NONBLOCK`).
pub(super) fn open_at_once(
    options: &mut OpenOptions,
    path: &Path,
    links: Links,
) -> io::Result<File> {
    #[cfg(unix)]
    {
        let no_follow = if links == Links::Replaced { libc::O_NOFOLLOW } else { 0 };
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NONBLOCK | no_follow);
    }
    #[cfg(not(unix))]
    let _ = links;
    #[expect(clippy::disallowed_methods, reason = "only a pipe or a device is written to")]
    options.open(path)
}

/// Makes writes to a file of [`open_at_once`] block. The file must not be opened a second time
/// instead: the reader of a pipe, woken by the first open, would meet its end in between and leave.
#[cfg(unix)]
pub(super) fn blocking(file: File) -> io::Result<File> {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    // The standard library offers this for sockets only; the ioctl works for pipes and devices too.
    let stream = UnixStream::from(OwnedFd::from(file));
    stream.set_nonblocking(false)?;
    Ok(File::from(OwnedFd::from(stream)))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(super) fn blocking(file: File) -> io::Result<File> {
    Ok(file)
}

/// Opens a file that belongs to lexpool itself, under a name that others can guess. A symbolic link
/// under that name is an error (Unix), since it could lead to the file of another user.
///
/// # Errors
///
/// Errors of the system; `ELOOP` for a symbolic link.
pub fn open_own(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW);
    #[expect(clippy::disallowed_methods, reason = "a journal and a lock are not replaced but kept")]
    options.open(path)
}

/// Number of bytes written between two calls of `check` in [`write_parts`].
const MAX_AT_ONCE: usize = 4 << 20;

/// Writes all bytes in parts.
///
/// Calls `check` before each part, and again after a signal interrupted a write: while a slow
/// reader blocks the write, an interruption can be seen nowhere else. An error of `check` is
/// returned inside an `io::Error`.
///
/// # Errors
///
/// Those of `check` and of the writer; `WriteZero` if the writer takes no bytes.
pub fn write_parts(
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
