//! Building the bytes of a file of tables.

use ahash::AHashMap;

use super::manifest::{KIND, MANIFEST, MAX_WORDS, Manifest, Origin, TABLES, TableEntry, ValueKind};
use super::mapped::MAX_SHARED;
use super::tables::LookupTable;
use crate::codes;
use crate::container::NewSection;
use crate::{Error, ErrorKind, Result};

/// The bytes of a file of tables, one table after another.
///
/// They depend on the tables alone, not on the order in which ids are hashed.
pub struct LookupsBuilder {
    manifest: Manifest,
    /// The bytes of each table.
    tables: Vec<Vec<u8>>,
}

impl LookupsBuilder {
    /// Creates a file of a language without tables.
    pub fn new(lang: &str) -> LookupsBuilder {
        let manifest = Manifest { lang: lang.to_owned(), tables: Vec::new() };
        LookupsBuilder { manifest, tables: Vec::new() }
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
            let offset = shared.get(&message).copied();
            let start = offset.map_or_else(|| u32::try_from(values.len()), Ok).map_err(|_| {
                limit(format!("the values of the table {name:?} have more than 4 GiB"))
            })?;
            if offset.is_none() {
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
        let mut bytes = Vec::new();
        bytes.extend(entries.iter().flat_map(|(word, ..)| word.get().to_le_bytes()));
        bytes.extend(order.iter().flat_map(|place| place.to_le_bytes()));
        bytes.extend(entries.iter().flat_map(|(.., start)| start.to_le_bytes()));
        bytes.append(&mut values);
        self.tables.push(bytes);
        let (name, values) = (name.to_owned(), kind);
        self.manifest.tables.push(TableEntry { name, words, values, origin });
        Ok(())
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    ///
    /// Those of [`Kind::to_bytes`](crate::container::Kind::to_bytes).
    pub fn finish(self) -> Result<Vec<u8>> {
        let json = self.manifest.to_json();
        let names = self.manifest.tables.iter().map(|entry| format!("{TABLES}{}", entry.name));
        let names: Vec<_> = names.collect();
        let tables = names.iter().zip(&self.tables);
        let mut sections: Vec<_> =
            tables.map(|(name, bytes)| NewSection::new(name, bytes)).collect();
        sections.push(NewSection::new(MANIFEST, json.as_bytes()));
        KIND.to_bytes(&sections)
    }
}
