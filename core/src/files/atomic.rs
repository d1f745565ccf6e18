//! Atomic file: write to a temporary file in the target's folder, fsync, rename.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::target::{Links, Target, is_same_device};
use super::temporary::folder_of;
use super::{TemporaryFile, write_parts};
use crate::escape::shown;
use crate::{Error, ErrorKind, Result};

/// A file that is being written under another name in the folder of its target.
///
/// [`commit`](AtomicFile::commit) gives it its own name. If it is dropped instead, it is removed, and
/// what stood under the name before stays as it was; a crash or a power cut leaves the old file or the
/// new one, whole, under the name.
///
/// - A symbolic link as the target stays one: the file that it leads to is replaced. One that leads
///   nowhere is an error, and so is one that the system does not let this process follow
///   (`protected_symlinks` in Linux).
/// - The new file has the permissions of the old one, or else those that any new file gets there, and
///   belongs to the user of this process. Until it is whole, only that user may read it. Other hard links
///   to the old file keep the old bytes.
/// - A pipe or a device as the target is written to directly, since nothing could take its place. A pipe
///   that nobody reads from is an error (`pipe-unread`), not a wait.
/// - `/dev/stdout`, and other names of files that a process has open, are written to at their end.
///
/// ```
/// use std::io::Write;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("out.txt");
/// let mut file = lexpool::files::AtomicFile::create(&path)?;
/// file.write_all(b"all of it").unwrap();
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"all of it");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    out: Out,
    /// The name to take; behind a symbolic link, the file that it leads to.
    target: PathBuf,
}

#[derive(Debug)]
enum Out {
    /// With the permissions to take along with the name.
    Temporary(TemporaryFile, Permissions),
    /// A pipe, a device, or a file that a process has open.
    Direct(File),
}

impl AtomicFile {
    /// Starts a file of this name.
    ///
    /// # Errors
    ///
    /// `file-not-found` without the folder, `file-permission` where the folder or the file that is
    /// there may not be written, `pipe-unread`, `file-io`.
    pub fn create(path: &Path) -> Result<AtomicFile> {
        AtomicFile::open(path, Links::Followed, None).map_err(|error| cannot_write(path, error))
    }

    /// The same, kept in a folder until it is whole, so that what a process that was killed left
    /// behind can be told from other files. Where a symbolic link leads to another file system, from which
    /// no file can be renamed, it is kept beside its target.
    ///
    /// # Errors
    ///
    /// As for [`create`](AtomicFile::create).
    pub fn create_in(folder: &Path, path: &Path) -> Result<AtomicFile> {
        AtomicFile::open(path, Links::Followed, Some(folder))
            .map_err(|error| cannot_write(path, error))
    }

    /// Starts a part of a folder, where the folder was named and not this file: a symbolic link in its
    /// place is replaced, not followed.
    ///
    /// # Errors
    ///
    /// As for [`create`](AtomicFile::create).
    pub fn create_part(path: &Path) -> Result<AtomicFile> {
        AtomicFile::open(path, Links::Replaced, None).map_err(|error| cannot_write(path, error))
    }

    /// Writes a file that consists of these bytes.
    ///
    /// # Errors
    ///
    /// As for [`create`](AtomicFile::create) and [`commit`](AtomicFile::commit).
    pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
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

    /// Writes all of some bytes, and asks before each part, and again where a signal broke a write off,
    /// whether to go on.
    ///
    /// # Errors
    ///
    /// The error of `check`; `disk-full`, `file-io` and others of the system.
    pub fn put(&mut self, bytes: &[u8], check: &dyn Fn() -> Result<()>) -> Result<()> {
        write_parts(self, bytes, check).map_err(|error| {
            let error = error.downcast::<Error>();
            error.unwrap_or_else(|error| cannot_write(&self.target, error))
        })
    }

    /// Waits until the bytes are on the disk, gives the file its name, and waits until that is on the
    /// disk too.
    ///
    /// # Errors
    ///
    /// `disk-full`, `file-io` and others of the system. The old file is there then; or the new one, if
    /// only the folder could not be brought to the disk.
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
        let text = format!("cannot write to {}: nobody reads from this pipe yet", shown(path));
        return Error::new(ErrorKind::Io, "pipe-unread", text).caused_by(error);
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
