//! Update of a folder: new files take the places of old ones in one step, and all others stay.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::carry::{
    carry_over, check_kinds, has_access_list, is_mount_point, keep_owner, keep_permissions,
};
use super::folder::{Scratch, exchange, remove_leftovers_of, rename};
use super::steps::{Step, attempt};
use super::temporary::{folder_of, is_in_scratch, sync_folder, temporary_name, write_new};
use crate::codes;
use crate::escape::shown;
use crate::{Error, ErrorKind as Kind, Result};

/// Attempts at a lock, which others hold for some milliseconds, and the time between two: two
/// seconds in all.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const LOCK_TRIES: u32 = 1000;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const LOCK_INTERVAL: std::time::Duration = std::time::Duration::from_millis(2);

/// A file of a folder that has other contents while the others are replaced one by one.
#[derive(Clone, Copy, Debug)]
pub struct Guard<'a> {
    /// The name of the file in the folder.
    pub name: &'a str,
    /// The contents until all files are at their places.
    pub contents: &'a str,
}

/// Writes files into a folder that may exist, by a function that writes them into the folder that
/// it is called with. What the folder has beside these files stays: files of the user, parts that
/// are not saved this time, modes.
///
/// The files are written into a temporary folder beside the old one. It gets second names (hard
/// links) of what stays, then the two change places in one step: at any moment, and after a crash
/// at any moment, one of the two is there and whole. A symbolic link of the name is followed.
///
/// Elsewhere each file is renamed to its place, while other processes wait: after a crash the
/// folder may have files of both, and then has the file of `guard`. That happens where the system
/// has no such step (Windows, some file systems of networks), or what stays cannot be linked or
/// must not move: if the folder is a mount point or has one in it, is the current folder or around
/// it, belongs to another user, has an access control list, or is in a folder that may not be
/// written to.
///
/// Cost: that of `fill`, and a few calls of the system for each old file.
///
/// # Errors
///
/// Those of `fill`, after which the folder is as it was; `folder-link` for a folder in it that is a
/// symbolic link and would have to be followed; those of [`Error::io`].
pub fn update_folder(
    path: &Path,
    fill: impl FnOnce(&Path) -> Result<()>,
    guard: Option<Guard<'_>>,
) -> Result<()> {
    let failed = |error| Error::io("write to", path, error);
    if is_in_scratch(path) {
        // The folder around it is not in its place yet.
        fs::create_dir_all(path).map_err(failed)?;
        return fill(path);
    }
    let folder = match fs::metadata(path) {
        Ok(old) if old.is_dir() => fs::canonicalize(path).map_err(failed)?,
        Ok(_) => return Err(failed(ErrorKind::NotADirectory.into())),
        Err(error) if error.kind() == ErrorKind::NotFound && !path.is_symlink() => {
            fs::create_dir_all(folder_of(path)).map_err(failed)?;
            path.to_owned()
        }
        Err(error) => return Err(failed(error)),
    };
    let is_movable = is_movable(&folder);
    let scratch = scratch(&folder, is_movable).map_err(failed)?;
    fill(scratch.path())?;
    let files = Filling::of(scratch.path()).map_err(failed)?;
    if folder.exists() {
        files.refuse_links(path, &folder)?;
    }
    take_place(&scratch, &folder, &files, is_movable, guard).map_err(failed)
}

/// Returns a new folder beside another one, or in it if it may not move or its parent may not be
/// written to. Removes what killed processes have left there of the same folder.
fn scratch(folder: &Path, is_movable: bool) -> io::Result<Scratch> {
    let name = folder.file_name().unwrap_or_default();
    let within = || {
        remove_leftovers_of(folder, name);
        Scratch::create(folder, name)
    };
    if !is_movable {
        return within();
    }
    let parent = folder_of(folder);
    remove_leftovers_of(parent, name);
    match Scratch::create(parent, name) {
        Err(error) if is_of_place(&error) && folder.exists() => within(),
        created => created,
    }
}

/// Returns whether a folder may be replaced by another one.
fn is_movable(folder: &Path) -> bool {
    if !folder.exists() {
        return true;
    }
    let current = std::env::current_dir().and_then(fs::canonicalize);
    let is_around_current = current.is_ok_and(|current| current.starts_with(folder));
    !is_around_current && !is_mount_point(folder) && !has_access_list(folder)
}

/// Returns whether an error says that something cannot be done at this place, rather than that the
/// disk cannot be written to.
fn is_of_place(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
    )
}

fn take_place(
    scratch: &Scratch,
    folder: &Path,
    files: &Filling,
    is_movable: bool,
    guard: Option<Guard<'_>>,
) -> io::Result<()> {
    let (new, parent) = (scratch.path(), folder_of(folder));
    let _lock = lock(parent);
    attempt(Step::Rename)?;
    let old = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            scratch.publish()?;
            match rename(new, folder) {
                // Another process has made the folder meanwhile.
                Err(_) if folder.is_dir() => fs::symlink_metadata(folder)?,
                renamed => return renamed.and_then(|()| sync_folder(parent)),
            }
        }
        old => old?,
    };
    if is_movable && folder_of(new) == parent {
        scratch.sync()?;
        let carried = carry_over(folder, new)
            .and_then(|()| keep_owner(&old, new))
            .and_then(|()| keep_permissions(&old, new))
            .and_then(|()| exchange(new, folder));
        match carried {
            Ok(true) => {
                // Entries that came into the old folder since, which is about to be removed.
                carry_over(new, folder)?;
                // Before the old folder is removed, so that a power cut leaves one of the two.
                return sync_folder(parent);
            }
            Err(error) if !is_of_place(&error) => return Err(error),
            Ok(false) | Err(_) => {}
        }
    }
    files.rename_into(new, folder, guard)
}

/// The entries of a folder that was filled, by their paths within it.
struct Filling {
    folders: Vec<PathBuf>,
    /// All but folders.
    files: Vec<PathBuf>,
}

impl Filling {
    fn of(root: &Path) -> io::Result<Filling> {
        let mut filling = Filling { folders: Vec::new(), files: Vec::new() };
        filling.add(root, Path::new(""))?;
        filling.files.sort_unstable();
        Ok(filling)
    }

    fn add(&mut self, root: &Path, within: &Path) -> io::Result<()> {
        for entry in fs::read_dir(root.join(within))? {
            let entry = entry?;
            let path = within.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                self.folders.push(path.clone());
                self.add(root, &path)?;
            } else {
                self.files.push(path);
            }
        }
        Ok(())
    }

    /// Refuses a symbolic link in the place of a folder.
    fn refuse_links(&self, path: &Path, folder: &Path) -> Result<()> {
        for inner in &self.folders {
            if folder.join(inner).is_symlink() {
                let text = format!(
                    "{} is a symbolic link, and the parts of a folder are saved within it: remove \
                     the link, or save to another folder",
                    shown(&path.join(inner))
                );
                return Err(Error::new(Kind::Io, codes::FOLDER_LINK, text).caused_by(link_met()));
            }
        }
        Ok(())
    }

    /// Renames each file to its place in a folder, one after another, that of the guard last.
    fn rename_into(&self, root: &Path, folder: &Path, guard: Option<Guard<'_>>) -> io::Result<()> {
        // All that may fail is tried before anything is replaced.
        for path in self.folders.iter().chain(&self.files) {
            let (from, to) = (root.join(path), folder.join(path));
            match fs::symlink_metadata(&to) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
                Ok(old) => {
                    check_kinds(&old, &fs::symlink_metadata(&from)?)?;
                    if old.is_file() {
                        keep_permissions(&old, &from)?;
                    }
                }
            }
        }
        let guarded = guard.map(|guard| guard.name);
        if let Some(guard) = guard {
            let unfinished = root.join(temporary_name("part"));
            write_new(&unfinished, guard.contents.as_bytes())?;
            attempt(Step::Rename)?;
            rename(&unfinished, &folder.join(guard.name))?;
            // Before the first file changes, also for a power cut.
            sync_folder(folder)?;
        }
        for path in &self.folders {
            match fs::create_dir(folder.join(path)) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                created => created?,
            }
        }
        let (last, others): (Vec<_>, Vec<_>) = self
            .files
            .iter()
            .partition(|path| guarded.is_some_and(|name| *path == Path::new(name)));
        for path in others {
            attempt(Step::Rename)?;
            rename(&root.join(path), &folder.join(path))?;
        }
        for inner in &self.folders {
            sync_folder(&folder.join(inner))?;
        }
        for path in last {
            attempt(Step::Rename)?;
            rename(&root.join(path), &folder.join(path))?;
        }
        sync_folder(folder)
    }
}

/// Waits until no other process renames something in a folder by these functions, and keeps others
/// from it while the value lives. `None` where the system cannot, or if somebody else has locked
/// the folder for long, who may wait for this process.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn lock(folder: &Path) -> Option<FolderLock> {
    use rustix::fs::{FlockOperation, flock};

    let folder = fs::File::open(folder).ok()?;
    for _ in 0..LOCK_TRIES {
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Some(FolderLock(folder)),
            Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(LOCK_INTERVAL),
            Err(_) => return None,
        }
    }
    None
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn lock(_: &Path) -> Option<std::convert::Infallible> {
    None
}

/// A folder that is locked.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
struct FolderLock(fs::File);

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
impl Drop for FolderLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that was forked meanwhile has it open too.
        let _ = rustix::fs::flock(&self.0, rustix::fs::FlockOperation::Unlock);
    }
}

/// Returns the error of the system for a link that may not be followed.
fn link_met() -> io::Error {
    #[cfg(unix)]
    return io::Error::from_raw_os_error(libc::ELOOP);
    #[cfg(not(unix))]
    return io::Error::other("a symbolic link");
}

#[cfg(test)]
mod tests;
