//! The JSON files of tables, as the package `spacy-lookups-data` has them.
//!
//! A folder has a file `CODE_TABLE.json`, or `CODE_TABLE.json.gz`, for each table of each language.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::manifest::Origin;
use super::tables::LookupTable;
use crate::codes;
use crate::config::Value as Json;
use crate::escape::shown;
use crate::msgpack::Value;
use crate::strings::StrId;
use crate::{Error, Result};

/// A compressed file may inflate to this size, or to [`MAX_RATIO`] times its own if that is more.
const ALWAYS_ALLOWED: u64 = 64 << 20;
const MAX_RATIO: u64 = 256;

/// A file with a table of a language.
///
/// Files sort by language, then by table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableSource {
    /// The code of the language: the name of the file up to the first underscore.
    pub lang: String,
    /// The name of the table: the rest of the name, without the ending.
    pub table: String,
    /// The path of the file.
    pub path: PathBuf,
}

impl TableSource {
    /// Returns the tables in a folder, sorted. Other files are left out. Of a table that is there
    /// compressed and plain, the plain file counts, as for spaCy.
    ///
    /// # Errors
    ///
    /// `file-not-found`, `file-permission`, `file-io`.
    pub fn find(folder: &Path) -> Result<Vec<TableSource>> {
        let failed = |error| Error::io("read", folder, error);
        let mut sources = Vec::new();
        for entry in folder.read_dir().map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let stem = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".json");
            if let Some((lang, table)) = stem.and_then(|stem| stem.split_once('_')) {
                let (lang, table) = (lang.to_owned(), table.to_owned());
                sources.push(TableSource { lang, table, path });
            }
        }
        sources.sort_unstable();
        sources.dedup_by(|next, kept| kept.lang == next.lang && kept.table == next.table);
        Ok(sources)
    }

    /// Reads the table: a JSON object of values by words.
    ///
    /// # Errors
    ///
    /// `lookups-json`, with the path, for another file; `file-not-found`, `file-permission`,
    /// `file-io`.
    pub fn read(&self) -> Result<LookupTable> {
        let wrong = |why: String| {
            let text = format!("{why}; expected a JSON object of values by words");
            Error::value(codes::LOOKUPS_JSON, text).context(shown(&self.path))
        };
        let file = self.open()?;
        let text = if self.is_compressed() {
            let size = file.metadata().map_err(|error| self.failed(error))?.len();
            let limit = size.saturating_mul(MAX_RATIO).max(ALWAYS_ALLOWED);
            let mut text = String::new();
            let read = MultiGzDecoder::new(file).take(limit + 1).read_to_string(&mut text);
            read.map_err(|error| wrong(format!("the file is not text in gzip: {error}")))?;
            if text.len() as u64 > limit {
                return Err(wrong(format!("{size} bytes inflate to more than {limit}")));
            }
            text
        } else {
            std::io::read_to_string(file).map_err(|error| self.failed(error))?
        };
        let json = Json::from_json(&text).map_err(|error| wrong(format!("no JSON: {error}")))?;
        let Json::Section(words) = json else {
            return Err(wrong("a value of another type".to_owned()));
        };
        let mut table = LookupTable::default();
        for (word, value) in words.iter() {
            table.set(StrId::of(word), message(value));
        }
        Ok(table)
    }

    /// Returns the size and the checksum by which a changed file is noticed. Cost: two small reads
    /// for a compressed file; a plain one is read whole.
    ///
    /// # Errors
    ///
    /// `lookups-json` for a compressed file that is cut; `file-not-found`, `file-permission`,
    /// `file-io`.
    pub fn origin(&self) -> Result<Origin> {
        let mut file = self.open()?;
        let bytes = file.metadata().map_err(|error| self.failed(error))?.len();
        let crc32 = if self.is_compressed() {
            // A member of gzip ends with the CRC-32 and the length of its contents (RFC 1952).
            let mut end = [0; 8];
            let read = file.seek(SeekFrom::End(-8)).and_then(|_| file.read_exact(&mut end));
            read.map_err(|error| {
                let text = format!("the file has {bytes} bytes; too few for gzip: {error}");
                Error::value(codes::LOOKUPS_JSON, text).context(shown(&self.path))
            })?;
            u32::from_le_bytes([end[0], end[1], end[2], end[3]])
        } else {
            let mut text = Vec::new();
            file.read_to_end(&mut text).map_err(|error| self.failed(error))?;
            crc32fast::hash(&text)
        };
        let file = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Origin { file, bytes, crc32 })
    }

    fn open(&self) -> Result<File> {
        File::open(&self.path).map_err(|error| Error::io("open", &self.path, error))
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::io("read", &self.path, error)
    }

    fn is_compressed(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "gz")
    }
}

/// Returns the tables of a language in a folder.
pub(super) fn of_language(folder: &Path, lang: &str) -> Result<Vec<TableSource>> {
    let mut sources = TableSource::find(folder)?;
    sources.retain(|source| source.lang == lang);
    Ok(sources)
}

/// Converts a JSON value.
fn message(json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Bool(*value),
        Json::Int(value) => u64::try_from(*value).map_or(Value::Int(*value), Value::UInt),
        Json::Float(value) => Value::Float(*value),
        Json::Text(text) => Value::Str(text.clone()),
        Json::List(items) => Value::Array(items.iter().map(message).collect()),
        Json::Section(section) => {
            let pair = |(key, value): (&str, &Json)| (Value::Str(key.to_owned()), message(value));
            Value::Map(section.iter().map(pair).collect())
        }
    }
}
