//! Dictionaries that Python packages install, found without Python by the packages' metadata.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Error, codes};

/// Finds a file that a package has installed in one of some folders of packages (`site-packages`):
/// the first line of the package's `RECORD` whose path ends with a suffix, such as `/system.dic`.
fn find_file<'f>(
    folders: impl IntoIterator<Item = &'f Path>,
    package: &str,
    suffix: &str,
) -> Option<PathBuf> {
    folders.into_iter().find_map(|folder| {
        let entries = fs::read_dir(folder).ok()?.flatten();
        let mut metadata = entries.filter(|entry| is_metadata(&entry.file_name(), package));
        metadata.find_map(|entry| {
            let record = fs::read_to_string(entry.path().join("RECORD")).ok()?;
            // A row is path, hash and size; of the files looked for, no path needs quotes.
            let mut paths = record.lines().filter_map(|row| row.split(',').next());
            let path = folder.join(paths.find(|path| path.ends_with(suffix))?);
            path.is_file().then_some(path)
        })
    })
}

/// Returns `true` for the name of the folder with a package's metadata.
fn is_metadata(name: &OsStr, package: &str) -> bool {
    let Some((own, _)) =
        name.to_str().and_then(|name| name.strip_suffix(".dist-info")?.split_once('-'))
    else {
        return false;
    };
    let normal = |name: &str| name.replace(['-', '.'], "_").to_lowercase();
    normal(own) == normal(package)
}

/// Returns the folders of packages that belong to a program of a virtual environment, by the
/// program's path.
fn folders_beside(program: &Path) -> Vec<PathBuf> {
    let Some(root) = program.parent().and_then(Path::parent) else { return Vec::new() };
    let mut folders = vec![root.join("Lib").join("site-packages")];
    if let Ok(versions) = fs::read_dir(root.join("lib")) {
        folders.extend(versions.flatten().map(|version| version.path().join("site-packages")));
    }
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    folders
}

/// Finds a file of a package in the folders of packages beside the program.
pub(super) fn find_installed(package: &str, suffix: &str) -> Option<PathBuf> {
    // A Python that runs the command is a link in a virtual environment, whose packages are beside
    // the link.
    let program = std::env::args_os().next().map(PathBuf::from);
    let programs = program.into_iter().chain(std::env::current_exe().ok());
    let folders: Vec<PathBuf> = programs.flat_map(|program| folders_beside(&program)).collect();
    find_file(folders.iter().map(PathBuf::as_path), package, suffix)
}

/// Returns the error of a missing dictionary, with the package that brings it.
pub(super) fn missing(language: &str, package: &str) -> Error {
    let text = format!(
        "words of {language} come from a dictionary, and none is installed: pip install {package}, or \
         give the path of one as `dictionary`"
    );
    Error::value(codes::SEGMENTER_DATA, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_the_metadata_of_its_package() {
        let root = tempfile::tempdir().unwrap();
        let packages = root.path().join("lib/python3.12/site-packages");
        let info = packages.join("Sudachidict_Core-2026.dist-info");
        fs::create_dir_all(&info).unwrap();
        let rows = "a/__init__.py,sha256=x,0\na/resources/system.dic,sha256=y,3\n";
        fs::write(info.join("RECORD"), rows).unwrap();
        let find = || {
            let folders = folders_beside(&root.path().join("bin/lexpool"));
            let folders = folders.iter().map(PathBuf::as_path);
            find_file(folders, "sudachidict-core", "/system.dic")
        };
        assert_eq!(find(), None, "the file itself is missing");
        fs::create_dir_all(packages.join("a/resources")).unwrap();
        fs::write(packages.join("a/resources/system.dic"), "dic").unwrap();
        assert_eq!(find(), Some(packages.join("a/resources/system.dic")));
        assert_eq!(find_file([packages.as_path()], "sudachidict", ".dic"), None);
    }
}
