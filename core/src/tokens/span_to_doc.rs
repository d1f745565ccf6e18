//! Copying a span into a document of its own.

use std::ops::Range;
use std::sync::Arc;

use ahash::AHashMap;
use lexpool_pool::RecordBuffer;
use lexpool_structs::{AttrId, symbols};

use super::doc::Doc;
use super::entities::{EntityAssignment, EntityDefault};
use super::span::{Span, range_of};
use super::tree::{FromRoots, Top, head_ix, offset};
use crate::Result;

impl Span<'_> {
    /// Copies the tokens of the span with their annotation into a document; spaCy's `Span.as_doc`.
    ///
    /// A head outside of the span is replaced by the topmost ancestor inside. If no ancestor is
    /// inside, the first such token of each tree becomes the head of the others. The relation of
    /// these tokens becomes `dep`. Tokens of entities that cross the ends of the span get an
    /// unknown entity state. Rows of the tensor are copied too.
    ///
    /// Cost: the tokens of the span and those on their paths to the root.
    ///
    /// # Errors
    ///
    /// `E093` if the entities of the span are inconsistent; `pool-out-of-memory`.
    ///
    /// ```
    /// use lexpool::tokens::Doc;
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let doc = Doc::from_words(&vocab, &[("See", true), ("New", true), ("York", false)])?;
    /// let cut = doc.span(1, 3)?.to_doc()?;
    /// assert_eq!(cut.text(), "New York");
    /// assert_eq!(cut.token(1).unwrap().idx(), 4);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn to_doc(&self) -> Result<Doc> {
        let doc = self.doc();
        let (start, end) = (self.start(), self.end());
        let mut tokens = doc.tokens()[start..end].to_vec();
        let (idx, byte) = tokens.first().map_or((0, 0), |first| (first.idx, first.byte));
        for token in &mut tokens {
            token.idx -= idx;
            token.byte -= byte;
        }
        let text = self.text_with_ws().to_owned();
        let buffer = RecordBuffer::from_vecs(tokens, text.into_bytes())?;
        let mut cut = Doc::from_buffer(doc.share_snapshot(), buffer, None);
        if let Some(first) = cut.tokens_mut()?.first_mut() {
            if doc.tokens()[start].ent_iob() == 1 {
                first.set_ent_iob(3);
            }
        }
        if let Some(tags) = doc.tag_records() {
            cut.tag_records_mut()?.copy_from_slice(&tags[start..end]);
        }
        if let Some(entities) = doc.entity_records() {
            cut.entity_records_mut()?.copy_from_slice(&entities[start..end]);
        }
        if doc.syntax_records().is_some() && !cut.is_empty() {
            self.cut_tree(&mut cut)?;
        }
        if let Some(tensor) = doc.tensor() {
            cut.set_tensor(Some(Arc::new(tensor.slice(start..end))))?;
        }
        self.drop_partial_ents(&mut cut)?;
        Ok(cut)
    }

    fn cut_tree(&self, cut: &mut Doc) -> Result<()> {
        let dep = symbols::number("dep").map_or(0, u64::from);
        let mut ways: FromRoots<WayUp> = FromRoots::default();
        // In a circle of heads, a token of it is the root.
        let from_top = |top| {
            let (Top::Root(root) | Top::Circle(root)) = top;
            Ok(WayUp { root, topmost_inside: self.place_of(root) })
        };
        let below = |at, way: WayUp| {
            let topmost_inside = way.topmost_inside.or_else(|| self.place_of(at));
            WayUp { topmost_inside, ..way }
        };
        // The token that replaces each root outside of the span.
        let mut replacements: AHashMap<usize, usize> = AHashMap::new();
        let mut rewired = Vec::with_capacity(self.len());
        for (i, token) in self.iter().enumerate() {
            let arc = if self.place_of(token.head().i()).is_some() {
                // A token without a relation keeps the head of its record.
                let head = self.place_of(head_ix(self.doc(), token.i()));
                (head.unwrap_or(i), token.attr(AttrId::DEP))
            } else {
                let way = ways.of(self.doc(), token.head().i(), from_top, below)?;
                let head = way.topmost_inside;
                (head.unwrap_or_else(|| *replacements.entry(way.root).or_insert(i)), dep)
            };
            rewired.push(arc);
        }
        let records = cut.syntax_records_mut()?;
        for (i, (record, (head, relation))) in records.iter_mut().zip(rewired).enumerate() {
            (record.head, record.dep) = (offset(i, head), relation);
        }
        if cut.iter().any(|token| token.has_head()) {
            cut.tree_mut().rebuild()?;
        }
        Ok(())
    }

    /// Returns the place in the span of a token of the document.
    fn place_of(&self, i: usize) -> Option<usize> {
        i.checked_sub(self.start()).filter(|place| *place < self.len())
    }

    /// Marks the tokens of entities as unknown that go on outside of the span.
    fn drop_partial_ents(&self, cut: &mut Doc) -> Result<()> {
        let entities = cut.entities().spans()?;
        let goes_on = |at: usize| self.doc().tokens().get(at).is_some_and(|t| t.ent_iob() == 1);
        let starts_before = |range: &Range<usize>| range.start == 0 && goes_on(self.start());
        let ends_after = |range: &Range<usize>| range.end == self.len() && goes_on(self.end());
        let missing: Vec<_> = entities
            .iter()
            .map(range_of)
            .filter(|range| starts_before(range) || ends_after(range))
            .collect();
        if !missing.is_empty() {
            let default = EntityDefault::Unmodified;
            let rest =
                EntityAssignment { missing: &missing, default, ..EntityAssignment::default() };
            cut.entities_mut().set(&rest)?;
        }
        Ok(())
    }
}

/// The way from a token outside of a span up to its root.
#[derive(Clone, Copy)]
struct WayUp {
    root: usize,
    /// The place in the span of the last token on the way that is inside. spaCy takes it, and not
    /// the nearest.
    topmost_inside: Option<usize>,
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::structs::SpanC;
    use crate::tokens::tests::{chain, parsed, trees, vocab, words};

    fn heads(doc: &Doc) -> Vec<usize> {
        doc.iter().map(|token| token.head().i()).collect()
    }

    proptest! {
        #[test]
        fn a_cut_has_the_words_tags_and_whole_entities_of_its_span_and_heads_inside(
            heads in trees(10), (a, b) in (0..11_usize, 0..11_usize), widths in vec(1..4_usize, 10),
        ) {
            let mut doc = parsed(&heads);
            let n = doc.len();
            doc.attrs_mut().set_array(&[AttrId::TAG], &(1..=n as u64).collect::<Vec<_>>()).unwrap();
            let mut entities = Vec::new();
            let mut at = 0;
            for width in widths {
                let end = n.min(at + width);
                // Every other stretch.
                if width > 1 && at < end {
                    entities.push(doc.span_record(at, end, crate::strings::StrId::new(7)));
                }
                at = end;
            }
            doc.entities_mut().set(&EntityAssignment { entities: &entities, ..EntityAssignment::default() }).unwrap();
            let (start, end) = (a.min(b).min(n), a.max(b).min(n));
            let span = doc.span(start, end).unwrap();
            let cut = span.to_doc().unwrap();

            prop_assert_eq!(cut.text(), span.text_with_ws());
            prop_assert_eq!(cut.len(), span.len());
            for (token, old) in cut.iter().zip(span.iter()) {
                prop_assert_eq!(token.text(), old.text());
                prop_assert_eq!(token.idx() + span.start_char(), old.idx());
                prop_assert_eq!(token.attr(AttrId::TAG), old.attr(AttrId::TAG));
                let above = chain(&heads, old.i());
                let inside = |at: &usize| (start..end).contains(at);
                let expected = match above.get(1).filter(|head| inside(head)) {
                    _ if above.len() == 1 => old.i(),
                    Some(head) => *head,
                    // The topmost above it, else the first whose way up leaves the span to there.
                    None => above[1..].iter().copied().rfind(inside).unwrap_or_else(|| {
                        let top = above.last();
                        let is_cut_off = |i: &usize| {
                            let above = chain(&heads, *i);
                            above.last() == top && !above[1..].iter().any(inside)
                        };
                        (start..end).find(is_cut_off).unwrap()
                    }),
                };
                prop_assert_eq!(token.head().i() + start, expected);
                let is_rewired = above.len() > 1 && !inside(&above[1]);
                prop_assert!(!is_rewired || token.text_of(AttrId::DEP) == "dep");
            }
            let range = |span: &SpanC| range_of(span);
            let whole = doc.entities().spans().unwrap();
            let whole = whole.iter().map(range).filter(|ent| start <= ent.start && ent.end <= end);
            let whole: Vec<_> = whole.map(|ent| ent.start - start..ent.end - start).collect();
            prop_assert_eq!(cut.entities().spans().unwrap().iter().map(range).collect::<Vec<_>>(), whole);
        }
    }

    #[test]
    fn an_empty_span_gives_an_empty_document() {
        let doc = parsed(&[0, 0]);
        for at in 0..3 {
            let cut = doc.span(at, at).unwrap().to_doc().unwrap();
            assert!(cut.is_empty() && cut.text().is_empty());
        }
        let empty = Doc::empty(&vocab());
        assert!(empty.span(0, 0).unwrap().to_doc().unwrap().is_empty());
    }

    #[test]
    fn a_cut_keeps_sentence_starts_where_there_is_no_tree() {
        let mut doc = words(4);
        doc.attrs_mut().set(2, AttrId::SENT_START, 1).unwrap();
        let cut = doc.span(1, 4).unwrap().to_doc().unwrap();
        assert_eq!(cut.sentences().ranges().unwrap().collect::<Vec<_>>(), [0..1, 1..3]);
        assert!(cut.syntax_records().is_none());
    }

    #[test]
    fn a_cycle_of_heads_that_leads_out_of_the_span_is_cut_open() {
        let doc = parsed(&[1, 2, 0]);
        let cut = doc.span(0, 2).unwrap().to_doc().unwrap();
        assert!(heads(&cut).iter().all(|head| *head < 2));
    }

    #[test]
    fn entities_that_do_not_fit_together_are_an_error() {
        let mut doc = words(3);
        doc.attrs_mut().set(1, AttrId::ENT_IOB, 1).unwrap();
        assert_eq!(doc.span(0, 2).unwrap().to_doc().unwrap_err().code(), "E093");
    }
}
