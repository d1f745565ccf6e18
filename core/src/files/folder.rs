//! Atomic folder: files are written into a folder beside its place, which is then renamed.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::atomic::AtomicFile;
use super::open::Links;
use super::steps::{Step, attempt};
use super::temporary::{folder_of, is_temporary_name, sync_folder, temporary_name};
use crate::escape::shown;
use crate::{Error, Result, threads};

/// Writes a folder with these files, whose names may have slashes, and takes it to its place.
///
/// An old folder of the name changes places with the new one in one step, then is removed: at any
/// moment, and after a crash at any moment, one of them is there and whole. Where the system has no
/// such step (Windows, some file systems of networks), the old folder is moved aside first; after a
/// crash between the two renames it lies beside its place, under a name that begins with
/// `.lexpool-`. What killed processes have left of the same folder is removed. A symbolic link of
/// the name is replaced, and what it leads to stays.
///
/// # Errors
///
/// `file-permission`, `disk-full`, `file-io` and the others of [`Error::io`]; that of a path that
/// is not a folder for a file of the name, which stays.
pub fn write_folder<B: AsRef<[u8]>>(path: &Path, files: &[(String, B)]) -> Result<()> {
    write_folder_by(path, |made| {
        for (name, bytes) in files {
            let file = made.join(name);
            let inner = fs::create_dir_all(folder_of(&file));
            inner.map_err(|error| Error::io("write to", path, error))?;
            let written = AtomicFile::write(&file, bytes.as_ref(), Links::Replaced);
            // The name of the temporary folder says nothing to a user.
            written.map_err(|error| error.context(shown(path)))?;
        }
        Ok(())
    })
}

/// Writes a folder as [`write_folder`] does, with the files that `fill` writes into the folder that
/// it is called with. After a power cut, files that `fill` has not synced may be cut.
///
/// # Errors
///
/// Those of `fill`, after which the old folder stays, and of [`write_folder`].
pub fn write_folder_by(path: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let failed = |error| Error::io("write to", path, error);
    let parent = folder_of(path);
    fs::create_dir_all(parent).map_err(failed)?;
    let had_old = match fs::symlink_metadata(path) {
        Ok(old) if old.is_dir() || old.is_symlink() => true,
        Ok(_) => return Err(failed(ErrorKind::NotADirectory.into())),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(failed(error)),
    };
    let name = path.file_name().unwrap_or_default();
    remove_leftovers_of(parent, name);
    let scratch = Scratch::create(parent, name).map_err(failed)?;
    fill(scratch.path())?;
    scratch.publish().map_err(failed)?;
    take_place(scratch.path(), path, parent, had_old).map_err(failed)
}

/// Puts a folder in the place of an old one, which is removed.
fn take_place(new: &Path, path: &Path, parent: &Path, had_old: bool) -> std::io::Result<()> {
    let old = Scratch::named(parent.join(temporary_name("old")));
    attempt(Step::Rename)?;
    if had_old && exchange(new, path)? {
        // Before the old folder is removed, so that a power cut leaves one of the two.
        return sync_folder(parent);
    }
    if had_old {
        rename(path, old.path())?;
    }
    if let Err(error) = rename(new, path) {
        if had_old {
            rename(old.path(), path)?;
        }
        return Err(error);
    }
    sync_folder(parent)
}

#[expect(clippy::disallowed_methods, reason = "the files in the folder are complete")]
pub(super) fn rename(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::rename(from, to)
}

/// Lets two folders change places in one step. Returns `false` where the system cannot.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn exchange(one: &Path, other: &Path) -> std::io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
#[expect(clippy::unnecessary_wraps, reason = "other systems have the step, which may fail")]
pub(super) fn exchange(_: &Path, _: &Path) -> std::io::Result<bool> {
    Ok(false)
}

/// Removes what killed processes have left in a folder: temporary files and folders of lexpool.
/// Those of a process that runs stay where that can be told (not on Windows), and so does what
/// cannot be removed.
pub fn remove_leftovers(folder: &Path) {
    remove_temporary(folder, |_| true);
}

/// Removes what killed processes have left in a folder of writing the folder of a name, as
/// [`remove_leftovers`] does.
pub(super) fn remove_leftovers_of(folder: &Path, name: &OsStr) {
    let ending = format!("-{}.part", mark_of(name));
    remove_temporary(folder, |leftover| leftover.ends_with(&ending));
}

fn remove_temporary(folder: &Path, is_meant: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !is_temporary_name(&name) {
            continue;
        }
        let name = name.to_string_lossy();
        let process = name.split('-').nth(1).and_then(|process| process.parse().ok());
        if is_meant(&name) && !process.is_some_and(is_running) {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let path = entry.path();
            drop(if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) });
        }
    }
}

/// Returns whether a process with an id runs; `false` where the system cannot tell.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn is_running(process: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let id = Some(process).filter(|process| *process > 0).and_then(Pid::from_raw);
    id.is_some_and(|id| test_kill_process(id) != Err(Errno::SRCH))
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn is_running(_: i32) -> bool {
    false
}

/// A folder that is removed with the value, unless it was renamed.
pub(super) struct Scratch {
    path: PathBuf,
    /// The permissions of a new folder at its place.
    permissions: Option<Permissions>,
    /// Id of the process that created the folder: after a fork, the child's copy must not remove
    /// it.
    process: u32,
}

impl Scratch {
    /// Creates a folder for the files of the folder of a name. Until it is published, only the user
    /// of this process may read it.
    pub(super) fn create(parent: &Path, name: &OsStr) -> std::io::Result<Scratch> {
        let unique = temporary_name("part");
        let unique = unique.strip_suffix(".part").unwrap_or(&unique);
        let mut scratch = Scratch::named(parent.join(format!("{unique}-{}.part", mark_of(name))));
        fs::create_dir(&scratch.path)?;
        // As the umask or the access control list of the parent decides.
        scratch.permissions = Some(fs::metadata(&scratch.path)?.permissions());
        #[cfg(unix)]
        {
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            fs::set_permissions(&scratch.path, private)?;
        }
        Ok(scratch)
    }

    /// Takes the name of a folder that does not exist yet.
    fn named(path: PathBuf) -> Scratch {
        Scratch { path, permissions: None, process: threads::process() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the names of all files to the disk; their contents are synced before they get names.
    pub(super) fn sync(&self) -> std::io::Result<()> {
        sync_folders(&self.path)
    }

    /// Syncs the folder, and gives it the permissions of a new one.
    pub(super) fn publish(&self) -> std::io::Result<()> {
        self.sync()?;
        match &self.permissions {
            Some(permissions) => fs::set_permissions(&self.path, permissions.clone()),
            None => Ok(()),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.process == threads::process() {
            // It usually does not exist any more; what cannot be removed stays under its own name.
            drop(fs::remove_dir_all(&self.path));
        }
    }
}

fn sync_folders(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync_folder(folder)
}

/// Returns a short text in the place of a name, which may be too long for a part of another one.
fn mark_of(name: &OsStr) -> String {
    format!("{:08x}", crc32fast::hash(name.as_encoded_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::with_fault;

    fn files(text: &str) -> Vec<(String, Vec<u8>)> {
        let files = [("a.txt", text), ("inner/b.txt", "b")];
        files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).to_vec()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_replaces_an_old_one_as_a_whole() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("new/model");
        write_folder(&folder, &files("first")).unwrap();
        fs::write(folder.join("more"), "").unwrap();
        write_folder(&folder, &files("second")).unwrap();
        assert_eq!(names(&folder), ["a.txt", "inner"]);
        assert_eq!(fs::read(folder.join("a.txt")).unwrap(), b"second");
        assert_eq!(names(folder.parent().unwrap()), ["model"]);
    }

    #[test]
    fn the_folder_is_there_at_every_moment_of_being_replaced() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("model");
        write_folder(&folder, &files("first")).unwrap();
        let is_done = std::sync::atomic::AtomicBool::new(false);
        let order = std::sync::atomic::Ordering::Relaxed;
        std::thread::scope(|scope| {
            let watching = scope.spawn(|| {
                let mut looks = 0;
                while !is_done.load(order) || looks == 0 {
                    assert!(folder.is_dir(), "after {looks} looks");
                    looks += 1;
                }
            });
            for text in ["second", "third"].repeat(20) {
                write_folder(&folder, &files(text)).unwrap();
            }
            is_done.store(true, order);
            watching.join().unwrap();
        });
        assert_eq!(names(parent.path()), ["model"]);
    }

    #[test]
    fn leftovers_of_a_killed_process_are_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        // No process has so large an id.
        let gone = ".lexpool-2147483647-2.part";
        for name in [gone, ".lexpool-0-2.part", ".other.part", "a.part", ".lexpool-list"] {
            fs::write(at(name), "").unwrap();
        }
        for name in [".lexpool-1.part", ".lexpool-2.old", "model"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("file"), "").unwrap();
        }
        remove_leftovers(parent.path());
        remove_leftovers(&at("absent"));
        assert_eq!(names(parent.path()), [".lexpool-list", ".other.part", "a.part", "model"]);
    }

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    #[test]
    fn files_that_a_running_process_writes_are_no_leftovers() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("log");
        let file = AtomicFile::create(&path, Links::Followed).unwrap();
        remove_leftovers(parent.path());
        file.commit().unwrap();
        assert_eq!(names(parent.path()), ["log"]);
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_stays() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("model");
        fs::write(&path, "precious").unwrap();
        write_folder(&path, &files("new")).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        assert_eq!(names(parent.path()), ["model"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_replaced_and_its_target_stays() {
        let parent = tempfile::tempdir().unwrap();
        let (folder, target) = (parent.path().join("model"), parent.path().join("other"));
        for is_dangling in [true, false] {
            if !is_dangling {
                write_folder(&target, &files("other")).unwrap();
                fs::remove_dir_all(&folder).unwrap();
            }
            std::os::unix::fs::symlink("other", &folder).unwrap();
            write_folder(&folder, &files("new")).unwrap();
            assert_eq!(fs::read(folder.join("a.txt")).unwrap(), b"new");
            assert!(!folder.is_symlink());
        }
        assert_eq!(fs::read(target.join("a.txt")).unwrap(), b"other");
        assert_eq!(names(parent.path()), ["model", "other"]);
    }

    #[test]
    fn a_failure_at_any_step_leaves_the_old_folder() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("model");
        write_folder(&folder, &files("first")).unwrap();
        let mut found = Vec::new();
        for at in 0.. {
            let (result, failed) = with_fault(at, || write_folder(&folder, &files("second")));
            let Some(failed) = failed else {
                result.unwrap();
                break;
            };
            let error = result.unwrap_err();
            assert!(error.message().contains("model"), "{error}");
            found.push((fs::read(folder.join("a.txt")).unwrap(), failed));
            assert_eq!(names(parent.path()), ["model"]);
        }
        // If the last step fails, the new folder may not be on the disk yet.
        let (last, failed) = found.pop().unwrap();
        assert!(last == b"second" && failed == crate::files::Step::SyncFolder, "{failed:?}");
        for (contents, failed) in &found {
            assert_eq!(contents, b"first", "{failed:?}");
        }
        assert_eq!(fs::read(folder.join("a.txt")).unwrap(), b"second");
    }
}
