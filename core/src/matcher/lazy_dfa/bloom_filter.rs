//! Bloom filter over pairs of a DFA state and a condition (Bloom 1970), with one hash function.

use super::state::{DfaState, StateId};

/// The pairs of a DFA state and a condition that the state tests; false positives are possible.
#[derive(Default)]
pub(super) struct BloomFilter {
    bits: Vec<u64>,
    pairs: usize,
}

impl BloomFilter {
    /// At least 12 bits for each pair keep false positives below about 8 %.
    const BITS_PER_PAIR: usize = 12;

    /// Returns `false` only if the state does not test the condition.
    #[inline]
    pub(super) fn may_contain(&self, state: StateId, condition: u32) -> bool {
        let bit = BloomFilter::hash(state, condition) & (self.bits.len() * 64 - 1);
        self.bits[bit / 64] >> (bit % 64) & 1 != 0
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
            let bit = BloomFilter::hash(id, *condition) & (self.bits.len() * 64 - 1);
            self.bits[bit / 64] |= 1 << (bit % 64);
        }
    }

    #[inline]
    fn hash(state: StateId, condition: u32) -> usize {
        let pair = u64::from(state.0) << 32 | u64::from(condition);
        (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize
    }
}
