//! Atomic file: write to a temporary file in the target's folder, fsync, rename.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::TemporaryFile;
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
/// - The new file has the permissions of the old one, and belongs to the user of this process. Other
///   hard links to the old file keep the old bytes.
/// - A pipe or a device as the target is written to directly, since nothing could take its place. A pipe
///   that nobody reads from is an error (`pipe-unread`), not a wait.
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
    Temporary(TemporaryFile),
    /// A pipe or a device.
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
        AtomicFile::open(path, None).map_err(|error| cannot_write(path, error))
    }

    /// The same, kept in a folder until it is whole, so that what a process that was killed left
    /// behind can be told from other files. The folder is on the same file system.
    ///
    /// # Errors
    ///
    /// As for [`create`](AtomicFile::create).
    pub fn create_in(folder: &Path, path: &Path) -> Result<AtomicFile> {
        AtomicFile::open(path, Some(folder)).map_err(|error| cannot_write(path, error))
    }

    /// Starts a file that belongs to lexpool itself, under a name that others can guess: a symbolic link
    /// in its place is replaced, not followed.
    ///
    /// # Errors
    ///
    /// As for [`create`](AtomicFile::create).
    #[cfg(feature = "shell")]
    pub(crate) fn create_own(path: &Path) -> Result<AtomicFile> {
        let out = Out::Temporary(TemporaryFile::beside(path)?);
        Ok(AtomicFile { out, target: path.to_owned() })
    }

    /// Writes a file that consists of these bytes.
    ///
    /// # Errors
    ///
    /// As for [`create`](AtomicFile::create) and [`commit`](AtomicFile::commit).
    pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.put(bytes)?;
        file.commit()
    }

    fn open(path: &Path, folder: Option<&Path>) -> io::Result<AtomicFile> {
        // By the name that was given, so that the system sees links that it does not let us follow.
        let old = match open_at_once(path) {
            Ok(file) => Some(file.metadata()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => None,
            Err(error) => return Err(error),
        };
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Ok(AtomicFile { out: Out::Direct(open_old(path)?), target: path.to_owned() });
        }
        let target = match &old {
            Some(old) if path.is_symlink() => resolved(path, old)?,
            _ => path.to_owned(),
        };
        let temporary = match folder {
            Some(folder) => TemporaryFile::create_in(folder)?,
            None => TemporaryFile::create_beside(&target)?,
        };
        if let Some(old) = old {
            temporary.file().set_permissions(old.permissions())?;
        }
        Ok(AtomicFile { out: Out::Temporary(temporary), target })
    }

    /// Writes all of some bytes, with an error that names the file.
    ///
    /// # Errors
    ///
    /// `disk-full`, `file-io` and others of the system.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|error| cannot_write(&self.target, error))
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
            Out::Temporary(temporary) => {
                temporary.rename(&self.target).map_err(|error| cannot_write(&self.target, error))
            }
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Temporary(temporary) => temporary.write(bytes),
            Out::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Temporary(temporary) => temporary.flush(),
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
        && fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe_without_reader(_: &Path, _: &io::Error) -> bool {
    false
}

/// Opens what is there for writing, and waits for nobody: a pipe without a reader is an error.
fn open_at_once(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    #[expect(clippy::disallowed_methods, reason = "nothing is written to it")]
    options.open(path)
}

/// Opens a pipe or a device, whose writes wait.
fn open_old(path: &Path) -> io::Result<File> {
    #[expect(clippy::disallowed_methods, reason = "no other file can take the place of it")]
    OpenOptions::new().write(true).open(path)
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

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::{Step, with_fault};
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_dropped_file_leaves_the_old_one_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        drop(file);
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn whichever_step_fails_the_old_file_or_the_new_one_is_whole_and_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut failed = Vec::new();
        for at in 0.. {
            fs::write(&path, "old").unwrap();
            let (written, step) = with_fault(at, || AtomicFile::write(&path, b"the new one"));
            let Some(step) = step else {
                written.unwrap();
                break;
            };
            assert_eq!(written.unwrap_err().code(), "disk-full", "{step:?}");
            // The rename cannot be undone.
            let expected: &[u8] = if step == Step::SyncFolder { b"the new one" } else { b"old" };
            assert_eq!(fs::read(&path).unwrap(), expected, "{step:?}");
            assert_eq!(names(folder.path()), ["out"], "{step:?}");
            failed.push(step);
        }
        let all = [Step::Create, Step::Write, Step::SyncFile, Step::Rename, Step::SyncFolder];
        assert_eq!(failed, all);
        assert_eq!(fs::read(&path).unwrap(), b"the new one");
    }

    #[test]
    fn two_files_of_one_name_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut first = AtomicFile::create(&path).unwrap();
        let mut second = AtomicFile::create(&path).unwrap();
        first.write_all(b"first").unwrap();
        second.write_all(b"second").unwrap();
        first.commit().unwrap();
        second.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = AtomicFile::create(&folder.path().join("absent/out")).unwrap_err();
        assert_eq!(error.code(), "file-not-found");
        assert!(error.message().contains("absent"), "{error}");
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(AtomicFile::create(folder.path()).unwrap_err().code(), "file-io");
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_stays_one_and_permissions_stay_as_they_were() {
        use std::os::unix::fs::PermissionsExt;

        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (path, link) = (other.path().join("out"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        // It may be on another file system than the link.
        assert_eq!((names(folder.path()).len(), names(other.path()).len()), (1, 2));
        file.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_that_leads_nowhere_is_an_error_and_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("out"), folder.path().join("link"));
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(AtomicFile::create(&link).unwrap_err().code(), "file-not-found");
        assert_eq!(names(folder.path()), ["link"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_written_to_if_somebody_reads_and_is_an_error_otherwise() {
        use std::io::Read;
        use std::process::Command;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(AtomicFile::create(&path).unwrap_err().code(), "pipe-unread");
        // Opened for both, which waits for nobody.
        let mut reader = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        AtomicFile::write(&path, b"through it").unwrap();
        let mut read = [0; 10];
        reader.read_exact(&mut read).unwrap();
        assert_eq!(&read, b"through it");
        assert_eq!(names(folder.path()), ["pipe"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_a_full_disk() {
        let error = AtomicFile::write(Path::new("/dev/full"), b"bytes").unwrap_err();
        assert_eq!(error.code(), "disk-full");
    }
}
