//! Sentences: the stretches between sentence starts.

use std::ops::Range;

use lexpool_structs::AttrId;

use super::{Doc, Span};
use crate::{Error, Result};

impl Doc {
    /// The sentences in order.
    ///
    /// # Errors
    ///
    /// `E030` if nothing says where sentences start.
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

    /// The sentence that holds a token, by what is known of sentence starts.
    pub fn sentence_of(&self, i: usize) -> Range<usize> {
        let tokens = self.tokens();
        let len = tokens.len();
        let start = tokens[..len.min(i + 1)].iter().rposition(|token| token.sent_start() == 1);
        let end = (i + 1..len).find(|&next| tokens[next].sent_start() == 1);
        let (start, end) = (start.unwrap_or(0), end.unwrap_or(len));
        start..end
    }

    /// For each token, the position after the last one of its sentence.
    pub(super) fn sentence_ends(&self) -> Vec<usize> {
        let mut ends = vec![self.len(); self.len()];
        let mut end = self.len();
        for (i, token) in self.tokens().iter().enumerate().rev() {
            ends[i] = end;
            if token.sent_start() == 1 {
                end = i;
            }
        }
        ends
    }
}

impl Span<'_> {
    /// The sentences that the span touches.
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
        // An empty span lies in the sentence before or around it.
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
