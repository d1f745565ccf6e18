//! Lowest common ancestors of all pairs of tokens.

use std::ops::Range;

use ahash::AHashMap;

use super::super::doc::Doc;
use super::super::span::narrow;
use super::rebuild::head_ix;
use super::view::Tree;
use crate::codes;
use crate::{Error, ErrorKind, Result};
use lexpool_threads::StepCounter;

impl Tree<'_> {
    /// Returns the lowest common ancestor of each pair of tokens in `start..end`, relative to
    /// `start`: `n * n` numbers, -1 if it lies outside of the range or the tokens are in different
    /// sentences. Cost: for each token, the number of tokens of its sentence in the range and of
    /// their ancestors.
    ///
    /// # Errors
    ///
    /// `E035` for a range outside of the document; `out-of-memory`.
    pub fn lca_matrix(&self, start: usize, end: usize) -> Result<Vec<i32>> {
        self.lca_matrix_with(start, end, &mut || Ok(()))
    }

    /// Like [`lca_matrix`](Tree::lca_matrix), and calls `check` once every million numbers; an
    /// error of `check` ends the computation.
    ///
    /// # Errors
    ///
    /// Those of [`lca_matrix`](Tree::lca_matrix) and of `check`.
    pub fn lca_matrix_with(
        &self,
        start: usize,
        end: usize,
        check: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Vec<i32>> {
        let span = self.doc.span(start, end)?;
        let n = span.len();
        let mut matrix = Vec::new();
        matrix.try_reserve_exact(n.saturating_mul(n)).map_err(|cause| {
            let text = format!("cannot allocate {n} x {n} numbers for the ancestors of {n} tokens");
            Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text).caused_by(cause)
        })?;
        let mut watch = StepCounter::new(check);
        for row in 1..=n {
            matrix.resize(row * n, -1);
            watch.after(n)?;
        }
        let starts = |at: &usize| self.doc.tokens()[*at].sent_start() == 1;
        let mut ancestors = AncestorTable::new(self.doc, start..end);
        let mut from = start;
        while from < end {
            let to = (from + 1..end).find(starts).unwrap_or(end);
            ancestors.fill(from..to);
            for j in from..to {
                watch.after(ancestors.heads.len())?;
                ancestors.select(j);
                for k in j..to {
                    let ancestor =
                        ancestors.common_ancestor(k).filter(|lca| (start..end).contains(lca));
                    let relative = ancestor.map_or(-1, |lca| narrow(lca - start));
                    let (j, k) = (j - start, k - start);
                    (matrix[j * n + k], matrix[k * n + j]) = (relative, relative);
                }
            }
            from = to;
        }
        Ok(matrix)
    }
}

/// Tokens and their ancestors, numbered so that a head comes before its children.
struct AncestorTable<'d> {
    doc: &'d Doc,
    range: Range<usize>,
    /// The number of each token of the range; `UNNUMBERED` before `fill`, `ON_PATH` while its
    /// ancestors are being added.
    numbers: Vec<u32>,
    /// The numbers of tokens outside of the range.
    outside: AHashMap<usize, u32>,
    tokens: Vec<usize>,
    /// The number of the head, which is lower; of a root, its own number.
    heads: Vec<usize>,
    /// The lowest common ancestor of each token and the one last passed to `select`.
    common: Vec<Option<usize>>,
}

const UNNUMBERED: u32 = u32::MAX;
const ON_PATH: u32 = u32::MAX - 1;

impl<'d> AncestorTable<'d> {
    fn new(doc: &'d Doc, range: Range<usize>) -> AncestorTable<'d> {
        AncestorTable {
            doc,
            numbers: vec![UNNUMBERED; range.len()],
            range,
            outside: AHashMap::new(),
            tokens: Vec::new(),
            heads: Vec::new(),
            common: Vec::new(),
        }
    }

    /// Replaces the content by these tokens of the range and their ancestors.
    fn fill(&mut self, tokens: Range<usize>) {
        for token in std::mem::take(&mut self.tokens) {
            self.set(token, UNNUMBERED);
        }
        self.heads.clear();
        let mut path = Vec::new();
        for token in tokens {
            let mut at = token;
            while self.number(at) == UNNUMBERED {
                self.set(at, ON_PATH);
                path.push(at);
                at = head_ix(self.doc, at);
            }
            while let Some(token) = path.pop() {
                let row = self.tokens.len();
                let head = match self.number(head_ix(self.doc, token)) {
                    // A root, or a cycle, which is cut here.
                    ON_PATH => row,
                    number => number as usize,
                };
                self.tokens.push(token);
                self.heads.push(head);
                self.set(token, u32::try_from(row).expect("a text has fewer than 2^30 characters"));
            }
        }
        self.common.clear();
        self.common.resize(self.tokens.len(), None);
    }

    /// Computes the lowest common ancestors of this token and every other.
    fn select(&mut self, token: usize) {
        self.common.fill(None);
        let mut at = self.number(token) as usize;
        loop {
            self.common[at] = Some(at);
            if self.heads[at] == at {
                break;
            }
            at = self.heads[at];
        }
        for at in 0..self.heads.len() {
            if self.common[at].is_none() {
                // A root of another tree stays `None`, and so do its descendants.
                self.common[at] = self.common[self.heads[at]];
            }
        }
    }

    /// Returns the lowest common ancestor of this token and the selected one.
    fn common_ancestor(&self, token: usize) -> Option<usize> {
        self.common[self.number(token) as usize].map(|number| self.tokens[number])
    }

    fn number(&self, token: usize) -> u32 {
        if self.range.contains(&token) {
            return self.numbers[token - self.range.start];
        }
        self.outside.get(&token).copied().unwrap_or(UNNUMBERED)
    }

    fn set(&mut self, token: usize, number: u32) {
        if self.range.contains(&token) {
            self.numbers[token - self.range.start] = number;
        } else {
            self.outside.insert(token, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::tests::{chain, parsed, trees};

    proptest! {
        #[test]
        fn the_lowest_common_ancestor_is_the_first_that_two_chains_share(
            heads in trees(10), (a, b) in (0..11_usize, 0..11_usize),
        ) {
            let doc = parsed(&heads);
            let n = heads.len();
            let (start, end) = (a.min(b).min(n), a.max(b).min(n));
            let matrix = doc.tree().lca_matrix(start, end).unwrap();
            let width = end - start;
            for (j, k) in (0..width).flat_map(|j| (0..width).map(move |k| (j, k))) {
                let (low, high) = (start + j.min(k), start + j.max(k));
                let above = chain(&heads, low);
                let common = chain(&heads, high).into_iter().find(|i| above.contains(i));
                let common = common.filter(|i| {
                    (start..end).contains(i) && doc.sentences().containing(low).contains(&high)
                });
                prop_assert_eq!(matrix[j * width + k], common.map_or(-1, |i| narrow(i - start)));
            }
        }
    }

    #[test]
    fn heads_in_a_cycle_end_the_walk() {
        for heads in [&[1, 2, 0, 1][..], &[1, 0], &[1, 2, 1, 2, 3]] {
            let doc = parsed(heads);
            assert_eq!(
                doc.tree().lca_matrix(0, heads.len()).unwrap().len(),
                heads.len() * heads.len()
            );
        }
    }

    /// Two chains that meet in the middle, which once cost a walk of both for each pair.
    fn two_chains(n: usize) -> Doc {
        let middle = n / 2;
        let head = |i: usize| if i < middle { i + 1 } else { i - usize::from(i > middle) };
        parsed(&(0..n).map(head).collect::<Vec<_>>())
    }

    /// Counts the questions whether to go on: one for each million steps.
    fn glances(n: usize) -> usize {
        let mut asked = 0;
        let matrix = two_chains(n).tree().lca_matrix_with(0, n, &mut || {
            asked += 1;
            Ok(())
        });
        let matrix = matrix.unwrap();
        assert_eq!(matrix[n - 1], narrow(n / 2));
        asked
    }

    #[test]
    fn the_steps_for_deep_trees_grow_with_the_size_of_the_matrix_and_no_faster() {
        let (small, large) = (glances(1_500), glances(3_000));
        assert!(small >= 4, "{small}");
        assert!(large <= 4 * small + 4, "{small} glances, then {large} for four times the pairs");
    }

    #[test]
    fn the_work_ends_when_it_is_told_to() {
        let stop =
            || Error::new(ErrorKind::Interrupted, crate::Code::new("stopped"), "by the test");
        let stopped = two_chains(1_500).tree().lca_matrix_with(0, 1_500, &mut || Err(stop()));
        assert_eq!(stopped.unwrap_err().code(), "stopped");
    }
}
