//! The words of a document with their parts of speech, relations and children.

use std::collections::BTreeMap;
use std::ops::Range;

use lexpool_structs::{Pos, SyntaxC, TagC};

use super::super::children::ChildFinder;
use super::super::rebuild::head_of;
use crate::strings::StrId;
use crate::tokens::Doc;

/// The tree of a document, and the words among which heads of chunks are searched.
pub(super) struct PhraseTree<'a> {
    pub(super) doc: &'a Doc,
    tags: &'a [TagC],
    syntax: &'a [SyntaxC],
    words: Range<usize>,
    children: ChildFinder<'a>,
    /// The first conjunct of each conjunct that was passed on the way to it.
    first_conjuncts: BTreeMap<usize, usize>,
}

/// The ids of relations.
pub(super) struct Relations(Vec<u64>);

impl Relations {
    pub(super) fn new(names: &[&str]) -> Relations {
        Relations(names.iter().map(|name| StrId::of(name).get()).collect())
    }

    pub(super) fn contains(&self, relation: u64) -> bool {
        self.0.contains(&relation)
    }
}

impl<'a> PhraseTree<'a> {
    /// Returns the tree of a document; `None` if it lacks parts of speech or relations.
    pub(super) fn new(doc: &'a Doc, words: Range<usize>) -> Option<PhraseTree<'a>> {
        let (tags, syntax) = (doc.tag_records()?, doc.syntax_records()?);
        let mut tree = PhraseTree {
            doc,
            tags,
            syntax,
            words,
            children: ChildFinder::within(doc, 0..0),
            first_conjuncts: BTreeMap::new(),
        };
        let reached = tree.reached();
        tree.children = ChildFinder::within(doc, reached);
        Some(tree)
    }

    /// Returns the words among which heads are searched.
    pub(super) fn words(&self) -> Range<usize> {
        self.words.clone()
    }

    /// Returns the range of all subtrees of the words.
    pub(super) fn reached(&self) -> Range<usize> {
        let first = self.words().map(|i| self.left_edge(i)).min().unwrap_or(0);
        let last = self.words().map(|i| self.right_edge(i)).max().map_or(0, |last| last + 1);
        first..last
    }

    /// Returns whether a word has one of some parts of speech.
    pub(super) fn is(&self, i: usize, pos: &[Pos]) -> bool {
        pos.iter().any(|pos| pos.number() == self.tags[i].pos)
    }

    /// Returns whether a word is a noun, a proper noun or a pronoun.
    pub(super) fn is_nominal(&self, i: usize) -> bool {
        self.is(i, &[Pos::NOUN, Pos::PROPN, Pos::PRON])
    }

    /// Returns the id of a word's relation to its head.
    pub(super) fn relation(&self, i: usize) -> u64 {
        self.syntax[i].dep
    }

    pub(super) fn head(&self, i: usize) -> usize {
        head_of(self.syntax, i)
    }

    /// Returns the first word of a subtree.
    pub(super) fn left_edge(&self, i: usize) -> usize {
        (self.syntax[i].l_edge as usize).min(i)
    }

    /// Returns the last word of a subtree.
    pub(super) fn right_edge(&self, i: usize) -> usize {
        (self.syntax[i].r_edge as usize).max(i).min(self.syntax.len() - 1)
    }

    /// Replaces the content of `out` by the children before a word, in order.
    pub(super) fn find_lefts(&mut self, i: usize, out: &mut Vec<usize>) {
        let part = self.left_edge(i)..i;
        self.children.find(i, part, out);
    }

    /// Replaces the content of `out` by the children behind a word, in order.
    pub(super) fn find_rights(&mut self, i: usize, out: &mut Vec<usize>) {
        let part = i + 1..self.right_edge(i) + 1;
        self.children.find(i, part, out);
    }

    /// Returns whether a conjunct's first conjunct has one of some relations.
    pub(super) fn is_conjunct_of(&mut self, i: usize, heads: &Relations) -> bool {
        let conj = StrId::of("conj").get();
        if self.relation(i) != conj {
            return false;
        }
        let first = self.first_conjunct(self.head(i), conj);
        heads.contains(self.relation(first))
    }

    /// Returns the word from which a word is reached by coordination alone; itself without any.
    /// Each word is passed once, however many conjuncts follow it.
    fn first_conjunct(&mut self, i: usize, conj: u64) -> usize {
        let mut passed = Vec::new();
        let mut at = i;
        let first = loop {
            if let Some(first) = self.first_conjuncts.get(&at) {
                break *first;
            }
            // Only to the left, so that cycles end.
            if self.relation(at) != conj || self.head(at) >= at {
                break at;
            }
            passed.push(at);
            at = self.head(at);
        };
        self.first_conjuncts.extend(passed.into_iter().map(|at| (at, first)));
        first
    }
}
