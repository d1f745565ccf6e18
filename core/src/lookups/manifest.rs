//! The manifest of a file of tables.
//!
//! The file is a [container](crate::container): a section `tables/NAME` for each table, and at last
//! `manifest`, a JSON object of the language, and of what the file says of each table in their
//! order.

use crate::codes;
use crate::config::{Section as Object, Value};
use crate::container::{Container, Kind, Section};
use crate::msgpack::Value as Message;
use crate::{Code, Error, Result};

pub(super) const KIND: Kind = Kind::new("lookups", 1, "file of look-up tables");
pub(super) const MANIFEST: &str = "manifest";
/// The names of sections with tables begin with this.
pub(super) const TABLES: &str = "tables/";
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

/// The entry of a table in the manifest, with the table's name.
#[derive(Clone)]
pub(super) struct TableEntry {
    pub(super) name: String,
    pub(super) words: usize,
    pub(super) values: ValueKind,
    pub(super) origin: Option<Origin>,
}

impl Manifest {
    /// Validates the container, and reads the manifest of a file. Returns the sections of the
    /// tables, too.
    pub(super) fn read(bytes: &[u8]) -> Result<(Manifest, Vec<Section>)> {
        let container = Container::read(&KIND, bytes)?;
        let wrong = |why: &str| invalid(codes::LOOKUPS_MANIFEST, format!("the manifest {why}"));
        let Some((section, tables)) = container.sections().split_last() else {
            return Err(wrong("is not there"));
        };
        if section.name() != MANIFEST {
            return Err(wrong("is not the last section"));
        }
        section.verify(bytes)?;
        let text = std::str::from_utf8(section.bytes(bytes)).map_err(|_| wrong("is not UTF-8"))?;
        let json =
            Value::from_json(text).map_err(|error| wrong(&format!("is no JSON: {error}")))?;
        let root = json.as_section();
        let lang = root.and_then(|root| root.get("lang")?.as_text());
        let listed = root.and_then(|root| root.get("tables")?.as_list());
        let (Some(lang), Some(listed)) = (lang, listed) else {
            return Err(wrong("lacks the text \"lang\" or the list \"tables\""));
        };
        if listed.len() != tables.len() {
            return Err(wrong(&format!("has {} tables of {}", listed.len(), tables.len())));
        }
        let entries = listed.iter().zip(tables).map(|(entry, section)| {
            TableEntry::read(entry, section).map_err(|why| {
                let text =
                    format!("the manifest's entry of the section {:?} {why}", section.name());
                invalid(codes::LOOKUPS_MANIFEST, text)
            })
        });
        let entries = entries.collect::<Result<Vec<_>>>()?;
        Ok((Manifest { lang: lang.to_owned(), tables: entries }, tables.to_vec()))
    }

    /// Returns the manifest as JSON.
    pub(super) fn to_json(&self) -> String {
        let mut root = Object::default();
        root.set("lang", self.lang.as_str());
        let tables = self.tables.iter().map(|entry| Value::Section(entry.object()));
        root.set("tables", tables.collect::<Vec<_>>());
        Value::Section(root).to_json()
    }
}

impl TableEntry {
    /// Reads the entry of the table in a section. The error is the end of a sentence.
    fn read(entry: &Value, section: &Section) -> Result<TableEntry, String> {
        let entry = entry.as_section().ok_or("is not an object")?;
        let words = size(entry, "words")?;
        let name = section.name().strip_prefix(TABLES).ok_or("is of no table")?;
        let values = entry.get("values").and_then(Value::as_text).and_then(ValueKind::from_name);
        let values = values.ok_or("has no known kind of \"values\"")?;
        let bytes = section.range().len();
        if words > MAX_WORDS || words.saturating_mul(WORD) > bytes {
            return Err(format!("has {words} words in {bytes} bytes"));
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
        Ok(TableEntry { name: name.to_owned(), words, values, origin })
    }

    fn object(&self) -> Object {
        let mut object = Object::default();
        object.set("words", i64::try_from(self.words).unwrap_or(i64::MAX));
        object.set("values", self.values.name());
        if let Some(origin) = &self.origin {
            let mut file = Object::default();
            file.set("file", origin.file.as_str());
            file.set("bytes", i64::try_from(origin.bytes).unwrap_or(i64::MAX));
            file.set("crc32", i64::from(origin.crc32));
            object.set("origin", file);
        }
        object
    }
}

fn size(entry: &Object, key: &str) -> Result<usize, String> {
    let value = entry.get(key).and_then(Value::as_int);
    let value = value.and_then(|value| usize::try_from(value).ok());
    value.ok_or_else(|| format!("has no size {key:?}"))
}

fn checksum(entry: &Object) -> Result<u32, String> {
    let value = entry.get("crc32").and_then(Value::as_int);
    let value = value.and_then(|value| u32::try_from(value).ok());
    value.ok_or_else(|| "has no \"crc32\" of 32 bits".to_owned())
}

pub(super) fn invalid(code: Code, text: String) -> Error {
    Error::value(code, text)
}
