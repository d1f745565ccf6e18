//! A packed file that was opened: a [container](crate::container) whose sections are the files of
//! a pipeline, by their names in its folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use crate::codes;
use crate::container::{Container, Kind, Section};
use crate::mapped_file;
use crate::vocab::{OpenOptions, Vocab};
use crate::{Error, Result};

pub(super) const KIND: Kind = Kind::new("pipeline", 1, "packed pipeline");

/// An open packed file.
pub(super) struct Pack {
    /// `None` if the bytes are in memory.
    file: Option<File>,
    bytes: Bytes,
    parts: BTreeMap<String, Section>,
}

impl Pack {
    /// Maps a file and validates its table of sections.
    pub(super) fn open(path: &Path) -> Result<Pack> {
        let (file, bytes) = mapped_file::map(path)?;
        Pack::parse(bytes, Some(file))
    }

    /// Validates the table of sections of a file's bytes.
    pub(super) fn parse(bytes: Bytes, file: Option<File>) -> Result<Pack> {
        let container = Container::read(&KIND, &bytes)?;
        let mut parts = BTreeMap::new();
        for section in container.sections() {
            check_name(section.name())?;
            parts.insert(section.name().to_owned(), section.clone());
        }
        Ok(Pack { file, bytes, parts })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str)
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.parts.contains_key(name)
    }

    pub(super) fn contains_folder(&self, name: &str) -> bool {
        self.in_folder(name).next().is_some()
    }

    /// Returns the size of a part, or of all parts in a folder.
    pub(super) fn size(&self, name: &str) -> u64 {
        let parts = self.parts.get(name).into_iter().chain(self.in_folder(name));
        parts.map(|part| part.range().len() as u64).sum()
    }

    /// Returns a part after verifying its checksum; `None` for another name.
    pub(super) fn read(&self, name: &str) -> Option<Result<Bytes>> {
        let part = self.parts.get(name)?;
        let bytes = self.bytes.slice(part.range());
        Some(part.verify_bytes(&bytes).map(|()| bytes))
    }

    /// Opens a part as the image of a vocab; `None` for another name. Its checksums
    /// are verified as far as `options` say.
    pub(super) fn vocab(&self, name: &str, options: &OpenOptions) -> Result<Option<Arc<Vocab>>> {
        let Some(part) = self.parts.get(name) else { return Ok(None) };
        let Range { start, end } = part.range();
        let opened = match &self.file {
            Some(file) => Vocab::open_at(file, start as u64, (end - start) as u64, options),
            None => Vocab::from_image_bytes(&self.bytes[start..end], options),
        };
        opened.map(Some)
    }

    fn in_folder(&self, name: &str) -> impl Iterator<Item = &Section> {
        let prefix = format!("{name}/");
        let parts = self.parts.range(prefix.clone()..);
        parts.take_while(move |(key, _)| key.starts_with(&prefix)).map(|(_, part)| part)
    }
}

/// Checks that a name is a relative path, without empty parts and parts that lead elsewhere.
///
/// # Errors
///
/// `pack-name`.
pub(super) fn check_name(name: &str) -> Result<()> {
    let leads_on = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    if name.split('/').all(leads_on) {
        return Ok(());
    }
    let text = format!("a file of the pipeline is named {name:?}; expected a relative path");
    Err(Error::value(codes::PACK_NAME, text))
}
