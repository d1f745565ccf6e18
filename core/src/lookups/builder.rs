//! Building the bytes of a file of tables.

use ahash::AHashMap;

use super::manifest::{ALIGN, HEADER, MAX_WORDS, Manifest, Origin, TableEntry, ValueKind, header};
use super::mapped::MAX_SHARED;
use super::tables::LookupTable;
use crate::codes;
use crate::{Error, ErrorKind, Result};

/// The bytes of a file of tables, one table after another.
///
/// They depend on the tables alone, not on the order in which ids are hashed.
pub struct LookupsBuilder {
    manifest: Manifest,
    bytes: Vec<u8>,
}

impl LookupsBuilder {
    /// Creates a file of a language without tables.
    pub fn new(lang: &str) -> LookupsBuilder {
        let manifest = Manifest { lang: lang.to_owned(), tables: Vec::new() };
        LookupsBuilder { manifest, bytes: vec![0; HEADER] }
    }

    /// Adds a table. Words with equal short values share one in the file.
    ///
    /// # Errors
    ///
    /// `lookups-limit` for a name that was added before, and for a table of more than 2^31 words or
    /// 4 GiB of values; those of [`Value::to_bytes`](crate::msgpack::Value::to_bytes).
    pub fn add(&mut self, name: &str, table: &LookupTable, origin: Option<Origin>) -> Result<()> {
        let limit = |text: String| Error::new(ErrorKind::Overflow, codes::LOOKUPS_LIMIT, text);
        if self.manifest.tables.iter().any(|entry| entry.name == name) {
            return Err(limit(format!("the file has a table named {name:?} already")));
        }
        let words = table.len();
        if words > MAX_WORDS {
            return Err(limit(format!(
                "the table {name:?} has {words} words; at most {MAX_WORDS}"
            )));
        }
        let (mut values, mut shared) = (Vec::new(), AHashMap::<Vec<u8>, u32>::new());
        let mut entries = Vec::with_capacity(words);
        let mut kind = ValueKind::Text;
        for (position, (word, value)) in (0_u32..).zip(table.iter()) {
            kind = kind.or(ValueKind::of(value));
            let message = value.to_bytes()?;
            let known = shared.get(&message).copied();
            let start = known.map_or_else(|| u32::try_from(values.len()), Ok).map_err(|_| {
                limit(format!("the values of the table {name:?} have more than 4 GiB"))
            })?;
            if known.is_none() {
                values.extend_from_slice(&message);
                if message.len() <= MAX_SHARED {
                    shared.insert(message, start);
                }
            }
            entries.push((word, position, start));
        }
        entries.sort_unstable_by_key(|(word, ..)| *word);
        let mut order = vec![0_u32; words];
        for (place, (_, position, _)) in (0_u32..).zip(&entries) {
            order[*position as usize] = place;
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGN), 0);
        let start = self.bytes.len();
        let bytes = &mut self.bytes;
        bytes.extend(entries.iter().flat_map(|(word, ..)| word.get().to_le_bytes()));
        bytes.extend(order.iter().flat_map(|place| place.to_le_bytes()));
        bytes.extend(entries.iter().flat_map(|(.., start)| start.to_le_bytes()));
        bytes.extend_from_slice(&values);
        let (range, checksum) = (start..bytes.len(), crc32fast::hash(&bytes[start..]));
        let (name, values) = (name.to_owned(), kind);
        self.manifest.tables.push(TableEntry { name, words, values, range, checksum, origin });
        Ok(())
    }

    /// Returns the bytes of the file.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGN), 0);
        let (offset, json) = (self.bytes.len(), self.manifest.to_json());
        self.bytes.extend_from_slice(json.as_bytes());
        let header = header(offset, json.as_bytes());
        self.bytes[..HEADER].copy_from_slice(&header);
        self.bytes
    }
}
