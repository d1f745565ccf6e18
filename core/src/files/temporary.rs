//! Temporary files: a file with a unique name until it is renamed or removed.

use std::fs::{self, File, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::steps::{Step, attempt};
use crate::{Error, Result, threads};

/// A new file in a folder, removed on drop unless it was renamed.
///
/// Its name cannot be predicted and it is created exclusively, so an existing file or symbolic link
/// is neither opened nor followed. The name starts with `.lexpool-` and ends in `.part`, which
/// identifies files that a killed process left behind. Until it is renamed, only the user of this
/// process may read it.
#[derive(Debug)]
pub struct TemporaryFile {
    file: File,
    path: PathBuf,
    /// Set once the file has taken another name.
    is_named: bool,
    /// Id of the process that created the file: after a fork, the child's copy must not remove it.
    process: u32,
}

/// Unix modes: readable by the owner only; as the umask decides.
const PRIVATE: u32 = 0o600;
const SHARED: u32 = 0o666;

/// Number of names to try. A second one is needed only if somebody else created a file of the
/// first.
const TRIES: u32 = 100;

impl TemporaryFile {
    /// Creates a file in the folder of `path`; `path` itself need not exist.
    ///
    /// # Errors
    ///
    /// `file-not-found` if the folder does not exist, `file-permission` if it may not be written
    /// to, `file-io`.
    pub fn beside(path: &Path) -> Result<TemporaryFile> {
        TemporaryFile::create_beside(path).map_err(|error| Error::io("write to", path, error))
    }

    pub(super) fn create_beside(path: &Path) -> io::Result<TemporaryFile> {
        TemporaryFile::create_in(folder_of(path))
    }

    pub(super) fn create_in(folder: &Path) -> io::Result<TemporaryFile> {
        TemporaryFile::create(folder, PRIVATE)
    }

    /// Returns the permissions that a new file gets in a folder, by the umask or the folder's
    /// access control list.
    pub(super) fn usual_permissions(folder: &Path) -> io::Result<Permissions> {
        // An empty file shows them. Reading the umask itself would require setting it, for all
        // threads.
        let empty = TemporaryFile::create(folder, SHARED)?;
        Ok(empty.file.metadata()?.permissions())
    }

    fn create(folder: &Path, mode: u32) -> io::Result<TemporaryFile> {
        attempt(Step::Create)?;
        let (process, mut tries) = (threads::process(), 0);
        loop {
            tries += 1;
            let path = folder.join(temporary_name("part"));
            match create_new(&path, mode) {
                Ok(file) => return Ok(TemporaryFile { file, path, is_named: false, process }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The path of the file until it is dropped.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        // Some file systems have one set of permissions for all files and refuse to set any.
        if self.file.metadata()?.permissions() == permissions {
            return Ok(());
        }
        self.file.set_permissions(permissions)
    }

    /// Syncs the file to the disk, renames it within the file system, and syncs a folder that is at
    /// its place. If only the last step fails, the file has its new name.
    pub(super) fn rename(mut self, target: &Path) -> io::Result<()> {
        attempt(Step::SyncFile)?;
        self.file.sync_all()?;
        attempt(Step::Rename)?;
        #[expect(clippy::disallowed_methods, reason = "the only rename to a final name")]
        fs::rename(&self.path, target)?;
        self.is_named = true;
        let folder = folder_of(target);
        // A temporary folder is synced once, when it is complete.
        if is_in_scratch(folder) { Ok(()) } else { sync_folder(folder) }
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = attempt(Step::Write) {
            // A full disk writes a part too.
            self.file.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.is_named && self.process == threads::process() {
            // Ignored: if the removal fails in a case that matters, another error is reported
            // already.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns a name that nobody can predict, with the id of this process.
pub(super) fn temporary_name(ending: &str) -> String {
    // `RandomState::new` differs at each call.
    let number = RandomState::new().hash_one(ending);
    format!(".lexpool-{}-{number:016x}.{ending}", threads::process())
}

/// Returns whether a name is one that [`temporary_name`] gives.
pub(super) fn is_temporary_name(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy();
    let rest = name.strip_prefix(".lexpool-").and_then(|rest| rest.rsplit_once('.'));
    matches!(rest, Some((_, "part" | "old")))
}

/// Returns whether a path is a folder that is written beside its place, or is in one.
pub(super) fn is_in_scratch(path: &Path) -> bool {
    path.ancestors().filter_map(Path::file_name).any(is_temporary_name)
}

/// Returns the folder of a path.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Writes a file of a temporary folder, without syncing it.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    attempt(Step::Create)?;
    let mut file = create_new(path, SHARED)?;
    attempt(Step::Write)?;
    file.write_all(bytes)
}

fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    // O_CREAT and O_EXCL: a symbolic link at the last part of the path is not followed.
    options.write(true).create_new(true);
    #[expect(clippy::disallowed_methods, reason = "the only place where files are created")]
    options.open(path)
}

#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};

    attempt(Step::SyncFolder)?;
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Ignored: folders that may be written to but not read, and file systems that do not sync
        // folders.
        Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => {
            Ok(())
        }
        done => done,
    }
}

/// Does nothing: other systems cannot open a folder, and write names to the disk themselves.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    attempt(Step::SyncFolder)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_of_temporary_files_are_all_different_and_go_with_them() {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<_> =
            (0..100).map(|_| TemporaryFile::create_in(folder.path()).unwrap()).collect();
        let names: BTreeSet<_> = files.iter().map(|file| file.path().to_owned()).collect();
        assert_eq!(names.len(), 100);
        drop(files);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_in_the_place_of_a_temporary_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, link) = (folder.path().join("victim"), folder.path().join("link"));
        fs::write(&victim, "precious").unwrap();
        for leads_to in [victim.clone(), folder.path().join("absent")] {
            std::os::unix::fs::symlink(leads_to, &link).unwrap();
            assert_eq!(
                create_new(&link, PRIVATE).unwrap_err().kind(),
                io::ErrorKind::AlreadyExists
            );
            fs::remove_file(&link).unwrap();
        }
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert!(!folder.path().join("absent").exists());
    }
}
