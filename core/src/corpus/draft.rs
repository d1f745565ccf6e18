//! A file that appears under its name whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::threads;
use crate::{Error, Result};

/// A file that is being written under another name in the same folder.
///
/// [`commit`](Draft::commit) gives it its own name; a draft that is dropped instead is removed, and
/// what stood under the name before stays as it was. A name that stands for no regular file (a
/// pipe, a device) is written to directly, since nothing could take its place.
///
/// ```
/// use std::io::Write;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("out.txt");
/// let mut draft = lexpool::corpus::Draft::create(&path)?;
/// draft.write_all(b"all of it").unwrap();
/// assert!(!path.exists());
/// draft.commit()?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"all of it");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Debug)]
pub struct Draft {
    file: File,
    /// The name to take; behind a symbolic link, the file that it points to.
    target: PathBuf,
    /// The path until then; none once it is taken, and for what is no regular file.
    temporary: Option<PathBuf>,
}

impl Draft {
    /// Starts a file of this name. Its permissions will be those of the file that it replaces.
    ///
    /// # Errors
    ///
    /// `file-not-found` without the folder, `file-permission` where the folder or the file that is
    /// there may not be written, `file-io`.
    pub fn create(path: &Path) -> Result<Draft> {
        Draft::open(path, None).map_err(|error| Error::io("write to", path, error))
    }

    /// The same, kept in a folder until it is whole, so that what a process that was killed left
    /// behind can be told from other files. The folder is on the same file system.
    ///
    /// # Errors
    ///
    /// As for [`create`](Draft::create).
    pub fn create_in(folder: &Path, path: &Path) -> Result<Draft> {
        Draft::open(path, Some(folder)).map_err(|error| Error::io("write to", path, error))
    }

    fn open(path: &Path, folder: Option<&Path>) -> io::Result<Draft> {
        let target = if path.is_symlink() { fs::canonicalize(path)? } else { path.to_owned() };
        let old = match OpenOptions::new().write(true).open(&target) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let old_metadata = old.as_ref().map(File::metadata).transpose()?;
        if let (Some(file), Some(metadata)) = (old, &old_metadata) {
            if !metadata.is_file() {
                return Ok(Draft { file, target, temporary: None });
            }
        }
        let beside = || target.parent().unwrap_or(Path::new(""));
        let (file, temporary) = create_unnamed(folder.unwrap_or_else(beside))?;
        let draft = Draft { file, target, temporary: Some(temporary) };
        if let Some(metadata) = old_metadata {
            draft.file.set_permissions(metadata.permissions())?;
        }
        Ok(draft)
    }

    /// Writes all of some bytes, with an error that names the file.
    ///
    /// # Errors
    ///
    /// `disk-full`, `file-io` and others of the system.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| Error::io("write to", &self.target, error))
    }

    /// Waits until the bytes are on the disk, then gives the file its name.
    ///
    /// # Errors
    ///
    /// `disk-full`, `file-io` and others of the system; the draft is removed then.
    pub fn commit(mut self) -> Result<()> {
        self.take_name().map_err(|error| Error::io("write to", &self.target, error))
    }

    fn take_name(&mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            self.file.sync_all()?;
            fs::rename(temporary, &self.target)?;
            self.temporary = None;
        }
        Ok(())
    }
}

/// Creates a file in a folder. Its name is short, for that which it is to take may be as long as
/// names can be.
fn create_unnamed(folder: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = OsString::from(format!(".lexpool-{}-{count}.part", threads::process()));
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            // Left by a process of the same number that was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Whoever drops a draft has an error to report already, and it matters more.
            let _ = fs::remove_file(temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_dropped_draft_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "old").unwrap();
        let mut draft = Draft::create(&path).unwrap();
        draft.write_all(b"new").unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        drop(draft);
        assert_eq!(names(folder.path()), ["out"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[test]
    fn two_drafts_of_one_name_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut first = Draft::create(&path).unwrap();
        let mut second = Draft::create(&path).unwrap();
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
        let error = Draft::create(&folder.path().join("absent/out")).unwrap_err();
        assert_eq!(error.code(), "file-not-found");
        assert!(error.message().contains("absent"), "{error}");
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Draft::create(folder.path()).unwrap_err().code(), "file-io");
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_stays_one_and_permissions_stay_as_they_were() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("out"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut draft = Draft::create(&link).unwrap();
        draft.write_all(b"new").unwrap();
        draft.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_a_full_disk() {
        let mut draft = Draft::create(Path::new("/dev/full")).unwrap();
        let error = draft.write_all(b"bytes").unwrap_err();
        assert_eq!(Error::io("write to", Path::new("/dev/full"), error).code(), "disk-full");
    }
}
