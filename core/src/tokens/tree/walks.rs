//! Walks of the dependency tree from a token or a span.
//!
//! Heads may form cycles; every walk ends, as it visits a token at most once.

use std::ops::Range;

use lexpool_structs::{AttrId, symbols};

use super::super::span::Span;
use super::super::token::{Token, TokenIx};
use super::children::{ChildFinder, VisitedSet, edges};
use super::from_roots::{FromRoots, Top};
use super::rebuild::head_ix;
use crate::codes;
use crate::{Error, ErrorKind, Result};

/// Returns the id of the relation of coordinated words.
fn conj() -> u64 {
    symbols::number("conj").map_or(0, u64::from)
}

impl<'a> Token<'a> {
    /// Returns whether the token has a head, that is, a relation is set.
    pub fn has_head(&self) -> bool {
        self.syntax_record().is_some_and(|record| record.dep != 0)
    }

    /// Returns the head; the token itself if it is a root or has no relation.
    #[must_use]
    pub fn head(&self) -> Token<'a> {
        if self.has_head() { self.at(head_ix(self.doc(), self.i())) } else { *self }
    }

    /// Returns the number of children to the left.
    pub fn n_lefts(&self) -> usize {
        self.syntax_record().map_or(0, |record| record.l_kids as usize)
    }

    /// Returns the number of children to the right.
    pub fn n_rights(&self) -> usize {
        self.syntax_record().map_or(0, |record| record.r_kids as usize)
    }

    /// Returns the first token of the subtree.
    #[must_use]
    pub fn left_edge(&self) -> Token<'a> {
        self.at(self.edges().start)
    }

    /// Returns the last token of the subtree.
    #[must_use]
    pub fn right_edge(&self) -> Token<'a> {
        self.at(self.edges().end - 1)
    }

    /// Returns the children to the left, in the order of the text. Cost: the distance to the left
    /// edge.
    pub fn lefts(&self) -> impl DoubleEndedIterator<Item = Token<'a>> + use<'a> {
        self.children_in(self.edges().start, self.i())
    }

    /// Returns the children to the right, in the order of the text. Cost: the distance to the right
    /// edge.
    pub fn rights(&self) -> impl DoubleEndedIterator<Item = Token<'a>> + use<'a> {
        self.children_in(self.i() + 1, self.edges().end)
    }

    /// Returns all children, in the order of the text.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = Token<'a>> + use<'a> {
        self.lefts().chain(self.rights())
    }

    /// Returns the token and its descendants by in-order traversal: left subtrees, the token, right
    /// subtrees. If arcs cross, that is not the order of the text. Cost: linear in the distance
    /// between the edges.
    pub fn subtree(&self) -> Vec<Token<'a>> {
        let edges = edges(self.doc(), self.i());
        let mut children = ChildFinder::within(self.doc(), edges.clone());
        let mut out = Vec::new();
        children.subtree(self.i(), &mut VisitedSet::within(edges), &mut out);
        out.into_iter().map(|i| self.at(i)).collect()
    }

    /// Returns the head, its head, and so on to the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Token<'a>> + use<'a> {
        let doc = self.doc();
        let up = move |token: &Token<'a>| {
            let head = head_ix(doc, token.i());
            (head != token.i()).then(|| token.at(head))
        };
        std::iter::successors(up(self), up).take(doc.len())
    }

    /// Returns whether the token is an ancestor of another token of the same document.
    pub fn is_ancestor(&self, descendant: &Token<'_>) -> bool {
        std::ptr::eq(self.doc(), descendant.doc())
            && descendant.ancestors().any(|token| token.i() == self.i())
    }

    /// Returns the other tokens coordinated with this one: those reached from the first conjunct by
    /// `conj` arcs to the right.
    pub fn conjuncts(&self) -> Vec<Token<'a>> {
        let conj = conj();
        let is_conj = |token: &Token<'_>| token.attr(AttrId::DEP) == conj;
        let mut start = *self;
        for _ in 0..self.doc().len() {
            let head = start.head();
            if head.i() == start.i() || !is_conj(&start) {
                break;
            }
            start = head;
        }
        let edges_of_all = edges(self.doc(), start.i());
        let mut visited = VisitedSet::within(edges_of_all.clone());
        visited.enter(start.i());
        let mut conjuncts = vec![start];
        let mut next = 0;
        let mut children = ChildFinder::within(self.doc(), edges_of_all);
        let mut rights = Vec::new();
        while let Some(token) = conjuncts.get(next).copied() {
            let right_edge = edges(self.doc(), token.i()).end;
            children.find(token.i(), token.i() + 1..right_edge, &mut rights);
            let more = rights.iter().map(|i| self.at(*i)).filter(is_conj);
            conjuncts.extend(more.filter(|child| visited.enter(child.i())));
            next += 1;
        }
        conjuncts.retain(|token| token.i() != self.i());
        conjuncts
    }

    fn at(&self, i: usize) -> Token<'a> {
        Token::new(self.doc(), TokenIx::new(i))
    }

    fn edges(&self) -> Range<usize> {
        edges(self.doc(), self.i())
    }

    fn children_in(
        &self,
        start: usize,
        end: usize,
    ) -> impl DoubleEndedIterator<Item = Token<'a>> + use<'a> {
        let (doc, own) = (self.doc(), self.i());
        let children = (start..end).filter(move |i| head_ix(doc, *i) == own);
        children.map(move |i| Token::new(doc, TokenIx::new(i)))
    }
}

impl<'a> Span<'a> {
    /// Returns the token nearest to the root of its sentence, the first one of several; `None` if
    /// the span is empty. Cost: linear in the length of the span and in the number of tokens above
    /// it.
    ///
    /// # Errors
    ///
    /// `E039` if heads form a cycle; `out-of-memory`.
    pub fn root(&self) -> Result<Option<Token<'a>>> {
        self.root_by(&mut Depths::default())
    }

    /// Returns the root, as [`root`](Span::root) does; several spans of a document share `depths`.
    pub(crate) fn root_by(&self, depths: &mut Depths) -> Result<Option<Token<'a>>> {
        let doc = self.doc();
        if let Some(root) = self.iter().find(|token| head_ix(doc, token.i()) == token.i()) {
            return Ok(Some(root));
        }
        let mut best = None;
        let mut least = doc.len();
        for token in self.iter() {
            if (self.start()..self.end()).contains(&head_ix(doc, token.i())) {
                continue;
            }
            let words = words_to_root(&token, depths)?;
            if words < least {
                (least, best) = (words, Some(token));
            }
        }
        Ok(best.or_else(|| self.iter().next()))
    }
}

/// Returns the number of arcs from a token to its root. Isolated spaces and punctuation count as
/// farthest, as in spaCy.
fn words_to_root(token: &Token<'_>, depths: &mut Depths) -> Result<usize> {
    let lex = token.lex();
    let is_isolated = token.n_lefts() + token.n_rights() == 0;
    if is_isolated && (lex.attr(AttrId::IS_SPACE) != 0 || lex.attr(AttrId::IS_PUNCT) != 0) {
        return Ok(token.doc().len() - 1);
    }
    depths.of(token)
}

/// The numbers of arcs from tokens to their roots. All walks together visit a token once.
#[derive(Default)]
pub(crate) struct Depths(FromRoots<usize>);

impl Depths {
    fn of(&mut self, token: &Token<'_>) -> Result<usize> {
        let of_top = |top| match top {
            Top::Root(_) => Ok(0),
            Top::Circle(_) => {
                let text = format!("the heads above token {} form a cycle", token.i());
                Err(Error::new(ErrorKind::State, codes::E039, text))
            }
        };
        self.0.of(token.doc(), token.i(), of_top, |_, depth| depth + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::tests::{chain, parsed, trees, words};
    use crate::tokens::{Annotations, Doc};

    fn positions<'a>(tokens: impl IntoIterator<Item = Token<'a>>) -> Vec<usize> {
        tokens.into_iter().map(|token| token.i()).collect()
    }

    proptest! {
        #[test]
        fn walks_follow_the_heads(heads in trees(10), (a, b) in (0..11_usize, 0..11_usize)) {
            let doc = parsed(&heads);
            let n = heads.len();
            for token in doc.iter() {
                let i = token.i();
                let children: Vec<_> = (0..n).filter(|c| *c != i && heads[*c] == i).collect();
                prop_assert_eq!(positions(token.children()), &*children);
                prop_assert_eq!(token.lefts().count(), token.n_lefts());
                prop_assert_eq!(token.rights().count(), token.n_rights());
                prop_assert_eq!(positions(token.ancestors()), &chain(&heads, i)[1..]);
                let mut subtree = positions(token.subtree());
                subtree.sort_unstable();
                let below: Vec<_> = (0..n).filter(|c| chain(&heads, *c).contains(&i)).collect();
                prop_assert_eq!(subtree, below);
                for other in doc.iter() {
                    let is_above = other.i() != i && chain(&heads, other.i()).contains(&i);
                    prop_assert_eq!(token.is_ancestor(&other), is_above);
                }
            }
            let (start, end) = (a.min(b).min(n), a.max(b).min(n));
            let span = doc.span(start, end).unwrap();
            let root = span.root().unwrap().map(|token| token.i());
            // The token with a head outside of the span that is nearest to its root.
            let nearest = |start: usize, end: usize| {
                let out = |i: &usize| heads[*i] == *i || !(start..end).contains(&heads[*i]);
                (start..end).filter(out).min_by_key(|i| chain(&heads, *i).len())
            };
            prop_assert_eq!(root, nearest(start, end));
            let mut depths = Depths::default();
            for start in 0..n {
                let root = doc.span(start, end.max(start)).unwrap().root_by(&mut depths).unwrap();
                prop_assert_eq!(root.map(|token| token.i()), nearest(start, end.max(start)));
            }
        }
    }

    #[test]
    fn walks_end_where_heads_form_a_cycle() {
        let doc = parsed(&[1, 2, 0, 1]);
        for token in doc.iter() {
            assert!(token.ancestors().count() <= doc.len());
            assert!(token.subtree().len() <= doc.len());
            assert!(token.conjuncts().len() < doc.len());
        }
        assert_eq!(doc.span(3, 4).unwrap().root().unwrap_err().code(), "E039");
        assert_eq!(positions(doc.span(0, 4).unwrap().root().unwrap()), [0]);
    }

    #[test]
    fn a_head_without_a_relation_is_not_given() {
        let mut doc = words(2);
        doc.tree_mut().set_head(0, 1).unwrap();
        assert!(!doc.token(0).unwrap().has_head());
        assert_eq!(doc.token(0).unwrap().head().i(), 0);
        doc.attrs_mut().set(0, AttrId::DEP, 7).unwrap();
        assert_eq!(doc.token(0).unwrap().head().i(), 1);
    }

    #[test]
    fn isolated_punctuation_and_spaces_are_roots_of_a_span_only_where_nothing_else_is() {
        let vocab = crate::tokens::tests::vocab();
        let mut doc =
            Doc::from_words(&vocab, &["a", ",", "b", "c"].map(|word| (word, true))).unwrap();
        doc.annotate(&Annotations {
            heads: Some([2, 3, 3, 3].map(Some).to_vec()),
            deps: Some(vec![Some("dep".to_owned()); 4]),
            ..Annotations::default()
        })
        .unwrap();
        let root = |start, end| positions(doc.span(start, end).unwrap().root().unwrap());
        assert_eq!(root(0, 2), [0]);
        assert_eq!(root(1, 2), [1]);
        assert!(root(1, 1).is_empty());
    }

    #[test]
    fn conjuncts_are_found_from_each_of_them() {
        let mut doc = words(5);
        let deps = ["ROOT", "cc", "conj", "conj", "punct"].map(|dep| Some(dep.to_owned()));
        doc.annotate(&Annotations {
            heads: Some([0, 0, 0, 2, 0].map(Some).to_vec()),
            deps: Some(deps.to_vec()),
            ..Annotations::default()
        })
        .unwrap();
        let conjuncts = |i: usize| positions(doc.token(i).unwrap().conjuncts());
        assert_eq!(conjuncts(0), [2, 3]);
        assert_eq!(conjuncts(2), [0, 3]);
        assert_eq!(conjuncts(3), [0, 2]);
        assert!(conjuncts(1).is_empty());
    }
}
