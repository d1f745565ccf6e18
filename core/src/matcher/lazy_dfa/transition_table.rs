//! Hash table of transitions, with open addressing and linear probing.

use super::state::TransitionId;

/// Transitions by a hash of 64 bits, which stands for a state and the conditions that concern it.
///
/// The state and the conditions are not stored or compared: a collision of the full hashes is as
/// unlikely as a memory error.
#[derive(Default)]
pub(super) struct TransitionTable {
    /// A power of two of slots, at most half of them in use; a hash of 0 marks a free slot.
    slots: Vec<(u64, TransitionId)>,
    len: usize,
}

impl TransitionTable {
    #[inline]
    pub(super) fn get(&self, hash: u64) -> Option<TransitionId> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = TransitionTable::home(hash) & mask;
        loop {
            match self.slots[at] {
                (own, transition) if own == hash => return Some(transition),
                (0, _) => return None,
                _ => at = (at + 1) & mask,
            }
        }
    }

    pub(super) fn insert(&mut self, hash: u64, transition: TransitionId) {
        if 2 * (self.len + 1) > self.slots.len() {
            let size = (2 * self.slots.len()).max(64);
            let old = std::mem::replace(&mut self.slots, vec![(0, TransitionId::DEAD); size]);
            self.len = 0;
            for (hash, transition) in old.into_iter().filter(|(hash, _)| *hash != 0) {
                self.insert(hash, transition);
            }
        }
        let mask = self.slots.len() - 1;
        let mut at = TransitionTable::home(hash) & mask;
        while self.slots[at].0 != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, transition);
        self.len += 1;
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low bits choose the slot")]
    fn home(hash: u64) -> usize {
        hash as usize
    }
}

/// Mixes a condition into a hash. Different lists of conditions have different hashes, except with
/// the probability of a 64-bit collision. The result is never 0.
#[expect(clippy::cast_possible_truncation, reason = "the halves are folded into one")]
#[inline]
pub(super) fn mix(hash: u64, condition: u32) -> u64 {
    let hash = (hash ^ 0x243F_6A88_85A3_08D3).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let product = u128::from(hash ^ u64::from(condition)) * 0x9E37_79B9_7F4A_7C15;
    ((product >> 64) as u64 ^ product as u64).max(1)
}
