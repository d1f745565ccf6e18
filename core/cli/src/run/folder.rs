//! The folder of the outputs, and the hidden one in it that belongs to the runs.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use fs4::fs_std::FileExt;

use lexpool::escape::shown;
use lexpool::files::open_own;
use lexpool::{Error, ErrorKind, Result};

/// What belongs to the runs.
const OURS: &str = ".lexpool-run";

/// A folder of outputs. While this is held, no other run enters it.
pub(super) struct Folder {
    path: PathBuf,
    ours: PathBuf,
    /// The lock ends with the process, however that ends.
    lock: Option<File>,
}

impl Folder {
    /// Makes the folder if it is not there, locks it, and removes what a killed run left.
    ///
    /// # Errors
    ///
    /// `run-locked` while another run is at work there; `run-link` where a symbolic link is in the place
    /// of the runs' own folder; those of the system.
    pub(super) fn enter(path: &Path) -> Result<Folder> {
        let mut folder = Folder::look(path);
        let ours = &folder.ours;
        if ours.is_symlink() {
            let text = format!(
                "{} is a symbolic link; a run keeps its book in a folder of its own: remove the link, or \
                 give another folder",
                shown(ours)
            );
            return Err(Error::new(ErrorKind::State, "run-link", text));
        }
        fs::create_dir_all(ours).map_err(|error| Error::io("write to", path, error))?;
        let name = ours.join("lock");
        let mut options = OpenOptions::new();
        let lock = open_own(options.create(true).truncate(false).write(true), &name);
        let lock = lock.map_err(|error| Error::io("write to", &name, error))?;
        match FileExt::try_lock_exclusive(&lock) {
            Ok(true) => {}
            Ok(false) => {
                let text = format!(
                    "another run is at work in {}; wait for it, or give another folder",
                    shown(path)
                );
                return Err(Error::new(ErrorKind::State, "run-locked", text));
            }
            Err(error) => return Err(Error::io("lock", &name, error)),
        }
        for entry in fs::read_dir(ours).map_err(|error| Error::io("read", ours, error))? {
            let left = entry.map_err(|error| Error::io("read", ours, error))?.path();
            if left.extension().is_some_and(|end| end == "part") {
                fs::remove_file(&left).map_err(|error| Error::io("remove", &left, error))?;
            }
        }
        folder.lock = Some(lock);
        Ok(folder)
    }

    /// Whether a folder has outputs of runs.
    pub(super) fn is_of_runs(path: &Path) -> bool {
        path.join(OURS).is_dir()
    }

    /// The folder as it is, unlocked: for looking and not for writing.
    pub(super) fn look(path: &Path) -> Folder {
        Folder { path: path.to_owned(), ours: path.join(OURS), lock: None }
    }

    /// Where an output lies. Makes the folders in between.
    pub(super) fn output(&self, name: &Path) -> Result<PathBuf> {
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| Error::io("write to", parent, error))?;
        }
        Ok(path)
    }

    /// Where files are until they are whole.
    pub(super) fn drafts(&self) -> &Path {
        &self.ours
    }

    /// What was done.
    pub(super) fn book(&self) -> PathBuf {
        self.ours.join("done.jsonl")
    }
}
