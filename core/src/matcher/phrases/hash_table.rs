//! Hash table of plain records with open addressing and linear probing (Knuth, TAOCP 3, 6.4): in
//! memory, and mapped from a file. Removal shifts later records back, without tombstones (6.4 R).

use bytemuck::Zeroable;

use crate::{Result, fallible};

/// The minimum number of slots of a table in use.
const MIN_SLOTS: usize = 16;

/// A record that a table stores in place; a zeroed record marks an unused slot.
pub(super) trait Slot: Copy + Zeroable {
    /// Returns the key of the record.
    fn key(&self) -> u64;
    /// Returns whether the slot is unused.
    fn is_empty(&self) -> bool;
}

/// Returns the record of a key. The number of slots must be a power of two, and at least one slot
/// must be unused.
#[inline]
pub(super) fn find<T: Slot>(slots: &[T], seed: u64, key: u64) -> Option<&T> {
    let mut at = home(slots.len(), seed, key);
    for _ in 0..slots.len() {
        let slot = slots.get(at)?;
        if slot.is_empty() {
            return None;
        }
        if slot.key() == key {
            return Some(slot);
        }
        at = (at + 1) & (slots.len() - 1);
    }
    None
}

/// Returns the sum of the records' distances from their home slots, and the maximum number of slots
/// that a look-up probes. Returns `None` if a look-up would miss a record or never end.
///
/// With a good hash function the mean distance of the fullest table is about one.
pub(super) fn probe_distances<T: Slot>(slots: &[T], seed: u64) -> Option<(usize, usize)> {
    if slots.is_empty() {
        return Some((0, 0));
    }
    let mask = slots.len() - 1;
    let gap = slots.iter().position(Slot::is_empty)?;
    let (mut sum, mut longest) = (0_usize, 0);
    // The number of slots in use between the last unused slot and this one.
    let mut filled = 0;
    for offset in 1..slots.len() {
        let at = (gap + offset) & mask;
        let slot = &slots[at];
        if slot.is_empty() {
            filled = 0;
            continue;
        }
        let distance = at.wrapping_sub(home(slots.len(), seed, slot.key())) & mask;
        if distance > filled {
            return None;
        }
        sum = sum.saturating_add(distance);
        filled += 1;
        longest = longest.max(filled);
    }
    Some((sum, longest))
}

/// A hash table that grows.
#[derive(Clone)]
pub(super) struct ProbingTable<T> {
    slots: Vec<T>,
    used: usize,
}

impl<T> Default for ProbingTable<T> {
    fn default() -> ProbingTable<T> {
        ProbingTable { slots: Vec::new(), used: 0 }
    }
}

impl<T: Slot> ProbingTable<T> {
    /// Returns all slots in memory order.
    pub(super) fn slots(&self) -> &[T] {
        &self.slots
    }

    /// Adds a record. The table must not have its key yet.
    ///
    /// # Errors
    ///
    /// `out-of-memory`, never within the capacity that [`reserve`](ProbingTable::reserve) has made;
    /// nothing is added then.
    pub(super) fn insert(&mut self, seed: u64, record: T) -> Result<()> {
        self.reserve(seed, 1)?;
        self.used += 1;
        self.put(seed, record);
        Ok(())
    }

    /// Makes room for more records.
    pub(super) fn reserve(&mut self, seed: u64, additional: usize) -> Result<()> {
        let len = self.used + additional;
        // Above a load of 5/8 a look-up of a missing key probes more than four slots on average.
        if len * 8 <= self.slots.len() * 5 {
            return Ok(());
        }
        let slots = fallible::zeros((len * 8).div_ceil(5).next_power_of_two().max(MIN_SLOTS))?;
        for old in std::mem::replace(&mut self.slots, slots) {
            if !old.is_empty() {
                self.put(seed, old);
            }
        }
        Ok(())
    }

    /// Returns the record of a key. The caller must not change its key.
    pub(super) fn find_mut(&mut self, seed: u64, key: u64) -> Option<&mut T> {
        let at = self.position(seed, key)?;
        Some(&mut self.slots[at])
    }

    /// Removes the record of a key, if present, and shifts back the records that it displaced.
    pub(super) fn remove(&mut self, seed: u64, key: u64) {
        let Some(mut gap) = self.position(seed, key) else { return };
        let mask = self.slots.len() - 1;
        self.used -= 1;
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let slot = self.slots[at];
            if slot.is_empty() {
                break;
            }
            let home = home(self.slots.len(), seed, slot.key());
            // The record moves if the gap lies between its home slot and its place.
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(gap) & mask {
                self.slots[gap] = slot;
                gap = at;
            }
        }
        self.slots[gap] = T::zeroed();
    }

    fn position(&self, seed: u64, key: u64) -> Option<usize> {
        let slot = find(&self.slots, seed, key)?;
        let mut at = home(self.slots.len(), seed, key);
        while !std::ptr::eq(slot, &raw const self.slots[at]) {
            at = (at + 1) & (self.slots.len() - 1);
        }
        Some(at)
    }

    fn put(&mut self, seed: u64, record: T) {
        let mask = self.slots.len() - 1;
        let mut at = home(self.slots.len(), seed, record.key());
        while !self.slots[at].is_empty() {
            at = (at + 1) & mask;
        }
        self.slots[at] = record;
    }
}

/// Returns the slot at which the look-up of a key begins.
#[inline]
fn home(len: usize, seed: u64, key: u64) -> usize {
    (hash(seed, key) >> 32) as usize & len.wrapping_sub(1)
}

/// Returns a hash whose upper half is well distributed for any set of keys. Authors of texts choose
/// the keys, but they do not know the seed.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both halves of the product are used")]
pub(super) fn hash(seed: u64, key: u64) -> u64 {
    let product = u128::from(key ^ seed) * u128::from(seed.rotate_left(32) | 1);
    let hash = (product as u64) ^ (product >> 64) as u64;
    // Multiplied once more: the low bits of a product do not depend on the high bits of its
    // factors.
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::layout::IdSlot;
    use super::*;

    proptest! {
        #[test]
        fn a_table_behaves_as_a_map(
            seed: u64,
            edits in prop::collection::vec((0..60_u64, any::<bool>()), 0..300),
        ) {
            let mut table = ProbingTable::default();
            let mut model = std::collections::BTreeMap::new();
            for (i, (key, is_added)) in (1..).zip(edits) {
                if !is_added {
                    table.remove(seed, key);
                    model.remove(&key);
                } else if model.insert(key, i).is_none() {
                    table.insert(seed, IdSlot::new(key, i)).unwrap();
                } else {
                    table.find_mut(seed, key).unwrap().symbol = i;
                }
            }
            for key in 0..60 {
                let found = find(table.slots(), seed, key).map(|slot| slot.symbol);
                prop_assert_eq!(found, model.get(&key).copied());
            }
            let (sum, longest) = probe_distances(table.slots(), seed).unwrap();
            prop_assert!(longest <= 60 && sum <= 60 * longest);
        }
    }

    #[test]
    fn keys_in_any_pattern_are_distributed_well() {
        for step in [1, 2, 1 << 16, 1 << 32, 0x1_0000_0001, 1 << 40] {
            let seed = 0x1234_5678_9abc_def1;
            let mut table = ProbingTable::default();
            for i in 0..20_000 {
                table.insert(seed, IdSlot::new(i * step, 1)).unwrap();
            }
            let (sum, longest) = probe_distances(table.slots(), seed).unwrap();
            assert!(sum < 4 * 20_000 && longest < 200, "{step}: {sum} {longest}");
        }
    }
}
