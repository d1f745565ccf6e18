//! Smaller tables: equal rows merged, and rows of rare words removed.

use ahash::AHashMap;

use super::{KeyMap, RowTable, Vectors};
use crate::Result;

/// A key that lost its row, and the key whose row replaces it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrunedKey {
    /// The key.
    pub key: u64,
    /// The most similar remaining key.
    pub by: u64,
    /// Their similarity, see [`Vectors::most_similar`].
    pub score: f32,
}

impl Vectors {
    /// Returns the vectors with each distinct row once, sorted by their numbers; `None` if all rows
    /// are distinct. Rows without a key are removed.
    ///
    /// # Errors
    ///
    /// `E858` in floret mode.
    pub fn deduplicated(&self) -> Result<Option<Vectors>> {
        self.require_keys("deduplicate")?;
        let row = |row: u32| self.rows.get(row as usize).unwrap_or_default();
        let keys = self.keys.by_row(self.rows.len());
        let mut filled: Vec<u32> =
            (0..).zip(&keys).filter_map(|(row, key)| key.map(|_| row)).collect();
        let compare = |a: &u32, b: &u32| {
            let pairs = row(*a).iter().zip(row(*b));
            pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(a.cmp(b))
        };
        filled.sort_unstable_by(compare);
        let mut numbers = Vec::new();
        let mut last: Option<u32> = None;
        let mut new_rows = AHashMap::new();
        let mut len = 0;
        let bits = |at: u32| -> &[u32] { bytemuck::must_cast_slice(row(at)) };
        for at in filled {
            if last.is_none_or(|last| bits(last) != bits(at)) {
                numbers.extend_from_slice(row(at));
                len += 1;
            }
            new_rows.insert(at, len - 1);
            last = Some(at);
        }
        if len as usize == self.rows.len() {
            return Ok(None);
        }
        let keys = self.keys.iter().filter_map(|(key, row)| Some((key, *new_rows.get(&row)?)));
        let rows = RowTable::new(numbers, len as usize, self.rows.width())?;
        Ok(Some(self.with_table(rows, keys.collect())))
    }

    /// Returns the vectors of the first `keep` keys of `order`. Each further key of `order` gets
    /// the row of the most similar of these keys, which are compared on `threads` threads (0: one a
    /// core). Keys without a vector are skipped.
    ///
    /// # Errors
    ///
    /// `E858` in floret mode; `E198` if keys lose their rows and no key remains.
    pub fn pruned(
        &self,
        order: &[u64],
        keep: usize,
        threads: usize,
    ) -> Result<(Vectors, Vec<PrunedKey>)> {
        self.require_keys("prune")?;
        let entries: Vec<(u64, &[f32])> =
            order.iter().filter_map(|&key| Some((key, self.get(key)?))).collect();
        let (remaining, dropped) = entries.split_at(keep.min(entries.len()));
        let width = self.rows.width();
        let rows = RowTable::new(
            remaining.iter().flat_map(|(_, row)| *row).copied().collect(),
            remaining.len(),
            width,
        )?;
        let keys: KeyMap = (0..).zip(remaining).map(|(row, &(key, _))| (key, row)).collect();
        let mut pruned = self.with_table(rows, keys);
        if dropped.is_empty() {
            return Ok((pruned, Vec::new()));
        }
        let queries: Vec<f32> = dropped.iter().flat_map(|(_, row)| *row).copied().collect();
        let similar = pruned.most_similar(&queries, dropped.len(), 1, threads)?;
        let mut replaced = Vec::new();
        for (i, &(key, _)) in dropped.iter().enumerate() {
            pruned.keys.insert(key, similar.rows[i]);
            replaced.push(PrunedKey { key, by: similar.keys[i], score: similar.scores[i] });
        }
        Ok((pruned, replaced))
    }

    fn with_table(&self, rows: RowTable, keys: KeyMap) -> Vectors {
        let vectors = Vectors::from_rows(rows).with_settings(self.floret.clone(), self.attr);
        Vectors { keys, ..vectors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors() -> Vectors {
        let numbers = vec![3.0, 4.0, 1.0, 1.0, 3.0, 4.0, 2.0, 2.0, 1.0, 1.0];
        let mut vectors = Vectors::from_rows(RowTable::new(numbers, 5, 2).unwrap());
        for row in 0..5 {
            vectors.add(10 + row as u64, Some(row), None).unwrap();
        }
        vectors
    }

    #[test]
    fn equal_rows_become_one() {
        let smaller = vectors().deduplicated().unwrap().unwrap();
        assert_eq!(smaller.rows().numbers(), [1.0, 1.0, 2.0, 2.0, 3.0, 4.0]);
        let rows: Vec<_> = smaller.keys().iter().collect();
        assert_eq!(rows, [(10, 2), (11, 0), (12, 2), (13, 1), (14, 0)]);
        assert_eq!(smaller.deduplicated().unwrap(), None);
        assert_eq!(Vectors::with_shape(0, 0).unwrap().deduplicated().unwrap(), None);
    }

    #[test]
    fn keys_that_lose_their_row_get_the_most_similar_one() {
        let (pruned, replaced) = vectors().pruned(&[11, 12, 99, 10, 13], 2, 1).unwrap();
        assert_eq!(pruned.rows().numbers(), [1.0, 1.0, 3.0, 4.0]);
        let scores: Vec<_> = replaced.iter().map(|r| (r.key, r.by, r.score)).collect();
        assert_eq!(scores, [(10, 12, 1.0), (13, 11, 1.0)]);
        assert_eq!(pruned.get(13), Some(&[1.0, 1.0][..]));
        assert_eq!(pruned.keys().get(14), None);
        assert_eq!(vectors().pruned(&[11], 0, 1).unwrap_err().code(), "E198");
        assert_eq!(vectors().pruned(&[11], 7, 1).unwrap().1, []);
    }
}
