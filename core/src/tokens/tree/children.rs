//! Finds the children of many tokens in sequence, for walks of subtrees.
//!
//! The children of one token are found by a scan between its edges, which in a deep tree is most of
//! the sentence for each token. So after a number of scanned tokens proportional to the range, the
//! finder sorts the range by heads once (counting sort: Cormen et al., Introduction to Algorithms,
//! 8.2) and scanned children up from then on: a whole walk takes linear time.

use std::ops::Range;

use ahash::AHashSet;

use super::super::doc::Doc;
use super::super::span::Span;
use super::super::token::{Token, TokenIx};
use super::rebuild::head_ix;

/// The number of scanned tokens that is cheaper than a sort, in addition to four a token of the
/// range.
const SCAN_LIMIT: usize = 256;

/// Finds the children of tokens in a range.
pub(super) struct ChildFinder<'a> {
    doc: &'a Doc,
    range: Range<usize>,
    /// The number of tokens scanned so far.
    scanned: usize,
    /// After the sort, the start of each head's children, and the children of all heads.
    sorted: Option<(Vec<usize>, Vec<usize>)>,
}

/// The tokens that a walk has visited: one flag a token of its range, and a set of the tokens
/// outside, which a cycle of heads may lead to.
pub(super) struct VisitedSet {
    range: Range<usize>,
    within: Vec<bool>,
    outside: AHashSet<usize>,
}

impl VisitedSet {
    pub(super) fn within(range: Range<usize>) -> VisitedSet {
        VisitedSet { within: vec![false; range.len()], range, outside: AHashSet::new() }
    }

    /// Adds a token. Returns `false` if it was visited before.
    pub(super) fn enter(&mut self, i: usize) -> bool {
        if self.range.contains(&i) {
            return !std::mem::replace(&mut self.within[i - self.range.start], true);
        }
        self.outside.insert(i)
    }

    fn leave(&mut self, i: usize) {
        if self.range.contains(&i) {
            self.within[i - self.range.start] = false;
        } else {
            self.outside.remove(&i);
        }
    }
}

impl<'a> ChildFinder<'a> {
    pub(super) fn within(doc: &'a Doc, range: Range<usize>) -> ChildFinder<'a> {
        ChildFinder { doc, range, scanned: 0, sorted: None }
    }

    /// Replaces the content of `out` by the children of `head` that lie in `part`.
    pub(super) fn find(&mut self, head: usize, part: Range<usize>, out: &mut Vec<usize>) {
        out.clear();
        let is_child = |i: &usize| head_ix(self.doc, *i) == head && *i != head;
        // In a cycle of heads, edges may lie outside of the range.
        let is_within = self.range.contains(&head)
            && self.range.start <= part.start
            && part.end <= self.range.end;
        if !is_within || self.scanned + part.len() <= SCAN_LIMIT + 4 * self.range.len() {
            self.scanned += part.len();
            out.extend(part.filter(is_child));
            return;
        }
        let (doc, range) = (self.doc, &self.range);
        let (starts, children) = self.sorted.get_or_insert_with(|| {
            self.scanned += 3 * range.len();
            sort(doc, range)
        });
        let at = head - range.start;
        let head_children = &children[starts[at]..starts[at + 1]];
        self.scanned += head_children.len();
        out.extend(head_children.iter().copied().filter(|i| part.contains(i) && *i != head));
    }

    /// Appends a token and its descendants that are not in `visited`, by in-order traversal.
    pub(super) fn subtree(&mut self, top: usize, visited: &mut VisitedSet, out: &mut Vec<usize>) {
        enum Step {
            Expand(usize),
            Emit(usize),
        }
        let mut steps = vec![Step::Expand(top)];
        let mut children = Vec::new();
        while let Some(step) = steps.pop() {
            match step {
                Step::Emit(i) => out.push(i),
                Step::Expand(i) => {
                    if !visited.enter(i) {
                        continue;
                    }
                    let edges = edges(self.doc, i);
                    self.find(i, i + 1..edges.end, &mut children);
                    steps.extend(children.iter().rev().copied().map(Step::Expand));
                    steps.push(Step::Emit(i));
                    self.find(i, edges.start..i, &mut children);
                    steps.extend(children.iter().rev().copied().map(Step::Expand));
                }
            }
        }
    }
}

/// Sorts the tokens of a range by their heads, those of one head in the order of the text.
fn sort(doc: &Doc, range: &Range<usize>) -> (Vec<usize>, Vec<usize>) {
    let head = |i: usize| {
        let head = head_ix(doc, i);
        range.contains(&head).then(|| head - range.start)
    };
    let mut starts = vec![0; range.len() + 1];
    range.clone().filter_map(head).for_each(|head| starts[head] += 1);
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut children = vec![0; sum];
    for i in range.clone().rev() {
        if let Some(head) = head(i) {
            starts[head] -= 1;
            children[starts[head]] = i;
        }
    }
    (starts, children)
}

/// Returns the range of a token's subtree, which always lies within the document.
pub(super) fn edges(doc: &Doc, i: usize) -> Range<usize> {
    doc.syntax_records()
        .map_or(i..i + 1, |syntax| syntax[i].l_edge as usize..syntax[i].r_edge as usize + 1)
}

impl<'a> Span<'a> {
    /// Returns the tokens before the span whose heads are in it: children of the last token first,
    /// those of one token in the order of the text.
    pub fn lefts(&self) -> Vec<Token<'a>> {
        let mut lefts = self.outside(|own| edges(self.doc(), own).start..self.start());
        lefts.sort_by_key(|&(head, i)| (std::cmp::Reverse(head), i));
        self.tokens_of(lefts.into_iter().map(|(_, i)| i))
    }

    /// Returns the tokens after the span whose heads are in it: children of the first token first,
    /// those of one token in the order of the text.
    pub fn rights(&self) -> Vec<Token<'a>> {
        let mut rights = self.outside(|own| self.end()..edges(self.doc(), own).end);
        rights.sort_unstable();
        self.tokens_of(rights.into_iter().map(|(_, i)| i))
    }

    /// Returns the subtrees of [`lefts`](Span::lefts), the tokens of the span, and the subtrees of
    /// [`rights`](Span::rights).
    pub fn subtree(&self) -> Vec<Token<'a>> {
        let doc = self.doc();
        let all = self.start()..self.end();
        let range = all
            .clone()
            .map(|i| edges(doc, i))
            .fold(all.clone(), |all, edges| all.start.min(edges.start)..all.end.max(edges.end));
        let mut visited = VisitedSet::within(range.clone());
        let mut children = ChildFinder::within(doc, range);
        let mut below = |tokens: Vec<Token<'a>>, out: &mut Vec<usize>| {
            for token in tokens {
                let from = out.len();
                children.subtree(token.i(), &mut visited, out);
                // Each subtree is walked on its own: in a cycle, two subtrees may share tokens.
                out[from..].iter().for_each(|i| visited.leave(*i));
            }
        };
        let mut out = Vec::new();
        below(self.lefts(), &mut out);
        out.extend(all);
        below(self.rights(), &mut out);
        self.tokens_of(out)
    }

    /// Returns pairs of a head in the span and its child outside. `part` returns the range in which
    /// the children of a head are searched.
    fn outside(&self, part: impl Fn(usize) -> Range<usize>) -> Vec<(usize, usize)> {
        let tokens = self.start()..self.end();
        let parts = tokens.clone().map(&part).filter(|part| !part.is_empty());
        let all = parts.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0);
        let with_head = all.map(|i| (head_ix(self.doc(), i), i));
        with_head.filter(|(head, i)| tokens.contains(head) && part(*head).contains(i)).collect()
    }

    fn tokens_of(&self, positions: impl IntoIterator<Item = usize>) -> Vec<Token<'a>> {
        let doc = self.doc();
        positions.into_iter().map(|i| Token::new(doc, TokenIx::new(i))).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::tests::{parsed, trees};

    fn positions(tokens: &[Token<'_>]) -> Vec<usize> {
        tokens.iter().map(Token::i).collect()
    }

    proptest! {
        #[test]
        fn what_hangs_on_a_span_is_what_hangs_on_its_tokens_one_by_one(
            heads in trees(10), (a, b) in (0..11_usize, 0..11_usize),
        ) {
            let doc = parsed(&heads);
            let (start, end) = (a.min(b).min(heads.len()), a.max(b).min(heads.len()));
            let span = doc.span(start, end).unwrap();
            let lefts: Vec<_> = span.iter().rev().flat_map(|token| token.lefts()).collect();
            let lefts: Vec<_> = lefts.iter().map(Token::i).filter(|i| *i < start).collect();
            prop_assert_eq!(positions(&span.lefts()), &*lefts);
            let rights: Vec<_> = span.iter().flat_map(|token| token.rights()).collect();
            let rights: Vec<_> = rights.iter().map(Token::i).filter(|i| *i >= end).collect();
            prop_assert_eq!(positions(&span.rights()), &*rights);
            let below = |i: &usize| positions(&doc.token(*i).unwrap().subtree());
            let mut all: Vec<_> = lefts.iter().flat_map(below).collect();
            all.extend(start..end);
            all.extend(rights.iter().flat_map(below));
            prop_assert_eq!(positions(&span.subtree()), all);
        }

        #[test]
        fn children_are_the_same_once_they_are_sorted(heads in trees(10), times in 0..400_usize) {
            let doc = parsed(&heads);
            let mut children = ChildFinder::within(&doc, 0..heads.len());
            let mut found = Vec::new();
            for turn in 0..times {
                let token = doc.token(turn % heads.len()).unwrap();
                let part = edges(&doc, token.i());
                children.find(token.i(), part, &mut found);
                prop_assert_eq!(&found, &token.children().map(|c| c.i()).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_walk_scanned_at_each_token_a_few_times_however_deep_the_tree_is() {
        let n = 3000;
        let shapes: [fn(usize, usize) -> usize; 3] = [
            |i, _| i.saturating_sub(1),
            |i, n| (i + 1).min(n - 1),
            |i, n| if i < n / 2 { i.saturating_sub(1) } else { n - 1 - i },
        ];
        for head in shapes {
            let doc = parsed(&(0..n).map(|i| head(i, n)).collect::<Vec<_>>());
            let (mut children, mut out) = (ChildFinder::within(&doc, 0..n), Vec::new());
            let top = doc.iter().find(|token| head_ix(&doc, token.i()) == token.i()).unwrap();
            children.subtree(top.i(), &mut VisitedSet::within(0..n), &mut out);
            assert_eq!(out.len(), n);
            assert!(children.scanned <= 10 * n + SCAN_LIMIT, "{} scanned", children.scanned);
        }
    }
}
