//! The search for the heads that arcs were lifted from.
//!
//! spaCy searches the tree below the present head of each lifted token breadth-first, and moves the
//! token before it searches for the next one. In a projective tree the order of that search is by
//! depth, then by position, so [`nearest`](super::nearest) finds the same tokens by two passes. In
//! other trees, which no parser makes, the search is done as it is described, under a limit.

use std::collections::VecDeque;

use super::lifted_tree::{LiftedToken, LiftedTree};
use super::nearest;
use crate::codes;
use crate::strings::StrId;
use crate::{Error, Result};

/// The steps of all searches in a tree with crossing arcs: some tenths of a second.
const MAX_STEPS: usize = 1 << 24;
/// The steps for each token, where these are more.
const STEPS_PER_TOKEN: usize = 64;

impl LiftedTree {
    /// Finds the heads that lifted tokens, in the order of the text, were lifted from: for each the
    /// first token below its present head that has the label of the head, breadth-first; else its
    /// present head. Each token is moved before the search for the next one.
    ///
    /// Cost: n log n for n tokens of a projective tree; otherwise, at most the limit of steps.
    ///
    /// # Errors
    ///
    /// `projective-limit`.
    pub(super) fn heads_of(self, lifted: &[LiftedToken]) -> Result<Vec<usize>> {
        match nearest::heads_in_projective(&self, lifted) {
            Some(heads) => Ok(heads),
            None => self.search_all(lifted),
        }
    }

    /// Searches for one head after the other.
    fn search_all(mut self, lifted: &[LiftedToken]) -> Result<Vec<usize>> {
        let n_tokens = self.heads.len();
        let max_steps = MAX_STEPS.max(STEPS_PER_TOKEN.saturating_mul(n_tokens));
        let mut children = vec![Vec::new(); n_tokens];
        for (token, head) in self.heads.iter().enumerate() {
            if self.is_visible(token, *head) {
                children[*head].push(token);
            }
        }
        let mut search = Search { last_seen: vec![0; n_tokens], searches: 0, steps: 0 };
        for LiftedToken { token, label, head_label } in lifted {
            let head = self.heads[*token];
            if let Some(new_head) = search.first_below(&self, &children, *token, *head_label) {
                children[head].retain(|child| child != token);
                if self.is_visible(*token, new_head) {
                    let place = children[new_head].partition_point(|child| child < token);
                    children[new_head].insert(place, *token);
                }
                search.steps += children[head].len() + children[new_head].len();
                self.heads[*token] = new_head;
            }
            self.labels[*token] = *label;
            if search.steps > max_steps {
                let text = format!(
                    "the searches for the heads of {} lifted arcs among {n_tokens} tokens, whose \
                     arcs cross or form a cycle, take more than {max_steps} steps",
                    lifted.len()
                );
                return Err(Error::value(codes::PROJECTIVE_LIMIT, text));
            }
        }
        Ok(lifted.iter().map(|lifted| self.heads[lifted.token]).collect())
    }

    fn is_visible(&self, token: usize, head: usize) -> bool {
        let (first, last) = self.edges[head];
        token != head && (first..=last).contains(&token)
    }
}

/// Breadth-first searches in a tree.
struct Search {
    /// The number of the last search that came to each token: heads that form a cycle lead back to
    /// tokens whose children have been looked at.
    last_seen: Vec<usize>,
    searches: usize,
    steps: usize,
}

impl Search {
    /// The first token below the head of a lifted one that has a label; neither that token itself
    /// nor what is below it.
    fn first_below(
        &mut self,
        tree: &LiftedTree,
        children: &[Vec<usize>],
        lifted: usize,
        label: StrId,
    ) -> Option<usize> {
        self.searches += 1;
        let mut queue = VecDeque::from([tree.heads[lifted]]);
        while let Some(token) = queue.pop_front() {
            self.steps += 1;
            if std::mem::replace(&mut self.last_seen[token], self.searches) == self.searches {
                continue;
            }
            for child in &children[token] {
                self.steps += 1;
                if *child == lifted || tree.is_space[*child] {
                    continue;
                }
                if tree.labels[*child] == label {
                    return Some(*child);
                }
                queue.push_back(*child);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Searches as spaCy does: each child of a token is found among all tokens between its edges.
    fn heads_slowly(tree: &LiftedTree, lifted: &[LiftedToken]) -> Vec<usize> {
        let (mut heads, mut labels) = (tree.heads.clone(), tree.labels.clone());
        for LiftedToken { token, label, head_label } in lifted {
            let mut queue = VecDeque::from([heads[*token]]);
            let mut visited = Vec::new();
            'search: while let Some(at) = queue.pop_front() {
                if visited.contains(&at) {
                    continue;
                }
                visited.push(at);
                for child in tree.edges[at].0..=tree.edges[at].1 {
                    let is_child = heads[child] == at && child != at;
                    if !is_child || child == *token || tree.is_space[child] {
                        continue;
                    }
                    if labels[child] == *head_label {
                        heads[*token] = child;
                        break 'search;
                    }
                    queue.push_back(child);
                }
            }
            labels[*token] = *label;
        }
        lifted.iter().map(|lifted| heads[lifted.token]).collect()
    }

    /// Edges that hold all that is below each token, however the arcs cross.
    fn edges_of(heads: &[usize]) -> Vec<(usize, usize)> {
        let mut edges: Vec<_> = (0..heads.len()).map(|token| (token, token)).collect();
        for _ in heads {
            for (token, head) in heads.iter().enumerate() {
                edges[*head].0 = edges[*head].0.min(edges[token].0);
                edges[*head].1 = edges[*head].1.max(edges[token].1);
            }
        }
        edges
    }

    /// The heads of a projective tree: in each range of tokens one is the head of those on both
    /// sides, which are divided into smaller ranges. Some ranges at the top become trees of their
    /// own.
    fn projective_heads(draws: &[usize]) -> Vec<usize> {
        let mut heads: Vec<usize> = (0..draws.len()).collect();
        let mut ranges = vec![(0..draws.len(), None)];
        while let Some((range, above)) = ranges.pop() {
            let draw = draws[range.start];
            let token = range.start + draw % range.len();
            heads[token] = above.unwrap_or(token);
            let is_alone = above.is_none() && draw % 5 == 0;
            for side in [range.start..token, token + 1..range.end] {
                let mut start = side.start;
                while start < side.end {
                    let end = start + 1 + draw / 7 % (side.end - start);
                    ranges.push((start..end, (!is_alone).then_some(token)));
                    start = end;
                }
            }
        }
        heads
    }

    fn tree(heads: Vec<usize>, kinds: &[usize]) -> (LiftedTree, Vec<LiftedToken>) {
        let name = |number: usize| StrId::new(100 + number as u64 % 4);
        let mut labels = Vec::new();
        let mut lifted = Vec::new();
        for (token, kind) in kinds[..heads.len()].iter().enumerate() {
            let (label, head_label) = (name(*kind), name(kind / 4));
            if kind / 16 % 3 == 0 {
                lifted.push(LiftedToken { token, label, head_label });
            }
            labels.push(if kind / 16 % 3 == 0 { StrId::new(1) } else { label });
        }
        let is_space = kinds[..heads.len()].iter().map(|kind| kind / 64 % 8 == 0).collect();
        let edges = edges_of(&heads);
        (LiftedTree { heads, labels, edges, is_space }, lifted)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn in_projective_trees_the_heads_are_those_of_spacys_search(
            draws in vec(0_usize..10_000, 1..40),
            kinds in vec(0_usize..512, 40),
        ) {
            let (tree, lifted) = tree(projective_heads(&draws), &kinds);
            let expected = heads_slowly(&tree, &lifted);
            let by_passes = nearest::heads_in_projective(&tree, &lifted);
            prop_assert_eq!(by_passes.as_ref(), Some(&expected), "{:?}", tree);
            prop_assert_eq!(tree.search_all(&lifted).unwrap(), expected);
        }

        #[test]
        fn in_any_trees_the_heads_are_those_of_spacys_search(
            heads in vec(0_usize..40, 1..14),
            kinds in vec(0_usize..512, 14),
        ) {
            let n_tokens = heads.len();
            let heads = heads.into_iter().map(|head| head % n_tokens).collect();
            let (tree, lifted) = tree(heads, &kinds);
            let expected = heads_slowly(&tree, &lifted);
            prop_assert_eq!(tree.heads_of(&lifted).unwrap(), expected);
        }
    }

    #[test]
    fn searches_of_too_many_steps_are_given_up() {
        // Below the root two chains whose arcs cross, and as many tokens whose arcs were lifted.
        let n_tokens = 8000;
        let head = |token: usize| if token < n_tokens / 2 { token.saturating_sub(2) } else { 0 };
        let heads = (0..n_tokens).map(head).collect();
        let edges = (0..n_tokens).map(|token| (token, n_tokens - 1)).collect();
        let (labels, is_space) = (vec![StrId::new(1); n_tokens], vec![false; n_tokens]);
        let lifted = |token| LiftedToken { token, label: StrId::new(2), head_label: StrId::new(3) };
        let tree = LiftedTree { heads, labels, edges, is_space };
        let lifted: Vec<_> = (n_tokens / 2..n_tokens).map(lifted).collect();
        assert_eq!(tree.heads_of(&lifted).unwrap_err().code(), "projective-limit");
    }
}
