//! Target of a save: the regular file to replace, or the pipe, device or open file to write to.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use super::descriptors;
use super::open::{Links, blocking, open_at_once};

/// Destination of the bytes written for a path.
#[derive(Debug)]
pub(super) enum Target {
    /// A file takes this name, with the permissions of the file that it replaces, if there is one.
    Name(PathBuf, Option<Permissions>),
    /// A pipe, a device or an open file of a process, which no file can replace.
    Direct(File),
}

impl Target {
    /// Finds the target of a path. Never blocks: a pipe without a reader is an error.
    pub(super) fn find(path: &Path, links: Links) -> io::Result<Target> {
        if links == Links::Replaced && path.is_symlink() {
            return Ok(Target::Name(path.to_owned(), None));
        }
        #[cfg(unix)]
        if let Some(file) = descriptors::open(path)? {
            return Ok(Target::Direct(file));
        }
        // Opened by the given name, so that the system checks the links that it may refuse to
        // follow.
        let file = match open_at_once(OpenOptions::new().write(true), path, links) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
                return Ok(Target::Name(path.to_owned(), None));
            }
            Err(error) => return Err(error),
        };
        let old = file.metadata()?;
        if !old.is_file() {
            return blocking(file).map(Target::Direct);
        }
        let path = if path.is_symlink() { resolved(path, &old)? } else { path.to_owned() };
        Ok(Target::Name(path, Some(old.permissions())))
    }
}

/// Returns the path of the file behind a symbolic link, and checks that it is the file opened
/// before.
fn resolved(link: &Path, opened: &Metadata) -> io::Result<PathBuf> {
    let target = fs::canonicalize(link)?;
    if is_same_file(opened, &fs::metadata(&target)?) {
        return Ok(target);
    }
    Err(io::Error::other("the symbolic link was changed meanwhile"))
}

#[cfg(unix)]
pub(crate) fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
pub(crate) fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    one.is_file() && other.is_file()
}

/// Returns `true` if a file can probably be renamed from one folder to the other.
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
