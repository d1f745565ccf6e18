//! The files of a saved pipeline: a folder, or one packed file.
//!
//! [`PipelineFiles`] reads either by the names that the files have in the folder, such as
//! `ner/model`. `pack` has the format of packed files, which the site's page `files/packed.mdx`
//! describes; [`write_pack`] writes them.

mod pack;
mod save_number;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind::NotFound;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use crate::codes;
use crate::escape::shown;
use crate::vocab::{OpenOptions, Vocab};
use crate::{Error, ErrorKind, Result};
use pack::Pack;

pub use save_number::add_numbers;
pub use save_number::{ReadFolder, SAVE_NUMBER, write_pipeline};
pub use writer::write_pack;

/// The name of the part of a packed file that has the strings and vectors of the vocab.
pub const VOCAB_IMAGE: &str = "vocab.image";

/// Returns whether a file begins as packed pipelines do.
///
/// # Errors
///
/// `file-not-found`, `file-permission`, `file-io`.
pub fn is_packed_file(path: &Path) -> Result<bool> {
    let failed = |error| Error::io("read", path, error);
    let magic = pack::KIND.magic();
    let mut start = Vec::with_capacity(magic.len());
    let file = File::open(path).map_err(failed)?;
    file.take(magic.len() as u64).read_to_end(&mut start).map_err(failed)?;
    Ok(start == magic)
}

/// The files of a saved pipeline, by their names in its folder.
///
/// ```
/// use lexpool::pipeline_files::{PipelineFiles, write_pack};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("small.pipeline");
/// write_pack(&path, &[("config.cfg", "[nlp]\nlang = \"en\"\n"), ("ner/cfg", "{}")])?;
/// let files = PipelineFiles::open(&path)?;
/// assert_eq!(files.read("ner/cfg")?, "{}");
/// assert!(files.contains_folder("ner") && !files.contains("ner/model"));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct PipelineFiles {
    /// The folder or the packed file, for messages.
    path: PathBuf,
    source: Source,
}

enum Source {
    Folder(ReadFolder),
    Packed(Pack),
    Memory(BTreeMap<String, Bytes>),
}

impl PipelineFiles {
    /// Opens a folder, or a file that [`write_pack`] wrote. A file is memory-mapped: processes that
    /// open the same file share its memory. It must not be written to or truncated while it is in
    /// use: write another file and rename it, as `write_pack` does.
    ///
    /// # Errors
    ///
    /// `E050` if there is neither a folder nor a file of this name; `pack-name` and those of
    /// [`Container::read`](crate::container::Container::read) for other files and damaged ones;
    /// `file-permission`, `file-io`.
    pub fn open(path: &Path) -> Result<PipelineFiles> {
        let source = if path.is_dir() {
            Source::Folder(ReadFolder::open(path))
        } else if path.is_file() {
            Source::Packed(Pack::open(path).map_err(|error| error.context(shown(path)))?)
        } else {
            let text = format!(
                "{} is not a folder; expected one that nlp.to_disk wrote, or a file of `lexpool \
                 model pack`",
                shown(path)
            );
            return Err(Error::new(ErrorKind::Io, codes::E050, text));
        };
        Ok(PipelineFiles { path: path.to_owned(), source })
    }

    /// Takes the bytes of a packed file.
    ///
    /// # Errors
    ///
    /// Those of [`open`](PipelineFiles::open) for damaged files.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<PipelineFiles> {
        let pack = Pack::parse(bytes.into(), None)?;
        Ok(PipelineFiles { path: PathBuf::from("(packed)"), source: Source::Packed(pack) })
    }

    /// Takes the files of a pipeline that is in memory, by the names that they have in its folder.
    pub fn from_parts(parts: impl IntoIterator<Item = (String, Bytes)>) -> PipelineFiles {
        let parts = parts.into_iter().collect();
        PipelineFiles { path: PathBuf::from("(in memory)"), source: Source::Memory(parts) }
    }

    /// Returns whether the files are packed in one.
    pub fn is_packed(&self) -> bool {
        matches!(self.source, Source::Packed(_))
    }

    /// Returns the folder or the packed file.
    pub fn root(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file for messages. A file of a packed one does not exist there.
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns whether there is a file of this name.
    pub fn contains(&self, name: &str) -> bool {
        match &self.source {
            Source::Folder(_) => self.path(name).is_file(),
            Source::Packed(pack) => pack.contains(name),
            Source::Memory(parts) => parts.contains_key(name),
        }
    }

    /// Returns whether there is a folder of this name.
    pub fn contains_folder(&self, name: &str) -> bool {
        match &self.source {
            Source::Folder(_) => self.path(name).is_dir(),
            Source::Packed(pack) => pack.contains_folder(name),
            Source::Memory(parts) => parts.keys().any(|part| is_within(part, name)),
        }
    }

    /// Reads a file. Parts of a packed file are not copied; their checksums are verified.
    ///
    /// # Errors
    ///
    /// `file-not-found`, `file-permission`, `file-io`; `container-checksum`.
    pub fn read(&self, name: &str) -> Result<Bytes> {
        let path = self.path(name);
        match &self.source {
            Source::Folder(_) => match fs::read(&path) {
                Ok(bytes) => Ok(bytes.into()),
                Err(error) => Err(Error::io("read", &path, error)),
            },
            Source::Packed(pack) => match pack.read(name) {
                Some(bytes) => bytes.map_err(|error| error.context(shown(&path))),
                None => Err(Error::io("read", &path, NotFound.into())),
            },
            Source::Memory(parts) => match parts.get(name) {
                Some(bytes) => Ok(bytes.clone()),
                None => Err(Error::io("read", &path, NotFound.into())),
            },
        }
    }

    /// Reads a file; `None` if it is missing.
    ///
    /// # Errors
    ///
    /// Those of [`read`](PipelineFiles::read) for existing files.
    pub fn read_optional(&self, name: &str) -> Result<Option<Bytes>> {
        match self.read(name) {
            Err(error) if error.code() == codes::FILE_NOT_FOUND.as_str() => Ok(None),
            read => read.map(Some),
        }
    }

    /// Returns the names of all files, sorted.
    ///
    /// # Errors
    ///
    /// `file-permission`, `file-io` for a folder that cannot be read; `file-io` for a name that is
    /// not UTF-8.
    pub fn names(&self) -> Result<Vec<String>> {
        let mut names = match &self.source {
            Source::Folder(_) => names_in(&self.path, "")?,
            Source::Packed(pack) => pack.names().map(str::to_owned).collect(),
            Source::Memory(parts) => parts.keys().cloned().collect(),
        };
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the size of a file, or of all files in a folder, in bytes; 0 if it is missing.
    ///
    /// # Errors
    ///
    /// Those of [`names`](PipelineFiles::names).
    pub fn size(&self, name: &str) -> Result<u64> {
        match &self.source {
            Source::Folder(_) => size(&self.path(name)),
            Source::Packed(pack) => Ok(pack.size(name)),
            Source::Memory(parts) => {
                let files = parts.iter().filter(|(part, _)| *part == name || is_within(part, name));
                Ok(files.map(|(_, bytes)| bytes.len() as u64).sum())
            }
        }
    }

    /// Checks that parts of a folder were saved together, as far as they have a number.
    ///
    /// # Errors
    ///
    /// `save-mixed`, as for [`ReadFolder::check_parts`].
    pub fn check_parts<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Result<()> {
        match &self.source {
            Source::Folder(folder) => folder.check_parts(parts),
            Source::Packed(_) | Source::Memory(_) => Ok(()),
        }
    }

    /// Checks that a folder is still the one that was opened; a packed file stays open.
    ///
    /// # Errors
    ///
    /// `save-replaced` if another process has replaced it or files of it.
    pub fn check_current(&self) -> Result<()> {
        match &self.source {
            Source::Folder(folder) => folder.check_current(),
            Source::Packed(_) | Source::Memory(_) => Ok(()),
        }
    }

    /// Opens the vocab of a packed file, which has its strings and vectors; `None` if there is
    /// none.
    ///
    /// # Errors
    ///
    /// Those of [`Vocab::open_at`].
    pub fn vocab(&self, options: &OpenOptions) -> Result<Option<Arc<Vocab>>> {
        let Source::Packed(pack) = &self.source else { return Ok(None) };
        let opened = pack.vocab(VOCAB_IMAGE, options);
        opened.map_err(|error| error.context(shown(&self.path(VOCAB_IMAGE))))
    }
}

/// Returns whether a file is in a folder.
fn is_within(file: &str, folder: &str) -> bool {
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the names of the files in a folder, with a prefix. Links to folders are not followed,
/// which could lead back.
fn names_in(folder: &Path, prefix: &str) -> Result<Vec<String>> {
    let failed = |error| Error::io("read", folder, error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| {
            let text = format!("{} is not a name in UTF-8", shown(&entry.path()));
            Error::new(ErrorKind::Io, codes::FILE_IO, text)
        })?;
        let name = format!("{prefix}{name}");
        if entry.file_type().map_err(failed)?.is_dir() {
            names.extend(names_in(&entry.path(), &format!("{name}/"))?);
        } else if entry.path().is_file() {
            names.push(name);
        }
    }
    Ok(names)
}

fn size(path: &Path) -> Result<u64> {
    let error = |error| Error::io("read", path, error);
    let metadata = match fs::symlink_metadata(path) {
        Err(missing) if missing.kind() == NotFound => return Ok(0),
        found => found.map_err(error)?,
    };
    if !metadata.is_dir() {
        return Ok(metadata.len());
    }
    let entries = fs::read_dir(path).map_err(error)?;
    entries.map(|entry| size(&entry.map_err(error)?.path())).sum()
}
