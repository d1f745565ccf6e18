//! Spans: views of neighbouring tokens of a document, and span records.

use std::fmt;
use std::ops::Range;

use lexpool_structs::SpanC;

use super::doc::Doc;
use super::token::{Token, TokenIx};
use crate::codes;
use crate::strings::StrId;
use crate::{Error, ErrorKind, Result};

/// The tokens `start..end` of a document.
///
/// ```
/// use lexpool::tokenizer::Tokenizer;
///
/// let doc = Tokenizer::blank("en")?.tokenize("We fly to New York today.")?;
/// let city = doc.span(3, 5)?;
/// assert_eq!((city.text(), city.len()), ("New York", 2));
/// assert_eq!((city.start_char(), city.end_char()), (10, 18));
/// assert_eq!(city.iter().map(|token| token.i()).collect::<Vec<_>>(), [3, 4]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Span<'a> {
    doc: &'a Doc,
    start: TokenIx,
    end: TokenIx,
}

impl Doc {
    /// Returns the tokens `start..end`.
    ///
    /// # Errors
    ///
    /// `E035` unless `start <= end <= len`.
    pub fn span(&self, start: usize, end: usize) -> Result<Span<'_>> {
        if start > end || end > self.len() {
            return Err(outside(start..end, self.len()));
        }
        Ok(Span::new(self, TokenIx::new(start), TokenIx::new(end)))
    }

    /// Builds a span's record, with the character offsets of its tokens.
    pub(crate) fn span_record(&self, start: usize, end: usize, label: StrId) -> SpanC {
        let (start_char, end_char) = self.char_bounds(start, end);
        SpanC {
            start: narrow(start),
            end: narrow(end),
            start_char: narrow(start_char),
            end_char: narrow(end_char),
            label: label.get(),
            ..SpanC::default()
        }
    }
}

impl<'a> Span<'a> {
    /// Made by [`Doc::span`], which has checked `start <= end <= len`.
    pub(super) fn new(doc: &'a Doc, start: TokenIx, end: TokenIx) -> Span<'a> {
        Span { doc, start, end }
    }

    /// Returns the document.
    pub fn doc(&self) -> &'a Doc {
        self.doc
    }

    /// Returns the position of the first token.
    pub fn start(&self) -> usize {
        self.start.get()
    }

    /// Returns the position after the last token.
    pub fn end(&self) -> usize {
        self.end.get()
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.end() - self.start()
    }

    /// Returns whether the span has no tokens.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns the character offset of the start.
    pub fn start_char(&self) -> usize {
        self.doc.char_bounds(self.start(), self.end()).0
    }

    /// Returns the character offset of the end of the last token; of an empty span, the start.
    pub fn end_char(&self) -> usize {
        self.doc.char_bounds(self.start(), self.end()).1
    }

    /// Returns the text from the first token to the last, a slice of the document's text.
    pub fn text(&self) -> &'a str {
        match self.doc.token(self.start()) {
            Some(first) if !self.is_empty() => {
                let end = self.doc.end_byte(self.end() - 1);
                &self.doc.text()[first.record().byte as usize..end]
            }
            _ => "",
        }
    }

    /// Returns the text with the space after the last token, if any.
    pub fn text_with_ws(&self) -> &'a str {
        let Some(first) = self.iter().next() else { return "" };
        let start = first.record().byte as usize;
        let space = usize::from(self.doc.tokens()[self.end() - 1].spacy());
        &self.doc.text()[start..start + self.text().len() + space]
    }

    /// Returns the span as a record, with a label.
    pub fn record(&self, label: StrId) -> SpanC {
        self.doc.span_record(self.start(), self.end(), label)
    }

    /// Returns the tokens in order.
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

/// The error of a range that does not lie within a document of `len` tokens.
pub(super) fn outside(range: Range<usize>, len: usize) -> Error {
    let text = format!("no span {range:?} in a document of {len} tokens");
    Error::new(ErrorKind::Index, codes::E035, text)
}

/// Returns the tokens of a span's record; negative numbers, which no valid record has, count as 0.
pub fn range_of(span: &SpanC) -> Range<usize> {
    widen(span.start)..widen(span.end)
}

/// Converts an offset of a record; negative numbers, which no valid record has, count as 0.
pub(super) fn widen(offset: i32) -> usize {
    usize::try_from(offset).unwrap_or_default()
}

/// Converts a token position or a character offset, which are below 2^30, for a record.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "below 2^30")]
pub(crate) fn narrow(offset: usize) -> i32 {
    offset as i32
}
