//! Bloom filters of the first two and the first three symbols of phrases (Bloom 1970), with one
//! hash function.
//!
//! Words such as "the" start some phrase, and half of a text consists of them. Of many phrases, a
//! few also start with "the old" or "in the". The filters decide for nearly all of these starts,
//! from memory that stays in the cache, that no phrase continues with the words that follow; only
//! the others are looked up in the trie.

use super::hash_table::{Slot, hash};
use super::layout::{MANY_EDGES, NO_EDGE, TrieView};
use crate::{Result, fallible};

/// The number of bits for each prefix; the rate of false positives is at most one in as many.
const BITS_PER_PREFIX: usize = 16;

/// The minimum number of 64-bit words of a filter.
const MIN_WORDS: usize = 16;

/// The symbol after the end of a phrase.
const END: u32 = 0;

/// The prefixes of phrases; false positives are possible. Prefixes of removed phrases may be left.
#[derive(Clone)]
pub(super) struct PrefixFilter {
    hash: PrefixHash,
    /// The first two symbols of each phrase of two symbols and more.
    pairs: HashSketch,
    /// The first three symbols of each phrase of three symbols and more; phrases of two symbols,
    /// followed by [`END`].
    triples: HashSketch,
}

impl PrefixFilter {
    pub(super) fn new(seed: u64) -> PrefixFilter {
        let (pairs, triples) = (HashSketch::small(), HashSketch::small());
        PrefixFilter { hash: PrefixHash::new(seed), pairs, triples }
    }

    /// Builds the filter of a trie, with space for as many prefixes again.
    pub(super) fn of(view: &TrieView<'_>) -> Result<PrefixFilter> {
        let hash = PrefixHash::new(view.seed);
        let mut is_symbol = fallible::repeat(false, view.nodes.len())?;
        for slot in view.ids.iter().filter(|slot| !slot.is_empty()) {
            if let Some(is_symbol) = is_symbol.get_mut(slot.symbol as usize) {
                *is_symbol = true;
            }
        }
        let edges = || view.edges.iter().filter(|edge| !edge.is_empty());
        let (mut pairs, mut triples) = (Vec::new(), Vec::new());
        // The hashes of the two symbols that lead to a node whose edges have the third one.
        let mut before = fallible::repeat(None, view.nodes.len())?;
        for edge in edges().filter(|edge| is_symbol.get(edge.node as usize) == Some(&true)) {
            let pair = hash.pair(edge.node, edge.symbol);
            fallible::push(&mut pairs, pair)?;
            let own = view.node(edge.next);
            if let Some(third) = view.label(own).first() {
                fallible::push(&mut triples, hash.triple(pair, *third))?;
                continue;
            }
            if own.keys != 0 {
                fallible::push(&mut triples, hash.triple(pair, END))?;
            }
            if own.first != NO_EDGE && own.first != MANY_EDGES {
                fallible::push(&mut triples, hash.triple(pair, own.first))?;
            } else if let Some(before) = before.get_mut(edge.next as usize) {
                *before = Some(pair);
            }
        }
        for edge in edges() {
            if let Some(pair) = before.get(edge.node as usize).copied().flatten() {
                fallible::push(&mut triples, hash.triple(pair, edge.symbol))?;
            }
        }
        let (pairs, triples) = (HashSketch::of(&pairs)?, HashSketch::of(&triples)?);
        Ok(PrefixFilter { hash, pairs, triples })
    }

    /// Adds the prefixes of a phrase. Returns `false`, and may not have added them, if the filter
    /// is full and must be built anew.
    #[must_use]
    pub(super) fn insert(&mut self, first: u32, rest: &[u32]) -> bool {
        let Some(second) = rest.first() else { return true };
        let pair = self.hash.pair(first, *second);
        let third = rest.get(1).copied().unwrap_or(END);
        self.pairs.insert(pair) && self.triples.insert(self.hash.triple(pair, third))
    }

    /// Returns `false` only if no phrase of two symbols and more starts with these two.
    #[inline]
    pub(super) fn may_start(&self, first: u32, second: u32) -> bool {
        self.pairs.may_contain(self.hash.pair(first, second))
    }

    /// Returns `false` only if neither the first two symbols are a phrase nor the three start one.
    #[inline]
    pub(super) fn may_match(&self, first: u32, second: u32, third: u32) -> bool {
        let pair = self.hash.pair(first, second);
        let is_phrase = self.triples.may_contain(self.hash.triple(pair, END));
        is_phrase | self.triples.may_contain(self.hash.triple(pair, third))
    }
}

/// A hash function of two or three symbols: a sum of products modulo 2^64, whose upper half is
/// universal (Dietzfelbinger 1996). Authors of texts do not know the factors.
#[derive(Clone, Copy)]
struct PrefixHash {
    factors: [u64; 3],
}

impl PrefixHash {
    fn new(seed: u64) -> PrefixHash {
        PrefixHash { factors: [1, 2, 3].map(|i| hash(seed, i)) }
    }

    #[inline]
    fn pair(self, first: u32, second: u32) -> u64 {
        let [one, two, _] = self.factors;
        u64::from(first).wrapping_mul(one).wrapping_add(u64::from(second).wrapping_mul(two))
    }

    /// Returns the hash of three symbols from that of the first two.
    #[inline]
    fn triple(self, pair: u64, third: u32) -> u64 {
        pair.wrapping_add(u64::from(third).wrapping_mul(self.factors[2]))
    }
}

/// A set of hashes as a bit array: one bit for each hash.
#[derive(Clone)]
struct HashSketch {
    /// A power of two words.
    bits: Vec<u64>,
    /// The number of bits that are set.
    len: usize,
}

impl HashSketch {
    /// Returns an empty set of the minimum size.
    fn small() -> HashSketch {
        HashSketch { bits: vec![0; MIN_WORDS], len: 0 }
    }

    /// Builds a set, with space for as many hashes again.
    fn of(hashes: &[u64]) -> Result<HashSketch> {
        let words = (hashes.len() * BITS_PER_PREFIX / 64).next_power_of_two().max(MIN_WORDS / 2);
        let mut sketch = HashSketch { bits: fallible::zeros(2 * words)?, len: 0 };
        for hash in hashes {
            sketch.set(*hash);
        }
        Ok(sketch)
    }

    /// Adds a hash; returns `false` instead if the set is full.
    fn insert(&mut self, hash: u64) -> bool {
        if self.may_contain(hash) {
            return true;
        }
        if self.len * BITS_PER_PREFIX >= self.bits.len() * 64 {
            return false;
        }
        self.set(hash);
        true
    }

    #[inline]
    fn may_contain(&self, hash: u64) -> bool {
        let (word, bit) = self.position(hash);
        self.bits[word] >> bit & 1 != 0
    }

    fn set(&mut self, hash: u64) {
        let (word, bit) = self.position(hash);
        self.len += usize::from(self.bits[word] >> bit & 1 == 0);
        self.bits[word] |= 1 << bit;
    }

    #[inline]
    fn position(&self, hash: u64) -> (usize, u64) {
        ((hash >> 32) as usize & (self.bits.len() - 1), hash >> 58)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::trie::PhraseTrie;
    use super::*;

    fn trie(phrases: &[Vec<u64>]) -> PhraseTrie {
        let mut trie = PhraseTrie::default();
        for phrase in phrases {
            trie.add(1, phrase).unwrap();
        }
        trie
    }

    proptest! {
        #[test]
        fn no_phrase_is_dropped_by_a_filter_that_grew_or_was_built(
            phrases in prop::collection::vec(prop::collection::vec(1..12_u64, 2..6), 0..200),
        ) {
            let trie = trie(&phrases);
            let built = PrefixFilter::of(&trie.view()).unwrap();
            for phrase in &phrases {
                let symbols: Vec<u32> = phrase.iter().map(|id| trie.view().symbol(*id)).collect();
                let third = symbols.get(2).copied().unwrap_or(7);
                for filter in [trie.prefixes(), &built] {
                    prop_assert!(filter.may_start(symbols[0], symbols[1]));
                    prop_assert!(filter.may_match(symbols[0], symbols[1], third));
                }
            }
        }
    }

    #[test]
    fn nearly_all_other_prefixes_are_dropped() {
        // The seed of one trie in a hundred lets a tenth of the other pairs pass.
        const TRIES: usize = 16;
        // Each tenth pair of 100 first words and 100 second words starts phrases.
        let phrases: Vec<Vec<u64>> =
            (0..1000_u64).map(|i| vec![i % 100, 1000 + i / 10, 2000 + i / 7]).collect();
        let (mut starts, mut matches) = ([0; 2], [0; 2]);
        for _ in 0..TRIES {
            let trie = trie(&phrases);
            let symbol = |id| trie.view().symbol(id);
            let count = |test: &dyn Fn(u32, u32) -> bool| {
                let pairs = (0..100_u64).flat_map(|i| (0..100_u64).map(move |j| (i, 1000 + j)));
                pairs.filter(|(i, j)| test(symbol(*i), symbol(*j))).count()
            };
            let filters = [trie.prefixes(), &PrefixFilter::of(&trie.view()).unwrap()];
            for (at, filter) in filters.into_iter().enumerate() {
                starts[at] += count(&|first, second| filter.may_start(first, second));
                // 7 is the third word of no phrase.
                matches[at] += count(&|first, second| filter.may_match(first, second, symbol(7)));
            }
        }
        for at in 0..2 {
            assert!((1000 * TRIES..2000 * TRIES).contains(&starts[at]), "{starts:?}");
            assert!(matches[at] < 2000 * TRIES, "{matches:?}");
        }
    }
}
