//! The dependency tree of a document as a view.

use std::ops::Range;

use lexpool_structs::{AttrId, SyntaxC};

use super::super::doc::Doc;
use super::rebuild::{head_ix, head_of, offset, rebuild};
use crate::codes;
use crate::{Error, ErrorKind, Result};

/// A view of the dependency tree of a document. A document of several sentences has several roots.
///
/// [`Token`](crate::tokens::Token) and [`Span`](crate::tokens::Span) have the steps of a walk:
/// heads, children, subtrees, ancestors. The records are in [`Doc::syntax_records`].
///
/// ```
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("old", true), ("men", true), ("sleep", false)])?;
/// assert!(!doc.tree().is_parsed());
/// doc.annotate(&Annotations {
///     heads: Some(vec![Some(1), Some(2), Some(2)]),
///     deps: Some(["amod", "nsubj", "ROOT"].map(|dep| Some(dep.to_owned())).to_vec()),
///     ..Annotations::default()
/// })?;
/// let tree = doc.tree();
/// assert!(tree.is_parsed());
/// assert_eq!(tree.heads().collect::<Vec<_>>(), [1, 2, 2]);
/// assert_eq!(tree.roots().collect::<Vec<_>>(), [2]);
/// assert_eq!(tree.lca_matrix(0, 2)?, [0, 1, 1, 1]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    pub(super) doc: &'a Doc,
}

/// A view of the dependency tree of a document, to be changed.
#[derive(Debug)]
pub struct TreeMut<'a> {
    doc: &'a mut Doc,
}

impl Doc {
    /// Returns the view of the dependency tree.
    #[inline]
    pub fn tree(&self) -> Tree<'_> {
        Tree { doc: self }
    }

    /// Returns the view of the dependency tree, to be changed.
    #[inline]
    pub fn tree_mut(&mut self) -> TreeMut<'_> {
        TreeMut { doc: self }
    }
}

impl<'a> Tree<'a> {
    /// Returns whether some token has a relation to its head, or the document has no tokens. Cost:
    /// one pass until the first such token.
    pub fn is_parsed(&self) -> bool {
        self.doc.attrs().has_annotation(AttrId::DEP, false)
    }

    /// Returns the position of the head of each token; a root and a token without a relation are
    /// their own heads.
    pub fn heads(&self) -> impl ExactSizeIterator<Item = usize> + use<'a> {
        let doc = self.doc;
        let has_relation = |i: usize| doc.syntax_records().is_some_and(|syntax| syntax[i].dep != 0);
        (0..doc.len()).map(move |i| if has_relation(i) { head_ix(doc, i) } else { i })
    }

    /// Returns the positions of the tokens that are their own heads.
    pub fn roots(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.heads().enumerate().filter(|(i, head)| i == head).map(|(i, _)| i)
    }
}

impl TreeMut<'_> {
    /// Makes a token depend on another, or on itself as a root. Rebuilds the trees of both, with
    /// their sentence starts. Heads may form a cycle.
    ///
    /// Cost: the size of the two trees, and of those whose arcs cross theirs.
    ///
    /// # Errors
    ///
    /// `E190` if a position is outside of the document; `pool-out-of-memory`.
    ///
    /// ```
    /// use lexpool::tokens::{Annotations, Doc};
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let mut doc = Doc::from_words(&vocab, &[("old", true), ("men", true), ("sleep", false)])?;
    /// let deps = ["amod", "nsubj", "ROOT"].map(|dep| Some(dep.to_owned()));
    /// doc.annotate(&Annotations { deps: Some(deps.to_vec()), ..Annotations::default() })?;
    /// doc.tree_mut().set_head(0, 1)?;
    /// doc.tree_mut().set_head(1, 2)?;
    /// assert_eq!(doc.token(2).unwrap().left_edge().text(), "old");
    /// assert_eq!(doc.sentences().ranges()?.count(), 1);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn set_head(&mut self, i: usize, head: usize) -> Result<()> {
        let len = self.doc.len();
        if i >= len || head >= len {
            let text = format!("token {i} cannot depend on {head}: there are {len} tokens");
            return Err(Error::new(ErrorKind::Value, codes::E190, text));
        }
        let (tokens, syntax) = self.doc.tokens_and_syntax_mut()?;
        if head_of(syntax, i) == head {
            return Ok(());
        }
        let range = closed(syntax, i.min(head)..i.max(head) + 1);
        syntax[i].head = offset(i, head);
        rebuild(tokens, syntax, range.start, range.end);
        Ok(())
    }

    /// Rebuilds the whole tree from the heads.
    pub(crate) fn rebuild(&mut self) -> Result<()> {
        let end = self.doc.len();
        let (tokens, syntax) = self.doc.tokens_and_syntax_mut()?;
        rebuild(tokens, syntax, 0, end);
        Ok(())
    }
}

/// Returns the smallest range around `range` that contains the trees of all its tokens. spaCy takes
/// the range of two trees only, and so miscounts the children of trees that cross them.
fn closed(syntax: &[SyntaxC], range: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = range;
    let mut range_so_far = start..start;
    while range_so_far != (start..end) {
        let new = (start..range_so_far.start).chain(range_so_far.end..end);
        range_so_far = start..end;
        for i in new {
            let SyntaxC { l_edge, r_edge, .. } = syntax[i];
            let head = head_of(syntax, i);
            start = start.min(head).min(l_edge as usize);
            end = end.max(head + 1).max(r_edge as usize + 1);
        }
    }
    range_so_far
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::structs::TokenC;
    use crate::tokens::tests::{chain, parsed, trees};

    fn heads(doc: &Doc) -> Vec<usize> {
        doc.iter().map(|token| token.head().i()).collect()
    }

    fn kids(doc: &Doc) -> Vec<(usize, usize)> {
        doc.iter().map(|token| (token.n_lefts(), token.n_rights())).collect()
    }

    fn edges(doc: &Doc) -> Vec<(usize, usize)> {
        doc.iter().map(|token| (token.left_edge().i(), token.right_edge().i())).collect()
    }

    fn starts(doc: &Doc) -> Vec<i8> {
        doc.tokens().iter().map(TokenC::sent_start).collect()
    }

    fn naive_kids(heads: &[usize]) -> Vec<(usize, usize)> {
        let children = |i: usize| (0..heads.len()).filter(move |c| *c != i && heads[*c] == i);
        let count =
            |i| (children(i).filter(|c| *c < i).count(), children(i).filter(|c| *c > i).count());
        (0..heads.len()).map(count).collect()
    }

    /// For each token those that descend from it, itself included.
    fn naive_subtrees(heads: &[usize]) -> Vec<Vec<usize>> {
        let mut subtrees = vec![Vec::new(); heads.len()];
        for i in 0..heads.len() {
            for above in chain(heads, i) {
                subtrees[above].push(i);
            }
        }
        subtrees
    }

    /// The first and the last token of each subtree, if each is a stretch of the text.
    fn naive_edges(heads: &[usize]) -> Option<Vec<(usize, usize)>> {
        let edges = naive_subtrees(heads).into_iter().map(|subtree| {
            let (first, last) = (*subtree.first()?, *subtree.last()?);
            (last - first + 1 == subtree.len()).then_some((first, last))
        });
        edges.collect()
    }

    fn naive_starts(heads: &[usize], edges: &[(usize, usize)]) -> Vec<i8> {
        let mut starts = vec![-1; heads.len()];
        for i in (0..heads.len()).filter(|i| heads[*i] == *i) {
            starts[edges[i].0] = 1;
        }
        starts
    }

    fn any_heads() -> impl Strategy<Value = (Vec<usize>, Vec<(usize, usize)>)> {
        (1..12_usize).prop_flat_map(|n| (vec(0..n, n), vec((0..n, 0..n), 0..24)))
    }

    proptest! {
        #[test]
        fn children_are_counted_whatever_heads_are_set((given, edits) in any_heads()) {
            let mut doc = parsed(&given);
            let mut model = given;
            prop_assert_eq!(kids(&doc), naive_kids(&model));
            for (i, head) in edits {
                doc.tree_mut().set_head(i, head).unwrap();
                model[i] = head;
                prop_assert_eq!(heads(&doc), &*model);
                prop_assert_eq!(kids(&doc), naive_kids(&model));
                for (child, head) in model.iter().enumerate() {
                    let (first, last) = edges(&doc)[*head];
                    prop_assert!(first <= child && child <= last && last < model.len());
                }
            }
        }

        #[test]
        fn edges_and_sentences_are_those_of_the_subtrees_while_each_is_a_stretch(
            (_, edits) in any_heads(),
        ) {
            // From roots alone; edits that would make a cycle or let arcs cross are left out.
            let n = edits.iter().map(|(i, head)| *i.max(head) + 1).max().unwrap_or(1);
            let mut model: Vec<usize> = (0..n).collect();
            let mut doc = parsed(&model);
            for (i, head) in edits {
                if head != i && chain(&model, head).contains(&i) {
                    continue;
                }
                let before = std::mem::replace(&mut model[i], head);
                let Some(expected) = naive_edges(&model) else {
                    model[i] = before;
                    continue;
                };
                doc.tree_mut().set_head(i, head).unwrap();
                prop_assert_eq!(edges(&doc), &*expected);
                prop_assert_eq!(starts(&doc), naive_starts(&model, &expected));
                // All at once gives the same as one by one.
                let at_once = parsed(&model);
                prop_assert_eq!(at_once.syntax_records(), doc.syntax_records());
                prop_assert_eq!(starts(&at_once), starts(&doc));
            }
        }

        #[test]
        fn trees_that_cross_end_up_the_same_in_any_order_of_edits(given in trees(12)) {
            let mut forwards = parsed(&(0..given.len()).collect::<Vec<_>>());
            let mut backwards = forwards.try_clone().unwrap();
            for i in 0..given.len() {
                forwards.tree_mut().set_head(i, given[i]).unwrap();
                let i = given.len() - 1 - i;
                backwards.tree_mut().set_head(i, given[i]).unwrap();
            }
            prop_assert_eq!(kids(&forwards), kids(&backwards));
            prop_assert_eq!(heads(&forwards), heads(&backwards));
        }
    }

    #[test]
    fn trees_that_cross_have_the_edges_that_spacy_gives_them() {
        // Printed by spaCy 3.8 for `Doc(vocab, words, heads=heads, deps=["dep"] * 6)`.
        let doc = parsed(&[3, 1, 5, 3, 4, 5]);
        assert_eq!(edges(&doc), [(0, 0), (1, 1), (2, 2), (0, 3), (4, 4), (2, 5)]);
        assert_eq!(starts(&doc), [1, 1, 1, -1, 1, -1]);
    }

    #[test]
    fn an_edit_leaves_the_counts_of_a_tree_that_crosses_as_they_are() {
        let mut doc = parsed(&[3, 1, 5, 3, 4, 5]);
        for head in [1, 3, 1] {
            doc.tree_mut().set_head(0, head).unwrap();
            assert_eq!(doc.token(5).unwrap().n_lefts(), 1);
            assert_eq!(doc.tokens()[2].sent_start(), 1);
        }
    }

    #[test]
    fn sentence_starts_outside_of_the_trees_stay() {
        let mut doc = parsed(&[0, 1, 2, 3]);
        for i in 0..4 {
            doc.attrs_mut().set(i, AttrId::SENT_START, 0).unwrap();
        }
        doc.tree_mut().set_head(1, 2).unwrap();
        assert_eq!(starts(&doc), [0, 1, -1, 0]);
    }

    #[test]
    fn a_head_outside_of_the_document_is_refused() {
        let mut doc = parsed(&[0, 0]);
        for (i, head) in [(0, 2), (2, 0)] {
            assert_eq!(doc.tree_mut().set_head(i, head).unwrap_err().code(), "E190");
        }
        assert_eq!(heads(&doc), [0, 0]);
    }
}
