//! Which of overlapping matches are kept.

use std::cmp::Reverse;

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

/// Keeps all matches of keys without a choice, in their order, and then for each other key, in the
/// order in which they were met, those that its choice leaves.
pub(super) fn choose(
    found: Vec<Match>,
    choices: &AHashMap<StrId, Greedy>,
    tokens: usize,
) -> Vec<Match> {
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
    let mut taken = vec![false; tokens];
    for (greedy, mut group) in groups {
        match greedy {
            Greedy::First => {
                group.sort_by_key(|found| (found.tokens.start, Reverse(found.tokens.end)));
            }
            Greedy::Longest => {
                group.sort_by_key(|found| (Reverse(found.tokens.len()), found.tokens.start));
            }
        }
        taken.fill(false);
        for found in group {
            let tokens = &mut taken[found.tokens.clone()];
            if !tokens.contains(&true) {
                tokens.fill(true);
                kept.push(found);
            }
        }
    }
    kept
}
