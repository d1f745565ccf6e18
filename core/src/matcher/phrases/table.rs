//! Tables of records by a number, with open addressing: in memory, and mapped from a file.

/// The least slots that a table in use has.
const LEAST: usize = 16;

/// A record that a table is made of; one of zeros is unused.
pub(super) trait Slot: Copy + Default {
    /// What it is found by.
    fn key(&self) -> u64;
    /// Whether it is unused.
    fn is_empty(&self) -> bool;
}

/// The record of a key. `slots` are a power of two, of which one at least is unused.
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

/// How many slots each record lies behind the first where it is looked for, summed up; and how many
/// a search goes through at the most. None if a search would not find a record or not end.
///
/// With hashes that are spread well, the mean is about one at the fullest that a table gets.
pub(super) fn distances<T: Slot>(slots: &[T], seed: u64) -> Option<(usize, usize)> {
    if slots.is_empty() {
        return Some((0, 0));
    }
    let mask = slots.len() - 1;
    let gap = slots.iter().position(Slot::is_empty)?;
    let (mut sum, mut most) = (0_usize, 0);
    // How many slots before this one are in use without a gap.
    let mut behind = 0;
    for offset in 1..slots.len() {
        let at = (gap + offset) & mask;
        let slot = &slots[at];
        if slot.is_empty() {
            behind = 0;
            continue;
        }
        let distance = at.wrapping_sub(home(slots.len(), seed, slot.key())) & mask;
        if distance > behind {
            return None;
        }
        sum = sum.saturating_add(distance);
        behind += 1;
        most = most.max(behind);
    }
    Some((sum, most))
}

/// A table that grows.
#[derive(Clone)]
pub(super) struct Table<T> {
    slots: Vec<T>,
    used: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { slots: Vec::new(), used: 0 }
    }
}

impl<T: Slot> Table<T> {
    /// The records as they lie.
    pub(super) fn slots(&self) -> &[T] {
        &self.slots
    }

    /// Adds a record whose key is not there yet.
    pub(super) fn insert(&mut self, seed: u64, record: T) {
        // Five eighths: beyond, a search of what is not there looks at more than four slots.
        if (self.used + 1) * 8 > self.slots.len() * 5 {
            let slots = vec![T::default(); (self.slots.len() * 2).max(LEAST)];
            for old in std::mem::replace(&mut self.slots, slots) {
                if !old.is_empty() {
                    self.put(seed, old);
                }
            }
        }
        self.used += 1;
        self.put(seed, record);
    }

    /// The record of a key, to be changed in what it is not found by.
    pub(super) fn find_mut(&mut self, seed: u64, key: u64) -> Option<&mut T> {
        let at = self.position(seed, key)?;
        Some(&mut self.slots[at])
    }

    /// Removes the record of a key, if it is there, and moves up those that it kept from their places.
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
            let wanted = home(self.slots.len(), seed, slot.key());
            // The gap lies on the way from where the record would be to where it is.
            if at.wrapping_sub(wanted) & mask >= at.wrapping_sub(gap) & mask {
                self.slots[gap] = slot;
                gap = at;
            }
        }
        self.slots[gap] = T::default();
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

/// Where a key is first looked for.
#[inline]
fn home(len: usize, seed: u64, key: u64) -> usize {
    (hash(seed, key) >> 32) as usize & len.wrapping_sub(1)
}

/// A number whose higher half is spread well, whatever keys there are. Keys are chosen by whoever
/// writes texts; the seed is not theirs.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both halves of a product are used")]
pub(super) fn hash(seed: u64, key: u64) -> u64 {
    let product = u128::from(key ^ seed) * u128::from(seed.rotate_left(32) | 1);
    let hash = (product as u64) ^ (product >> 64) as u64;
    // Once more: a product's lowest bits know nothing of the higher ones of its factors.
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::layout::IdSlot;
    use super::*;

    proptest! {
        #[test]
        fn a_table_is_a_map(seed: u64, edits in prop::collection::vec((0..60_u64, any::<bool>()), 0..300)) {
            let mut table = Table::default();
            let mut model = std::collections::BTreeMap::new();
            for (i, (key, is_added)) in (1..).zip(edits) {
                if !is_added {
                    table.remove(seed, key);
                    model.remove(&key);
                } else if model.insert(key, i).is_none() {
                    table.insert(seed, IdSlot::new(key, i));
                } else {
                    table.find_mut(seed, key).unwrap().symbol = i;
                }
            }
            for key in 0..60 {
                let found = find(table.slots(), seed, key).map(|slot| slot.symbol);
                prop_assert_eq!(found, model.get(&key).copied());
            }
            let (sum, most) = distances(table.slots(), seed).unwrap();
            prop_assert!(most <= 60 && sum <= 60 * most);
        }
    }

    #[test]
    fn keys_in_any_pattern_are_spread() {
        for step in [1, 2, 1 << 16, 1 << 32, 0x1_0000_0001, 1 << 40] {
            let seed = 0x1234_5678_9abc_def1;
            let mut table = Table::default();
            for i in 0..20_000 {
                table.insert(seed, IdSlot::new(i * step, 1));
            }
            let (sum, most) = distances(table.slots(), seed).unwrap();
            assert!(sum < 4 * 20_000 && most < 200, "{step}: {sum} {most}");
        }
    }
}
