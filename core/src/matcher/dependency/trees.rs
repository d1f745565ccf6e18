//! The dependency trees of a document, indexed for fast tests of how two tokens are related.
//!
//! Ancestors are tested by intervals of depth-first numbers (Dietz 1982). Heads may form cycles,
//! whose tokens have no such numbers; for them the test walks towards the root.

use std::ops::Range;

use crate::tokens::Doc;

use super::pattern::Link;

/// Marks a token without a depth-first number: its path to the root has a cycle, or an arc whose
/// child lies outside of the edges of its head, as for arcs set without relations.
const UNNUMBERED: u32 = u32::MAX;

/// Heads, children and sentences of a document.
///
/// Cost: linear in the number of tokens; with unnumbered tokens, times its logarithm.
pub(super) struct Trees {
    /// The heads as `Token::head` returns them: a token without a relation is its own head.
    heads: Vec<u32>,
    /// The stored heads, with or without a relation.
    raw_heads: Vec<u32>,
    /// The children of all tokens. Those of token `i`, in the order of the text, are at
    /// `first_child[i]..first_child[i + 1]`.
    children: Vec<u32>,
    first_child: Vec<u32>,
    roots: Vec<u32>,
    /// The first and the last token of each token's sentence.
    sentences: Vec<(u32, u32)>,
    /// The depth-first number of each token, and the number after that of its last descendant.
    numbers: Vec<(u32, u32)>,
    /// The leftmost and the rightmost token of each token's subtree.
    subtree_edges: Vec<(u32, u32)>,
}

/// The tokens that a link leads to from a given token.
#[derive(Clone, Debug)]
pub(super) enum RelatedTokens<'a> {
    /// All tokens of a range.
    Range(Range<u32>),
    /// The tokens of a list, in the order of the text.
    List(&'a [u32]),
    /// The ancestors of a token, all of which lie in a range.
    Ancestors(u32, Range<u32>),
    /// The descendants of a token, all of which lie in a range.
    Descendants(u32, Range<u32>),
}

impl Trees {
    pub(super) fn of(doc: &Doc) -> Trees {
        let count = position(doc.len());
        let mut trees = Trees {
            heads: (0..count).collect(),
            raw_heads: (0..count).collect(),
            children: Vec::new(),
            first_child: vec![0; doc.len() + 1],
            roots: (0..count).collect(),
            sentences: (0..count).map(|i| (i, i)).collect(),
            numbers: vec![(UNNUMBERED, UNNUMBERED); doc.len()],
            subtree_edges: (0..count).map(|i| (i, i)).collect(),
        };
        let Some(records) = doc.syntax_records() else {
            trees.numbers = (0..count).map(|i| (i, i + 1)).collect();
            return trees;
        };
        for (i, record) in records.iter().enumerate() {
            let head = i.checked_add_signed(record.head as isize);
            let head = position(head.filter(|head| *head < records.len()).unwrap_or(i));
            trees.raw_heads[i] = head;
            if record.dep != 0 {
                trees.heads[i] = head;
            }
        }
        trees.list_children(|child, head| {
            let record = &records[head as usize];
            child != head && (record.l_edge..=record.r_edge).contains(&child)
        });
        if trees.number_depth_first() < doc.len() {
            trees.find_roots_by_doubling();
        }
        for (sentence, root) in trees.sentences.iter_mut().zip(&trees.roots) {
            let root = &records[*root as usize];
            *sentence = (root.l_edge, root.r_edge);
        }
        trees
    }

    /// Returns the root of a token. On a cycle this is the token that is reached after as many
    /// steps as the document has tokens.
    pub(super) fn root(&self, token: u32) -> u32 {
        self.roots[token as usize]
    }

    /// Returns the tokens that a link leads to from a token.
    pub(super) fn related(&self, link: Link, left: u32) -> RelatedTokens<'_> {
        let at = left as usize;
        let (previous, next) = (left.checked_sub(1), Some(left + 1));
        let head = Some(self.heads[at]).filter(|head| *head != left);
        let children = self.children(left);
        let siblings = self.children(self.heads[at]);
        let (first, last) = self.sentences[at];
        let in_sentence = |token: &u32| (first..=last).contains(token);
        match link {
            Link::Head => one(head),
            Link::Child => RelatedTokens::List(children),
            Link::Ancestor => RelatedTokens::Ancestors(left, 0..position(self.heads.len())),
            Link::Descendant => {
                let (first, last) = self.subtree_edges[at];
                RelatedTokens::Descendants(left, first..last + 1)
            }
            Link::Next => one(next.filter(in_sentence)),
            Link::Later => RelatedTokens::Range(left + 1..last + 1),
            Link::Previous => one(previous.filter(in_sentence)),
            Link::Earlier => RelatedTokens::Range(first..left),
            Link::NextSibling => among(siblings, next),
            Link::PreviousSibling => among(siblings, previous),
            Link::LaterSibling => RelatedTokens::List(after(siblings, left)),
            Link::EarlierSibling => RelatedTokens::List(before(siblings, left)),
            Link::NextChild => among(children, next),
            Link::PreviousChild => among(children, previous),
            Link::LaterChild => RelatedTokens::List(after(children, left)),
            Link::EarlierChild => RelatedTokens::List(before(children, left)),
            Link::NextHead => one(head.filter(|head| Some(*head) == next)),
            Link::PreviousHead => one(head.filter(|head| Some(*head) == previous)),
            Link::LaterHead => one(head.filter(|head| *head > left)),
            Link::EarlierHead => one(head.filter(|head| *head < left)),
        }
    }

    /// Returns whether a token is one of the related ones. Cost: logarithmic in their number; a
    /// walk to the root for an unnumbered token.
    pub(super) fn contains(&self, related: &RelatedTokens<'_>, token: u32) -> bool {
        match related {
            RelatedTokens::Range(range) => range.contains(&token),
            RelatedTokens::List(tokens) => tokens.binary_search(&token).is_ok(),
            RelatedTokens::Ancestors(of, range) => {
                range.contains(&token)
                    && self
                        .is_ancestor_by_number(token, *of)
                        .unwrap_or_else(|| self.arcs_to_root(*of).any(|(_, head)| head == token))
            }
            RelatedTokens::Descendants(of, range) => {
                range.contains(&token)
                    && token != *of
                    && self.is_ancestor_by_number(*of, token).unwrap_or_else(|| {
                        let is_child = |(child, head): &(u32, u32)| {
                            self.children(*head).binary_search(child).is_ok()
                        };
                        self.arcs_to_root(token).take_while(is_child).any(|(_, head)| head == *of)
                    })
            }
        }
    }

    /// Returns the maximum number of tokens that [`contains`](Trees::contains) walks over.
    pub(super) fn cost(&self, related: &RelatedTokens<'_>, token: u32) -> u64 {
        let below = match related {
            RelatedTokens::Ancestors(of, _) => *of,
            RelatedTokens::Descendants(..) => token,
            RelatedTokens::Range(_) | RelatedTokens::List(_) => return 0,
        };
        let is_numbered = self.numbers[below as usize].0 != UNNUMBERED;
        if is_numbered { 0 } else { self.heads.len() as u64 }
    }

    fn children(&self, of: u32) -> &[u32] {
        let [start, end] = [0, 1].map(|next| self.first_child[of as usize + next] as usize);
        &self.children[start..end]
    }

    /// Returns whether the first token is an ancestor of the second, or `None` if the second token
    /// is unnumbered.
    fn is_ancestor_by_number(&self, above: u32, below: u32) -> Option<bool> {
        let (number, _) = self.numbers[below as usize];
        let (start, end) = self.numbers[above as usize];
        (number != UNNUMBERED).then_some(start < number && number < end)
    }

    /// Returns the arcs from child to head on the path from a token to its root. On a cycle the
    /// path ends after as many arcs as the document has tokens.
    fn arcs_to_root(&self, token: u32) -> impl Iterator<Item = (u32, u32)> {
        let arc = |token: u32| {
            let head = self.raw_heads[token as usize];
            (head != token).then_some((token, head))
        };
        std::iter::successors(arc(token), move |(_, head)| arc(*head)).take(self.heads.len())
    }

    /// Sorts the children of all tokens by head (counting sort).
    fn list_children(&mut self, is_child: impl Fn(u32, u32) -> bool) {
        let arcs = (0..).zip(&self.raw_heads).map(|(child, head)| (child, *head));
        let arcs = || arcs.clone().filter(|(child, head)| is_child(*child, *head));
        for (_, head) in arcs() {
            self.first_child[head as usize + 1] += 1;
        }
        let mut sum = 0;
        for first in &mut self.first_child {
            sum += *first;
            *first = sum;
        }
        let mut next = self.first_child.clone();
        self.children = vec![0; sum as usize];
        for (child, head) in arcs() {
            let position = &mut next[head as usize];
            self.children[*position as usize] = child;
            *position += 1;
        }
    }

    /// Numbers the tokens that are connected with a root, depth first, and returns how many they
    /// are.
    fn number_depth_first(&mut self) -> usize {
        let mut order: Vec<u32> = Vec::with_capacity(self.heads.len());
        let mut pending = Vec::new();
        for root in 0..position(self.heads.len()) {
            if self.raw_heads[root as usize] == root {
                pending.push(root);
            }
            while let Some(token) = pending.pop() {
                let number = position(order.len());
                self.numbers[token as usize] = (number, number + 1);
                self.roots[token as usize] = root;
                order.push(token);
                pending.extend_from_slice(self.children(token));
            }
        }
        for token in order.iter().rev() {
            let at = *token as usize;
            let head = self.raw_heads[at] as usize;
            let ((_, end), (first, last)) = (self.numbers[at], self.subtree_edges[at]);
            let (numbers, edges) = (&mut self.numbers[head], &mut self.subtree_edges[head]);
            numbers.1 = numbers.1.max(end);
            *edges = (edges.0.min(first), edges.1.max(last));
        }
        order.len()
    }

    /// Finds the roots of unnumbered tokens by pointer doubling.
    fn find_roots_by_doubling(&mut self) {
        let mut steps = self.heads.len();
        let mut leap = self.raw_heads.clone();
        let mut ends: Vec<u32> = (0..position(steps)).collect();
        while steps > 0 {
            if steps % 2 == 1 {
                ends = ends.iter().map(|at| leap[*at as usize]).collect();
            }
            leap = leap.iter().map(|at| leap[*at as usize]).collect();
            steps /= 2;
        }
        for (i, end) in ends.into_iter().enumerate() {
            if self.numbers[i].0 == UNNUMBERED {
                self.roots[i] = end;
                self.subtree_edges[i] = (0, position(self.heads.len() - 1));
            }
        }
    }
}

fn one<'a>(token: Option<u32>) -> RelatedTokens<'a> {
    RelatedTokens::Range(token.map_or(0..0, |token| token..token + 1))
}

fn among<'a>(tokens: &[u32], token: Option<u32>) -> RelatedTokens<'a> {
    one(token.filter(|token| tokens.binary_search(token).is_ok()))
}

fn after(tokens: &[u32], token: u32) -> &[u32] {
    &tokens[tokens.partition_point(|other| *other <= token)..]
}

fn before(tokens: &[u32], token: u32) -> &[u32] {
    &tokens[..tokens.partition_point(|other| *other < token)]
}

/// Converts a position in a document.
pub(super) fn position(i: usize) -> u32 {
    u32::try_from(i).expect("a document has at most 2^30 tokens")
}
