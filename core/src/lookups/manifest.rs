//! The header and the manifest of a file of tables.
//!
//! The header of 32 bytes has the place of the manifest, which ends the file, and a checksum of
//! both, so that files of another kind, and changed or truncated ones, are noticed at once. All
//! numbers are little-endian.

use std::ops::Range;

use crate::codes;
use crate::config::{Section, Value};
use crate::msgpack::Value as Message;
use crate::{Code, Error, Result};

pub(super) const MAGIC: &[u8; 8] = b"lextable";
pub(super) const VERSION: u32 = 1;
pub(super) const HEADER: usize = 32;
/// Tables begin at multiples of this.
pub(super) const ALIGN: usize = 64;
/// Bytes of a word in a table, besides its value: an id of eight bytes, two numbers of four.
pub(super) const WORD: usize = 16;
/// The maximum number of words of a table.
pub(super) const MAX_WORDS: usize = 1 << 31;

/// The file that a table was built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The name of the file, without its folder.
    pub file: String,
    /// The size of the file.
    pub bytes: u64,
    /// The CRC-32 of the table's JSON, which a gzip file has at its end.
    pub crc32: u32,
}

/// The kind of all values of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Strings.
    Text,
    /// Strings, numbers, booleans and nil, none of which has parts.
    Scalar,
    /// Also lists and maps.
    Any,
}

impl ValueKind {
    /// Returns the kind of a value.
    pub(super) fn of(value: &Message) -> ValueKind {
        match value {
            Message::Str(_) => ValueKind::Text,
            Message::Array(_) | Message::Map(_) | Message::Bytes(_) => ValueKind::Any,
            _ => ValueKind::Scalar,
        }
    }

    /// Returns the kind of the values of two kinds together.
    pub(super) fn or(self, other: ValueKind) -> ValueKind {
        match (self, other) {
            (ValueKind::Any, _) | (_, ValueKind::Any) => ValueKind::Any,
            (ValueKind::Text, ValueKind::Text) => ValueKind::Text,
            _ => ValueKind::Scalar,
        }
    }

    fn name(self) -> &'static str {
        match self {
            ValueKind::Text => "text",
            ValueKind::Scalar => "scalar",
            ValueKind::Any => "any",
        }
    }

    fn from_name(name: &str) -> Option<ValueKind> {
        let all = [ValueKind::Text, ValueKind::Scalar, ValueKind::Any];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

/// The manifest: the language, and what the file says of each table.
pub(super) struct Manifest {
    pub(super) lang: String,
    pub(super) tables: Vec<TableEntry>,
}

/// The entry of a table in the manifest.
#[derive(Clone)]
pub(super) struct TableEntry {
    pub(super) name: String,
    pub(super) words: usize,
    pub(super) values: ValueKind,
    pub(super) range: Range<usize>,
    pub(super) checksum: u32,
    pub(super) origin: Option<Origin>,
}

impl Manifest {
    /// Validates the header and reads the manifest of a file.
    pub(super) fn read(bytes: &[u8]) -> Result<Manifest> {
        let range = range_of(bytes)?;
        let wrong = |why: &str| invalid(codes::LOOKUPS_MANIFEST, format!("the manifest {why}"));
        let text = std::str::from_utf8(&bytes[range.clone()]).map_err(|_| wrong("is not UTF-8"))?;
        let json =
            Value::from_json(text).map_err(|error| wrong(&format!("is no JSON: {error}")))?;
        let root = json.as_section();
        let lang = root.and_then(|root| root.get("lang")?.as_text());
        let listed = root.and_then(|root| root.get("tables")?.as_list());
        let (Some(lang), Some(listed)) = (lang, listed) else {
            return Err(wrong("lacks the text \"lang\" or the list \"tables\""));
        };
        let (mut tables, mut end) = (Vec::<TableEntry>::new(), HEADER);
        for (number, entry) in listed.iter().enumerate() {
            let entry = TableEntry::read(entry, end, range.start).map_err(|why| {
                invalid(codes::LOOKUPS_MANIFEST, format!("table {number} of the manifest {why}"))
            })?;
            end = entry.range.end;
            if tables.iter().any(|other| other.name == entry.name) {
                return Err(wrong(&format!("has two tables named {:?}", entry.name)));
            }
            tables.push(entry);
        }
        Ok(Manifest { lang: lang.to_owned(), tables })
    }

    /// Returns the manifest as JSON.
    pub(super) fn to_json(&self) -> String {
        let mut root = Section::default();
        root.set("lang", self.lang.as_str());
        let tables = self.tables.iter().map(|entry| Value::Section(entry.section()));
        root.set("tables", tables.collect::<Vec<_>>());
        Value::Section(root).to_json()
    }
}

impl TableEntry {
    /// Reads an entry, whose table lies between `from` and `to`. The error is the end of a
    /// sentence.
    fn read(entry: &Value, from: usize, to: usize) -> Result<TableEntry, String> {
        let entry = entry.as_section().ok_or("is not an object")?;
        let (range, words) = (range(entry)?, size(entry, "words")?);
        let name = entry.get("name").and_then(Value::as_text).ok_or("has no text \"name\"")?;
        let values = entry.get("values").and_then(Value::as_text).and_then(ValueKind::from_name);
        let values = values.ok_or("has no known kind of \"values\"")?;
        if range.start < from || range.start % ALIGN != 0 || range.end > to {
            return Err(format!(
                "lies in {range:?}; expected a multiple of {ALIGN} in {from}..{to}"
            ));
        }
        if words > MAX_WORDS || words.saturating_mul(WORD) > range.len() {
            return Err(format!("has {words} words in {} bytes", range.len()));
        }
        let origin = match entry.get("origin").filter(|origin| !origin.is_null()) {
            Some(origin) => {
                let origin = origin.as_section().ok_or("has an origin that is not an object")?;
                let file = origin.get("file").and_then(Value::as_text);
                let file = file.ok_or("has an origin without the text \"file\"")?.to_owned();
                let bytes = size(origin, "bytes")? as u64;
                Some(Origin { file, bytes, crc32: checksum(origin)? })
            }
            None => None,
        };
        let (name, checksum) = (name.to_owned(), checksum(entry)?);
        Ok(TableEntry { name, words, values, range, checksum, origin })
    }

    fn section(&self) -> Section {
        let number = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
        let mut section = Section::default();
        section.set("name", self.name.as_str());
        section.set("words", number(self.words));
        section.set("values", self.values.name());
        section.set("offset", number(self.range.start));
        section.set("length", number(self.range.len()));
        section.set("crc32", i64::from(self.checksum));
        if let Some(origin) = &self.origin {
            let mut own = Section::default();
            own.set("file", origin.file.as_str());
            own.set("bytes", i64::try_from(origin.bytes).unwrap_or(i64::MAX));
            own.set("crc32", i64::from(origin.crc32));
            section.set("origin", own);
        }
        section
    }
}

/// Returns the header of a file whose manifest is at `offset`.
pub(super) fn header(offset: usize, manifest: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[16..24].copy_from_slice(&(offset as u64).to_le_bytes());
    header[24..].copy_from_slice(&(manifest.len() as u64).to_le_bytes());
    let checksum = checksum_of(&header, manifest);
    header[12..16].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Validates the header, and returns the place of the manifest.
fn range_of(bytes: &[u8]) -> Result<Range<usize>> {
    if !bytes.starts_with(MAGIC) {
        let text = "the file is not one of look-up tables; expected one that `lexpool lookups \
                    build` wrote";
        return Err(invalid(codes::LOOKUPS_MAGIC, text.to_owned()));
    }
    let truncated = |expected: u64| {
        let text = format!("the file has {} bytes; expected {expected}", bytes.len());
        invalid(codes::LOOKUPS_TRUNCATED, text)
    };
    let Some(header) = bytes.get(..HEADER) else { return Err(truncated(HEADER as u64)) };
    let (version, stated) = (u32_at(header, 8), u32_at(header, 12));
    if version != VERSION {
        let text = format!("the file has version {version}; this lexpool reads version {VERSION}");
        return Err(invalid(codes::LOOKUPS_VERSION, text));
    }
    let (offset, len) = (u64_at(header, 16), u64_at(header, 24));
    let end = offset.saturating_add(len);
    if end != bytes.len() as u64 || offset < HEADER as u64 {
        return Err(truncated(end));
    }
    let offset = usize::try_from(offset).map_err(|_| truncated(end))?;
    let found = checksum_of(header, &bytes[offset..]);
    if found != stated {
        let text = format!(
            "header and manifest have the CRC-32 {found:08x}; the header says {stated:08x}"
        );
        return Err(invalid(codes::LOOKUPS_CHECKSUM, text));
    }
    Ok(offset..bytes.len())
}

/// Returns the CRC-32 of the header's places and the manifest.
fn checksum_of(header: &[u8], manifest: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[16..]);
    hasher.update(manifest);
    hasher.finalize()
}

fn range(entry: &Section) -> Result<Range<usize>, String> {
    let (start, len) = (size(entry, "offset")?, size(entry, "length")?);
    Ok(start..start.saturating_add(len))
}

fn size(entry: &Section, key: &str) -> Result<usize, String> {
    let value = entry.get(key).and_then(Value::as_int);
    let value = value.and_then(|value| usize::try_from(value).ok());
    value.ok_or_else(|| format!("has no size {key:?}"))
}

fn checksum(entry: &Section) -> Result<u32, String> {
    let value = entry.get("crc32").and_then(Value::as_int);
    let value = value.and_then(|value| u32::try_from(value).ok());
    value.ok_or_else(|| "has no \"crc32\" of 32 bits".to_owned())
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

pub(super) fn invalid(code: Code, text: String) -> Error {
    Error::value(code, text)
}
