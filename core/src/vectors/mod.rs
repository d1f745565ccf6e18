//! Word vectors: a table of rows, and how a word comes to its row.
//!
//! ```
//! use lexpool::strings::StrId;
//! use lexpool::vectors::Vectors;
//!
//! let mut vectors = Vectors::with_shape(2, 3)?;
//! vectors.add(StrId::of("cat").get(), None, Some(&[1.0, 2.0, 3.0]))?;
//! vectors.add(StrId::of("dog").get(), None, Some(&[3.0, 2.0, 1.0]))?;
//! let similar = vectors.most_similar(&[1.0, 2.0, 4.0], 1, 1, 1)?;
//! assert_eq!(similar.keys, [StrId::of("cat").get()]);
//! # Ok::<(), lexpool::Error>(())
//! ```
//!
//! In [`Mode::Default`] a table maps keys, mostly ids of words, to rows. In [`Mode::Floret`] there
//! are no keys: the vector of any word is the mean of rows that its parts hash to, see [`Floret`].

mod cull;
mod dot;
mod files;
mod floret;
mod keys;
mod npy;
mod numbers;
mod rows;
mod similar;

use std::sync::OnceLock;

use lexpool_structs::AttrId;

pub use cull::Replaced;
pub(crate) use dot::Kernel;
pub use files::{Loaded, Parts};
pub use floret::Floret;
pub(crate) use keys::BaseKeys;
pub use keys::KeyMap;
pub use npy::{read_npy, write_npy};
pub use rows::{Memory, Rows};
pub use similar::Similar;
pub(crate) use similar::{cosines, cosines_on_threads};

use crate::{Error, Result};
use keys::FreeRows;

/// How a word comes to its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By its key.
    Default,
    /// By the hashes of its parts.
    Floret,
}

impl Mode {
    /// The name that is written to files.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::Floret => "floret",
        }
    }

    /// The mode of a name.
    ///
    /// # Errors
    ///
    /// `E202` for another name.
    pub fn of(name: &str) -> Result<Mode> {
        match name {
            "default" => Ok(Mode::Default),
            "floret" => Ok(Mode::Floret),
            _ => {
                let text = format!("vectors have no mode '{name}': expected default or floret");
                Err(Error::value("E202", text))
            }
        }
    }
}

/// Word vectors.
///
/// Rows without a key are free for new ones, and the lowest is taken first. Those of a table that
/// was made of given numbers count as taken until the table is resized or loaded.
#[derive(Clone, Debug)]
pub struct Vectors {
    rows: Rows,
    keys: KeyMap,
    /// Found out when it is first asked for, in a table that was not made here.
    free: OnceLock<FreeRows>,
    mode: Mode,
    floret: Floret,
    attr: u32,
}

impl Vectors {
    /// A table of zeros without keys.
    ///
    /// # Errors
    ///
    /// `vectors-memory` if the system does not give so much, or for 2^32 rows or more.
    pub fn with_shape(len: usize, width: usize) -> Result<Vectors> {
        check_len(len)?;
        let mut vectors = Vectors::of(Rows::zeros(len, width)?);
        vectors.find_free();
        Ok(vectors)
    }

    /// These rows, without keys.
    pub fn of(rows: Rows) -> Vectors {
        Vectors {
            rows,
            keys: KeyMap::new(),
            free: OnceLock::from(FreeRows::default()),
            mode: Mode::Default,
            floret: Floret::default(),
            attr: AttrId::ORTH.number(),
        }
    }

    /// These rows with these keys, and rows without one free. Cost: none for each.
    ///
    /// # Errors
    ///
    /// `vectors-memory` for 2^32 rows or more.
    pub(crate) fn with_keys(rows: Rows, keys: KeyMap) -> Result<Vectors> {
        check_len(rows.len())?;
        Ok(Vectors { keys, free: OnceLock::new(), ..Vectors::of(rows) })
    }

    /// These rows in floret mode.
    ///
    /// # Errors
    ///
    /// Those of [`Floret::check`].
    pub fn floret(rows: Rows, floret: Floret) -> Result<Vectors> {
        floret.check()?;
        Ok(Vectors { mode: Mode::Floret, floret, ..Vectors::of(rows) })
    }

    /// The same, with other settings for the parts of words, which count in floret mode only, and
    /// with the number of the attribute whose value is a word's key.
    #[must_use]
    pub fn with_settings(mut self, floret: Floret, attr: u32) -> Vectors {
        self.floret = floret;
        self.attr = attr;
        self
    }

    /// How a word comes to its vector.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// How words are cut and hashed in floret mode.
    pub fn settings(&self) -> &Floret {
        &self.floret
    }

    /// The number of the attribute whose value is a word's key.
    pub fn attr(&self) -> u32 {
        self.attr
    }

    /// The table.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The keys with their rows.
    pub fn keys(&self) -> &KeyMap {
        &self.keys
    }

    /// Whether no row is free for a new key.
    pub fn is_full(&self) -> bool {
        self.mode == Mode::Floret || self.free().count() == 0
    }

    /// Whether a row is free for a new key.
    pub fn is_free(&self, row: usize) -> bool {
        u32::try_from(row).is_ok_and(|row| self.free().has(row))
    }

    /// The vector of a key; none in floret mode, and none if the row lies outside of the table.
    pub fn get(&self, key: u64) -> Option<&[f32]> {
        self.rows.get(self.keys.get(key)? as usize)
    }

    /// The vector of a word in floret mode: the mean of the rows of its parts.
    pub fn floret_vector(&self, word: &str) -> Vec<f32> {
        self.floret.vector(&self.rows, word)
    }

    /// Gives a key a row, and the row a vector.
    ///
    /// Without a row, a key that is there keeps its own and another takes the lowest free one.
    ///
    /// # Errors
    ///
    /// `E060` if no row is free, `E197` for a row outside of the table, `vectors-shape` for a vector
    /// of another width, `E858` in floret mode. Nothing is changed then.
    pub fn add(&mut self, key: u64, row: Option<usize>, vector: Option<&[f32]>) -> Result<usize> {
        self.need_keys("add")?;
        let known = self.keys.get(key).or_else(|| self.free().lowest());
        let row = row.or(known.map(|row| row as usize)).ok_or_else(|| {
            let (len, width) = (self.rows.len(), self.rows.width());
            let text = format!("no row is free in a table of {len} x {width}: resize it first");
            Error::value("E060", text)
        })?;
        let number =
            u32::try_from(row).ok().filter(|_| row < self.rows.len()).ok_or_else(|| {
                let len = self.rows.len();
                let text = format!("row {row} for the key {key} lies outside of a table of {len}");
                Error::value("E197", text)
            })?;
        if let Some(vector) = vector {
            self.rows.set(row, vector)?;
        }
        self.keys.insert(key, number);
        self.take_row(number);
        Ok(row)
    }

    /// Writes the vector of a key that is there.
    ///
    /// # Errors
    ///
    /// `E058` without the key, `vectors-shape` for a vector of another width.
    pub fn set(&mut self, key: u64, vector: &[f32]) -> Result<()> {
        let row = self.keys.get(key).ok_or_else(|| no_key(key))?;
        self.rows.set(row as usize, vector)?;
        self.take_row(row);
        Ok(())
    }

    /// Changes the size of the table, in new memory, and gives the keys that lost their rows.
    ///
    /// # Errors
    ///
    /// `vectors-memory` as for [`with_shape`](Vectors::with_shape), `E858` in floret mode.
    pub fn resize(&mut self, len: usize, width: usize) -> Result<Vec<(u64, u32)>> {
        self.need_keys("resize")?;
        check_len(len)?;
        self.rows = self.rows.resized(len, width)?;
        let removed = self.keys.retain(|_, row| (row as usize) < len);
        self.find_free();
        Ok(removed)
    }

    /// Puts other rows in the place of these; keys keep their numbers.
    ///
    /// # Errors
    ///
    /// `vectors-memory` for 2^32 rows or more.
    pub fn set_rows(&mut self, rows: Rows) -> Result<()> {
        check_len(rows.len())?;
        self.free();
        self.rows = rows;
        Ok(())
    }

    /// Puts other keys in the place of these; which rows are free stays.
    pub fn set_keys(&mut self, keys: KeyMap) {
        self.free();
        self.keys = keys;
    }

    /// Forgets all keys, so that all rows are free.
    ///
    /// # Errors
    ///
    /// `E859` in floret mode.
    pub fn clear(&mut self) -> Result<()> {
        if self.mode == Mode::Floret {
            let text = "vectors in mode floret have no keys that could be cleared";
            return Err(Error::value("E859", text));
        }
        self.keys = KeyMap::new();
        self.find_free();
        Ok(())
    }

    /// Makes sure that there are keys.
    pub(crate) fn need_keys(&self, operation: &str) -> Result<()> {
        match self.mode {
            Mode::Default => Ok(()),
            Mode::Floret => {
                let text = format!("{operation} is for vectors with keys, not for mode floret");
                Err(Error::value("E858", text))
            }
        }
    }

    /// All numbers as they lie in memory; of these, NaN equals itself.
    fn bits(&self) -> &[u32] {
        bytemuck::must_cast_slice(self.rows.numbers())
    }

    /// Takes as free what has no key.
    fn find_free(&mut self) {
        self.free = OnceLock::from(FreeRows::all_but(self.rows.len(), &self.keys));
    }

    fn free(&self) -> &FreeRows {
        self.free.get_or_init(|| FreeRows::all_but(self.rows.len(), &self.keys))
    }

    fn take_row(&mut self, row: u32) {
        self.free();
        if let Some(free) = self.free.get_mut() {
            free.take(row);
        }
    }
}

/// Equal if they have the same keys, settings and bytes.
impl PartialEq for Vectors {
    fn eq(&self, other: &Vectors) -> bool {
        let shape = |vectors: &Vectors| (vectors.rows.len(), vectors.rows.width(), vectors.mode);
        shape(self) == shape(other)
            && self.keys == other.keys
            && (self.mode == Mode::Default
                || (&self.floret, self.attr) == (&other.floret, other.attr))
            && self.bits() == other.bits()
    }
}

fn check_len(len: usize) -> Result<()> {
    if u32::try_from(len).is_ok() {
        return Ok(());
    }
    let text = format!("a table of {len} rows: at most {} are possible", u32::MAX);
    Err(Error::new(crate::ErrorKind::Memory, "vectors-memory", text))
}

fn no_key(key: u64) -> Error {
    let text = format!("there is no vector for the key {key}");
    Error::new(crate::ErrorKind::Key, "E058", text)
}

#[cfg(test)]
mod tests;
