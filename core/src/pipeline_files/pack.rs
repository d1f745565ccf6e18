//! A packed file that was opened: its manifest validated, its parts located.
//!
//! A packed file has a header, the parts, each at a multiple of 64, and a manifest: a JSON object
//! that names each part with its offset, length and CRC-32. The header has the place and the CRC-32
//! of the manifest, which ends with the file, so that cut files are noticed at once.
//!
//! # Safety
//!
//! This module holds unsafe code: it maps a file.
//!
//! - P1: Any bytes are sound, because numbers and texts are read from them with bounds checks. The
//!   bytes must not change while they are mapped: lexpool writes a new file and renames it, and the
//!   documentation of [`PipelineFiles::open`](super::PipelineFiles::open) asks other writers to do
//!   the same.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use memmap2::Mmap;
use serde_json::Value;

use crate::codes;
use crate::vocab::{OpenOptions, Vocab};
use crate::{Code, Error, Result};

pub(super) const MAGIC: &[u8; 8] = b"lexpipe\n";
pub(super) const VERSION: u32 = 1;
/// Parts begin at multiples of this.
pub(super) const ALIGN: usize = 64;
/// Size of the header.
pub(super) const HEADER: usize = 64;

/// An open packed file.
pub(super) struct Pack {
    /// `None` if the bytes are in memory.
    file: Option<File>,
    bytes: Bytes,
    parts: BTreeMap<String, Part>,
}

struct Part {
    range: Range<usize>,
    checksum: u32,
}

impl Pack {
    /// Maps a file and validates its header and manifest.
    pub(super) fn open(path: &Path) -> Result<Pack> {
        let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
        let len = file.metadata().map_err(|error| Error::io("read", path, error))?.len();
        if len == 0 {
            // The system cannot map zero bytes.
            return Pack::parse(Bytes::new(), None);
        }
        // SAFETY: P1: any bytes are sound, and files are replaced, not written to.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io("map", path, error))?;
        Pack::parse(Bytes::from_owner(map), Some(file))
    }

    /// Validates the header and the manifest of a file's bytes.
    pub(super) fn parse(bytes: Bytes, file: Option<File>) -> Result<Pack> {
        let manifest = manifest(&bytes)?;
        let json: Value = serde_json::from_slice(&bytes[manifest.clone()])
            .map_err(|error| invalid(codes::PACK_MANIFEST, format!("the manifest: {error}")))?;
        let Some(listed) = json.get("parts").and_then(Value::as_array) else {
            let text = "the manifest lacks the list \"parts\"".to_owned();
            return Err(invalid(codes::PACK_MANIFEST, text));
        };
        let (mut parts, mut end) = (BTreeMap::new(), HEADER);
        for (number, entry) in listed.iter().enumerate() {
            let wrong = |why: String| {
                invalid(codes::PACK_MANIFEST, format!("part {number} of the manifest {why}"))
            };
            let integer = |key: &str| {
                let value = entry.get(key).and_then(Value::as_u64);
                let value = value.and_then(|value| usize::try_from(value).ok());
                value.ok_or_else(|| wrong(format!("has no number {key:?}")))
            };
            let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
            if !is_name(name) {
                return Err(wrong(format!("is named {name:?}; expected a relative path")));
            }
            let (start, len) = (integer("offset")?, integer("length")?);
            let range = start..start.saturating_add(len);
            if start < end || start % ALIGN != 0 || range.end > manifest.start {
                let text = format!(
                    "lies in {range:?}; expected a multiple of {ALIGN} in {end}..{}",
                    manifest.start
                );
                return Err(wrong(text));
            }
            let checksum = u32::try_from(integer("crc32")?);
            let checksum = checksum.map_err(|_| wrong("has a crc32 of over 32 bits".to_owned()))?;
            end = range.end;
            if parts.insert(name.to_owned(), Part { range, checksum }).is_some() {
                return Err(wrong(format!("repeats the name {name:?}")));
            }
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
        parts.map(|part| part.range.len() as u64).sum()
    }

    /// Returns a part after verifying its checksum; `None` if there is none of this name.
    pub(super) fn read(&self, name: &str) -> Option<Result<Bytes>> {
        let part = self.parts.get(name)?;
        let bytes = self.bytes.slice(part.range.clone());
        let found = crc32fast::hash(&bytes);
        if found == part.checksum {
            return Some(Ok(bytes));
        }
        let text = format!(
            "the part {name:?} at byte {} has the CRC-32 {found:08x}; the manifest says {:08x}",
            part.range.start, part.checksum
        );
        Some(Err(invalid(codes::PACK_CHECKSUM, text)))
    }

    /// Opens a part as the image of a vocab; `None` if there is none of this name. Its checksums
    /// are verified as far as `options` say.
    pub(super) fn vocab(&self, name: &str, options: &OpenOptions) -> Result<Option<Arc<Vocab>>> {
        let Some(part) = self.parts.get(name) else { return Ok(None) };
        let Range { start, end } = part.range;
        let opened = match &self.file {
            Some(file) => Vocab::open_at(file, start as u64, (end - start) as u64, options),
            None => Vocab::from_image_bytes(&self.bytes[start..end], options),
        };
        opened.map(Some)
    }

    fn in_folder(&self, name: &str) -> impl Iterator<Item = &Part> {
        let prefix = format!("{name}/");
        let parts = self.parts.range(prefix.clone()..);
        parts.take_while(move |(key, _)| key.starts_with(&prefix)).map(|(_, part)| part)
    }
}

/// Validates the header, and returns the place of the manifest.
fn manifest(bytes: &[u8]) -> Result<Range<usize>> {
    if !bytes.starts_with(MAGIC) {
        let text =
            "the file is not a packed pipeline; expected one that `lexpool model pack` wrote";
        return Err(invalid(codes::PACK_MAGIC, text.to_owned()));
    }
    let truncated = |expected: u64| {
        let text = format!("the file has {} bytes; expected {expected}", bytes.len());
        invalid(codes::PACK_TRUNCATED, text)
    };
    let Some(header) = bytes.get(..HEADER) else { return Err(truncated(HEADER as u64)) };
    let (version, checksum) = (u32_at(header, 8), u32_at(header, 12));
    if version != VERSION {
        let text = format!("the file has version {version}; this lexpool reads {VERSION}");
        return Err(invalid(codes::PACK_VERSION, text));
    }
    let (offset, len) = (u64_at(header, 16), u64_at(header, 24));
    let end = offset.saturating_add(len);
    if end != bytes.len() as u64 || offset < HEADER as u64 {
        return Err(truncated(end));
    }
    let offset = usize::try_from(offset).map_err(|_| truncated(end))?;
    let found = checksum_of(&header[16..], &bytes[offset..]);
    if found != checksum {
        let text = format!(
            "header and manifest have the CRC-32 {found:08x}; the header says {checksum:08x}"
        );
        return Err(invalid(codes::PACK_CHECKSUM, text));
    }
    Ok(offset..bytes.len())
}

/// Returns the CRC-32 of the end of the header and the manifest.
pub(super) fn checksum_of(header: &[u8], manifest: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(manifest);
    hasher.finalize()
}

/// Returns whether a name is a relative path without empty parts and parts that lead elsewhere.
pub(super) fn is_name(name: &str) -> bool {
    name.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn invalid(code: Code, text: String) -> Error {
    Error::value(code, text)
}
