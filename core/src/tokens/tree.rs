//! Rebuilding the tree of a document from its heads.

use std::ops::Range;

use lexpool_structs::{SyntaxC, TokenC};

use super::Doc;
use crate::{Error, ErrorKind, Result};

/// How many passes are made at most until every head lies in its own sentence; spaCy's bound, on
/// which the edges of badly crossing trees depend.
const MOST_PASSES: usize = 12;

/// Recounts children and edges of `start..end` from the heads, and sets the sentence starts.
///
/// Heads must point into the document, and no arc may lead out of the range or into it; `syntax` and
/// `tokens` are as long as each other. Cost: one pass over the range for a projective tree, up to
/// twelve for others.
pub(crate) fn rebuild(tokens: &mut [TokenC], syntax: &mut [SyntaxC], start: usize, end: usize) {
    for (i, record) in (position(start)..).zip(&mut syntax[start..end]) {
        (record.l_kids, record.r_kids) = (0, 0);
        (record.l_edge, record.r_edge) = (i, i);
    }
    for pass in 0..MOST_PASSES {
        widen(syntax, start, end, pass == 0);
        if heads_stay_in_sentences(syntax, start, end) {
            break;
        }
    }
    for token in &mut tokens[start..end] {
        token.set_sent_start(-1);
    }
    for record in &syntax[start..end] {
        if record.head == 0 && record.dep != 0 {
            tokens[record.l_edge as usize].set_sent_start(1);
        }
    }
}

/// Hands each token's edges to its head, once from the left and once from the right.
fn widen(syntax: &mut [SyntaxC], start: usize, end: usize, counting: bool) {
    for child in start..end {
        let head = head_of(syntax, child);
        if counting && child < head {
            syntax[head].l_kids += 1;
        }
        spread(syntax, child, head);
    }
    for child in (start..end).rev() {
        let head = head_of(syntax, child);
        if counting && child > head {
            syntax[head].r_kids += 1;
        }
        spread(syntax, child, head);
    }
}

fn spread(syntax: &mut [SyntaxC], child: usize, head: usize) {
    let SyntaxC { l_edge, r_edge, .. } = syntax[child];
    let head = &mut syntax[head];
    head.l_edge = head.l_edge.min(l_edge);
    head.r_edge = head.r_edge.max(r_edge);
}

fn heads_stay_in_sentences(syntax: &[SyntaxC], start: usize, end: usize) -> bool {
    let mut is_start = vec![false; end - start];
    for record in syntax[start..end].iter().filter(|record| record.head == 0) {
        is_start[record.l_edge as usize - start] = true;
    }
    let mut sent_start = start;
    for (i, is_start) in (start..).zip(is_start) {
        if is_start || i == end - 1 {
            let leaves = |j| {
                let head = head_of(syntax, j);
                head < sent_start || head > i
            };
            if (sent_start..i).any(leaves) {
                return false;
            }
            sent_start = i;
        }
    }
    true
}

/// The position of a token's head.
pub(super) fn head_of(syntax: &[SyntaxC], i: usize) -> usize {
    i.checked_add_signed(syntax[i].head as isize).expect("heads are checked when they are set")
}

fn position(i: usize) -> u32 {
    u32::try_from(i).expect("a token's position is within a document")
}

impl Doc {
    /// Makes a token depend on another, or on itself as a root, and rebuilds the trees of both, with
    /// the sentence starts in them. Heads may form a cycle.
    ///
    /// Cost: that of the two trees, and of those whose arcs cross theirs.
    ///
    /// # Errors
    ///
    /// `E190` if a position is outside of the document; when memory runs out.
    ///
    /// ```
    /// use lexpool::tokens::{Annotations, Doc};
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let mut doc = Doc::from_words(&vocab, &[("old", true), ("men", true), ("sleep", false)])?;
    /// let deps = ["amod", "nsubj", "ROOT"].map(|dep| Some(dep.to_owned()));
    /// doc.annotate(&Annotations { deps: Some(deps.to_vec()), ..Annotations::default() })?;
    /// doc.set_head(0, 1)?;
    /// doc.set_head(1, 2)?;
    /// assert_eq!(doc.token(2).unwrap().left_edge().text(), "old");
    /// assert_eq!(doc.sents()?.count(), 1);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn set_head(&mut self, i: usize, head: usize) -> Result<()> {
        let len = self.len();
        if i >= len || head >= len {
            let text = format!("token {i} cannot depend on {head}: there are {len} tokens");
            return Err(Error::new(ErrorKind::Value, "E190", text));
        }
        let (tokens, syntax) = self.tree_mut()?;
        if head_of(syntax, i) == head {
            return Ok(());
        }
        let range = closed(syntax, i.min(head)..i.max(head) + 1);
        syntax[i].head = offset(i, head);
        rebuild(tokens, syntax, range.start, range.end);
        Ok(())
    }

    /// Rebuilds all that follows from the heads, over the whole document.
    pub(crate) fn rebuild_tree(&mut self) -> Result<()> {
        let end = self.len();
        let (tokens, syntax) = self.tree_mut()?;
        rebuild(tokens, syntax, 0, end);
        Ok(())
    }
}

/// A head as a record holds it. Both positions are those of tokens, hence below 2^30.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "below 2^30")]
pub(crate) fn offset(i: usize, head: usize) -> i32 {
    (head as i64 - i as i64) as i32
}

/// The least range around another that holds the trees of all its tokens. Where spaCy takes that of
/// two trees alone, it miscounts the children of those that cross them.
fn closed(syntax: &[SyntaxC], range: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = range;
    let mut seen = start..start;
    while seen != (start..end) {
        let new = (start..seen.start).chain(seen.end..end);
        seen = start..end;
        for i in new {
            let SyntaxC { l_edge, r_edge, .. } = syntax[i];
            let head = head_of(syntax, i);
            start = start.min(head).min(l_edge as usize);
            end = end.max(head + 1).max(r_edge as usize + 1);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::structs::AttrId;
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
                doc.set_head(i, head).unwrap();
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
                doc.set_head(i, head).unwrap();
                prop_assert_eq!(edges(&doc), &*expected);
                prop_assert_eq!(starts(&doc), naive_starts(&model, &expected));
                // All at once gives the same as one by one.
                let at_once = parsed(&model);
                prop_assert_eq!(at_once.syntax(), doc.syntax());
                prop_assert_eq!(starts(&at_once), starts(&doc));
            }
        }

        #[test]
        fn trees_that_cross_end_up_the_same_in_any_order_of_edits(given in trees(12)) {
            let mut forwards = parsed(&(0..given.len()).collect::<Vec<_>>());
            let mut backwards = forwards.try_clone().unwrap();
            for i in 0..given.len() {
                forwards.set_head(i, given[i]).unwrap();
                let i = given.len() - 1 - i;
                backwards.set_head(i, given[i]).unwrap();
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
            doc.set_head(0, head).unwrap();
            assert_eq!(doc.token(5).unwrap().n_lefts(), 1);
            assert_eq!(doc.tokens()[2].sent_start(), 1);
        }
    }

    #[test]
    fn sentence_starts_outside_of_the_trees_stay() {
        let mut doc = parsed(&[0, 1, 2, 3]);
        for i in 0..4 {
            doc.set_attr(i, AttrId::SENT_START, 0).unwrap();
        }
        doc.set_head(1, 2).unwrap();
        assert_eq!(starts(&doc), [0, 1, -1, 0]);
    }

    #[test]
    fn a_head_outside_of_the_document_is_refused() {
        let mut doc = parsed(&[0, 0]);
        for (i, head) in [(0, 2), (2, 0)] {
            assert_eq!(doc.set_head(i, head).unwrap_err().code(), "E190");
        }
        assert_eq!(heads(&doc), [0, 0]);
    }
}
