//! Tests of the file under the name after a save, and of its readers, whatever was there before.

use std::ffi::OsString;
use std::fs;

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
    let mut file = AtomicFile::create(&path, Links::Followed).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    drop(file);
    assert_eq!(names(folder.path()), ["out"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn whichever_step_fails_the_old_file_or_the_new_one_is_whole_and_alone() {
    let whole = [Step::Create, Step::Write, Step::SyncFile, Step::Rename, Step::SyncFolder];
    // If there is no old file, an empty one is created first: it shows the permissions of new
    // files.
    let cases = [(Some("old"), whole.to_vec()), (None, [&[Step::Create], &whole[..]].concat())];
    for (old, steps) in cases {
        let mut failed = Vec::new();
        for at in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            if let Some(old) = old {
                fs::write(&path, old).unwrap();
            }
            let (written, step) =
                with_fault(at, || AtomicFile::write(&path, b"the new one", Links::Followed));
            let found = fs::read_to_string(&path).ok();
            let Some(step) = step else {
                written.unwrap();
                assert_eq!(found.as_deref(), Some("the new one"));
                break;
            };
            assert_eq!(written.unwrap_err().code(), "disk-full", "{step:?}");
            // The rename cannot be undone.
            let expected = if step == Step::SyncFolder { Some("the new one") } else { old };
            assert_eq!(found.as_deref(), expected, "{step:?}");
            assert_eq!(names(folder.path()).len(), usize::from(expected.is_some()), "{step:?}");
            failed.push(step);
        }
        assert_eq!(failed, steps);
    }
}

#[test]
fn two_files_of_one_name_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut first = AtomicFile::create(&path, Links::Followed).unwrap();
    let mut second = AtomicFile::create(&path, Links::Followed).unwrap();
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
    let error = AtomicFile::create(&folder.path().join("absent/out"), Links::Followed).unwrap_err();
    assert_eq!(error.code(), "file-not-found");
    assert!(error.message().contains("absent"), "{error}");
}

#[test]
fn a_folder_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(AtomicFile::create(folder.path(), Links::Followed).unwrap_err().code(), "file-io");
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;

    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_a_file_before_it_has_its_name_and_permissions() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("usual"), "").unwrap();
    let usual = mode(&folder.path().join("usual"));
    for (old, expected) in [(None, usual), (Some(0o600), 0o600), (Some(0o664), 0o664)] {
        let path = folder.path().join("out");
        let _ = fs::remove_file(&path);
        if let Some(old) = old {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(old)).unwrap();
        }
        let mut file = AtomicFile::create(&path, Links::Followed).unwrap();
        file.write_all(b"words").unwrap();
        let is_ours = |name: &OsString| name.to_str().unwrap().starts_with(".lexpool-");
        let ours: Vec<_> = names(folder.path()).into_iter().filter(is_ours).collect();
        let modes: Vec<_> = ours.iter().map(|name| mode(&folder.path().join(name))).collect();
        assert_eq!(modes, [0o600], "{old:?}");
        file.commit().unwrap();
        assert_eq!(mode(&path), expected, "{old:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_part_of_a_folder_replaces_a_link_and_leaves_what_that_leads_to() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (part, victim) = (folder.path().join("part"), other.path().join("victim"));
    fs::write(&victim, "precious").unwrap();
    for leads_to in [victim.as_path(), &other.path().join("absent"), other.path(), &part] {
        std::os::unix::fs::symlink(leads_to, &part).unwrap();
        let mut file = AtomicFile::create(&part, Links::Replaced).unwrap();
        file.put(b"part", &|| Ok(())).unwrap();
        file.commit().unwrap();
        assert!(!part.is_symlink(), "{leads_to:?}");
        assert_eq!(fs::read(&part).unwrap(), b"part", "{leads_to:?}");
        fs::remove_file(&part).unwrap();
    }
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    assert_eq!(names(other.path()), ["victim"]);
    assert_eq!(AtomicFile::create(folder.path(), Links::Replaced).unwrap_err().code(), "file-io");
}

#[cfg(target_os = "linux")]
#[test]
fn behind_a_link_to_another_file_system_a_file_is_kept_beside_its_target() {
    let folder = tempfile::tempdir().unwrap();
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return };
    let (link, target) = (folder.path().join("link"), other.path().join("out"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let mut file = AtomicFile::create_in(folder.path(), &link).unwrap();
    file.put(b"new", &|| Ok(())).unwrap();
    file.commit().unwrap();
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert!(link.is_symlink());
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
    let mut file = AtomicFile::create(&link, Links::Followed).unwrap();
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
    assert_eq!(AtomicFile::create(&link, Links::Followed).unwrap_err().code(), "file-not-found");
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
    assert_eq!(AtomicFile::create(&path, Links::Followed).unwrap_err().code(), "pipe-unread");
    let bytes = b"through it".repeat(100_000);
    for _ in 0..20 {
        let path = path.clone();
        let reader = std::thread::spawn({
            let path = path.clone();
            move || {
                let mut pipe = File::open(path).unwrap();
                // Meanwhile the pipe fills up, and a write has to wait.
                std::thread::sleep(std::time::Duration::from_millis(5));
                let mut read = Vec::new();
                pipe.read_to_end(&mut read).map(|_| read)
            }
        });
        let mut file = loop {
            match AtomicFile::create(&path, Links::Followed) {
                Err(error) if error.code() == "pipe-unread" => std::thread::yield_now(),
                created => break created.unwrap(),
            }
        };
        file.put(&bytes, &|| Ok(())).unwrap();
        file.commit().unwrap();
        assert!(reader.join().unwrap().unwrap() == bytes);
    }
    assert_eq!(names(folder.path()), ["pipe"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_a_full_disk() {
    let error = AtomicFile::write(Path::new("/dev/full"), b"bytes", Links::Followed).unwrap_err();
    assert_eq!(error.code(), "disk-full");
}
