//! Phrase file: the arrays of the phrase trie as they are in memory, to be memory-mapped.
//!
//! All numbers are little-endian, and files can only be mapped on little-endian machines. A file
//! has a header, a table of sections, the sections, and a CRC-32 of all bytes before it. The site's
//! page `files/phrases.mdx` describes the bytes; any change of them is a new version.
//!
//! # Safety
//!
//! This module holds unsafe code: it maps a file.
//!
//! - M1: Any bytes are sound, because only numbers are read from them, and each is bounded where it
//!   is used. The bytes must not change while they are mapped: lexpool writes a new file and
//!   renames it, and the documentation of [`PhraseMatcher::open`](super::PhraseMatcher::open) asks
//!   other writers to do the same.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytemuck::Pod;
use lexpool_structs::AttrId;
use memmap2::Mmap;

use super::format_error::{invalid, invalid_at};
use super::layout::TrieView;
use super::prefix_filter::PrefixFilter;
use super::validate;
use crate::codes;
use crate::escape::shown;
use crate::files::{AtomicFile, Links};
use crate::strings::StrId;
use crate::vocab::Vocab;
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"lexphras";
const VERSION: u32 = 1;
const SECTIONS: usize = 8;
const ITEM_SIZES: [usize; SECTIONS] = [12, 12, 20, 4, 4, 8, 4, 1];
const TABLE: usize = 40;
const HEADER: usize = TABLE + SECTIONS * 24;

/// A phrase trie in a mapped file.
pub(super) struct MappedTrie {
    map: Mmap,
    seed: u64,
    sections: [Range<usize>; SECTIONS],
    /// The only structure built from the file: at most eight bytes for each phrase.
    prefixes: PrefixFilter,
}

impl MappedTrie {
    /// Maps a file and validates all of it. Returns the trie and its attribute.
    pub(super) fn open(path: &Path) -> Result<(MappedTrie, AttrId)> {
        let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
        let len = file.metadata().map_err(|error| Error::io("read", path, error))?.len();
        if len < (HEADER + 4) as u64 {
            let text =
                format!("the file has {len} bytes; a phrase file has at least {}", HEADER + 4);
            return Err(invalid(codes::PHRASES_TRUNCATED, text).context(shown(path)));
        }
        // SAFETY: M1: any bytes are sound, and files are replaced, not written to.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io("map", path, error))?;
        MappedTrie::validate(map).map_err(|error| error.context(shown(path)))
    }

    fn validate(map: Mmap) -> Result<(MappedTrie, AttrId)> {
        let header = Header { bytes: &map };
        header.check()?;
        let sections = header.sections()?;
        let (seed, attr) = (header.u64(16), header.attr()?);
        let mut mapped = MappedTrie { map, seed, sections, prefixes: PrefixFilter::new(seed) };
        let offsets = mapped.sections.clone().map(|section| section.start);
        validate::trie(&mapped.view(), &offsets)?;
        mapped.check_strings()?;
        mapped.prefixes = PrefixFilter::of(&mapped.view())?;
        Ok((mapped, attr))
    }

    pub(super) fn view(&self) -> TrieView<'_> {
        TrieView {
            seed: self.seed,
            ids: self.section(0),
            edges: self.section(1),
            nodes: self.section(2),
            labels: self.section(3),
            key_lists: self.section(4),
            keys: self.section(5),
        }
    }

    /// Returns the filter of the symbols that phrases start with.
    pub(super) fn prefixes(&self) -> &PrefixFilter {
        &self.prefixes
    }

    /// Stores the strings of the keys in a vocab.
    pub(super) fn add_strings(&self, vocab: &Vocab) -> Result<()> {
        let strings = vocab.strings();
        self.strings().try_for_each(|string| strings.add_permanent(string).map(|_| ()))
    }

    fn strings(&self) -> impl Iterator<Item = &str> {
        let (ends, bytes) = (self.section::<u32>(6), self.section::<u8>(7));
        let mut start = 0;
        ends.iter().map(move |end| {
            let string = bytes.get(start..*end as usize).unwrap_or_default();
            start = *end as usize;
            std::str::from_utf8(string).unwrap_or_default()
        })
    }

    fn check_strings(&self) -> Result<()> {
        let (keys, ends) = (self.section::<u64>(5), self.section::<u32>(6));
        let bytes = self.section::<u8>(7);
        let last = ends.last().map_or(0, |end| *end as usize);
        if ends.len() != keys.len() || !ends.is_sorted() || last != bytes.len() {
            let text = format!(
                "{} keys have {} strings, whose offsets must ascend and end at byte {last} of {}",
                keys.len(),
                ends.len(),
                bytes.len()
            );
            return Err(invalid_at(codes::PHRASES_STRINGS, self.sections[6].start, text));
        }
        let mut start = 0;
        for ((key, end), number) in keys.iter().zip(ends).zip(0..) {
            let end = *end as usize;
            let string = std::str::from_utf8(&bytes[start..end]).ok();
            if string.map(StrId::of) != Some(StrId::new(*key)) {
                let text = format!("the string of key {number} does not have the id {key}");
                return Err(invalid_at(
                    codes::PHRASES_STRINGS,
                    self.sections[7].start + start,
                    text,
                ));
            }
            start = end;
        }
        Ok(())
    }

    fn section<T: Pod>(&self, number: usize) -> &[T] {
        let bytes = self.map.get(self.sections[number].clone()).unwrap_or_default();
        // The cast succeeds: maps start at a page, sections at a multiple of eight, and the header
        // check has validated the sizes.
        bytemuck::try_cast_slice(bytes).unwrap_or_default()
    }
}

/// The header of a file, which must have at least the bytes of a header and a checksum.
struct Header<'a> {
    bytes: &'a [u8],
}

impl Header<'_> {
    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().expect("eight bytes"))
    }

    fn attr(&self) -> Result<AttrId> {
        let number = self.u32(12);
        let attr = AttrId::new(number);
        if attr.name().is_none() {
            let text = format!("the phrases are compared by attribute {number}, which is unknown");
            return Err(invalid_at(codes::PHRASES_ATTR, 12, text));
        }
        Ok(attr)
    }

    fn check(&self) -> Result<()> {
        if cfg!(target_endian = "big") {
            let text =
                "phrase files are little-endian and cannot be mapped on a big-endian machine";
            return Err(invalid(codes::PHRASES_ENDIAN, text));
        }
        if self.bytes[..8] != *MAGIC {
            let text = format!(
                "not a phrase file: it starts with {:?}, not with {MAGIC:?}",
                &self.bytes[..8]
            );
            return Err(invalid_at(codes::PHRASES_MAGIC, 0, text));
        }
        let version = self.u32(8);
        if version != VERSION {
            let text =
                format!("the file has version {version}; this lexpool reads version {VERSION}");
            return Err(invalid_at(codes::PHRASES_VERSION, 8, text));
        }
        let (stated, len) = (self.u64(24), self.bytes.len());
        if stated != len as u64 {
            let text = format!("the file has {len} bytes; its header says {stated}");
            return Err(invalid_at(codes::PHRASES_TRUNCATED, 24, text));
        }
        let (body, sum) = self.bytes.split_at(len - 4);
        let (own, sum) = (crc32fast::hash(body), u32::from_le_bytes(sum.try_into().expect("four")));
        if own != sum {
            let text = format!("the bytes have the checksum {own:08x}; the file says {sum:08x}");
            return Err(invalid_at(codes::PHRASES_CHECKSUM, len - 4, text));
        }
        Ok(())
    }

    fn sections(&self) -> Result<[Range<usize>; SECTIONS]> {
        let count = (self.u32(32), self.u32(36));
        if count != (8, 0) {
            let text = format!("the file has {} sections; expected {SECTIONS}", count.0);
            return Err(invalid_at(codes::PHRASES_SECTION, 32, text));
        }
        let mut sections = std::array::from_fn(|_| 0..0);
        let mut expected = HEADER;
        for (i, section) in sections.iter_mut().enumerate() {
            let at = TABLE + 24 * i;
            let (number, item) = (self.u32(at) as usize, self.u32(at + 4) as usize);
            let (start, len) = (self.u64(at + 8), self.u64(at + 16));
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            let end = start.checked_add(len).filter(|end| *end <= self.bytes.len() - 4);
            let is_right = number == i + 1 && item == ITEM_SIZES[i] && start == expected;
            let Some(end) = end.filter(|_| is_right && len % item == 0) else {
                let text = format!(
                    "section {number} has items of {item} bytes, starts at {start} and has {len} \
                     bytes; expected section {} with items of {} bytes, from {expected} to at most \
                     {}",
                    i + 1,
                    ITEM_SIZES[i],
                    self.bytes.len() - 4
                );
                return Err(invalid_at(codes::PHRASES_SECTION, at, text));
            };
            *section = start..end;
            expected = end.next_multiple_of(8);
        }
        if expected + 4 != self.bytes.len() {
            let text = format!("the sections end at byte {expected} of {}", self.bytes.len());
            return Err(invalid_at(codes::PHRASES_SECTION, TABLE, text));
        }
        Ok(sections)
    }
}

/// Writes a trie to a file, atomically.
pub(super) fn save(
    path: &Path,
    view: &TrieView<'_>,
    attr: AttrId,
    vocab: &Arc<Vocab>,
) -> Result<()> {
    AtomicFile::write(path, &to_bytes(view, attr, vocab)?, Links::Followed)
}

/// Serializes a trie to the bytes of a file.
pub(super) fn to_bytes(view: &TrieView<'_>, attr: AttrId, vocab: &Arc<Vocab>) -> Result<Vec<u8>> {
    let (mut ends, mut strings) = (Vec::with_capacity(view.keys.len()), String::new());
    let snapshot = vocab.snapshot();
    for key in view.keys {
        strings.push_str(snapshot.string(StrId::new(*key)).ok_or_else(|| {
            let text = format!("key {key} has no string in the vocab; files store keys as strings");
            Error::new(crate::ErrorKind::Key, codes::E018, text)
        })?);
        ends.push(u32::try_from(strings.len()).map_err(|_| {
            Error::value(
                codes::PHRASE_LIMIT,
                "the strings of the keys have more than 4 GiB in total",
            )
        })?);
    }
    let sections: [&[u8]; SECTIONS] = [
        bytemuck::cast_slice(view.ids),
        bytemuck::cast_slice(view.edges),
        bytemuck::cast_slice(view.nodes),
        bytemuck::cast_slice(view.labels),
        bytemuck::cast_slice(view.key_lists),
        bytemuck::cast_slice(view.keys),
        bytemuck::cast_slice(&ends),
        strings.as_bytes(),
    ];
    let len = HEADER + sections.iter().map(|bytes| bytes.len().next_multiple_of(8)).sum::<usize>();
    let mut file = Vec::with_capacity(len + 4);
    file.extend_from_slice(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend(attr.number().to_le_bytes());
    file.extend(view.seed.to_le_bytes());
    file.extend((len as u64 + 4).to_le_bytes());
    file.extend([8, 0, 0, 0, 0, 0, 0, 0]);
    let mut start = HEADER;
    for ((bytes, item), number) in sections.iter().zip(ITEM_SIZES).zip(1_u32..) {
        file.extend(number.to_le_bytes());
        file.extend(u32::try_from(item).expect("few").to_le_bytes());
        file.extend((start as u64).to_le_bytes());
        file.extend((bytes.len() as u64).to_le_bytes());
        start += bytes.len().next_multiple_of(8);
    }
    for (bytes, number) in sections.iter().zip(0..) {
        file.extend(little_endian(bytes, number));
        file.resize(file.len().next_multiple_of(8), 0);
    }
    file.extend(crc32fast::hash(&file).to_le_bytes());
    Ok(file)
}

/// Returns the bytes of a section in little-endian order.
fn little_endian(bytes: &[u8], section: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if cfg!(target_endian = "big") {
        // All records consist of `u32`; only the ids of keys have eight bytes.
        let width = [4, 4, 4, 4, 4, 8, 4, 1][section];
        bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
    bytes
}
