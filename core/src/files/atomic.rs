//! Atomic file: write to a temporary file in the target's folder, fsync, rename.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::TemporaryFile;
use super::open::{Links, write_parts};
use super::target::{Target, is_same_device};
use super::temporary::folder_of;
use crate::codes;
use crate::escape::shown;
use crate::{Error, ErrorKind, Result};

/// A file that is written under a temporary name in the folder of its target.
///
/// [`commit`](AtomicFile::commit) renames it to the target. If it is dropped instead, it is removed
/// and the target stays as it was. After a crash or a power cut, the target is the old file or the
/// new one, complete.
///
/// - A symbolic link as the target is replaced, or it remains and the file behind it is replaced:
///   [`Links`] says which. A link to follow that leads nowhere is an error, and so is one that the
///   system does not let this process follow (`protected_symlinks` of Linux).
/// - The new file gets the permissions of the old one, or those of any new file in the folder, and
///   belongs to the user of this process. Until it is committed, only that user may read it. Other
///   hard links to the old file keep the old bytes.
/// - A pipe or a device as the target is written to directly, since no file can replace it. A pipe
///   without a reader is an error (`pipe-unread`); the call does not wait for one.
/// - `/dev/stdout` and other names of a process's open files are written to at their end.
///
/// ```
/// use std::io::Write;
/// use lexpool::files::{AtomicFile, Links};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("out.txt");
/// let mut file = AtomicFile::create(&path, Links::Followed)?;
/// file.write_all(b"all of it").unwrap();
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"all of it");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    out: Out,
    /// The path to rename to; for a symbolic link, the path of the file behind it.
    target: PathBuf,
}

#[derive(Debug)]
enum Out {
    /// The temporary file, and the permissions it gets at the commit.
    Temporary(TemporaryFile, Permissions),
    /// A pipe, a device, or a file that a process has open.
    Direct(File),
}

impl AtomicFile {
    /// Starts a file that will replace `path`.
    ///
    /// links: `Followed` for a file that the user named itself, `Replaced` for a file of a folder
    /// that the user named as a whole, where a link could lead anywhere.
    ///
    /// # Errors
    ///
    /// `file-not-found` if the folder does not exist, `file-permission` if the folder or an
    /// existing file may not be written to, `pipe-unread`, `file-io`.
    pub fn create(path: &Path, links: Links) -> Result<AtomicFile> {
        AtomicFile::open(path, links, None).map_err(|error| cannot_write(path, error))
    }

    /// Starts a file as [`create`](AtomicFile::create) does, follows a link, and keeps the
    /// temporary file in `folder`, where files that a killed process left behind are easy to find.
    /// If the target is on another file system, to which no file of `folder` can be renamed, the
    /// temporary file is next to the target.
    ///
    /// # Errors
    ///
    /// As for [`create`](AtomicFile::create).
    pub fn create_in(folder: &Path, path: &Path) -> Result<AtomicFile> {
        AtomicFile::open(path, Links::Followed, Some(folder))
            .map_err(|error| cannot_write(path, error))
    }

    /// Writes a file with the given contents, atomically.
    ///
    /// # Errors
    ///
    /// As for [`create`](AtomicFile::create) and [`commit`](AtomicFile::commit).
    pub fn write(path: &Path, bytes: &[u8], links: Links) -> Result<()> {
        let mut file = AtomicFile::create(path, links)?;
        file.put(bytes, &|| Ok(()))?;
        file.commit()
    }

    fn open(path: &Path, links: Links, folder: Option<&Path>) -> io::Result<AtomicFile> {
        let (target, old) = match Target::find(path, links)? {
            Target::Name(target, old) => (target, old),
            Target::Direct(file) => {
                return Ok(AtomicFile { out: Out::Direct(file), target: path.to_owned() });
            }
        };
        let beside = folder_of(&target);
        let folder = folder.filter(|folder| is_same_device(folder, beside)).unwrap_or(beside);
        let permissions = match old {
            Some(permissions) => permissions,
            None => TemporaryFile::usual_permissions(folder)?,
        };
        let out = Out::Temporary(TemporaryFile::create_in(folder)?, permissions);
        Ok(AtomicFile { out, target })
    }

    /// Writes all bytes. Calls `check` before each part and after a signal interrupted a write; an
    /// error of `check` stops the writing.
    ///
    /// # Errors
    ///
    /// The error of `check`; `disk-full`, `file-io` and other errors of the system.
    pub fn put(&mut self, bytes: &[u8], check: &dyn Fn() -> Result<()>) -> Result<()> {
        write_parts(self, bytes, check).map_err(|error| {
            let error = error.downcast::<Error>();
            error.unwrap_or_else(|error| cannot_write(&self.target, error))
        })
    }

    /// Syncs the bytes to the disk, renames the file to its target, and syncs the folder.
    ///
    /// # Errors
    ///
    /// `disk-full`, `file-io` and other errors of the system. The target is then the old file; or
    /// the new one, if only the folder could not be synced.
    pub fn commit(self) -> Result<()> {
        match self.out {
            Out::Direct(_) => Ok(()),
            Out::Temporary(temporary, permissions) => temporary
                .set_permissions(permissions)
                .and_then(|()| temporary.rename(&self.target))
                .map_err(|error| cannot_write(&self.target, error)),
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Temporary(temporary, _) => temporary.write(bytes),
            Out::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Temporary(temporary, _) => temporary.flush(),
            Out::Direct(file) => file.flush(),
        }
    }
}

fn cannot_write(path: &Path, error: io::Error) -> Error {
    if is_pipe_without_reader(path, &error) {
        let text = format!("cannot write to {}: no process reads from this pipe", shown(path));
        return Error::new(ErrorKind::Io, codes::PIPE_UNREAD, text).caused_by(error);
    }
    Error::io("write to", path, error)
}

#[cfg(unix)]
fn is_pipe_without_reader(path: &Path, error: &io::Error) -> bool {
    use std::os::unix::fs::FileTypeExt;

    error.raw_os_error() == Some(libc::ENXIO)
        && std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe_without_reader(_: &Path, _: &io::Error) -> bool {
    false
}

#[cfg(test)]
mod tests;
