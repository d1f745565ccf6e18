//! Word vectors: a table of rows, and the map from words to rows.
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
//! In [`Mode::Default`] a hash map maps keys, mostly word ids, to rows. In [`Mode::Floret`] there
//! are no keys: the vector of a word is the mean of the rows of its hashed subwords, see
//! [`Floret`].

mod dot;
mod files;
mod floret;
mod key_map;
mod npy;
mod npy_numbers;
mod prune;
mod row_table;
mod similar;

use std::sync::OnceLock;

use lexpool_structs::AttrId;

pub use dot::Kernel;
pub use files::{LoadedVectors, VectorParts};
pub use floret::Floret;
pub(crate) use key_map::BaseKeys;
pub use key_map::KeyMap;
pub use npy::{read_npy, write_npy};
pub use prune::PrunedKey;
pub use row_table::{RowMemory, RowTable};
pub use similar::{Similar, cosines, cosines_on_threads};

use crate::codes;
use crate::{Error, Result, limits};
use key_map::FreeRows;

/// The way from a word to its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A hash map from keys to rows.
    Default,
    /// Hashed subwords.
    Floret,
}

impl Mode {
    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::Floret => "floret",
        }
    }

    /// Reads the name of a mode.
    ///
    /// # Errors
    ///
    /// `E202` for another name.
    pub fn from_name(name: &str) -> Result<Mode> {
        match name {
            "default" => Ok(Mode::Default),
            "floret" => Ok(Mode::Floret),
            _ => {
                let text = format!("vectors have no mode '{name}'; expected default or floret");
                Err(Error::value(codes::E202, text))
            }
        }
    }
}

/// Word vectors.
///
/// Rows without a key are free for new keys, the lowest one first. All rows of a table that was
/// made of given numbers count as used until the table is resized or loaded.
///
/// ```
/// use lexpool::strings::StrId;
/// use lexpool::vectors::Vectors;
///
/// let [cat, tiger, car] = ["cat", "tiger", "car"].map(|word| StrId::of(word).get());
/// let mut vectors = Vectors::with_shape(3, 2)?;
/// vectors.add(cat, None, Some(&[1.0, 0.2]))?;
/// vectors.add(tiger, None, Some(&[0.9, 0.3]))?;
/// vectors.add(car, None, Some(&[0.0, 1.0]))?;
/// assert_eq!(vectors.get(car), Some(&[0.0, 1.0][..]));
/// let similar = vectors.most_similar(&[1.0, 0.2], 1, 2, 1)?;
/// assert_eq!(similar.keys, [cat, tiger]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vectors {
    rows: RowTable,
    keys: KeyMap,
    /// Computed at the first use, for a table with given keys.
    free: OnceLock<FreeRows>,
    mode: Mode,
    floret: Floret,
    attr: u32,
}

impl Vectors {
    /// Creates a table of zeros without keys.
    ///
    /// # Errors
    ///
    /// `vectors-memory` if there is not enough memory, or for 2^32 rows or more.
    pub fn with_shape(len: usize, width: usize) -> Result<Vectors> {
        check_len(len)?;
        let mut vectors = Vectors::from_rows(RowTable::zeros(len, width)?);
        vectors.find_free();
        Ok(vectors)
    }

    /// Creates vectors of rows without keys.
    pub fn from_rows(rows: RowTable) -> Vectors {
        Vectors {
            rows,
            keys: KeyMap::new(),
            free: OnceLock::from(FreeRows::default()),
            mode: Mode::Default,
            floret: Floret::default(),
            attr: AttrId::ORTH.number(),
        }
    }

    /// Creates vectors of rows with keys; rows without a key are free. Constant time.
    ///
    /// # Errors
    ///
    /// `vectors-memory` for 2^32 rows or more.
    pub(crate) fn with_keys(rows: RowTable, keys: KeyMap) -> Result<Vectors> {
        check_len(rows.len())?;
        Ok(Vectors { keys, free: OnceLock::new(), ..Vectors::from_rows(rows) })
    }

    /// Creates vectors in floret mode.
    ///
    /// # Errors
    ///
    /// Those of [`Floret::check`].
    pub fn floret(rows: RowTable, floret: Floret) -> Result<Vectors> {
        floret.check()?;
        Ok(Vectors { mode: Mode::Floret, floret, ..Vectors::from_rows(rows) })
    }

    /// Sets the subword settings, which are used in floret mode only, and the number of the
    /// attribute whose value is the key of a word.
    #[must_use]
    pub fn with_settings(mut self, floret: Floret, attr: u32) -> Vectors {
        self.floret = floret;
        self.attr = attr;
        self
    }

    /// Returns the mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the subword settings of floret mode.
    pub fn settings(&self) -> &Floret {
        &self.floret
    }

    /// Returns the number of the attribute whose value is the key of a word.
    pub fn attr(&self) -> u32 {
        self.attr
    }

    /// Returns the table of rows.
    pub fn rows(&self) -> &RowTable {
        &self.rows
    }

    /// Returns the keys with their rows.
    pub fn keys(&self) -> &KeyMap {
        &self.keys
    }

    /// Returns whether no row is free for a new key.
    pub fn is_full(&self) -> bool {
        self.mode == Mode::Floret || self.free().count() == 0
    }

    /// Returns whether a row is free for a new key.
    pub fn is_free(&self, row: usize) -> bool {
        u32::try_from(row).is_ok_and(|row| self.free().has(row))
    }

    /// Returns the vector of a key; `None` in floret mode, or if the row is outside of the table.
    pub fn get(&self, key: u64) -> Option<&[f32]> {
        self.rows.get(self.keys.get(key)? as usize)
    }

    /// Returns the vector of a word in floret mode: the mean of the rows of its subwords.
    pub fn floret_vector(&self, word: &str) -> Vec<f32> {
        self.floret.vector(&self.rows, word)
    }

    /// Assigns a row to a key, and a vector to the row.
    ///
    /// If no row is given, an existing key keeps its row, and a new key gets the lowest free one.
    ///
    /// # Errors
    ///
    /// `E060` if no row is free, `E197` for a row outside of the table, `vectors-shape` for a
    /// vector of another width, `E858` in floret mode. The vectors are then unchanged.
    pub fn add(&mut self, key: u64, row: Option<usize>, vector: Option<&[f32]>) -> Result<usize> {
        self.require_keys("add")?;
        let default_row = self.keys.get(key).or_else(|| self.free().lowest());
        let row = row.or(default_row.map(|row| row as usize)).ok_or_else(|| {
            let (len, width) = (self.rows.len(), self.rows.width());
            let text = format!("no row is free in a table of {len} x {width}; resize it first");
            Error::value(codes::E060, text)
        })?;
        let number =
            u32::try_from(row).ok().filter(|_| row < self.rows.len()).ok_or_else(|| {
                let len = self.rows.len();
                let text =
                    format!("row {row} for the key {key} is outside of a table of {len} rows");
                Error::value(codes::E197, text)
            })?;
        if let Some(vector) = vector {
            self.rows.set(row, vector)?;
        }
        self.keys.insert(key, number);
        self.take_row(number);
        Ok(row)
    }

    /// Writes the vector of an existing key.
    ///
    /// # Errors
    ///
    /// `E058` if the key does not exist, `vectors-shape` for a vector of another width.
    pub fn set(&mut self, key: u64, vector: &[f32]) -> Result<()> {
        let row = self.keys.get(key).ok_or_else(|| no_key(key))?;
        self.rows.set(row as usize, vector)?;
        self.take_row(row);
        Ok(())
    }

    /// Changes the size of the table, in new memory, and returns the keys that lost their rows.
    ///
    /// # Errors
    ///
    /// Those of [`with_shape`](Vectors::with_shape); `E858` in floret mode.
    pub fn resize(&mut self, len: usize, width: usize) -> Result<Vec<(u64, u32)>> {
        self.require_keys("resize")?;
        check_len(len)?;
        self.rows = self.rows.resized(len, width)?;
        let removed = self.keys.retain(|_, row| (row as usize) < len);
        self.find_free();
        Ok(removed)
    }

    /// Replaces the rows; keys keep their row numbers.
    ///
    /// # Errors
    ///
    /// `vectors-memory` for 2^32 rows or more.
    pub fn set_rows(&mut self, rows: RowTable) -> Result<()> {
        check_len(rows.len())?;
        self.free();
        self.rows = rows;
        Ok(())
    }

    /// Replaces the keys; the set of free rows does not change.
    pub fn set_keys(&mut self, keys: KeyMap) {
        self.free();
        self.keys = keys;
    }

    /// Removes all keys, so that all rows are free.
    ///
    /// # Errors
    ///
    /// `E859` in floret mode.
    pub fn clear(&mut self) -> Result<()> {
        if self.mode == Mode::Floret {
            let text = "vectors in mode floret have no keys to clear";
            return Err(Error::value(codes::E859, text));
        }
        self.keys = KeyMap::new();
        self.find_free();
        Ok(())
    }

    /// Checks that the vectors have keys.
    pub(crate) fn require_keys(&self, operation: &str) -> Result<()> {
        match self.mode {
            Mode::Default => Ok(()),
            Mode::Floret => {
                let text = format!("{operation} needs vectors with keys; these are in mode floret");
                Err(Error::value(codes::E858, text))
            }
        }
    }

    /// Returns the bits of all numbers; as bits, NaN equals itself.
    fn bits(&self) -> &[u32] {
        bytemuck::must_cast_slice(self.rows.numbers())
    }

    /// Marks all rows without a key as free.
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

/// Vectors are equal if they have the same keys, settings and bytes.
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
    limits::VECTORS_ROWS.check(len, "the number of rows of a table of vectors").map(drop)
}

fn no_key(key: u64) -> Error {
    let text = format!("no vector is stored for the key {key}");
    Error::new(crate::ErrorKind::Key, codes::E058, text)
}

#[cfg(test)]
mod tests;
