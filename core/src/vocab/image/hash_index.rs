//! An immutable hash index in a file: open addressing with linear probing, read in place.
//!
//! A slot has four bytes: a position plus one and, in the bits that positions do not need, a tag of
//! the hash, so that few unequal items are compared. 0 is an empty slot. Items are stored in the
//! order of their first slots (as in Robin Hood hashing), which bounds the distance of every item
//! to its first slot.

use crate::codes;
use crate::{Error, Result};

/// The maximum distance of an item to its first slot. In a table at most three quarters full, even
/// a hundred million keys stay far below it.
pub(super) const MAX_PROBES: u32 = 1024;

/// The slots of an index, with the parameters of a look-up.
#[derive(Clone, Copy)]
pub(super) struct SlotTable<'a> {
    pub(super) table: &'a [u32],
    pub(super) seed: u64,
    pub(super) max_probe: u32,
    /// The number of items.
    pub(super) items: u32,
}

impl SlotTable<'_> {
    /// Returns the position of a key for which `same` returns true. Cost: a few loads, and a
    /// bounded number for any content of the slots.
    #[inline]
    pub(super) fn find(&self, key: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        let (hash, bits) = (mix(key, self.seed), position_bits(self.items));
        let first = first_slot(hash, self.table.len());
        let tag = tag(hash, bits);
        for step in 0..=self.max_probe.min(MAX_PROBES) as usize {
            let slot = *self.table.get((first + step) & mask)?;
            if slot == 0 {
                return None;
            }
            if slot & !low_bits(bits) == tag {
                let position = (slot & low_bits(bits)).wrapping_sub(1);
                if position < self.items && same(position) {
                    return Some(position);
                }
            }
        }
        None
    }
}

/// A new index of distinct keys.
pub(super) struct IndexTable {
    pub(super) slots: Vec<u32>,
    pub(super) max_probe: u32,
}

/// Returns the seed of a number (`SplitMix64`). Seeds are deterministic, so the same words make the
/// same file; if keys collide heavily under one seed, the builder takes the next.
pub(super) fn seed(number: u64) -> u64 {
    let mut z = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Builds the index of keys with a seed; `None` if an item would be further than [`MAX_PROBES`]
/// from its first slot.
pub(super) fn build(keys: &[u64], seed: u64) -> Result<Option<IndexTable>> {
    let items = u32::try_from(keys.len()).ok().filter(|items| *items < u32::MAX / 4);
    let items = items.ok_or_else(|| {
        let text = format!("{} strings; an image must have fewer than 2^30", keys.len());
        Error::value(codes::IMAGE_LIMIT, text)
    })?;
    if keys.is_empty() {
        return Ok(Some(IndexTable { slots: Vec::new(), max_probe: 0 }));
    }
    let len = (keys.len() * 4).div_ceil(3).next_power_of_two();
    let bits = position_bits(items);
    // In the order of their first slots, each item takes the next free slot, which minimizes the
    // maximum distance.
    let mut order: Vec<(u64, u32)> = (0..).zip(keys).map(|(i, key)| (mix(*key, seed), i)).collect();
    order.sort_unstable();
    let mut slots = vec![0; len];
    let (mut next, mut max_probe) = (0, 0);
    let mut wrapped = Vec::new();
    let mut put = |slots: &mut Vec<u32>, at: usize, hash: u64, position: u32| {
        slots[at] = tag(hash, bits) | (position + 1);
        max_probe = max_probe.max((at + len - first_slot(hash, len)) % len);
    };
    for (hash, position) in order {
        let at = first_slot(hash, len).max(next);
        next = at + 1;
        if at < len {
            put(&mut slots, at, hash, position);
        } else {
            wrapped.push((hash, position));
        }
    }
    // Items that did not fit before the end wrap around.
    let mut at = 0;
    for (hash, position) in wrapped {
        while slots[at] != 0 {
            at += 1;
        }
        put(&mut slots, at, hash, position);
    }
    let max_probe = u32::try_from(max_probe).unwrap_or(u32::MAX);
    Ok((max_probe <= MAX_PROBES).then_some(IndexTable { slots, max_probe }))
}

/// Returns the number of bits of a position plus one.
fn position_bits(items: u32) -> u32 {
    u32::BITS - items.leading_zeros()
}

fn low_bits(bits: u32) -> u32 {
    u32::try_from((1_u64 << bits) - 1).unwrap_or(u32::MAX)
}

/// Returns the first slot, chosen by the upper bits of the hash.
#[expect(clippy::cast_possible_truncation, reason = "less than the number of slots")]
fn first_slot(hash: u64, slots: usize) -> usize {
    let bits = slots.trailing_zeros();
    if bits == 0 { 0 } else { (hash >> (u64::BITS - bits)) as usize }
}

/// Returns the tag, the lower bits of the hash.
#[expect(clippy::cast_possible_truncation, reason = "the tag is the low half")]
fn tag(hash: u64, bits: u32) -> u32 {
    hash as u32 & !low_bits(bits)
}

fn mix(key: u64, seed: u64) -> u64 {
    let product = u128::from(key ^ seed) * u128::from(seed.rotate_left(32) | 1);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are taken")]
    let folded = product as u64 ^ (product >> 64) as u64;
    folded.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find(built: &IndexTable, keys: &[u64], key: u64, seed: u64) -> Option<u32> {
        let items = u32::try_from(keys.len()).unwrap();
        let slots = SlotTable { table: &built.slots, seed, max_probe: built.max_probe, items };
        slots.find(key, |position| keys[position as usize] == key)
    }

    proptest! {
        #[test]
        fn every_key_is_found_and_no_other(
            keys in proptest::collection::hash_set(any::<u64>(), 0..300),
            others in proptest::collection::vec(any::<u64>(), 0..100),
            number in any::<u32>(),
        ) {
            let keys: Vec<u64> = keys.into_iter().collect();
            let seed = seed(number.into());
            let built = build(&keys, seed).unwrap().unwrap();
            for (position, key) in (0..).zip(&keys) {
                prop_assert_eq!(find(&built, &keys, *key, seed), Some(position));
            }
            for key in others.iter().filter(|key| !keys.contains(key)) {
                prop_assert_eq!(find(&built, &keys, *key, seed), None);
            }
        }

        #[test]
        fn slots_of_any_content_end_a_search(
            slots in proptest::collection::vec(any::<u32>(), 1..65),
            key in any::<u64>(), seed in any::<u64>(), max_probe in any::<u32>(), items in any::<u32>(),
        ) {
            let len = slots.len().next_power_of_two() / 2;
            let slots = SlotTable { table: &slots[..len], seed, max_probe, items };
            let mut asked = 0;
            let found = slots.find(key, |position| { asked += 1; assert!(position < items); false });
            prop_assert_eq!(found, None);
            prop_assert!(asked <= 1025);
        }
    }

    #[test]
    fn items_lie_close_to_their_slots() {
        let keys: Vec<u64> = (0..100_000).map(|i| seed(i + 7)).collect();
        let built = build(&keys, seed(0)).unwrap().unwrap();
        assert!(built.max_probe < 200, "{}", built.max_probe);
        assert_eq!(built.slots.len(), 1 << 18);
    }

    #[test]
    fn keys_that_crowd_one_place_are_refused_under_that_seed_and_taken_under_another() {
        // Under the mix of one seed, multiples of a power of two above it fall together.
        let crafted: Vec<u64> = (0..200_000)
            .map(seed)
            .filter(|key| first_slot(mix(*key, seed(0)), 4096) == 0)
            .take(48)
            .collect();
        let spread = |number| build(&crafted, seed(number)).unwrap().unwrap().max_probe;
        assert!(spread(0) >= spread(1), "{} {}", spread(0), spread(1));
        assert!(spread(0) > 40, "{}", spread(0));
    }
}
