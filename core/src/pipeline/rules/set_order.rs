//! The order in which CPython goes through a set of triples of numbers.
//!
//! spaCy's entity ruler puts its matches through a set before it sorts them. Of two that are equally
//! long and begin at one token, as when a phrase has two labels, that set decides which becomes the
//! entity. It is the same in every process, as numbers and tuples have fixed hashes; so it is
//! repeated here, for the documents where it matters.

use super::Hit;

/// Places that are tried next to each other before the next jump.
const NEIGHBOURS: usize = 9;
/// The smallest table.
const SMALLEST: usize = 8;

/// Distinct hits, given in the order in which they are added to the set, as it lists them.
pub(super) fn listed(hits: &[Hit]) -> Vec<Hit> {
    let mut table: Vec<Option<(u64, Hit)>> = vec![None; SMALLEST];
    for (used, hit) in (1..).zip(hits) {
        insert(&mut table, (hash(*hit), *hit));
        if used * 5 < (table.len() - 1) * 3 {
            continue;
        }
        let more = if used > 50_000 { used * 2 } else { used * 4 };
        let larger = vec![None; (more + 1).next_power_of_two().max(SMALLEST)];
        let smaller = std::mem::replace(&mut table, larger);
        smaller.into_iter().flatten().for_each(|entry| insert(&mut table, entry));
    }
    table.into_iter().flatten().map(|(_, hit)| hit).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "the last bits are what counts")]
fn insert(table: &mut [Option<(u64, Hit)>], entry: (u64, Hit)) {
    let mask = table.len() - 1;
    let mut at = entry.0 as usize & mask;
    let mut rest = entry.0;
    loop {
        let last = if at + NEIGHBOURS <= mask { at + NEIGHBOURS } else { at };
        if let Some(free) = table[at..=last].iter_mut().find(|place| place.is_none()) {
            *free = Some(entry);
            return;
        }
        rest >>= 5;
        at = at.wrapping_mul(5).wrapping_add(1).wrapping_add(rest as usize) & mask;
    }
}

/// The hash of a tuple of a key, a start and an end.
fn hash(hit: Hit) -> u64 {
    const FIRST: u64 = 11_400_714_785_074_694_791;
    const SECOND: u64 = 14_029_467_366_897_019_727;
    const FIFTH: u64 = 2_870_177_450_012_600_261;
    /// Numbers count by this prime.
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

    fn hit(key: u64, start: usize, end: usize) -> Hit {
        Hit { key: StrId::new(key), start, end }
    }

    #[test]
    fn hashes_are_those_that_python_gives_tuples() {
        // hash((383, 0, 1)), hash((2**64 - 1, 7, 9)), hash((0, 0, 0))
        let expected: [i64; 3] =
            [2_376_678_317_519_410_228, -9_058_831_375_002_118_666, 3_010_437_511_937_009_226];
        let hashes = [hit(383, 0, 1), hit(u64::MAX, 7, 9), hit(0, 0, 0)].map(hash);
        assert_eq!(hashes.map(u64::cast_signed), expected);
    }

    #[test]
    fn a_set_lists_its_items_as_python_does() {
        // list(set((key * 2654435761 % 2**64, at, at + 2) for at in range(3) for key in range(1, 5)))
        let hits: Vec<Hit> = (0..3)
            .flat_map(|at| (1..5_u64).map(move |key| hit(key * 2_654_435_761, at, at + 2)))
            .collect();
        let order: Vec<usize> = listed(&hits)
            .iter()
            .map(|own| hits.iter().position(|hit| hit == own).unwrap())
            .collect();
        assert_eq!(order, [7, 2, 11, 5, 0, 10, 3, 6, 1, 9, 8, 4]);
    }

    #[test]
    fn nothing_is_lost_in_a_set_of_any_size() {
        for len in [0, 1, 4, 5, 19, 20, 1000, 60_000] {
            let hits: Vec<Hit> = (0..len).map(|i| hit(i as u64 % 7, i, i + 1)).collect();
            let mut listed = listed(&hits);
            listed.sort_by_key(|hit| hit.start);
            assert_eq!(listed, hits);
        }
    }
}
