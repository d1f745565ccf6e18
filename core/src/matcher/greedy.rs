//! Which of overlapping matches are kept.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use ahash::AHashMap;

use super::Match;
use crate::strings::StrId;

/// The choice among overlapping matches of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greedy {
    /// The one that starts first, and of those the longest.
    First,
    /// The longest one, and of those the first.
    Longest,
}

impl Greedy {
    /// The positions of the ranges that the choice leaves, the better ones first; of equal ranges
    /// the first stays. Cost: sorting them.
    ///
    /// ```
    /// use lexpool::matcher::Greedy;
    ///
    /// let ranges = [0..2, 1..5, 5..6];
    /// assert_eq!(Greedy::First.choose(&ranges), [0, 2]);
    /// assert_eq!(Greedy::Longest.choose(&ranges), [1, 2]);
    /// ```
    pub fn choose(self, ranges: &[Range<usize>]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..ranges.len()).collect();
        match self {
            Greedy::First => order.sort_by_key(|&at| (ranges[at].start, Reverse(ranges[at].end))),
            Greedy::Longest => {
                order.sort_by_key(|&at| (Reverse(ranges[at].len()), ranges[at].start));
            }
        }
        // Ends by starts. Those kept do not overlap, so of those that start before the end of a range
        // the last one reaches furthest.
        let mut kept = BTreeMap::new();
        order.retain(|&at| {
            let Range { start, end } = ranges[at].clone();
            let before = kept.range(..end.max(start.saturating_add(1))).next_back();
            if before.is_some_and(|(_, other_end)| *other_end > start) {
                return false;
            }
            if start < end {
                kept.insert(start, end);
            }
            true
        });
        order
    }
}

/// Keeps all matches of keys without a choice, in their order, and then for each other key, in the
/// order in which they were met, those that its choice leaves.
pub(super) fn choose(found: Vec<Match>, choices: &AHashMap<StrId, Greedy>) -> Vec<Match> {
    if choices.is_empty() {
        return found;
    }
    let mut kept = Vec::with_capacity(found.len());
    let mut places = AHashMap::<StrId, usize>::new();
    let mut groups = Vec::<(Greedy, Vec<Match>)>::new();
    for found in found {
        let Some(greedy) = choices.get(&found.key) else {
            kept.push(found);
            continue;
        };
        let place = *places.entry(found.key).or_insert_with(|| {
            groups.push((*greedy, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(found);
    }
    for (greedy, group) in groups {
        let ranges: Vec<_> = group.iter().map(|found| found.tokens.clone()).collect();
        kept.extend(greedy.choose(&ranges).into_iter().map(|at| group[at].clone()));
    }
    kept
}
