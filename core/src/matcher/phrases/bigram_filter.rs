//! Bloom filter of the pairs of symbols that phrases start with (Bloom 1970), with one hash
//! function.
//!
//! Words such as "the" start some phrase, and half of a text consists of them. The filter decides
//! for nearly all of them, from memory that stays in the cache, that no phrase continues with the
//! next word; only the others are looked up in the trie.

use super::hash_table::{Slot, hash};
use super::layout::{TrieView, edge_key};

/// The number of bits for each pair; the rate of false positives is at most one in as many.
const BITS_PER_PAIR: usize = 16;

/// The minimum number of 64-bit words.
const MIN_WORDS: usize = 16;

/// A set of pairs of symbols; false positives are possible.
#[derive(Clone)]
pub(super) struct BigramFilter {
    seed: u64,
    bits: Vec<u64>,
    len: usize,
}

impl BigramFilter {
    pub(super) fn new(seed: u64) -> BigramFilter {
        BigramFilter { seed, bits: vec![0; MIN_WORDS], len: 0 }
    }

    /// Builds the filter of a trie.
    pub(super) fn of(view: &TrieView<'_>) -> BigramFilter {
        let mut is_symbol = vec![false; view.nodes.len()];
        for slot in view.ids.iter().filter(|slot| !slot.is_empty()) {
            if let Some(is_symbol) = is_symbol.get_mut(slot.symbol as usize) {
                *is_symbol = true;
            }
        }
        let all = view.edges.iter().filter(|edge| !edge.is_empty());
        let all = all.filter(|edge| is_symbol.get(edge.node as usize) == Some(&true));
        let len = all.clone().count();
        let words = (len * BITS_PER_PAIR / 64).next_power_of_two().max(MIN_WORDS);
        let mut filter = BigramFilter { seed: view.seed, bits: vec![0; 2 * words], len };
        all.for_each(|edge| filter.set(edge.node, edge.symbol));
        filter
    }

    /// Returns whether the filter must be rebuilt from the trie before another pair is added.
    pub(super) fn is_full(&self) -> bool {
        self.len * BITS_PER_PAIR >= self.bits.len() * 64
    }

    pub(super) fn insert(&mut self, first: u32, second: u32) {
        self.len += 1;
        self.set(first, second);
    }

    /// Returns `false` only if no phrase starts with the pair.
    #[inline]
    pub(super) fn may_contain(&self, first: u32, second: u32) -> bool {
        let (word, bit) = self.position(first, second);
        self.bits[word] >> bit & 1 != 0
    }

    fn set(&mut self, first: u32, second: u32) {
        let (word, bit) = self.position(first, second);
        self.bits[word] |= 1 << bit;
    }

    #[inline]
    fn position(&self, first: u32, second: u32) -> (usize, u64) {
        let hash = hash(self.seed, edge_key(first, second));
        ((hash >> 32) as usize & (self.bits.len() - 1), hash >> 26 & 63)
    }
}
