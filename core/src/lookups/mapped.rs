//! A file of tables that is memory-mapped: words are found in it by binary search.
//!
//! A table has, for `n` words, `n` ids of eight bytes in ascending order; `n` numbers of four bytes
//! that say for each entry, in the order of the table, at which place its id is; `n` offsets of
//! four bytes, in the order of the ids, of values; and the values, each a message of `MessagePack`.
//! Words with equal values share one.

use std::path::Path;

use bytes::Bytes;

use super::manifest::{Manifest, Origin, TableEntry, ValueKind, WORD, invalid};
use super::sources;
use super::tables::{LookupTable, Lookups};
use crate::codes;
use crate::container::Section;
use crate::escape::shown;
use crate::mapped_file;
use crate::msgpack::{Reader, Value};
use crate::strings::StrId;
use crate::{Error, Result};

/// The tables of a language in a file that is memory-mapped, or in memory.
///
/// Opening reads the header and the manifest, whose checksum it verifies; a table is read where a
/// word is looked up. Processes that open one file share its memory.
///
/// ```
/// use lexpool::lookups::{LookupTable, LookupsBuilder, MappedLookups};
/// use lexpool::msgpack::Value;
/// use lexpool::strings::StrId;
///
/// let mut table = LookupTable::default();
/// table.set(StrId::of("went"), Value::Str("go".into()));
/// let mut builder = LookupsBuilder::new("en");
/// builder.add("lemma_lookup", &table, None)?;
/// let lookups = MappedLookups::from_bytes(builder.finish()?)?;
/// let table = lookups.table("lemma_lookup").unwrap();
/// assert_eq!(table.get(StrId::of("went"))?, Some(Value::Str("go".into())));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MappedLookups {
    lang: String,
    size: usize,
    tables: Vec<MappedTable>,
}

/// A table in a mapped file, which it keeps open.
#[derive(Clone)]
pub struct MappedTable {
    /// The bytes of the table; the manifest's check has made sure that `entry.words` words fit.
    bytes: Bytes,
    section: Section,
    entry: TableEntry,
}

impl MappedLookups {
    /// Maps a file, which must not be written to or truncated afterwards; lexpool replaces such
    /// files by renaming.
    ///
    /// # Errors
    ///
    /// `lookups-manifest` and those of [`Container::read`](crate::container::Container::read), with
    /// the path; `file-not-found`, `file-permission`, `file-io`.
    pub fn open(path: &Path) -> Result<MappedLookups> {
        let (_, bytes) = mapped_file::map(path)?;
        MappedLookups::from_bytes(bytes).map_err(|error| error.context(shown(path)))
    }

    /// Opens the bytes of a file.
    ///
    /// # Errors
    ///
    /// Those of [`open`](MappedLookups::open) that concern the contents.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<MappedLookups> {
        let bytes = bytes.into();
        let (Manifest { lang, tables }, sections) = Manifest::read(&bytes)?;
        let table = |(entry, section): (TableEntry, Section)| MappedTable {
            bytes: bytes.slice(section.range()),
            section,
            entry,
        };
        let tables = tables.into_iter().zip(sections).map(table).collect();
        Ok(MappedLookups { lang, size: bytes.len(), tables })
    }

    /// Verifies the checksums and the contents of all tables. Cost: linear in the file.
    ///
    /// # Errors
    ///
    /// `container-checksum`, `lookups-table`, with the name of the table.
    pub fn verify(&self) -> Result<()> {
        self.tables.iter().try_for_each(MappedTable::verify)
    }

    /// Returns the code of the language.
    pub fn lang(&self) -> &str {
        &self.lang
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the tables in the order of the file.
    pub fn tables(&self) -> &[MappedTable] {
        &self.tables
    }

    /// Returns the table of a name.
    pub fn table(&self, name: &str) -> Option<&MappedTable> {
        self.tables.iter().find(|table| table.name() == name)
    }

    /// Returns whether each table was built from the present file of its origin in `folder`, and
    /// the folder has no other tables of the language. Cost: a few bytes of each compressed
    /// file are read; plain files are read whole.
    pub fn is_current(&self, folder: &Path) -> bool {
        let present = sources::of_language(folder, &self.lang);
        present.is_ok_and(|present| {
            present.len() == self.tables.len()
                && present.iter().all(|source| {
                    let origin = self.table(&source.table).and_then(MappedTable::origin);
                    origin.is_some() && source.origin().is_ok_and(|file| origin == Some(&file))
                })
        })
    }

    /// Copies all tables into memory.
    ///
    /// # Errors
    ///
    /// `lookups-table` if a table is damaged.
    pub fn to_lookups(&self) -> Result<Lookups> {
        let mut lookups = Lookups::default();
        for table in &self.tables {
            lookups.add(table.name(), table.to_table()?);
        }
        Ok(lookups)
    }
}

impl MappedTable {
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.entry.words
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the kind of all values, as the manifest says.
    pub fn values_kind(&self) -> ValueKind {
        self.entry.values
    }

    /// Returns the file that the table was built from, if it was built from one.
    pub fn origin(&self) -> Option<&Origin> {
        self.entry.origin.as_ref()
    }

    /// Returns the value of a word, as a message of `MessagePack`. Cost: a binary search.
    ///
    /// # Errors
    ///
    /// `lookups-table` if the table is damaged.
    pub fn message(&self, word: StrId) -> Result<Option<&[u8]>> {
        self.place(word).map(|place| self.message_at(place)).transpose()
    }

    /// Returns the value of a word. Cost: a binary search, and a copy of the value.
    ///
    /// # Errors
    ///
    /// `lookups-table` if the table is damaged.
    pub fn get(&self, word: StrId) -> Result<Option<Value>> {
        let Some(message) = self.message(word)? else { return Ok(None) };
        Value::from_bytes(message).map(Some).map_err(|error| self.damaged(&error))
    }

    /// Returns whether the table has a word.
    pub fn contains(&self, word: StrId) -> bool {
        self.place(word).is_some()
    }

    /// Returns the value of a word if it is a string.
    pub fn text(&self, word: StrId) -> Option<&str> {
        let message = self.message_at(self.place(word)?).ok()?;
        Reader::new(message).str().ok()
    }

    /// Returns the id of the entry at a position, in the order of the table.
    ///
    /// # Errors
    ///
    /// `lookups-table` if the table is damaged.
    pub fn word(&self, position: usize) -> Result<StrId> {
        Ok(self.id(self.place_of_entry(position)?))
    }

    /// Returns the ids of words with their values, in the order of the table.
    ///
    /// An item is an error (`lookups-table`) if the table is damaged; the values of a damaged table
    /// may be shared by too many words, which is such an error too, so that the work for all items
    /// is linear in the size of the table.
    pub fn iter(&self) -> impl Iterator<Item = Result<(StrId, &[u8])>> {
        // Shared values are short: see the builder.
        let mut budget = self.values().len() + self.len() * MAX_SHARED;
        (0..self.len()).map(move |position| {
            let place = self.place_of_entry(position)?;
            let message = self.message_at(place)?;
            budget = budget.checked_sub(message.len()).ok_or_else(|| {
                self.damaged(&"its values are larger than the table that they share")
            })?;
            Ok((self.id(place), message))
        })
    }

    /// Copies the table into memory.
    ///
    /// # Errors
    ///
    /// `lookups-table` if the table is damaged.
    pub fn to_table(&self) -> Result<LookupTable> {
        let mut table = LookupTable::default();
        for entry in self.iter() {
            let (word, message) = entry?;
            table.set(word, Value::from_bytes(message).map_err(|error| self.damaged(&error))?);
        }
        Ok(table)
    }

    /// Verifies the checksum and the contents of the table. Cost: linear in its size.
    ///
    /// # Errors
    ///
    /// `container-checksum`, `lookups-table`.
    pub fn verify(&self) -> Result<()> {
        self.section.verify_bytes(&self.bytes)?;
        if (1..self.len()).any(|place| self.id(place - 1) >= self.id(place)) {
            return Err(self.damaged(&"its ids do not ascend"));
        }
        let mut used_places = vec![false; self.len()];
        for position in 0..self.len() {
            if std::mem::replace(&mut used_places[self.place_of_entry(position)?], true) {
                return Err(self.damaged(&"its order names a word twice"));
            }
        }
        for entry in self.iter() {
            let (_, message) = entry?;
            let value = Value::from_bytes(message).map_err(|error| self.damaged(&error))?;
            let kind = ValueKind::of(&value);
            if kind.or(self.values_kind()) != self.values_kind() {
                let stated = self.values_kind();
                return Err(self.damaged(&format!("a value is {kind:?}; expected {stated:?}")));
            }
        }
        Ok(())
    }

    /// Returns the place of a word among the sorted ids.
    fn place(&self, word: StrId) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.id(middle) < word {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.len() && self.id(low) == word).then_some(low)
    }

    /// Returns the id at a place, which is less than the number of words.
    fn id(&self, place: usize) -> StrId {
        StrId::new(u64_at(&self.bytes, 8 * place))
    }

    /// Returns the place of the entry at a position, which is less than the number of words.
    fn place_of_entry(&self, position: usize) -> Result<usize> {
        if position >= self.len() {
            return Err(self.damaged(&format!("it has no entry {position}")));
        }
        let place = u32_at(&self.bytes, 8 * self.len() + 4 * position) as usize;
        if place < self.len() {
            return Ok(place);
        }
        Err(self.damaged(&format!("entry {position} has the place {place} of {}", self.len())))
    }

    fn message_at(&self, place: usize) -> Result<&[u8]> {
        let start = u32_at(&self.bytes, 12 * self.len() + 4 * place) as usize;
        let Some(rest) = self.values().get(start..) else {
            return Err(self.damaged(&format!("value {place} begins at {start}, outside of it")));
        };
        Reader::new(rest).skip().map_err(|error| self.damaged(&error))
    }

    fn values(&self) -> &[u8] {
        &self.bytes[WORD * self.len()..]
    }

    fn damaged(&self, what: &dyn std::fmt::Display) -> Error {
        let text = format!("the table {:?} is damaged: {what}", self.name());
        invalid(codes::LOOKUPS_TABLE, text)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// The size of the largest message that words may share.
pub(super) const MAX_SHARED: usize = 64;

impl std::fmt::Debug for MappedTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MappedTable({:?}, {} words)", self.name(), self.len())
    }
}
