//! Tests of what is in a folder after an update, whatever was there before.

use std::collections::BTreeMap;

use super::*;
use crate::files::{AtomicFile, Links, with_fault};

/// Writes files with a text into a folder.
fn fill(text: &'static str) -> impl Fn(&Path) -> Result<()> {
    move |folder| {
        for name in ["a.txt", "part/b.txt", "last"] {
            fs::create_dir_all(folder_of(&folder.join(name))).unwrap();
            AtomicFile::write(&folder.join(name), text.as_bytes(), Links::Replaced)?;
        }
        Ok(())
    }
}

const GUARD: Option<Guard<'static>> = Some(Guard { name: "last", contents: "unfinished" });

/// All files of a folder with their contents, and links with what they lead to.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    let filling = Filling::of(folder).unwrap();
    let text = |file: &PathBuf| match fs::read_link(folder.join(file)) {
        Ok(target) => format!("-> {}", target.to_string_lossy()),
        Err(_) => fs::read_to_string(folder.join(file)).unwrap(),
    };
    let name = |file: &PathBuf| file.to_string_lossy().into_owned();
    filling.files.iter().map(|file| (name(file), text(file))).collect()
}

/// A folder `model` with files of an update and of the user.
fn with_files_of_the_user() -> (tempfile::TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("model");
    update_folder(&folder, fill("old"), GUARD).unwrap();
    fs::create_dir_all(folder.join("notes/empty")).unwrap();
    for name in ["README.md", "notes/n.txt", "part/more.txt"] {
        fs::write(folder.join(name), "mine").unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", folder.join("notes/link")).unwrap();
    (parent, folder)
}

#[test]
fn new_files_replace_old_ones_and_all_others_stay() {
    let (parent, folder) = with_files_of_the_user();
    let before = contents(&folder);
    update_folder(&folder, fill("new"), GUARD).unwrap();
    let after = contents(&folder);
    assert!(after.keys().eq(before.keys()));
    for (name, text) in &after {
        assert_eq!(*text, before[name].replace("old", "new"), "{name}");
    }
    assert!(folder.join("notes/empty").is_dir());
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn modes_stay_as_they_were() {
    use std::os::unix::fs::PermissionsExt;

    let (_parent, folder) = with_files_of_the_user();
    let modes = [("", 0o750), ("part", 0o700), ("a.txt", 0o600), ("notes", 0o711)];
    for (name, mode) in modes {
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let links = |folder: &Path| {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(folder.join("README.md")).unwrap().nlink()
    };
    update_folder(&folder, fill("new"), GUARD).unwrap();
    for (name, mode) in modes {
        let status = fs::metadata(folder.join(name)).unwrap();
        assert_eq!(status.permissions().mode() & 0o777, mode, "{name}");
    }
    assert_eq!(links(&folder), 1);
}

#[test]
fn a_failure_at_any_step_leaves_the_old_folder_as_a_whole() {
    let (parent, folder) = with_files_of_the_user();
    let before = contents(&folder);
    for at in 0.. {
        let (result, step) = with_fault(at, || update_folder(&folder, fill("new"), GUARD));
        let Some(step) = step else {
            result.unwrap();
            break;
        };
        let error = result.unwrap_err();
        assert_eq!(error.code(), "disk-full", "{step:?}");
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1, "{step:?}");
        let is_new = contents(&folder) != before;
        assert!(!is_new || step == Step::SyncFolder, "{step:?}");
        if is_new {
            update_folder(&folder, fill("old"), GUARD).unwrap();
        }
    }
    assert_ne!(contents(&folder), before);
}

#[test]
fn files_are_renamed_one_by_one_under_a_guard_where_folders_cannot_be_exchanged() {
    let mut guarded = 0;
    for at in 0.. {
        let (parent, folder) = with_files_of_the_user();
        let before = contents(&folder);
        let scratch = Scratch::create(&folder, folder.file_name().unwrap()).unwrap();
        fill("new")(scratch.path()).unwrap();
        let files = Filling::of(scratch.path()).unwrap();
        let place = || take_place(&scratch, &folder, &files, false, GUARD);
        let (result, step) = with_fault(at, place);
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
        let after = contents(&folder);
        assert!(after.keys().eq(before.keys()), "{step:?}");
        let new = before.iter().map(|(name, text)| (name.clone(), text.replace("old", "new")));
        let is_new = after == new.collect::<BTreeMap<_, _>>();
        if step.is_none() {
            result.unwrap();
            assert!(is_new);
            break;
        }
        result.unwrap_err();
        assert!(is_new || after == before || after["last"] == "unfinished", "{step:?}");
        guarded += usize::from(after["last"] == "unfinished");
    }
    assert!(guarded >= 3);
}

#[test]
fn a_file_in_the_place_of_a_folder_and_the_reverse_stay_with_all_else() {
    for (name, is_folder) in [("part", false), ("a.txt", true)] {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("model");
        fs::create_dir_all(if is_folder { folder.join(name) } else { folder.clone() }).unwrap();
        if !is_folder {
            fs::write(folder.join(name), "mine").unwrap();
        }
        let before = contents(&folder);
        update_folder(&folder, fill("new"), GUARD).unwrap_err();
        assert_eq!(contents(&folder), before);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_the_folder_is_followed_and_one_in_it_is_replaced_or_refused() {
    let (parent, folder) = with_files_of_the_user();
    let (link, elsewhere) = (parent.path().join("link"), parent.path().join("elsewhere"));
    std::os::unix::fs::symlink("model", &link).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("b.txt"), "precious").unwrap();
    fs::remove_file(folder.join("a.txt")).unwrap();
    std::os::unix::fs::symlink("../elsewhere/b.txt", folder.join("a.txt")).unwrap();
    update_folder(&link, fill("new"), GUARD).unwrap();
    assert!(link.is_symlink());
    assert_eq!(contents(&folder)["a.txt"], "new");
    fs::remove_dir_all(folder.join("part")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", folder.join("part")).unwrap();
    let error = update_folder(&folder, fill("newer"), GUARD).unwrap_err();
    assert_eq!(error.code(), "folder-link");
    assert_eq!(contents(&folder)["a.txt"], "new");
    assert_eq!(fs::read(elsewhere.join("b.txt")).unwrap(), b"precious");
}

#[test]
fn what_a_killed_process_has_left_of_the_same_folder_is_removed() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("model");
    let name =
        |of: &str| format!(".lexpool-2147483647-1-{:08x}.part", crc32fast::hash(of.as_bytes()));
    for of in ["model", "other"] {
        fs::create_dir(parent.path().join(name(of))).unwrap();
    }
    update_folder(&folder, fill("new"), GUARD).unwrap();
    assert!(!parent.path().join(name("model")).exists());
    assert!(parent.path().join(name("other")).exists());
}
