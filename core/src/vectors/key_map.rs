//! The map from keys to rows, and the set of free rows.

use std::fmt;
use std::sync::Arc;

use ahash::AHashMap;

/// A map from keys to rows in insertion order. Several keys may have the same row.
#[derive(Clone, Default)]
pub struct KeyMap {
    /// Has all keys until the first change, which copies them (copy on write).
    base: Option<Arc<dyn BaseKeys>>,
    positions: AHashMap<u64, u32>,
    entries: Vec<(u64, u32)>,
}

/// An immutable map from keys to rows outside of this module, such as in a file.
pub(crate) trait BaseKeys: Send + Sync {
    /// Returns the number of keys.
    fn len(&self) -> usize;

    /// Returns the row of a key.
    fn row(&self, key: u64) -> Option<u32>;

    /// Returns the key at a position in insertion order, with its row.
    fn at(&self, position: usize) -> Option<(u64, u32)>;
}

impl KeyMap {
    /// Creates an empty map.
    pub fn new() -> KeyMap {
        KeyMap::default()
    }

    /// Creates a map of existing keys, which are copied at the first change. Constant time.
    pub(crate) fn with_base(base: Arc<dyn BaseKeys>) -> KeyMap {
        KeyMap { base: Some(base), ..KeyMap::default() }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.base.as_ref().map_or(self.entries.len(), |base| base.len())
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the row of a key.
    pub fn get(&self, key: u64) -> Option<u32> {
        if let Some(base) = &self.base {
            return base.row(key);
        }
        self.positions.get(&key).map(|&position| self.entries[position as usize].1)
    }

    /// Sets the row of a key; an existing key keeps its position in the order.
    pub fn insert(&mut self, key: u64, row: u32) {
        self.make_owned();
        let next = u32::try_from(self.entries.len()).expect("fewer keys than 2^32 fit into memory");
        let position = *self.positions.entry(key).or_insert(next);
        match self.entries.get_mut(position as usize) {
            Some(entry) => entry.1 = row,
            None => self.entries.push((key, row)),
        }
    }

    /// Keeps the entries for which `keep` returns true, and returns the others. Cost: one pass.
    pub fn retain(&mut self, mut keep: impl FnMut(u64, u32) -> bool) -> Vec<(u64, u32)> {
        self.make_owned();
        let (kept, removed) = self.entries.iter().partition(|&&(key, row)| keep(key, row));
        self.entries = kept;
        self.positions =
            (0..).zip(&self.entries).map(|(position, &(key, _))| (key, position)).collect();
        removed
    }

    /// Returns keys and rows in insertion order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u32)> + '_ {
        (0..self.len()).filter_map(|position| match &self.base {
            Some(base) => base.at(position),
            None => self.entries.get(position).copied(),
        })
    }

    /// Copies the base, before the first change.
    fn make_owned(&mut self) {
        let Some(base) = self.base.take() else { return };
        (0..base.len()).filter_map(|position| base.at(position)).for_each(|(key, row)| {
            self.insert(key, row);
        });
    }

    /// Returns the key of a row, the last inserted one of several.
    pub fn key_of(&self, row: u32) -> Option<u64> {
        self.iter().rev().find(|&(_, other)| other == row).map(|(key, _)| key)
    }

    /// Returns the key of each of the first `len` rows, as by [`key_of`](KeyMap::key_of).
    pub fn by_row(&self, len: usize) -> Vec<Option<u64>> {
        let mut keys = vec![None; len];
        for (key, row) in self.iter() {
            if let Some(slot) = keys.get_mut(row as usize) {
                *slot = Some(key);
            }
        }
        keys
    }
}

impl fmt::Debug for KeyMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Maps are equal if the same keys have the same rows, in any order.
impl PartialEq for KeyMap {
    fn eq(&self, other: &KeyMap) -> bool {
        self.len() == other.len() && self.iter().all(|(key, row)| other.get(key) == Some(row))
    }
}

impl FromIterator<(u64, u32)> for KeyMap {
    fn from_iter<I: IntoIterator<Item = (u64, u32)>>(pairs: I) -> KeyMap {
        let mut keys = KeyMap::new();
        pairs.into_iter().for_each(|(key, row)| keys.insert(key, row));
        keys
    }
}

/// The set of rows that are free for a new key, as a bit set.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeRows {
    bits: Vec<u64>,
    count: usize,
    /// All words before this one are 0.
    first: usize,
}

impl FreeRows {
    /// Creates the set of the rows of a table that have no key.
    pub(super) fn all_but(len: usize, keys: &KeyMap) -> FreeRows {
        let mut bits = vec![u64::MAX; len.div_ceil(64)];
        if let (Some(last), 1..) = (bits.last_mut(), len % 64) {
            *last = (1 << (len % 64)) - 1;
        }
        let mut free = FreeRows { bits, count: len, first: 0 };
        keys.iter().for_each(|(_, row)| free.take(row));
        free
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn has(&self, row: u32) -> bool {
        self.bits.get(row as usize / 64).is_some_and(|word| word & 1 << (row % 64) != 0)
    }

    /// Returns the lowest free row.
    pub(super) fn lowest(&self) -> Option<u32> {
        let words = self.bits.iter().enumerate().skip(self.first);
        let (at, word) = words.into_iter().find(|(_, word)| **word != 0)?;
        u32::try_from(at * 64).ok()?.checked_add(word.trailing_zeros())
    }

    /// Removes a row from the set.
    pub(super) fn take(&mut self, row: u32) {
        let bit = 1 << (row % 64);
        if let Some(word) = self.bits.get_mut(row as usize / 64) {
            if *word & bit != 0 {
                *word &= !bit;
                self.count -= 1;
            }
        }
        while self.bits.get(self.first) == Some(&0) {
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_key_of_a_row_speaks_for_it_and_the_order_is_kept() {
        let mut keys: KeyMap = [(7, 0), (8, 1), (9, 0)].into_iter().collect();
        assert_eq!(keys.key_of(0), Some(9));
        keys.insert(7, 1);
        assert_eq!(keys.iter().collect::<Vec<_>>(), [(7, 1), (8, 1), (9, 0)]);
        assert_eq!(keys.by_row(1), [Some(9)]);
        assert_eq!(keys.by_row(3), [Some(9), Some(8), None]);
        assert_eq!(keys.retain(|_, row| row == 1), [(9, 0)]);
        assert_eq!((keys.get(8), keys.get(9)), (Some(1), None));
        assert_eq!(keys, [(8, 1), (7, 1)].into_iter().collect());
        assert_ne!(keys, [(8, 1), (7, 0)].into_iter().collect());
    }

    #[test]
    fn the_lowest_free_row_is_found_in_a_table_of_any_length() {
        for len in [0, 1, 63, 64, 65, 200] {
            let mut free = FreeRows::all_but(len, &KeyMap::new());
            assert_eq!(free.count(), len);
            for row in 0..u32::try_from(len).unwrap() {
                assert_eq!(free.lowest(), Some(row));
                free.take(row);
                free.take(row);
            }
            assert_eq!((free.count(), free.lowest()), (0, None));
            free.take(1000);
        }
        let keys = [(1, 0), (2, 64), (3, 900)].into_iter().collect();
        assert_eq!(FreeRows::all_but(70, &keys).lowest(), Some(1));
        assert_eq!(FreeRows::all_but(70, &keys).count(), 68);
    }
}
