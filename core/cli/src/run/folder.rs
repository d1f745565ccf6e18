//! The output folder of runs, with a hidden folder for their own files.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use fs4::fs_std::FileExt;

use lexpool::codes;
use lexpool::escape::shown;
use lexpool::files::open_own;
use lexpool::{Error, ErrorKind, Result};

/// Name of the hidden folder.
const RUN_FOLDER: &str = ".lexpool-run";

/// An output folder. While its lock is held, no other run uses it.
pub(super) struct Folder {
    path: PathBuf,
    hidden: PathBuf,
    /// The lock, released when the process ends.
    lock: Option<File>,
}

impl Folder {
    /// Creates the folder if necessary, locks it, and removes temporary files of killed runs.
    ///
    /// # Errors
    ///
    /// `run-locked` if another run uses the folder; `run-link` if the hidden folder is a symbolic
    /// link; errors of the system.
    pub(super) fn lock(path: &Path) -> Result<Folder> {
        let mut folder = Folder::unlocked(path);
        let hidden = &folder.hidden;
        if hidden.is_symlink() {
            let text = format!(
                "{} is a symbolic link, but runs keep their manifest in this folder; remove the \
                 link, or use another output folder",
                shown(hidden)
            );
            return Err(Error::new(ErrorKind::State, codes::RUN_LINK, text));
        }
        fs::create_dir_all(hidden).map_err(|error| Error::io("write to", path, error))?;
        let name = hidden.join("lock");
        let mut options = OpenOptions::new();
        let lock = open_own(options.create(true).truncate(false).write(true), &name);
        let lock = lock.map_err(|error| Error::io("write to", &name, error))?;
        match FileExt::try_lock_exclusive(&lock) {
            Ok(true) => {}
            Ok(false) => {
                let text = format!(
                    "another run is writing to {}; wait for it, or use another output folder",
                    shown(path)
                );
                return Err(Error::new(ErrorKind::State, codes::RUN_LOCKED, text));
            }
            Err(error) => return Err(Error::io("lock", &name, error)),
        }
        for entry in fs::read_dir(hidden).map_err(|error| Error::io("read", hidden, error))? {
            let left = entry.map_err(|error| Error::io("read", hidden, error))?.path();
            if left.extension().is_some_and(|end| end == "part") {
                fs::remove_file(&left).map_err(|error| Error::io("remove", &left, error))?;
            }
        }
        folder.lock = Some(lock);
        Ok(folder)
    }

    /// Returns `true` if a folder has outputs of runs.
    pub(super) fn is_of_runs(path: &Path) -> bool {
        path.join(RUN_FOLDER).is_dir()
    }

    /// Returns the folder without locking it, for reading only.
    pub(super) fn unlocked(path: &Path) -> Folder {
        Folder { path: path.to_owned(), hidden: path.join(RUN_FOLDER), lock: None }
    }

    /// Returns the path of an output, and creates its parent folders.
    pub(super) fn output(&self, name: &Path) -> Result<PathBuf> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| Error::io("write to", parent, error))?;
        }
        Ok(path)
    }

    /// Returns the folder of temporary files.
    pub(super) fn temporary(&self) -> &Path {
        &self.hidden
    }

    /// Returns the path of the manifest.
    pub(super) fn manifest(&self) -> PathBuf {
        self.hidden.join("done.jsonl")
    }
}
