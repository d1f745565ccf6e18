//! Moves by a hash.

use super::{MoveIx, NOWHERE};

/// Moves by a hash of 64 bits, which stands for the node and conditions that it is of: two that meet
/// are as likely as an error of memory.
#[derive(Default)]
pub(super) struct Table {
    /// A power of two, at most half of them taken; a hash of 0 marks a free one.
    slots: Vec<(u64, MoveIx)>,
    len: usize,
}

impl Table {
    #[inline]
    pub(super) fn get(&self, hash: u64) -> Option<MoveIx> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = Table::first(hash) & mask;
        loop {
            match self.slots[at] {
                (own, found) if own == hash => return Some(found),
                (0, _) => return None,
                _ => at = (at + 1) & mask,
            }
        }
    }

    pub(super) fn insert(&mut self, hash: u64, found: MoveIx) {
        if 2 * (self.len + 1) > self.slots.len() {
            let size = (2 * self.slots.len()).max(64);
            let old = std::mem::replace(&mut self.slots, vec![(0, NOWHERE); size]);
            self.len = 0;
            for (hash, found) in old.into_iter().filter(|(hash, _)| *hash != 0) {
                self.insert(hash, found);
            }
        }
        let mask = self.slots.len() - 1;
        let mut at = Table::first(hash) & mask;
        while self.slots[at].0 != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = (hash, found);
        self.len += 1;
    }

    #[expect(clippy::cast_possible_truncation, reason = "low bits choose the slot")]
    fn first(hash: u64) -> usize {
        hash as usize
    }
}

/// Of 64 bits and a condition, 64 others; no two lists of conditions are likely to meet.
#[expect(clippy::cast_possible_truncation, reason = "the halves are folded into one")]
#[inline]
pub(super) fn mix(hash: u64, condition: u32) -> u64 {
    let hash = (hash ^ 0x243F_6A88_85A3_08D3).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let product = u128::from(hash ^ u64::from(condition)) * 0x9E37_79B9_7F4A_7C15;
    ((product >> 64) as u64 ^ product as u64).max(1)
}
