//! Choice among overlapping matches: first or longest, as spaCy's `greedy` argument.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use ahash::AHashMap;

use super::token_match::RawMatch;
use crate::Result;
use crate::fallible;

/// The choice among overlapping matches of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greedy {
    /// The match that starts first, then the longest.
    First,
    /// The longest match, then the first.
    Longest,
}

impl Greedy {
    /// Returns the positions of the chosen ranges, which do not overlap, the preferred ones first.
    /// Of equal ranges the first one is chosen.
    ///
    /// Cost: a sort of the ranges.
    ///
    /// # Errors
    ///
    /// `out-of-memory`.
    ///
    /// ```
    /// use lexpool::matcher::Greedy;
    ///
    /// let ranges = [0..2, 1..5, 5..6];
    /// assert_eq!(Greedy::First.choose(&ranges)?, [0, 2]);
    /// assert_eq!(Greedy::Longest.choose(&ranges)?, [1, 2]);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn choose(self, ranges: &[Range<usize>]) -> Result<Vec<usize>> {
        let mut order: Vec<usize> = fallible::collect(0..ranges.len())?;
        // The position comes last, so that equal ranges keep their order: a stable sort allocates.
        match self {
            Greedy::First => {
                order.sort_unstable_by_key(|&at| (ranges[at].start, Reverse(ranges[at].end), at));
            }
            Greedy::Longest => {
                order.sort_unstable_by_key(|&at| (Reverse(ranges[at].len()), ranges[at].start, at));
            }
        }
        // Maps starts to ends. Chosen ranges do not overlap, so of those that start before the end
        // of a range the last one reaches furthest.
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
        Ok(order)
    }
}

/// Returns all matches of the keys without a choice, in their order, followed by the chosen matches
/// of each other key, in the order in which those keys first occur.
///
/// `choices` are by position of the key and must not be empty.
pub(super) fn choose<T>(
    all: Vec<T>,
    choices: &[Option<Greedy>],
    raw: impl Fn(&T) -> RawMatch,
) -> Result<Vec<T>> {
    let mut kept = fallible::list(all.len())?;
    let mut places = AHashMap::<u32, usize>::new();
    let mut groups = Vec::<(Greedy, Vec<T>)>::new();
    for item in all {
        let key = raw(&item).key;
        let Some(greedy) = choices[key as usize] else {
            kept.push(item);
            continue;
        };
        let place = *places.entry(key).or_insert_with(|| {
            groups.push((greedy, Vec::new()));
            groups.len() - 1
        });
        fallible::push(&mut groups[place].1, item)?;
    }
    for (greedy, group) in groups {
        let ranges = fallible::collect(group.iter().map(|item| raw(item).tokens()))?;
        let mut group = fallible::collect(group.into_iter().map(Some))?;
        kept.extend(greedy.choose(&ranges)?.into_iter().filter_map(|at| group[at].take()));
    }
    Ok(kept)
}
