//! A span: a view on neighbouring tokens of a document.

use std::fmt;

use lexpool_structs::SpanC;

use super::{Doc, Token, TokenIx};
use crate::strings::StrId;

/// The tokens from a start to before an end.
#[derive(Clone, Copy)]
pub struct Span<'a> {
    doc: &'a Doc,
    start: TokenIx,
    end: TokenIx,
}

impl<'a> Span<'a> {
    /// Made by [`Doc::span`], which has checked `start <= end <= len`.
    pub(super) fn new(doc: &'a Doc, start: TokenIx, end: TokenIx) -> Span<'a> {
        Span { doc, start, end }
    }

    /// The document.
    pub fn doc(&self) -> &'a Doc {
        self.doc
    }

    /// The position of the first token.
    pub fn start(&self) -> usize {
        self.start.get()
    }

    /// The position after the last token.
    pub fn end(&self) -> usize {
        self.end.get()
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.end() - self.start()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The character offset of the start.
    pub fn start_char(&self) -> usize {
        self.doc.char_bounds(self.start(), self.end()).0
    }

    /// The character offset of the end of the last token; for an empty span, the start.
    pub fn end_char(&self) -> usize {
        self.doc.char_bounds(self.start(), self.end()).1
    }

    /// The text from the first token to the last, cut from the document's own.
    pub fn text(&self) -> &'a str {
        match self.doc.token(self.start()) {
            Some(first) if !self.is_empty() => {
                let end = self.doc.end_byte(self.end() - 1);
                &self.doc.text()[first.record().byte as usize..end]
            }
            _ => "",
        }
    }

    /// The text from the first token to the space after the last one, if there is one.
    pub fn text_with_ws(&self) -> &'a str {
        let Some(first) = self.iter().next() else { return "" };
        let start = first.record().byte as usize;
        let space = usize::from(self.doc.tokens()[self.end() - 1].spacy());
        &self.doc.text()[start..start + self.text().len() + space]
    }

    /// The span as a record, with a label.
    pub fn record(&self, label: StrId) -> SpanC {
        self.doc.record(self.start(), self.end(), label)
    }

    /// The tokens in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Token<'a>> + DoubleEndedIterator + use<'a> {
        let doc = self.doc;
        (self.start()..self.end()).map(move |i| Token::new(doc, TokenIx::new(i)))
    }
}

impl fmt::Debug for Span<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}:{:?}", self.start(), self.end(), self.text())
    }
}
