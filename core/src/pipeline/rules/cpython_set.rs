//! Iteration order of a CPython set of triples of integers.
//!
//! spaCy's entity ruler puts its matches into a set before it sorts them by length. Of two matches
//! with equal tokens, as for a phrase with two labels, the order of the set decides which one
//! becomes the entity. CPython hashes integers and tuples without a seed, so the order is the same
//! in every process and can be computed: open addressing with linear probes and perturbation
//! (`Objects/setobject.c`), and the tuple hash (`Objects/tupleobject.c`, xxHash).

use super::span_rules::RuleHit;

/// The number of adjacent slots that are probed before the next jump (`LINEAR_PROBES`).
const LINEAR_PROBES: usize = 9;
/// The minimum number of slots (`PySet_MINSIZE`).
const MIN_SLOTS: usize = 8;

/// Returns distinct hits in the order in which a CPython set iterates over them, if they are added
/// in the given order.
pub(super) fn list_order(hits: &[RuleHit]) -> Vec<RuleHit> {
    let mut table: Vec<Option<(u64, RuleHit)>> = vec![None; MIN_SLOTS];
    for (used, hit) in (1..).zip(hits) {
        insert(&mut table, (hash(*hit), *hit));
        if used * 5 < (table.len() - 1) * 3 {
            continue;
        }
        let target = if used > 50_000 { used * 2 } else { used * 4 };
        let larger = vec![None; (target + 1).next_power_of_two().max(MIN_SLOTS)];
        let smaller = std::mem::replace(&mut table, larger);
        smaller.into_iter().flatten().for_each(|entry| insert(&mut table, entry));
    }
    table.into_iter().flatten().map(|(_, hit)| hit).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits choose the slot")]
fn insert(table: &mut [Option<(u64, RuleHit)>], entry: (u64, RuleHit)) {
    let mask = table.len() - 1;
    let mut at = entry.0 as usize & mask;
    let mut rest = entry.0;
    loop {
        let last = if at + LINEAR_PROBES <= mask { at + LINEAR_PROBES } else { at };
        if let Some(free) = table[at..=last].iter_mut().find(|slot| slot.is_none()) {
            *free = Some(entry);
            return;
        }
        rest >>= 5;
        at = at.wrapping_mul(5).wrapping_add(1).wrapping_add(rest as usize) & mask;
    }
}

/// Returns CPython's hash of the tuple `(key, start, end)`.
fn hash(hit: RuleHit) -> u64 {
    const FIRST: u64 = 11_400_714_785_074_694_791;
    const SECOND: u64 = 14_029_467_366_897_019_727;
    const FIFTH: u64 = 2_870_177_450_012_600_261;
    /// Integers are hashed modulo this prime.
    const MODULUS: u64 = (1 << 61) - 1;
    let items = [hit.key.get(), hit.start as u64, hit.end as u64];
    let mut sum = FIFTH;
    for item in items {
        sum = sum.wrapping_add((item % MODULUS).wrapping_mul(SECOND));
        sum = sum.rotate_left(31).wrapping_mul(FIRST);
    }
    sum = sum.wrapping_add(items.len() as u64 ^ (FIFTH ^ 0x35_D373));
    if sum == u64::MAX { 1_546_275_796 } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strings::StrId;

    fn hit(key: u64, start: usize, end: usize) -> RuleHit {
        RuleHit { key: StrId::new(key), start, end }
    }

    #[test]
    fn hashes_equal_those_of_python_tuples() {
        // hash((383, 0, 1)), hash((2**64 - 1, 7, 9)), hash((0, 0, 0))
        let expected: [i64; 3] =
            [2_376_678_317_519_410_228, -9_058_831_375_002_118_666, 3_010_437_511_937_009_226];
        let hashes = [hit(383, 0, 1), hit(u64::MAX, 7, 9), hit(0, 0, 0)].map(hash);
        assert_eq!(hashes.map(u64::cast_signed), expected);
    }

    #[test]
    fn the_order_equals_that_of_a_python_set() {
        // list(set((key * 2654435761 % 2**64, at, at + 2) for at in range(3) for key in range(1,
        // 5)))
        let hits: Vec<RuleHit> = (0..3)
            .flat_map(|at| (1..5_u64).map(move |key| hit(key * 2_654_435_761, at, at + 2)))
            .collect();
        let order: Vec<usize> = list_order(&hits)
            .iter()
            .map(|own| hits.iter().position(|hit| hit == own).unwrap())
            .collect();
        assert_eq!(order, [7, 2, 11, 5, 0, 10, 3, 6, 1, 9, 8, 4]);
    }

    #[test]
    fn a_set_of_any_size_keeps_all_hits() {
        for len in [0, 1, 4, 5, 19, 20, 1000, 60_000] {
            let hits: Vec<RuleHit> = (0..len).map(|i| hit(i as u64 % 7, i, i + 1)).collect();
            let mut listed = list_order(&hits);
            listed.sort_by_key(|hit| hit.start);
            assert_eq!(listed, hits);
        }
    }
}
