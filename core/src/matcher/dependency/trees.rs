//! The trees of a document, laid out so that a look at how two tokens stand to each other is short.

use std::ops::Range;

use crate::tokens::Doc;

use super::Link;

/// What has no number: a token from which the way up goes round in circles, or over an arc that leads
/// out of the edges of its head, as arcs do that were set without relations.
const NOWHERE: u32 = u32::MAX;

/// Heads, children and sentences of a document.
///
/// Cost: some passes over the tokens; more by the logarithm of their number where some have no number.
pub(super) struct Trees {
    /// As `Token::head`: a token without a relation is its own head.
    heads: Vec<u32>,
    /// As they are written, with or without a relation.
    raw_heads: Vec<u32>,
    /// The children of token `i`, in the order of the text, are those from `first_child[i]` to
    /// before `first_child[i + 1]`.
    children: Vec<u32>,
    first_child: Vec<u32>,
    roots: Vec<u32>,
    /// For each token the first and the last one of its sentence.
    sentences: Vec<(u32, u32)>,
    /// Numbers in depth-first order: of the token, and behind that of its last descendant.
    numbers: Vec<(u32, u32)>,
    /// The first and the last descendant by position, or the token itself.
    reach: Vec<(u32, u32)>,
}

/// The tokens that stand in one way to a given one.
#[derive(Clone, Debug)]
pub(super) enum Related<'a> {
    /// All of these.
    Range(Range<u32>),
    /// These, in the order of the text.
    These(&'a [u32]),
    /// Of these the ancestors of the token.
    Above(u32, Range<u32>),
    /// Of these the descendants of the token.
    Below(u32, Range<u32>),
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
            numbers: vec![(NOWHERE, NOWHERE); doc.len()],
            reach: (0..count).map(|i| (i, i)).collect(),
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
        if trees.number() < doc.len() {
            trees.follow_the_rest();
        }
        for (sentence, root) in trees.sentences.iter_mut().zip(&trees.roots) {
            let root = &records[*root as usize];
            *sentence = (root.l_edge, root.r_edge);
        }
        trees
    }

    /// The last token on the way up; on a cycle the one that the way ends at after as many steps as
    /// there are tokens.
    pub(super) fn root(&self, token: u32) -> u32 {
        self.roots[token as usize]
    }

    /// The tokens to which a link leads from a token.
    pub(super) fn related(&self, link: Link, left: u32) -> Related<'_> {
        let at = left as usize;
        let (before, behind) = (left.checked_sub(1), Some(left + 1));
        let head = Some(self.heads[at]).filter(|head| *head != left);
        let children = self.children(left);
        let siblings = self.children(self.heads[at]);
        let (first, last) = self.sentences[at];
        let in_sentence = |token: &u32| (first..=last).contains(token);
        match link {
            Link::Head => one(head),
            Link::Child => Related::These(children),
            Link::Ancestor => Related::Above(left, 0..position(self.heads.len())),
            Link::Descendant => {
                let (first, last) = self.reach[at];
                Related::Below(left, first..last + 1)
            }
            Link::Next => one(behind.filter(in_sentence)),
            Link::Later => Related::Range(left + 1..last + 1),
            Link::Previous => one(before.filter(in_sentence)),
            Link::Earlier => Related::Range(first..left),
            Link::NextSibling => among(siblings, behind),
            Link::PreviousSibling => among(siblings, before),
            Link::LaterSibling => Related::These(behind_of(siblings, left)),
            Link::EarlierSibling => Related::These(before_of(siblings, left)),
            Link::NextChild => among(children, behind),
            Link::PreviousChild => among(children, before),
            Link::LaterChild => Related::These(behind_of(children, left)),
            Link::EarlierChild => Related::These(before_of(children, left)),
            Link::NextHead => one(head.filter(|head| Some(*head) == behind)),
            Link::PreviousHead => one(head.filter(|head| Some(*head) == before)),
            Link::LaterHead => one(head.filter(|head| *head > left)),
            Link::EarlierHead => one(head.filter(|head| *head < left)),
        }
    }

    /// Whether a token is among the related ones. Cost: by the logarithm of their number; for tokens
    /// that have no number of a walk to the root.
    pub(super) fn contains(&self, related: &Related<'_>, token: u32) -> bool {
        match related {
            Related::Range(range) => range.contains(&token),
            Related::These(tokens) => tokens.binary_search(&token).is_ok(),
            Related::Above(of, range) => {
                range.contains(&token)
                    && self
                        .is_numbered_above(token, *of)
                        .unwrap_or_else(|| self.way_up(*of).any(|(_, head)| head == token))
            }
            Related::Below(of, range) => {
                range.contains(&token)
                    && token != *of
                    && self.is_numbered_above(*of, token).unwrap_or_else(|| {
                        let is_child = |(child, head): &(u32, u32)| {
                            self.children(*head).binary_search(child).is_ok()
                        };
                        self.way_up(token).take_while(is_child).any(|(_, head)| head == *of)
                    })
            }
        }
    }

    /// How many tokens `contains` walks over.
    pub(super) fn cost(&self, related: &Related<'_>, token: u32) -> u64 {
        let below = match related {
            Related::Above(of, _) => *of,
            Related::Below(..) => token,
            Related::Range(_) | Related::These(_) => return 0,
        };
        let is_numbered = self.numbers[below as usize].0 != NOWHERE;
        if is_numbered { 0 } else { self.heads.len() as u64 }
    }

    fn children(&self, of: u32) -> &[u32] {
        let [start, end] = [0, 1].map(|next| self.first_child[of as usize + next] as usize);
        &self.children[start..end]
    }

    /// Whether the first token is met on the way up from the second, if that has a number.
    fn is_numbered_above(&self, above: u32, below: u32) -> Option<bool> {
        let (number, _) = self.numbers[below as usize];
        let (start, end) = self.numbers[above as usize];
        (number != NOWHERE).then_some(start < number && number < end)
    }

    /// Arcs from child to head, from a token up to its root; as many as there are tokens on a cycle.
    fn way_up(&self, token: u32) -> impl Iterator<Item = (u32, u32)> {
        let arc = |token: u32| {
            let head = self.raw_heads[token as usize];
            (head != token).then_some((token, head))
        };
        std::iter::successors(arc(token), move |(_, head)| arc(*head)).take(self.heads.len())
    }

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
            let place = &mut next[head as usize];
            self.children[*place as usize] = child;
            *place += 1;
        }
    }

    /// Numbers what hangs below roots, depth first, and says how much that is.
    fn number(&mut self) -> usize {
        let mut order: Vec<u32> = Vec::with_capacity(self.heads.len());
        let mut open = Vec::new();
        for root in 0..position(self.heads.len()) {
            if self.raw_heads[root as usize] == root {
                open.push(root);
            }
            while let Some(token) = open.pop() {
                let number = position(order.len());
                self.numbers[token as usize] = (number, number + 1);
                self.roots[token as usize] = root;
                order.push(token);
                open.extend_from_slice(self.children(token));
            }
        }
        for token in order.iter().rev() {
            let at = *token as usize;
            let head = self.raw_heads[at] as usize;
            let ((_, end), (first, last)) = (self.numbers[at], self.reach[at]);
            let (numbers, reach) = (&mut self.numbers[head], &mut self.reach[head]);
            numbers.1 = numbers.1.max(end);
            *reach = (reach.0.min(first), reach.1.max(last));
        }
        order.len()
    }

    /// Finds the roots of tokens without numbers, by doubling steps.
    fn follow_the_rest(&mut self) {
        let mut rest = self.heads.len();
        let mut leap = self.raw_heads.clone();
        let mut ends: Vec<u32> = (0..position(rest)).collect();
        while rest > 0 {
            if rest % 2 == 1 {
                ends = ends.iter().map(|at| leap[*at as usize]).collect();
            }
            leap = leap.iter().map(|at| leap[*at as usize]).collect();
            rest /= 2;
        }
        for (i, end) in ends.into_iter().enumerate() {
            if self.numbers[i].0 == NOWHERE {
                self.roots[i] = end;
                self.reach[i] = (0, position(self.heads.len() - 1));
            }
        }
    }
}

fn one<'a>(token: Option<u32>) -> Related<'a> {
    Related::Range(token.map_or(0..0, |token| token..token + 1))
}

fn among<'a>(tokens: &[u32], token: Option<u32>) -> Related<'a> {
    one(token.filter(|token| tokens.binary_search(token).is_ok()))
}

fn behind_of(tokens: &[u32], token: u32) -> &[u32] {
    &tokens[tokens.partition_point(|other| *other <= token)..]
}

fn before_of(tokens: &[u32], token: u32) -> &[u32] {
    &tokens[..tokens.partition_point(|other| *other < token)]
}

/// A position in a document, which has fewer tokens than that.
pub(super) fn position(i: usize) -> u32 {
    u32::try_from(i).expect("a document has at most 2^30 tokens")
}
