//! Sentences: the runs of tokens between sentence starts.

use std::ops::Range;

use lexpool_structs::AttrId;

use super::doc::Doc;
use super::span::Span;
use crate::codes;
use crate::{Error, Result};

/// A view of the sentences of a document. A sentence starts at its first token and at each token
/// whose sentence start is set.
///
/// ```
/// use lexpool::structs::AttrId;
/// use lexpool::tokens::Doc;
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("Go", false), (".", true), ("Now", false)])?;
/// assert!(!doc.sentences().are_set());
/// doc.attrs_mut().set(2, AttrId::SENT_START, 1)?;
/// assert_eq!(doc.sentences().ranges()?.collect::<Vec<_>>(), [0..2, 2..3]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sentences<'a> {
    doc: &'a Doc,
}

impl Doc {
    /// Returns the view of the sentences.
    #[inline]
    pub fn sentences(&self) -> Sentences<'_> {
        Sentences { doc: self }
    }
}

impl<'a> Sentences<'a> {
    /// Returns whether a sentence start is set or excluded on some token after the first, or the
    /// document has at most one token. Cost: one pass until the first such token.
    pub fn are_set(&self) -> bool {
        self.doc.attrs().has_annotation(AttrId::SENT_START, false)
    }

    /// Returns the sentences in order, as ranges of tokens. Cost: one pass over the tokens.
    ///
    /// # Errors
    ///
    /// `E030` unless [`are_set`](Sentences::are_set).
    pub fn ranges(&self) -> Result<impl Iterator<Item = Range<usize>> + use<'a>> {
        if !self.are_set() {
            return Err(not_set());
        }
        let doc = self.doc;
        let starts = doc.tokens().iter().enumerate().skip(1);
        let starts = starts.filter(|(_, token)| token.sent_start() == 1).map(|(i, _)| i);
        let mut from = 0;
        let ends = starts.chain((!doc.is_empty()).then_some(doc.len()));
        Ok(ends.map(move |end| std::mem::replace(&mut from, end)..end))
    }

    /// Returns the sentence that contains a token, as a range of tokens; the whole document if no
    /// sentence start is set. Cost: the length of the sentence.
    pub fn containing(&self, i: usize) -> Range<usize> {
        let tokens = self.doc.tokens();
        let len = tokens.len();
        let start = tokens[..len.min(i + 1)].iter().rposition(|token| token.sent_start() == 1);
        let end = (i + 1..len).find(|&next| tokens[next].sent_start() == 1);
        let (start, end) = (start.unwrap_or(0), end.unwrap_or(len));
        start..end
    }
}

impl Span<'_> {
    /// Returns the sentences that the span overlaps, whole, as ranges of tokens. An empty span
    /// overlaps the sentence of the token at its start, or the last sentence.
    ///
    /// # Errors
    ///
    /// `E030` unless [`Sentences::are_set`].
    pub fn sentences(&self) -> Result<Vec<Range<usize>>> {
        let doc = self.doc();
        if !doc.sentences().are_set() {
            return Err(not_set());
        }
        let mut sents = Vec::new();
        let mut at = self.start().min(doc.len().saturating_sub(1));
        while at < self.end().max(at + usize::from(sents.is_empty())) && at < doc.len() {
            let sent = doc.sentences().containing(at);
            at = sent.end;
            sents.push(sent);
        }
        Ok(sents)
    }
}

fn not_set() -> Error {
    let text = "sentence starts are not set; use a component that sets them, such as a parser or \
                a sentencizer, or set token.is_sent_start";
    Error::value(codes::E030, text)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::attrs::signed;
    use crate::tokens::tests::{vocab, words};

    fn with_starts(starts: &[i8]) -> Doc {
        let mut doc = words(starts.len());
        for (i, start) in starts.iter().enumerate() {
            doc.attrs_mut().set(i, AttrId::SENT_START, signed(i32::from(*start))).unwrap();
        }
        doc
    }

    proptest! {
        #[test]
        fn sentences_tile_the_document_and_each_but_the_first_begins_with_a_start(
            starts in vec(-1..2_i8, 1..12), (a, b) in (0..13_usize, 0..13_usize),
        ) {
            let doc = with_starts(&starts);
            let n = doc.len();
            if n > 1 && starts[1..].iter().all(|start| *start == 0) {
                prop_assert_eq!(doc.sentences().ranges().err().map(|error| error.code()), Some("E030"));
                return Ok(());
            }
            let sents: Vec<_> = doc.sentences().ranges().unwrap().collect();
            let begins: Vec<usize> = (0..n).filter(|i| *i == 0 || starts[*i] == 1).collect();
            let ends = begins[1..].iter().copied().chain([n]);
            let expected: Vec<_> = begins.iter().zip(ends).map(|(start, end)| *start..end).collect();
            prop_assert_eq!(&sents, &expected);
            for i in 0..n {
                let own = sents.iter().find(|sent| sent.contains(&i)).unwrap();
                prop_assert_eq!(&doc.sentences().containing(i), own);
            }
            let (start, end) = (a.min(b).min(n), a.max(b).min(n));
            let first = start.min(n - 1);
            let touched = |sent: &&Range<usize>| {
                sent.contains(&first) || (sent.start < end && start < sent.end)
            };
            let expected: Vec<_> = sents.iter().filter(touched).cloned().collect();
            prop_assert_eq!(doc.span(start, end).unwrap().sentences().unwrap(), expected);
        }
    }

    #[test]
    fn documents_of_one_token_or_none_need_no_starts() {
        assert_eq!(words(1).sentences().ranges().unwrap().collect::<Vec<_>>(), vec![0..1]);
        let doc = Doc::empty(&vocab());
        assert_eq!(doc.sentences().ranges().unwrap().count(), 0);
        assert!(doc.span(0, 0).unwrap().sentences().unwrap().is_empty());
    }
}
