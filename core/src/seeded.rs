//! Tables by ids that come with a document or a file.
//!
//! Ids are hashes, but of words that somebody else may have chosen, and the hash of an id can be
//! turned round: words whose ids meet in one slot of a table are made as fast as they are written
//! down. So each table mixes ids with a seed of its own, which nobody outside knows.

#![forbid(unsafe_code)]

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};

/// A map by id.
pub(crate) type IdMap<T> = HashMap<u64, T, IdSeed>;

/// A set of ids.
pub(crate) type IdSet = HashSet<u64, IdSeed>;

/// The seed of one table.
#[derive(Clone, Copy)]
pub(crate) struct IdSeed {
    pad: u64,
    /// Odd, so that a product keeps all that is in the other factor. Two, since ids at equal
    /// distances fall in bands where one of them is an unlucky one.
    factors: [u64; 2],
}

impl Default for IdSeed {
    /// A seed by chance.
    fn default() -> IdSeed {
        let random = ahash::RandomState::new();
        let factors = [1_u8, 2].map(|n| random.hash_one(n) | 1);
        IdSeed { pad: random.hash_one(0_u8), factors }
    }
}

impl BuildHasher for IdSeed {
    type Hasher = IdHasher;

    #[inline]
    fn build_hasher(&self) -> IdHasher {
        IdHasher { seed: *self, hash: self.pad }
    }
}

/// The hash of one id.
pub(crate) struct IdHasher {
    seed: IdSeed,
    hash: u64,
}

impl IdHasher {
    #[inline]
    fn mix(&mut self, number: u64) {
        self.hash =
            self.seed.factors.iter().fold(self.hash ^ number, |hash, factor| folded(hash, *factor));
    }
}

/// Both halves of a product, folded: a table looks at the lowest bits and at the highest.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves are folded into one")]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.mix(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, id: u64) {
        self.mix(id);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::Hash;

    use super::*;

    thread_local!(static COMPARED: Cell<usize> = const { Cell::new(0) });

    /// An id that counts how often it is compared with another.
    #[derive(Clone, Copy, Eq)]
    struct Counted(u64);

    impl PartialEq for Counted {
        fn eq(&self, other: &Counted) -> bool {
            COMPARED.set(COMPARED.get() + 1);
            self.0 == other.0
        }
    }

    impl Hash for Counted {
        fn hash<H: Hasher>(&self, state: &mut H) {
            state.write_u64(self.0);
        }
    }

    fn comparisons<S: BuildHasher + Default>(ids: impl Iterator<Item = u64>) -> usize {
        COMPARED.set(0);
        let mut table = HashSet::<Counted, S>::default();
        for id in ids {
            table.insert(Counted(id));
        }
        COMPARED.get()
    }

    /// A hasher without a seed, as a table of ids once had.
    #[derive(Default)]
    struct Unseeded(u64);

    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    impl Hasher for Unseeded {
        fn write(&mut self, _: &[u8]) {
            unreachable!("ids are numbers")
        }

        fn write_u64(&mut self, id: u64) {
            self.0 = id.wrapping_mul(FACTOR);
        }

        fn finish(&self) -> u64 {
            self.0
        }
    }

    /// The number by which a product with an odd one is undone.
    fn inverse(odd: u64) -> u64 {
        (0..6).fold(odd, |found, _| found.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(found))))
    }

    #[test]
    fn ids_that_meet_without_a_seed_are_spread_by_one() {
        let undo = inverse(FACTOR);
        let crafted = |n: u64| (0..n).map(move |i| (i << 20).wrapping_mul(undo));
        let before = comparisons::<std::hash::BuildHasherDefault<Unseeded>>(crafted(4_000));
        assert!(before > 1_000_000, "the ids no longer meet: {before} comparisons");
        for _ in 0..10 {
            let seeded = comparisons::<IdSeed>(crafted(4_000));
            assert!(seeded < 4_000, "{seeded} comparisons for 4 000 ids");
        }
    }

    #[test]
    fn ids_in_steps_are_spread() {
        for step in [1, 1 << 8, 1 << 20, 1 << 32, 1 << 44, 1 << 52, FACTOR, inverse(FACTOR)] {
            let seeded = comparisons::<IdSeed>((0..4_000_u64).map(|i| i.wrapping_mul(step)));
            assert!(seeded < 4_000, "{seeded} comparisons for 4 000 ids in steps of {step:#x}");
        }
    }

    #[test]
    fn tables_have_seeds_of_their_own() {
        let hash = || IdSeed::default().hash_one(7_u64);
        assert_ne!(hash(), hash());
    }
}
