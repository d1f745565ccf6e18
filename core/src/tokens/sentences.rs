//! Sentences: the stretches between sentence starts.

use std::ops::Range;

use lexpool_structs::AttrId;

use super::{Doc, Span};
use crate::{Error, Result};

impl Doc {
    /// The sentences in order, as ranges of tokens. Cost: one pass over the tokens.
    ///
    /// # Errors
    ///
    /// `E030` if nothing says where sentences start; a document of one token needs no telling.
    ///
    /// ```
    /// use lexpool::structs::AttrId;
    /// use lexpool::tokens::Doc;
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let mut doc = Doc::from_words(&vocab, &[("Go", false), (".", true), ("Now", false)])?;
    /// assert!(doc.sents().is_err());
    /// doc.set_attr(2, AttrId::SENT_START, 1)?;
    /// assert_eq!(doc.sents()?.collect::<Vec<_>>(), [0..2, 2..3]);
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn sents(&self) -> Result<impl Iterator<Item = Range<usize>> + '_> {
        if !self.has_annotation(AttrId::SENT_START, false) {
            return Err(unset());
        }
        let starts = self.tokens().iter().enumerate().skip(1);
        let starts = starts.filter(|(_, token)| token.sent_start() == 1).map(|(i, _)| i);
        let mut from = 0;
        let ends = starts.chain((!self.is_empty()).then_some(self.len()));
        Ok(ends.map(move |end| std::mem::replace(&mut from, end)..end))
    }

    /// The sentence that holds a token, as a range of tokens: the whole document if nothing is known
    /// of sentence starts. Cost: its length.
    pub fn sentence_of(&self, i: usize) -> Range<usize> {
        let tokens = self.tokens();
        let len = tokens.len();
        let start = tokens[..len.min(i + 1)].iter().rposition(|token| token.sent_start() == 1);
        let end = (i + 1..len).find(|&next| tokens[next].sent_start() == 1);
        let (start, end) = (start.unwrap_or(0), end.unwrap_or(len));
        start..end
    }
}

impl Span<'_> {
    /// The sentences that the span touches, whole, as ranges of tokens. An empty span touches that
    /// of the token at its start, or the last one.
    ///
    /// # Errors
    ///
    /// `E030` if nothing says where sentences start.
    pub fn sents(&self) -> Result<Vec<Range<usize>>> {
        let doc = self.doc();
        if !doc.has_annotation(AttrId::SENT_START, false) {
            return Err(unset());
        }
        let mut sents = Vec::new();
        let mut at = self.start().min(doc.len().saturating_sub(1));
        while at < self.end().max(at + usize::from(sents.is_empty())) && at < doc.len() {
            let sent = doc.sentence_of(at);
            at = sent.end;
            sents.push(sent);
        }
        Ok(sents)
    }
}

fn unset() -> Error {
    let text = "sentence starts are not set; use a component that sets them, such as a parser or \
                a sentencizer, or set token.is_sent_start";
    Error::value("E030", text)
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
            doc.set_attr(i, AttrId::SENT_START, signed(i32::from(*start))).unwrap();
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
                prop_assert_eq!(doc.sents().err().map(|error| error.code()), Some("E030"));
                return Ok(());
            }
            let sents: Vec<_> = doc.sents().unwrap().collect();
            let begins: Vec<usize> = (0..n).filter(|i| *i == 0 || starts[*i] == 1).collect();
            let ends = begins[1..].iter().copied().chain([n]);
            let expected: Vec<_> = begins.iter().zip(ends).map(|(start, end)| *start..end).collect();
            prop_assert_eq!(&sents, &expected);
            for i in 0..n {
                let own = sents.iter().find(|sent| sent.contains(&i)).unwrap();
                prop_assert_eq!(&doc.sentence_of(i), own);
            }
            let (start, end) = (a.min(b).min(n), a.max(b).min(n));
            let first = start.min(n - 1);
            let touched = |sent: &&Range<usize>| {
                sent.contains(&first) || (sent.start < end && start < sent.end)
            };
            let expected: Vec<_> = sents.iter().filter(touched).cloned().collect();
            prop_assert_eq!(doc.span(start, end).unwrap().sents().unwrap(), expected);
        }
    }

    #[test]
    fn documents_of_one_token_or_none_need_no_starts() {
        assert_eq!(words(1).sents().unwrap().collect::<Vec<_>>(), vec![0..1]);
        let doc = Doc::empty(&vocab());
        assert_eq!(doc.sents().unwrap().count(), 0);
        assert!(doc.span(0, 0).unwrap().sents().unwrap().is_empty());
    }
}
