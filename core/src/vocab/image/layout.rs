//! The layout of an image: its header and the table of its sections.
//!
//! All numbers are little-endian. The site's `files/vocab.mdx` describes every byte; every change
//! of the layout needs another version number.

use std::ops::Range;

use super::invalid::{invalid, invalid_at};
use crate::Result;
use crate::codes;

pub(super) const MAGIC: &[u8; 8] = b"lexvocab";
pub(super) const VERSION: u32 = 1;
/// The oldest version of lexpool that reads these files.
const READER: &str = "0.1.0";
/// The number of sections.
pub(super) const SECTIONS: usize = 12;
pub(super) const HEADER: usize = 64;
pub(super) const ENTRY: usize = 32;
/// The length of header and table, where the first section starts.
pub(super) const START: usize = HEADER + SECTIONS * ENTRY;
/// The alignment of an image in a file, and of a section in an image.
pub(super) const ALIGN: usize = 64;

/// The numbers of sections, minus one.
pub(super) const META: usize = 0;
pub(super) const LEXEMES: usize = 1;
pub(super) const ENDS: usize = 2;
pub(super) const TEXT: usize = 3;
pub(super) const IDS: usize = 4;
pub(super) const SLOTS: usize = 5;
pub(super) const NORMS: usize = 6;
pub(super) const MORPHS: usize = 7;
pub(super) const ROWS: usize = 8;
pub(super) const KEYS: usize = 9;
pub(super) const KEY_ROWS: usize = 10;
pub(super) const KEY_SLOTS: usize = 11;

pub(super) const NAMES: [&str; SECTIONS] = [
    "meta",
    "lexemes",
    "ends",
    "text",
    "ids",
    "slots",
    "norms",
    "morphs",
    "rows",
    "keys",
    "key_rows",
    "key_slots",
];

/// The item size of each section in bytes; ends of strings have `SMALL_END` bytes if all of them
/// fit.
const ITEM_SIZES: [usize; SECTIONS] = [1, 80, 8, 1, 8, 4, 8, 8, 4, 8, 4, 4];
const SMALL_END: usize = 4;

/// The byte ranges and checksums of the sections.
#[derive(Clone, Debug)]
pub(super) struct Sections {
    pub(super) ranges: [Range<usize>; SECTIONS],
    pub(super) sums: [u32; SECTIONS],
    /// True if ends of strings have four bytes.
    pub(super) small_ends: bool,
}

impl Sections {
    pub(super) fn get(&self, section: usize) -> &Range<usize> {
        &self.ranges[section]
    }

    pub(super) fn lexemes(&self) -> Range<usize> {
        self.ranges[LEXEMES].clone()
    }

    pub(super) fn rows(&self) -> Range<usize> {
        self.ranges[ROWS].clone()
    }

    pub(super) fn norms(&self) -> Range<usize> {
        self.ranges[NORMS].clone()
    }

    /// Returns the number of items of a section.
    pub(super) fn count(&self, section: usize) -> usize {
        let size = match section {
            ENDS if self.small_ends => SMALL_END,
            _ => ITEM_SIZES[section],
        };
        self.ranges[section].len() / size
    }
}

/// The other fields of the header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// The seed of both hash indices.
    pub(super) seed: u64,
    /// The maximum distance of an item to its first slot, in the index of strings and in that of
    /// keys.
    pub(super) max_probes: [u32; 2],
    /// The number of words that are symbols, which are not stored as strings.
    pub(super) symbols: u32,
}

/// Validates and reads the header and the table of an image of `len` bytes that starts with
/// `bytes`.
pub(super) fn read(bytes: &[u8], len: usize) -> Result<(Header, Sections)> {
    let fields = Fields { bytes };
    if cfg!(target_endian = "big") {
        let text = "vocab images are little-endian and cannot be read on a big-endian machine";
        return Err(invalid(codes::IMAGE_ENDIAN, text));
    }
    if bytes.len() >= 8 && bytes[..8] != *MAGIC {
        let text =
            format!("the file begins with '{}' instead of 'lexvocab'", bytes[..8].escape_ascii());
        return Err(invalid_at(codes::IMAGE_MAGIC, 0, text));
    }
    if bytes.len() < START {
        let text = format!("{len} bytes; a vocab image has at least {START}");
        return Err(invalid(codes::IMAGE_TRUNCATED, text));
    }
    let version = fields.u32(8);
    if version != VERSION {
        let needed = String::from_utf8_lossy(&bytes[16..32]).replace('\0', "");
        let text = format!(
            "version {version}; this lexpool reads version {VERSION}, and the file requires \
             lexpool {:?} or newer",
            needed.trim()
        );
        return Err(invalid_at(codes::IMAGE_VERSION, 8, text));
    }
    let (own, given) = (header_sum(bytes), fields.u32(60));
    if own != given {
        let text = format!("the header has the checksum {own:08x}; expected {given:08x}");
        return Err(invalid_at(codes::IMAGE_CHECKSUM, 60, text));
    }
    if fields.u32(12) != 0 || fields.u32(56) as usize != SECTIONS {
        let text = format!(
            "flags {} and {} sections; expected no flags and {SECTIONS} sections",
            fields.u32(12),
            fields.u32(56)
        );
        return Err(invalid_at(codes::IMAGE_VERSION, 12, text));
    }
    let total = fields.u64(32);
    if total != len as u64 {
        let text = format!("the image has {len} bytes; expected {total}");
        return Err(invalid_at(codes::IMAGE_TRUNCATED, 32, text));
    }
    let header = Header {
        seed: fields.u64(40),
        max_probes: [fields.u16(48).into(), fields.u16(50).into()],
        symbols: fields.u32(52),
    };
    Ok((header, sections(&fields, len)?))
}

fn sections(fields: &Fields<'_>, len: usize) -> Result<Sections> {
    let mut ranges = std::array::from_fn(|_| 0..0);
    let mut sums = [0; SECTIONS];
    let mut small_ends = false;
    let mut expected = START;
    for section in 0..SECTIONS {
        let at = HEADER + ENTRY * section;
        let (number, item) = (fields.u32(at) as usize, fields.u32(at + 4) as usize);
        let start = usize::try_from(fields.u64(at + 8)).unwrap_or(usize::MAX);
        let size = usize::try_from(fields.u64(at + 16)).unwrap_or(usize::MAX);
        let end = start.checked_add(size).filter(|end| *end <= len);
        let is_small = section == ENDS && item == SMALL_END;
        let is_item = item == ITEM_SIZES[section] || is_small;
        let is_right = number == section + 1 && is_item && start == expected;
        let Some(end) = end.filter(|_| is_right && size % item == 0 && fields.u32(at + 28) == 0)
        else {
            let text = format!(
                "section {number} has items of {item} bytes, starts at {start} and has {size} bytes; \
                 expected section {} with items of {} bytes, from {expected} to at most {len}",
                section + 1,
                ITEM_SIZES[section]
            );
            return Err(invalid_at(codes::IMAGE_SECTION, at, text));
        };
        small_ends |= is_small;
        ranges[section] = start..end;
        sums[section] = fields.u32(at + 24);
        expected = end.next_multiple_of(ALIGN);
    }
    if expected != len {
        let text = format!("the sections end at {expected}, the image at {len}");
        return Err(invalid_at(codes::IMAGE_SECTION, HEADER, text));
    }
    Ok(Sections { ranges, sums, small_ends })
}

/// Returns the header and the table of an image with these sections.
pub(super) fn write(header: &Header, sections: &[&[u8]; SECTIONS], small_ends: bool) -> Vec<u8> {
    let mut bytes = vec![0; START];
    let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
    put(0, MAGIC);
    put(8, &VERSION.to_le_bytes());
    put(16, READER.as_bytes());
    put(40, &header.seed.to_le_bytes());
    for (i, max_probe) in header.max_probes.iter().enumerate() {
        put(48 + 2 * i, &u16::try_from(*max_probe).unwrap_or(u16::MAX).to_le_bytes());
    }
    put(52, &header.symbols.to_le_bytes());
    put(56, &small(SECTIONS));
    let mut start = START;
    for (i, section) in sections.iter().enumerate() {
        let at = HEADER + ENTRY * i;
        let item = if i == ENDS && small_ends { SMALL_END } else { ITEM_SIZES[i] };
        put(at, &small(i + 1));
        put(at + 4, &small(item));
        put(at + 8, &(start as u64).to_le_bytes());
        put(at + 16, &(section.len() as u64).to_le_bytes());
        put(at + 24, &crc32fast::hash(section).to_le_bytes());
        start += section.len().next_multiple_of(ALIGN);
    }
    put(32, &(start as u64).to_le_bytes());
    let sum = header_sum(&bytes);
    bytes[60..64].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn small(number: usize) -> [u8; 4] {
    u32::try_from(number).expect("a section number or a record size").to_le_bytes()
}

/// Returns the checksum of header and table, without the four bytes of the checksum itself.
pub(super) fn header_sum(bytes: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..60]);
    sum.update(&bytes[64..START]);
    sum.finalize()
}

/// Reads numbers from bytes that are long enough.
struct Fields<'a> {
    bytes: &'a [u8],
}

impl Fields<'_> {
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        self.bytes[at..at + N].try_into().expect("N bytes")
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }
}
