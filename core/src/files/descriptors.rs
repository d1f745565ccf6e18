//! Paths that name open files of a process: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
//!
//! Such a path may lead to a file that a shell opened and goes on writing to. Replacing the file
//! would lose what the shell writes later; opening it from its start would overwrite what is there.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use super::open::{Links, blocking, open_at_once};
use super::temporary::folder_of;

/// Number of links that Linux follows in one path.
const MAX_LINKS: usize = 40;

/// Opens the file behind such a path, to write at its end. Returns `None` for any other path.
pub(super) fn open(path: &Path) -> io::Result<Option<File>> {
    let Some((folder, number)) = descriptor(path) else { return Ok(None) };
    // A duplicated descriptor shares its offset: what the shell writes later follows, even without
    // `O_APPEND`.
    let shared = match number {
        _ if !is_own(&folder) => None,
        1 => Some(io::stdout().as_fd().try_clone_to_owned()?),
        2 => Some(io::stderr().as_fd().try_clone_to_owned()?),
        _ => None,
    };
    if let Some(shared) = shared {
        return Ok(Some(File::from(shared)));
    }
    let path = folder.join(number.to_string());
    let file = open_at_once(OpenOptions::new().append(true), &path, Links::Followed)?;
    blocking(file).map(Some)
}

/// Returns the folder and the number of the descriptor that a path leads to through any number of
/// links.
fn descriptor(path: &Path) -> Option<(PathBuf, u32)> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let folder = fs::canonicalize(folder_of(&path)).ok()?;
        if is_of_descriptors(&folder) {
            let number = path.file_name()?.to_str()?.parse().ok()?;
            return Some((folder, number));
        }
        path = folder.join(fs::read_link(&path).ok()?);
    }
    None
}

/// Returns `true` for `/dev/fd` and for folders like `/proc/42/fd`, to which `/dev/fd` links in
/// Linux.
fn is_of_descriptors(folder: &Path) -> bool {
    folder == Path::new("/dev/fd") || folder.starts_with("/proc") && folder.ends_with("fd")
}

fn is_own(folder: &Path) -> bool {
    let descriptor_folder = fs::canonicalize("/proc/self/fd");
    folder == descriptor_folder.as_deref().unwrap_or(Path::new("/dev/fd"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_descriptors_are_told_from_others() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("fd")).unwrap();
        fs::write(at("fd/1"), "").unwrap();
        let links = [
            ("one", Path::new("/dev/stdout")),
            ("two", Path::new("one")),
            ("self", Path::new("self")),
        ];
        for (name, leads_to) in links {
            std::os::unix::fs::symlink(leads_to, at(name)).unwrap();
        }
        let cases = [
            (PathBuf::from("/dev/stdout"), Some(1)),
            (PathBuf::from("/dev/fd/2"), Some(2)),
            (at("two"), Some(1)),
            (at("self"), None),
            (at("fd/1"), None),
            (at("absent"), None),
            (at("absent/1"), None),
            (PathBuf::from("/dev/null"), None),
        ];
        for (path, number) in cases {
            let found = descriptor(&path);
            assert!(found.as_ref().is_none_or(|(folder, _)| is_own(folder)), "{path:?}");
            assert_eq!(found.map(|(_, number)| number), number, "{path:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_is_open_is_written_to_at_its_end_and_stays_the_same() {
        use std::io::Write;
        use std::os::fd::AsRawFd;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut held = OpenOptions::new().create(true).append(true).open(&path).unwrap();
        held.write_all(b"first ").unwrap();
        let name = format!("/proc/self/fd/{}", held.as_raw_fd());
        super::super::AtomicFile::write(Path::new(&name), b"second ", Links::Followed).unwrap();
        held.write_all(b"third").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first second third");
    }
}
