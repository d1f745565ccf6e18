//! The heads of lifted tokens in a projective tree, by one pass in each direction.
//!
//! The search below the head `h` of a lifted token `t` takes the token of least depth, and of these
//! the first. In a projective tree:
//!
//! - What is below a token is a range of tokens (its span), and tokens of one depth come in the
//!   order of the text.
//! - A token that is moved is outside of the span of its new head, where no search finds it. So a
//!   move only takes a span from those above it, and no depth changes.
//! - A span that holds `t` and is below `h` is that of `t`. So on the left of `t`'s span all tokens
//!   that can hide something from `h` have been moved before, with all of their spans behind; on
//!   the right of it none has been moved yet.
//! - While a pass is within the span of a token, it asks for heads within that span only. So what
//!   is below a token that is moved, or below whitespace, is taken out once the pass leaves its
//!   span, and is the end of what the pass has entered.

use std::ops::Range;

use super::lifted_tree::{LiftedToken, LiftedTree};
use crate::strings::StrId;

/// Finds the heads of lifted tokens, which are in the order of the text. Returns `None` unless the
/// tree is projective and its edges are those of its spans.
///
/// Cost: n log n for n tokens.
pub(super) fn heads_in_projective(tree: &LiftedTree, lifted: &[LiftedToken]) -> Option<Vec<usize>> {
    let depths = projective_depths(tree)?;
    let mut table = LabelTable::new(tree, lifted);
    let on_the_right = pass_to_the_left(tree, lifted, &depths, &mut table);
    table.clear();
    Some(pass_to_the_right(tree, lifted, &depths, &mut table, &on_the_right))
}

/// Returns for each lifted token the nearest one behind its span.
fn pass_to_the_left(
    tree: &LiftedTree,
    lifted: &[LiftedToken],
    depths: &[u32],
    table: &mut LabelTable,
) -> Vec<Place> {
    let mut nearest = vec![NOWHERE; lifted.len()];
    let mut left = lifted.len();
    let mut entered: Vec<usize> = Vec::new();
    // For each token at which spans that hide begin, the last token of the longest.
    let mut hidden_to: Vec<Option<usize>> = vec![None; tree.heads.len()];
    for token in (0..tree.heads.len()).rev() {
        let (first, last) = tree.edges[token];
        if left > 0 && lifted[left - 1].token == token {
            left -= 1;
            let head = tree.heads[token];
            let start = if head == token { token + 1 } else { last + 1 };
            let range = start..tree.edges[head].1 + 1;
            nearest[left] = table.nearest(lifted[left].head_label, range, head);
        } else {
            table.enter(token, depths[token], &mut entered);
        }
        if tree.is_space[token] {
            hidden_to[first] = hidden_to[first].max(Some(last));
        }
        if let Some(last) = hidden_to[token] {
            table.take_out_last(&mut entered, |entered| entered <= last);
        }
    }
    nearest
}

/// Returns the heads of all lifted tokens.
fn pass_to_the_right(
    tree: &LiftedTree,
    lifted: &[LiftedToken],
    depths: &[u32],
    table: &mut LabelTable,
    on_the_right: &[Place],
) -> Vec<usize> {
    let mut heads = Vec::with_capacity(lifted.len());
    let mut entered: Vec<usize> = Vec::new();
    // For each token at which spans that hide end, the first token of the longest.
    let mut hidden_from: Vec<Option<usize>> = vec![None; tree.heads.len()];
    for token in 0..tree.heads.len() {
        let (first, last) = tree.edges[token];
        let mut is_hidden = tree.is_space[token];
        if let Some(lifted) = lifted.get(heads.len()).filter(|lifted| lifted.token == token) {
            let head = tree.heads[token];
            let end = if head == token { token } else { first };
            let range = tree.edges[head].0..end;
            let on_the_left = table.nearest(lifted.head_label, range, head);
            let nearest = on_the_left.min(on_the_right[heads.len()]);
            is_hidden |= nearest != NOWHERE;
            heads.push(if nearest == NOWHERE { head } else { nearest.1 as usize });
        }
        table.enter(token, depths[token], &mut entered);
        if is_hidden {
            hidden_from[last] = Some(hidden_from[last].map_or(first, |other| other.min(first)));
        }
        if let Some(first) = hidden_from[token] {
            table.take_out_last(&mut entered, |entered| entered >= first);
        }
    }
    heads
}

/// The depth of each token, or `None` if the tree is not projective or its edges are not those of
/// its spans.
fn projective_depths(tree: &LiftedTree) -> Option<Vec<u32>> {
    const UNKNOWN: u32 = u32::MAX;
    const ON_THE_WAY: u32 = u32::MAX - 1;
    let heads = &tree.heads;
    let mut depths = vec![UNKNOWN; heads.len()];
    let mut sizes = vec![1; heads.len()];
    // All tokens, each behind its head.
    let mut order = Vec::with_capacity(heads.len());
    let mut way = Vec::new();
    for token in 0..heads.len() {
        let mut at = token;
        while depths[at] == UNKNOWN {
            depths[at] = ON_THE_WAY;
            way.push(at);
            at = heads[at];
        }
        if depths[at] == ON_THE_WAY && heads[at] != at {
            return None;
        }
        while let Some(at) = way.pop() {
            depths[at] = if heads[at] == at { 0 } else { depths[heads[at]] + 1 };
            order.push(at);
        }
    }
    let mut spans: Vec<_> = (0..heads.len()).map(|token| (token, token)).collect();
    for token in order.into_iter().rev() {
        let (first, last) = spans[token];
        if last - first + 1 != sizes[token] || tree.edges[token] != spans[token] {
            return None;
        }
        let head = heads[token];
        if head != token {
            sizes[head] += sizes[token];
            spans[head] = (spans[head].0.min(first), spans[head].1.max(last));
        }
    }
    Some(depths)
}

/// The depth and the position of a token: the order of a breadth-first search.
type Place = (u32, u32);

/// The place of no token, behind all others.
const NOWHERE: Place = (u32::MAX, u32::MAX);

/// The tokens that have labels of heads, by label and position, with the depths of those that a
/// pass has entered: a segment tree.
struct LabelTable {
    /// The labels of heads, sorted.
    labels: Vec<StrId>,
    /// For each label, where its tokens are in `tokens`.
    ranges: Vec<Range<usize>>,
    /// The tokens of each label in turn, in the order of the text.
    tokens: Vec<usize>,
    /// For each token of the text its place in `tokens`, if it has one.
    slots: Vec<Option<usize>>,
    /// The least place below each node of the segment tree, whose leaves are `tokens`.
    least: Vec<Place>,
}

impl LabelTable {
    fn new(tree: &LiftedTree, lifted: &[LiftedToken]) -> LabelTable {
        let mut labels: Vec<StrId> = lifted.iter().map(|lifted| lifted.head_label).collect();
        labels.sort_unstable();
        labels.dedup();
        let mut of_tokens = tree.labels.clone();
        for LiftedToken { token, label, .. } in lifted {
            of_tokens[*token] = *label;
        }
        let number = |token: usize| labels.binary_search(&of_tokens[token]).ok();
        let mut pairs: Vec<(usize, usize)> = (0..of_tokens.len())
            .filter(|token| !tree.is_space[*token])
            .filter_map(|token| Some((number(token)?, token)))
            .collect();
        pairs.sort_unstable();
        let mut slots = vec![None; of_tokens.len()];
        let mut ranges = vec![0..0; labels.len()];
        for (slot, (label, token)) in pairs.iter().enumerate() {
            slots[*token] = Some(slot);
            if ranges[*label].is_empty() {
                ranges[*label] = slot..slot;
            }
            ranges[*label].end = slot + 1;
        }
        let least = vec![NOWHERE; 2 * pairs.len()];
        let tokens = pairs.into_iter().map(|(_, token)| token).collect();
        LabelTable { labels, ranges, tokens, slots, least }
    }

    /// Takes all tokens out.
    fn clear(&mut self) {
        self.least.fill(NOWHERE);
    }

    /// Enters a token if it has a label of heads, and adds it to the entered ones.
    fn enter(&mut self, token: usize, depth: u32, entered: &mut Vec<usize>) {
        if let Some(slot) = self.slots[token] {
            let position = u32::try_from(token).expect("a document has fewer than 2^32 tokens");
            self.set(slot, (depth, position));
            entered.push(token);
        }
    }

    /// Takes out the last ones of the tokens that were entered, as far as they are hidden.
    fn take_out_last(&mut self, entered: &mut Vec<usize>, is_hidden: impl Fn(usize) -> bool) {
        while let Some(token) = entered.last().copied().filter(|token| is_hidden(*token)) {
            entered.pop();
            if let Some(slot) = self.slots[token] {
                self.set(slot, NOWHERE);
            }
        }
    }

    fn set(&mut self, slot: usize, place: Place) {
        let mut node = slot + self.tokens.len();
        self.least[node] = place;
        while node > 1 {
            node /= 2;
            self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]);
        }
    }

    /// The least place among the tokens of a range that have a label, without that of a head.
    fn nearest(&self, label: StrId, range: Range<usize>, head: usize) -> Place {
        let Ok(number) = self.labels.binary_search(&label) else { return NOWHERE };
        let before = self.least_within(number, range.start..range.end.min(head));
        before.min(self.least_within(number, range.start.max(head + 1)..range.end))
    }

    fn least_within(&self, label: usize, range: Range<usize>) -> Place {
        let slots = self.ranges[label].clone();
        let tokens = &self.tokens[slots.clone()];
        let slot = |end: usize| slots.start + tokens.partition_point(|token| *token < end);
        let (mut start, mut end) = (slot(range.start), slot(range.end));
        start += self.tokens.len();
        end += self.tokens.len();
        let mut least = NOWHERE;
        while start < end {
            if start % 2 == 1 {
                least = least.min(self.least[start]);
                start += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                least = least.min(self.least[end]);
            }
            start /= 2;
            end /= 2;
        }
        least
    }
}
