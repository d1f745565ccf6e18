//! Span groups: lists of labelled spans of one document.

use lexpool_structs::SpanC;

use super::char_offsets::Alignment;
use super::doc::Doc;
use super::span::{narrow, range_of, widen};
use crate::codes;
use crate::strings::StrId;
use crate::{Error, ErrorKind, Result};

/// A list of spans in the order in which the user put them, stored by value: the label and the ids
/// of an element do not change when the span that it was copied from does.
///
/// After tokens were merged or split, [`SpanGroup::follow`] finds the tokens of each element again
/// by its characters. A span that would end inside of a token is widened to the whole token, so a
/// group never loses a span.
///
/// ```
/// use lexpool::strings::StrId;
/// use lexpool::tokens::{Doc, Retokenization, SpanGroup};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("New", true), ("York", true), ("now", false)])?;
/// let mut group = SpanGroup::new(&doc);
/// group.push(&doc, doc.span(2, 3)?.record(StrId::EMPTY))?;
/// let mut plan = Retokenization::new(&doc);
/// plan.merge(&doc, 0..2, &[])?;
/// plan.apply(&mut doc)?;
/// group.follow(&doc);
/// assert_eq!((group.spans()[0].start, group.spans()[0].end), (1, 2));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SpanGroup {
    spans: Vec<SpanC>,
    /// The generation of the document in which the token positions are valid.
    generation: u32,
}

impl SpanGroup {
    /// Creates a group without spans.
    pub fn new(doc: &Doc) -> SpanGroup {
        SpanGroup { spans: Vec::new(), generation: doc.generation() }
    }

    /// Returns the spans in order, as of the last [`SpanGroup::follow`].
    pub fn spans(&self) -> &[SpanC] {
        &self.spans
    }

    /// Returns the number of spans.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns whether the group has no spans.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Resolves an index that counts from the end if it is negative.
    ///
    /// # Errors
    ///
    /// `E856` outside of the group.
    pub fn position(&self, index: isize) -> Result<usize> {
        let len = self.len();
        let at = if index < 0 { len.checked_add_signed(index) } else { Some(index.unsigned_abs()) };
        at.filter(|at| *at < len).ok_or_else(|| {
            let text = format!("no span {index} in a group of {len} spans");
            Error::new(ErrorKind::Index, codes::E856, text)
        })
    }

    /// Finds the tokens of each span again if tokens were merged or split since the last call.
    /// Cost: two binary searches a span, or one comparison if nothing changed.
    pub fn follow(&mut self, doc: &Doc) {
        if self.generation == doc.generation() {
            return;
        }
        for span in &mut self.spans {
            set_tokens(span, doc);
        }
        self.generation = doc.generation();
    }

    /// Appends a span of the document, which the group must be up to date with.
    ///
    /// # Errors
    ///
    /// `E035` if the span is outside of the document.
    pub fn push(&mut self, doc: &Doc, span: SpanC) -> Result<()> {
        self.extend(doc, &[span])
    }

    /// Appends spans of the document, which the group must be up to date with.
    ///
    /// # Errors
    ///
    /// `E035` if one is outside of the document; the group is then as it was.
    pub fn extend(&mut self, doc: &Doc, spans: &[SpanC]) -> Result<()> {
        debug_assert_eq!(self.generation, doc.generation());
        spans.iter().try_for_each(|span| check(doc, span))?;
        self.spans.extend_from_slice(spans);
        Ok(())
    }

    /// Replaces an element by a span of the document.
    ///
    /// # Errors
    ///
    /// `E856` outside of the group, `E035` for a span outside of the document.
    pub fn set(&mut self, doc: &Doc, index: isize, span: SpanC) -> Result<()> {
        debug_assert_eq!(self.generation, doc.generation());
        let at = self.position(index)?;
        check(doc, &span)?;
        self.spans[at] = span;
        Ok(())
    }

    /// Removes and returns a span.
    ///
    /// # Errors
    ///
    /// `E856` outside of the group.
    pub fn remove(&mut self, index: isize) -> Result<SpanC> {
        let at = self.position(index)?;
        Ok(self.spans.remove(at))
    }

    /// Returns whether two of the spans overlap; see [`spans_overlap`].
    pub fn has_overlap(&self) -> bool {
        spans_overlap(&self.spans)
    }

    /// Copies the group to another document: the spans of the same characters there. The strings of
    /// labels and ids are added to its string store.
    ///
    /// # Errors
    ///
    /// `E1052` if a span does not begin and end with tokens there; `pool-out-of-memory`.
    pub fn copied_to(&self, doc: &Doc, other: &Doc) -> Result<SpanGroup> {
        let mut copy = SpanGroup::new(other);
        for (i, span) in self.spans.iter().enumerate() {
            let (from, to) = (widen(span.start_char), widen(span.end_char));
            let bounds = if from == to {
                other.char_offsets().boundary(from).map(|at| (at, at))
            } else {
                let span = other.char_offsets().span(from, to, Alignment::Strict);
                span.map(|span| (span.start(), span.end()))
            };
            let Some((start, end)) = bounds else {
                let text = format!(
                    "span {i} of the group, characters {from}..{to}, does not begin and end with \
                     tokens of the other document"
                );
                return Err(Error::value(codes::E1052, text));
            };
            for id in [span.label, span.kb_id, span.id].map(StrId::new) {
                if let Some(string) = doc.snapshot().string(id) {
                    other.snapshot().add(string)?;
                }
            }
            copy.spans.push(SpanC { start: narrow(start), end: narrow(end), ..*span });
        }
        Ok(copy)
    }
}

/// Returns whether two of the spans share a token, or an empty one lies inside of another. Cost:
/// one sort.
///
/// ```
/// use lexpool::structs::SpanC;
/// use lexpool::tokens::spans_overlap;
///
/// let span = |start, end| SpanC { start, end, ..SpanC::default() };
/// assert!(spans_overlap(&[span(4, 6), span(0, 5)]));
/// assert!(!spans_overlap(&[span(4, 6), span(0, 4)]));
/// ```
pub fn spans_overlap(spans: &[SpanC]) -> bool {
    let mut ranges: Vec<_> = spans.iter().map(range_of).collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut end = 0;
    ranges.iter().any(|range| {
        let overlaps = range.start < end;
        end = end.max(range.end);
        overlaps
    })
}

fn check(doc: &Doc, span: &SpanC) -> Result<()> {
    let is_valid = span.start >= 0 && span.end >= 0;
    if is_valid && doc.span(widen(span.start), widen(span.end)).is_ok() {
        return Ok(());
    }
    let (len, SpanC { start, end, .. }) = (doc.len(), span);
    let text = format!("no span {start}..{end} in a document of {len} tokens");
    Err(Error::new(ErrorKind::Index, codes::E035, text))
}

/// Sets the tokens of a span to all that its characters touch.
fn set_tokens(span: &mut SpanC, doc: &Doc) {
    let (from, to) = (widen(span.start_char), widen(span.end_char));
    let start = doc.tokens().partition_point(|token| token.idx as usize <= from);
    let mut start = start.saturating_sub(1);
    if from < to {
        let end = doc.tokens().partition_point(|token| (token.idx as usize) < to);
        let (first, last) = (start, end.max(start));
        (span.start, span.end) = (narrow(first), narrow(last));
        let (start_char, end_char) = doc.char_bounds(first, last);
        (span.start_char, span.end_char) = (narrow(start_char), narrow(end_char));
    } else {
        if doc.tokens().get(start).is_some_and(|token| (token.idx as usize) < from) {
            start += 1;
        }
        (span.start, span.end) = (narrow(start), narrow(start));
    }
}

#[cfg(test)]
mod tests {
    use super::{SpanGroup, widen};
    use crate::strings::StrId;
    use crate::structs::SpanC;
    use crate::tokens::{Doc, Retokenization};
    use crate::vocab::{Getters, Vocab};

    fn doc() -> Doc {
        let vocab = Vocab::new(Getters::native("en")).unwrap();
        let words = ["a", "bc", "d", "e", "f"].map(|word| (word, true));
        Doc::from_words(&vocab, &words).unwrap()
    }

    fn group(doc: &Doc, ranges: &[(usize, usize)]) -> SpanGroup {
        let mut group = SpanGroup::new(doc);
        for (label, (start, end)) in (1..).zip(ranges) {
            group.push(doc, doc.span_record(*start, *end, StrId::new(label))).unwrap();
        }
        group
    }

    fn ranges(group: &SpanGroup) -> Vec<(usize, usize, u64)> {
        group.spans().iter().map(|span| (widen(span.start), widen(span.end), span.label)).collect()
    }

    #[test]
    fn spans_follow_their_characters_and_reach_over_tokens_that_they_end_in() {
        let mut doc = doc();
        let mut group = group(&doc, &[(0, 1), (2, 3), (3, 5), (1, 4), (4, 4), (2, 2)]);
        let mut plan = Retokenization::new(&doc);
        plan.merge(&doc, 1..3, &[]).unwrap();
        plan.apply(&mut doc).unwrap();
        group.follow(&doc);
        let expected = [(0, 1, 1), (1, 2, 2), (2, 4, 3), (1, 3, 4), (3, 3, 5), (2, 2, 6)];
        assert_eq!(ranges(&group), expected);
        assert_eq!((group.spans()[1].start_char, group.spans()[1].end_char), (2, 6));
    }

    #[test]
    fn spans_overlap_if_they_share_a_token() {
        let doc = doc();
        assert!(!group(&doc, &[]).has_overlap());
        assert!(!group(&doc, &[(2, 4), (0, 2), (4, 5)]).has_overlap());
        assert!(group(&doc, &[(2, 4), (0, 1), (3, 5)]).has_overlap());
        // Not only neighbours in order.
        assert!(group(&doc, &[(0, 5), (1, 2), (3, 4)]).has_overlap());
    }

    #[test]
    fn an_index_outside_and_a_span_outside_are_refused() {
        let doc = doc();
        let mut group = group(&doc, &[(0, 1), (1, 2)]);
        assert_eq!(group.remove(2).unwrap_err().code(), "E856");
        assert_eq!(group.position(-3).unwrap_err().code(), "E856");
        assert_eq!(group.remove(-2).unwrap().label, 1);
        for (start, end) in [(-1, 1), (2, 1), (0, 6)] {
            let span = SpanC { start, end, ..SpanC::default() };
            assert_eq!(group.push(&doc, span).unwrap_err().code(), "E035");
        }
        assert_eq!(ranges(&group), [(1, 2, 2)]);
    }

    #[test]
    fn a_span_without_tokens_overlaps_what_it_lies_inside_of() {
        let doc = doc();
        assert!(group(&doc, &[(0, 3), (1, 1)]).has_overlap());
        assert!(!group(&doc, &[(0, 3), (3, 3), (0, 0)]).has_overlap());
    }

    #[test]
    fn spans_are_appended_together_or_not_at_all_and_replaced_in_place() {
        let doc = doc();
        let mut group = group(&doc, &[(0, 1), (1, 2)]);
        let span = |start, end| SpanC { start, end, label: 9, ..SpanC::default() };
        assert_eq!(group.extend(&doc, &[span(2, 3), span(4, 6)]).unwrap_err().code(), "E035");
        assert_eq!(group.set(&doc, -1, span(4, 6)).unwrap_err().code(), "E035");
        assert_eq!(group.set(&doc, 2, span(4, 5)).unwrap_err().code(), "E856");
        assert_eq!(ranges(&group), [(0, 1, 1), (1, 2, 2)]);
        group.set(&doc, -1, span(4, 5)).unwrap();
        group.extend(&doc, &[span(2, 3), span(0, 5)]).unwrap();
        assert_eq!(ranges(&group), [(0, 1, 1), (4, 5, 9), (2, 3, 9), (0, 5, 9)]);
    }

    #[test]
    fn a_copy_finds_its_place_by_characters() {
        let doc = doc();
        let mut other = doc.try_clone().unwrap();
        let mut plan = Retokenization::new(&other);
        plan.merge(&other, 1..3, &[]).unwrap();
        plan.apply(&mut other).unwrap();
        let copy = group(&doc, &[(0, 3), (3, 5), (5, 5), (3, 3)]).copied_to(&doc, &other).unwrap();
        assert_eq!(ranges(&copy), [(0, 2, 1), (2, 4, 2), (4, 4, 3), (2, 2, 4)]);
        let error = group(&doc, &[(0, 1), (1, 2)]).copied_to(&doc, &other).unwrap_err();
        assert_eq!(error.code(), "E1052");
        assert!(error.message().starts_with("span 1"));
    }
}
