//! Target of a save: the file that stands under the name, or the pipe, device or open file that is written to.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use super::descriptors;

/// The place that the bytes for a path go to.
#[derive(Debug)]
pub(super) enum Target {
    /// A file takes this name. The permissions are those of the file that it replaces.
    Name(PathBuf, Option<Permissions>),
    /// A pipe, a device or an open file of a process, whose place no file can take.
    Direct(File),
}

/// Handling of a symbolic link that stands under the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    Followed,
    Replaced,
}

impl Target {
    /// Finds the target of a path. Waits for nobody: a pipe without a reader is an error.
    pub(super) fn find(path: &Path, links: Links) -> io::Result<Target> {
        if links == Links::Replaced && path.is_symlink() {
            return Ok(Target::Name(path.to_owned(), None));
        }
        #[cfg(unix)]
        if let Some(file) = descriptors::open(path)? {
            return Ok(Target::Direct(file));
        }
        // By the name that was given, so that the system sees links that it does not let us follow.
        let file = match open_at_once(OpenOptions::new().write(true), path, links) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
                return Ok(Target::Name(path.to_owned(), None));
            }
            Err(error) => return Err(error),
        };
        let old = file.metadata()?;
        if !old.is_file() {
            return waiting(file).map(Target::Direct);
        }
        let path = if path.is_symlink() { resolved(path, &old)? } else { path.to_owned() };
        Ok(Target::Name(path, Some(old.permissions())))
    }
}

/// Opens what is there, without waiting for the reader of a pipe.
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

/// Makes writes to a file of [`open_at_once`] wait. It is not opened a second time: a reader that the first
/// time woke would meet the end of the pipe in between, and leave.
#[cfg(unix)]
pub(super) fn waiting(file: File) -> io::Result<File> {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    // The standard library offers this for sockets alone; it is an ioctl that pipes and devices take too.
    let stream = UnixStream::from(OwnedFd::from(file));
    stream.set_nonblocking(false)?;
    Ok(File::from(OwnedFd::from(stream)))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
fn waiting(file: File) -> io::Result<File> {
    Ok(file)
}

/// The path of the file that a symbolic link leads to, which was opened by the link before.
fn resolved(link: &Path, opened: &Metadata) -> io::Result<PathBuf> {
    let target = fs::canonicalize(link)?;
    if is_same_file(opened, &fs::metadata(&target)?) {
        return Ok(target);
    }
    Err(io::Error::other("the symbolic link was changed meanwhile"))
}

#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    one.is_file() && other.is_file()
}

/// Returns `true` if a file can be renamed from one folder to another, as far as that can be told before.
#[cfg(unix)]
pub(super) fn is_same_device(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let device = |folder| fs::metadata(folder).map(|found| found.dev());
    matches!((device(one), device(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
pub(super) fn is_same_device(_: &Path, _: &Path) -> bool {
    true
}
