//! Blocked Bloom filter over pairs of a DFA state and a condition (Putze, Sanders & Singler 2007):
//! both bits of a pair are in one word.

use super::state::{DfaState, StateId};

/// The pairs of a DFA state and a condition that the state tests; false positives are possible.
#[derive(Default)]
pub(super) struct BloomFilter {
    bits: Vec<u64>,
    pairs: usize,
}

impl BloomFilter {
    /// At least 12 bits for each pair keep false positives below about 3 %.
    const BITS_PER_PAIR: usize = 12;

    /// Returns `false` only if the state does not test the condition.
    #[inline]
    pub(super) fn may_contain(&self, state: StateId, condition: u32) -> bool {
        let (word, mask) = self.bits_of(state, condition);
        self.bits[word] & mask == mask
    }

    /// Adds the pairs of a new state. A filter that has to grow is rebuilt from all states.
    pub(super) fn add(&mut self, id: StateId, states: &[DfaState]) {
        let new = &states[id.0 as usize];
        self.pairs += new.index.tested.len();
        if self.pairs * BloomFilter::BITS_PER_PAIR < self.bits.len() * 64 {
            self.set(id, new);
            return;
        }
        let words = (self.pairs * BloomFilter::BITS_PER_PAIR / 32).next_power_of_two().max(64);
        self.bits = vec![0; words];
        for (id, state) in (0..).zip(states) {
            self.set(StateId(id), state);
        }
    }

    fn set(&mut self, id: StateId, state: &DfaState) {
        for condition in &state.index.tested {
            let (word, mask) = self.bits_of(id, *condition);
            self.bits[word] |= mask;
        }
    }

    /// Returns the position of a pair's word, and its bits there.
    #[inline]
    fn bits_of(&self, state: StateId, condition: u32) -> (usize, u64) {
        let pair = u64::from(state.0) << 32 | u64::from(condition);
        let hash = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let word = (hash >> 32) as usize & (self.bits.len() - 1);
        (word, 1 << (hash >> 20 & 63) | 1 << (hash >> 26 & 63))
    }
}
