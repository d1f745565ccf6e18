//! A file for readers that take a path.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = folder();
}

/// Makes a folder, in memory where the system has such a place: a fuzzer writes a file ten
/// thousand times a second.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a temporary folder")
}

/// Writes bytes to a file of this thread, and returns its path.
#[expect(clippy::disallowed_methods, reason = "files are made to be broken")]
pub(crate) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    FOLDER.with(|folder| {
        let path = folder.path().join(name);
        // A mapped file must not change, so each one is another.
        drop(fs::remove_file(&path));
        fs::write(&path, bytes).expect("a file in the temporary folder");
        path
    })
}
