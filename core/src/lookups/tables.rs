//! Tables of a language's data by the ids of words, as spaCy's `lookups.bin` has them.

use std::path::Path;

use crate::codes;
use crate::escape::shown;
use crate::msgpack::{Item, Reader, Value};
use crate::seeded::IdMap;
use crate::strings::StrId;
use crate::{Error, Result};

/// Tables by name.
///
/// ```
/// use lexpool::lookups::Lookups;
/// use lexpool::msgpack::Value;
/// use lexpool::strings::StrId;
///
/// let table = Value::Map(vec![(Value::UInt(StrId::of("went").get()), Value::Str("go".into()))]);
/// let bytes = Value::Map(vec![(Value::Str("lemma_lookup".into()), table)]).to_bytes()?;
/// let lookups = Lookups::from_bytes(&bytes)?;
/// let table = lookups.table("lemma_lookup").unwrap();
/// assert_eq!(table.get(StrId::of("went")), Some(&Value::Str("go".into())));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lookups {
    tables: Vec<(String, LookupTable)>,
}

/// The values of a table by the ids of words, in the order of the file.
///
/// ```
/// use lexpool::lookups::{LookupTable, Lookups};
/// use lexpool::msgpack::Value;
/// use lexpool::strings::StrId;
///
/// let mut lemmas = LookupTable::default();
/// lemmas.set(StrId::of("went"), Value::Str("go".into()));
/// assert_eq!((lemmas.len(), lemmas.get(StrId::of("gone"))), (1, None));
/// let mut lookups = Lookups::default();
/// lookups.add("lemma_lookup", lemmas);
/// assert_eq!(lookups.names().collect::<Vec<_>>(), ["lemma_lookup"]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LookupTable {
    entries: Vec<(StrId, Value)>,
    /// The position of each id in `entries`.
    positions: IdMap<usize>,
}

impl Lookups {
    /// Reads tables: a `MessagePack` map of maps, whose keys are words or their ids.
    ///
    /// # Errors
    ///
    /// Those of [`Value::from_bytes`]; `msgpack-type` for other values.
    pub fn from_bytes(bytes: &[u8]) -> Result<Lookups> {
        let mut reader = Reader::new(bytes);
        let mut lookups = Lookups::default();
        for _ in 0..reader.map()? {
            let name = reader.str()?.to_owned();
            let table = LookupTable::read(&mut reader);
            let table = table.map_err(|error| error.context(format!("the table {name:?}")))?;
            lookups.tables.push((name, table));
        }
        reader.finish()?;
        Ok(lookups)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Those of [`from_bytes`](Lookups::from_bytes), with the path; `file-not-found`,
    /// `file-permission`, `file-io`.
    pub fn read(path: &Path) -> Result<Lookups> {
        let bytes = std::fs::read(path).map_err(|error| Error::io("read", path, error))?;
        Lookups::from_bytes(&bytes).map_err(|error| error.context(shown(path)))
    }

    /// Adds a table, which stands for one of the same name that was added before.
    pub fn add(&mut self, name: &str, table: LookupTable) {
        self.tables.push((name.to_owned(), table));
    }

    /// Returns the table of a name; of a repeated name the last one.
    pub fn table(&self, name: &str) -> Option<&LookupTable> {
        self.tables.iter().rev().find(|(own, _)| own == name).map(|(_, table)| table)
    }

    /// Returns the names of the tables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|(name, _)| name.as_str())
    }
}

impl LookupTable {
    fn read(reader: &mut Reader<'_>) -> Result<LookupTable> {
        let mut table = LookupTable::default();
        for _ in 0..reader.map()? {
            let key = match reader.item()? {
                Item::Str(word) => StrId::of(word),
                Item::UInt(id) => StrId::new(id),
                _ => {
                    let text = "expected words or their ids as keys";
                    return Err(Error::value(codes::MSGPACK_TYPE, text));
                }
            };
            table.set(key, Value::read(reader)?);
        }
        Ok(table)
    }

    /// Sets the value of a word; a word that has one keeps its place.
    pub fn set(&mut self, word: StrId, value: Value) {
        if let Some(at) = self.positions.get(&word.get()) {
            self.entries[*at].1 = value;
        } else {
            self.positions.insert(word.get(), self.entries.len());
            self.entries.push((word, value));
        }
    }

    /// Returns the value of a word.
    pub fn get(&self, word: StrId) -> Option<&Value> {
        self.positions.get(&word.get()).map(|at| &self.entries[*at].1)
    }

    /// Returns the ids of words with their values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (StrId, &Value)> {
        self.entries.iter().map(|(word, value)| (*word, value))
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_value_of_a_word_replaces_an_earlier_one() {
        let id = StrId::of("went").get();
        let entries =
            [(Value::Str("went".into()), 1), (Value::Str("is".into()), 2), (Value::UInt(id), 3)];
        let entries = entries.map(|(key, number)| (key, Value::UInt(number)));
        let bytes = Value::Map(vec![(Value::Str("t".into()), Value::Map(entries.to_vec()))]);
        let lookups = Lookups::from_bytes(&bytes.to_bytes().unwrap()).unwrap();
        let table = lookups.table("t").unwrap();
        let numbers: Vec<_> = table.iter().map(|(_, value)| value.clone()).collect();
        assert_eq!(numbers, [Value::UInt(3), Value::UInt(2)]);
        assert!(table.get(StrId::of("other")).is_none() && lookups.table("other").is_none());
    }

    #[test]
    fn bytes_other_than_tables_are_refused() {
        let of = |value: Value| Lookups::from_bytes(&value.to_bytes().unwrap()).unwrap_err();
        let table = |value| Value::Map(vec![(Value::Str("norms".into()), value)]);
        assert_eq!(of(Value::Nil).code(), "msgpack-type");
        let error = of(table(Value::Nil));
        assert!(error.code() == "msgpack-type" && error.message().contains("\"norms\""), "{error}");
        assert_eq!(of(table(Value::Map(vec![(Value::Nil, Value::Nil)]))).code(), "msgpack-type");
    }
}
