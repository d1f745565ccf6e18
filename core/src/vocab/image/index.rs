//! A hash index that lies in a file: made once, looked up where it lies.
//!
//! Slots of four bytes, open addressing. A slot holds a position plus one and, in the bits that
//! positions do not need, a tag of the key, so that few items which differ are ever looked at; 0 is
//! an empty slot.

use crate::{Error, Result};

/// How far behind its own slot an item may lie. With items in the order of their slots and tables
/// at most three quarters full, even a hundred million keys stay far below it.
pub(super) const MOST_PROBES: u32 = 1024;

/// Slots, and what is needed to find something in them.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a> {
    pub(super) table: &'a [u32],
    pub(super) seed: u64,
    pub(super) longest: u32,
    /// How many items there are.
    pub(super) items: u32,
}

impl Slots<'_> {
    /// The position of a key, of which `same` says that it is the one. Cost: a few loads; bounded
    /// whatever the slots are.
    #[inline]
    pub(super) fn find(&self, key: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        let (hash, bits) = (mix(key, self.seed), position_bits(self.items));
        let first = first_slot(hash, self.table.len());
        let tag = tag(hash, bits);
        for step in 0..=self.longest.min(MOST_PROBES) as usize {
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

/// An index over keys, each of which occurs once.
pub(super) struct Built {
    pub(super) slots: Vec<u32>,
    pub(super) longest: u32,
}

/// The seed with this number. Seeds follow from their numbers, so that the same words make the same
/// file; who crafts words for one finds that another is taken.
pub(super) fn seed(number: u64) -> u64 {
    let mut z = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The index of some keys with a seed; none if some item would lie too far from its slot.
pub(super) fn build(keys: &[u64], seed: u64) -> Result<Option<Built>> {
    let items = u32::try_from(keys.len()).ok().filter(|items| *items < u32::MAX / 4);
    let items = items.ok_or_else(|| {
        let text = format!("{} strings; an image has fewer than 2^30", keys.len());
        Error::value("image-limit", text)
    })?;
    if keys.is_empty() {
        return Ok(Some(Built { slots: Vec::new(), longest: 0 }));
    }
    let len = (keys.len() * 4).div_ceil(3).next_power_of_two();
    let bits = position_bits(items);
    // In the order of their slots each takes the next free one: none lies further away than it must.
    let mut order: Vec<(u64, u32)> = (0..).zip(keys).map(|(i, key)| (mix(*key, seed), i)).collect();
    order.sort_unstable();
    let mut slots = vec![0; len];
    let (mut next, mut longest) = (0, 0);
    let mut carried = Vec::new();
    let mut put = |slots: &mut Vec<u32>, at: usize, hash: u64, position: u32| {
        slots[at] = tag(hash, bits) | (position + 1);
        longest = longest.max((at + len - first_slot(hash, len)) % len);
    };
    for (hash, position) in order {
        let at = first_slot(hash, len).max(next);
        next = at + 1;
        if at < len {
            put(&mut slots, at, hash, position);
        } else {
            carried.push((hash, position));
        }
    }
    // What did not fit before the end goes on at the beginning.
    let mut at = 0;
    for (hash, position) in carried {
        while slots[at] != 0 {
            at += 1;
        }
        put(&mut slots, at, hash, position);
    }
    let longest = u32::try_from(longest).unwrap_or(u32::MAX);
    Ok((longest <= MOST_PROBES).then_some(Built { slots, longest }))
}

/// Of how many bits a position plus one is.
fn position_bits(items: u32) -> u32 {
    u32::BITS - items.leading_zeros()
}

fn low_bits(bits: u32) -> u32 {
    u32::try_from((1_u64 << bits) - 1).unwrap_or(u32::MAX)
}

/// The upper bits choose the slot.
#[expect(clippy::cast_possible_truncation, reason = "less than `slots`, which fit into memory")]
fn first_slot(hash: u64, slots: usize) -> usize {
    let bits = slots.trailing_zeros();
    if bits == 0 { 0 } else { (hash >> (u64::BITS - bits)) as usize }
}

/// The lower bits are the tag.
#[expect(clippy::cast_possible_truncation, reason = "what is cut off is no tag")]
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

    fn find(built: &Built, keys: &[u64], key: u64, seed: u64) -> Option<u32> {
        let items = u32::try_from(keys.len()).unwrap();
        let slots = Slots { table: &built.slots, seed, longest: built.longest, items };
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
            key in any::<u64>(), seed in any::<u64>(), longest in any::<u32>(), items in any::<u32>(),
        ) {
            let len = slots.len().next_power_of_two() / 2;
            let slots = Slots { table: &slots[..len], seed, longest, items };
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
        assert!(built.longest < 200, "{}", built.longest);
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
        let spread = |number| build(&crafted, seed(number)).unwrap().unwrap().longest;
        assert!(spread(0) >= spread(1), "{} {}", spread(0), spread(1));
        assert!(spread(0) > 40, "{}", spread(0));
    }
}
