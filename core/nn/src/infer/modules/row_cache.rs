//! Cache of rows by the ids of a token.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ahash::{AHashMap, RandomState};

/// Number of parts of the cache, so that threads seldom wait for each other.
const SHARDS: usize = 16;
/// The most bytes of a shard. Frequent words come first: some 10,000 serve nine tokens of ten.
const SHARD_BYTES: usize = 512 << 10;

type Shard = AHashMap<Box<[u64]>, Box<[f32]>>;

/// A bounded cache of rows that depend on the ids of one token only. All threads share it.
///
/// A shard that is full is emptied, so that the words of new texts find a place.
#[derive(Debug, Default)]
pub(super) struct RowCache {
    hasher: RandomState,
    shards: [Mutex<Shard>; SHARDS],
}

impl RowCache {
    /// Copies the row of the ids to `out` if it is cached; returns whether it is.
    ///
    /// # Panics
    ///
    /// If `out` has another width than the cached row.
    pub(super) fn read(&self, ids: &[u64], out: &mut [f32]) -> bool {
        let shard = self.shard(ids);
        let Some(row) = shard.get(ids) else { return false };
        out.copy_from_slice(row);
        true
    }

    /// Stores a row.
    pub(super) fn insert(&self, ids: &[u64], row: &[f32]) {
        let bytes = size_of_val(ids) + size_of_val(row) + 2 * size_of::<Box<[u64]>>();
        let mut shard = self.shard(ids);
        if shard.len() >= (SHARD_BYTES / bytes).max(1) {
            shard.clear();
        }
        shard.insert(ids.into(), row.into());
    }

    fn shard(&self, ids: &[u64]) -> MutexGuard<'_, Shard> {
        #[expect(clippy::cast_possible_truncation, reason = "any bits choose a shard")]
        let shard = self.hasher.hash_one(ids) as usize % SHARDS;
        // A shard is valid between any two of its operations.
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_and_the_cache_stays_small() {
        let cache = RowCache::default();
        let row = vec![0.5; 1000];
        let mut cached = 0;
        for id in 0..10_000 {
            let mut out = vec![0.0; 1000];
            assert!(!cache.read(&[id, 7], &mut out));
            cache.insert(&[id, 7], &row);
            assert!(cache.read(&[id, 7], &mut out));
            assert_eq!(out, row);
        }
        for shard in &cache.shards {
            cached += shard.lock().unwrap().len();
        }
        assert!(cached > SHARDS && cached * 4000 <= SHARDS * SHARD_BYTES, "{cached}");
    }
}
