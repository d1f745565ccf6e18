//! Which keys have which rows, and which rows are free.

use std::fmt;
use std::sync::Arc;

use ahash::AHashMap;

/// Keys with their rows, in the order in which they came. Several keys may have one row.
#[derive(Clone, Default)]
pub struct KeyMap {
    /// All keys, until one is changed; then they are copied.
    base: Option<Arc<dyn BaseKeys>>,
    places: AHashMap<u64, u32>,
    entries: Vec<(u64, u32)>,
}

/// Keys that lie elsewhere, such as in a file, with an index of their own. They never change.
pub(crate) trait BaseKeys: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// The row of a key.
    fn row(&self, key: u64) -> Option<u32>;

    /// The key at a place in their order, with its row.
    fn at(&self, place: usize) -> Option<(u64, u32)>;
}

impl KeyMap {
    /// No keys.
    pub fn new() -> KeyMap {
        KeyMap::default()
    }

    /// These keys, where they lie. Cost: none for each, until one is changed.
    pub(crate) fn over(base: Arc<dyn BaseKeys>) -> KeyMap {
        KeyMap { base: Some(base), ..KeyMap::default() }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.base.as_ref().map_or(self.entries.len(), |base| base.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of a key.
    pub fn get(&self, key: u64) -> Option<u32> {
        if let Some(base) = &self.base {
            return base.row(key);
        }
        self.places.get(&key).map(|&place| self.entries[place as usize].1)
    }

    /// Gives a key a row; one that was there keeps its place in the order.
    pub fn insert(&mut self, key: u64, row: u32) {
        self.own();
        let next = u32::try_from(self.entries.len()).expect("fewer keys than 2^32 fit into memory");
        let place = *self.places.entry(key).or_insert(next);
        match self.entries.get_mut(place as usize) {
            Some(entry) => entry.1 = row,
            None => self.entries.push((key, row)),
        }
    }

    /// Keeps the entries that `keep` says, and gives the others. Cost: one pass over all.
    pub fn retain(&mut self, mut keep: impl FnMut(u64, u32) -> bool) -> Vec<(u64, u32)> {
        self.own();
        let (kept, removed) = self.entries.iter().partition(|&&(key, row)| keep(key, row));
        self.entries = kept;
        self.places = (0..).zip(&self.entries).map(|(place, &(key, _))| (key, place)).collect();
        removed
    }

    /// Keys and rows, in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u32)> + '_ {
        (0..self.len()).filter_map(|place| match &self.base {
            Some(base) => base.at(place),
            None => self.entries.get(place).copied(),
        })
    }

    /// Copies what lies elsewhere, before it is changed.
    fn own(&mut self) {
        let Some(base) = self.base.take() else { return };
        (0..base.len()).filter_map(|place| base.at(place)).for_each(|(key, row)| {
            self.insert(key, row);
        });
    }

    /// The key of a row; of several the one that came last.
    pub fn key_of(&self, row: u32) -> Option<u64> {
        self.iter().rev().find(|&(_, other)| other == row).map(|(key, _)| key)
    }

    /// The key of each of the first `len` rows, as [`key_of`](KeyMap::key_of) has it.
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

/// Equal if the same keys have the same rows, in whatever order.
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

/// The rows that are free for a new key, as a bit each.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeRows {
    bits: Vec<u64>,
    count: usize,
    /// No word before this one has a bit.
    first: usize,
}

impl FreeRows {
    /// All rows of a table but those that have a key.
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

    /// The lowest free row.
    pub(super) fn lowest(&self) -> Option<u32> {
        let words = self.bits.iter().enumerate().skip(self.first);
        let (at, word) = words.into_iter().find(|(_, word)| **word != 0)?;
        u32::try_from(at * 64).ok()?.checked_add(word.trailing_zeros())
    }

    /// Takes a row, if it is one of the table.
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
