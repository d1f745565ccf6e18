//! Tests of transition-based parsing: spaCy's cases, and a brute-force model.

mod batches;
mod beams;
mod costs;
mod model;
mod oracle;
mod states;
mod systems;
mod training;

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::arc_eager::{BREAK, LEFT, REDUCE, RIGHT, SHIFT};
use super::{ArcEager, ParseState, TokenFacts, TransitionSystem};
use lexpool_structs::StrId;

/// Returns a state of `len` tokens without annotation.
pub(super) fn blank(len: usize) -> ParseState {
    state(&vec![0; len])
}

/// Returns a state of tokens with these sentence starts.
pub(super) fn state(starts: &[i8]) -> ParseState {
    let fact = |start: &i8| TokenFacts { sent_start: *start, ..TokenFacts::default() };
    let facts: Arc<[TokenFacts]> = starts.iter().map(fact).collect();
    ParseState::new(facts, 0).unwrap()
}

/// Returns a system with these labels in both directions.
pub(super) fn system(labels: &[&str]) -> ArcEager {
    let mut moves = ArcEager::new();
    let actions = moves.actions_mut();
    actions.add(SHIFT, "").unwrap();
    actions.add(REDUCE, "").unwrap();
    for action in [LEFT, RIGHT] {
        for label in labels.iter().chain(&["dep"]) {
            actions.add(action, label).unwrap();
        }
    }
    actions.add(BREAK, "ROOT").unwrap();
    moves
}

/// Returns the tokens of the stack from the top, and those of the buffer.
fn rows(state: &ParseState) -> (Vec<usize>, Vec<usize>) {
    let stack = (0..state.stack_depth()).map(|i| state.s(i).unwrap()).collect();
    let buffer = (0..state.buffer_length()).map(|i| state.b(i).unwrap()).collect();
    (stack, buffer)
}

pub(super) fn ids(labels: &[&str]) -> Vec<Option<StrId>> {
    labels.iter().map(|label| Some(StrId::of(label))).collect()
}

/// Returns the heads of a projective tree of `len` tokens: each part of the sentence gets a root,
/// and the parts on both sides become its children. If `is_forest`, there may be several roots.
pub(super) fn projective(picks: &[usize], len: usize, is_forest: bool) -> Vec<usize> {
    let mut heads = vec![0; len];
    let mut picks = picks.iter().copied().cycle();
    let mut parts = vec![(0, len, None)];
    while let Some((start, end, above)) = parts.pop() {
        if start >= end {
            continue;
        }
        let pick = picks.next().unwrap_or(0);
        if is_forest && above.is_none() && end - start > 1 && pick % 3 == 0 {
            let middle = start + 1 + pick % (end - start - 1).max(1);
            parts.extend([(middle.min(end - 1), end, None), (start, middle.min(end - 1), None)]);
            continue;
        }
        let root = start + pick % (end - start);
        heads[root] = above.unwrap_or(root);
        parts.extend([(start, root, Some(root)), (root + 1, end, Some(root))]);
    }
    heads
}

/// Generates numbers that determine a tree, and its length.
pub(super) fn trees(most: usize) -> impl Strategy<Value = (Vec<usize>, usize)> {
    (vec(0..1000_usize, 1..40), 1..most)
}
