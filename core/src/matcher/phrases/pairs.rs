//! Which symbols may follow each other at the start of a phrase, in a few bits each.
//!
//! Words such as "the" begin some phrase or other, and half of a text is made of them. Whether one goes
//! on with the word behind it is answered here for nearly all, from memory that stays in a cache; the
//! tree is asked for the others.

use super::layout::{View, edge_key};
use super::table::{Slot, hash};

/// How many bits a pair has. One in so many that are not there passes.
const BITS_A_PAIR: usize = 16;

/// The least 64-bit words.
const LEAST: usize = 16;

/// A set of pairs, which says of some others that they are in it, too.
#[derive(Clone)]
pub(super) struct Pairs {
    seed: u64,
    bits: Vec<u64>,
    len: usize,
}

impl Pairs {
    pub(super) fn new(seed: u64) -> Pairs {
        Pairs { seed, bits: vec![0; LEAST], len: 0 }
    }

    /// The pairs of a tree.
    pub(super) fn of(view: &View<'_>) -> Pairs {
        let mut begins = vec![false; view.nodes.len()];
        for slot in view.ids.iter().filter(|slot| !slot.is_empty()) {
            if let Some(begins) = begins.get_mut(slot.symbol as usize) {
                *begins = true;
            }
        }
        let all = view.edges.iter().filter(|edge| !edge.is_empty());
        let all = all.filter(|edge| begins.get(edge.node as usize) == Some(&true));
        let len = all.clone().count();
        let words = (len * BITS_A_PAIR / 64).next_power_of_two().max(LEAST);
        let mut pairs = Pairs { seed: view.seed, bits: vec![0; 2 * words], len };
        all.for_each(|edge| pairs.set(edge.node, edge.symbol));
        pairs
    }

    /// Whether there should be room for more before one is added; then they are made anew, of a tree.
    pub(super) fn is_full(&self) -> bool {
        self.len * BITS_A_PAIR >= self.bits.len() * 64
    }

    pub(super) fn insert(&mut self, first: u32, second: u32) {
        self.len += 1;
        self.set(first, second);
    }

    /// False for what is not there, nearly always; true for what is.
    #[inline]
    pub(super) fn may_have(&self, first: u32, second: u32) -> bool {
        let (word, bit) = self.place(first, second);
        self.bits[word] >> bit & 1 != 0
    }

    fn set(&mut self, first: u32, second: u32) {
        let (word, bit) = self.place(first, second);
        self.bits[word] |= 1 << bit;
    }

    #[inline]
    fn place(&self, first: u32, second: u32) -> (usize, u64) {
        let hash = hash(self.seed, edge_key(first, second));
        ((hash >> 32) as usize & (self.bits.len() - 1), hash >> 26 & 63)
    }
}
