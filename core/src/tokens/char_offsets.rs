//! The tokens and spans at character offsets.

use super::doc::Doc;
use super::span::Span;

/// The rule for a character range whose ends are not token boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// No span.
    #[default]
    Strict,
    /// The tokens that lie wholly inside.
    Contract,
    /// All tokens that the range touches.
    Expand,
}

impl Alignment {
    /// Reads spaCy's name of a mode.
    pub fn from_name(name: &str) -> Option<Alignment> {
        match name {
            "strict" => Some(Alignment::Strict),
            "contract" => Some(Alignment::Contract),
            "expand" => Some(Alignment::Expand),
            _ => None,
        }
    }
}

/// A view of a document by character offset. Each look-up is a binary search over the tokens.
///
/// ```
/// use lexpool::tokens::{Alignment, Doc};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = Doc::from_words(&vocab, &[("Hello", false), (",", true), ("world", false)])?;
/// let offsets = doc.char_offsets();
/// assert_eq!(offsets.token_covering(9), Some(2));
/// assert_eq!(offsets.token_starting_at(8), None);
/// let span = offsets.span(5, 9, Alignment::Expand).unwrap();
/// assert_eq!(span.text(), ", world");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CharOffsets<'a> {
    doc: &'a Doc,
}

impl Doc {
    /// Returns the view by character offset.
    #[inline]
    pub fn char_offsets(&self) -> CharOffsets<'_> {
        CharOffsets { doc: self }
    }
}

impl<'a> CharOffsets<'a> {
    /// Returns the span of the characters `start..end`, or `None` if the range does not fit;
    /// spaCy's `Doc.char_span`.
    ///
    /// In expanding alignment, a range that begins with the space after a token excludes that
    /// token, and a range of such a space alone gives an empty span.
    pub fn span(&self, start: usize, end: usize, mode: Alignment) -> Option<Span<'a>> {
        let mut first = self.token_covering(start)?;
        let mut last = self.token_covering(end.checked_sub(1)?)?;
        match mode {
            Alignment::Strict => {
                if self.start_char(first) != start || self.end_char(last) != end {
                    return None;
                }
            }
            Alignment::Contract => {
                if self.start_char(first) < start {
                    first += 1;
                }
                if end < self.end_char(last) {
                    last = last.checked_sub(1)?;
                }
                if last < first {
                    return None;
                }
            }
            Alignment::Expand => {
                if start == self.end_char(first) {
                    first += 1;
                }
            }
        }
        self.doc.span(first, last + 1).ok()
    }

    /// Returns the token that begins exactly at a character offset.
    pub fn token_starting_at(&self, start: usize) -> Option<usize> {
        self.doc.tokens().binary_search_by_key(&start, |token| token.idx as usize).ok()
    }

    /// Returns the token that ends exactly at a character offset.
    pub fn token_ending_at(&self, end: usize) -> Option<usize> {
        let i = self.token_covering(end.checked_sub(1)?)?;
        (self.end_char(i) == end).then_some(i)
    }

    /// Returns the token that covers a character; a trailing space belongs to the token before it.
    pub fn token_covering(&self, offset: usize) -> Option<usize> {
        let after = self.doc.tokens().partition_point(|token| token.idx as usize <= offset);
        let i = after.checked_sub(1)?;
        (offset < self.end_with_space(i)).then_some(i)
    }

    /// Returns the token that begins at a character offset, or the number of tokens if the text
    /// ends there.
    pub(super) fn boundary(self, offset: usize) -> Option<usize> {
        let len = self.doc.len();
        let is_end = || self.doc.char_bounds(len, len).0 == offset;
        self.token_starting_at(offset).or_else(|| is_end().then_some(len))
    }

    fn start_char(self, i: usize) -> usize {
        self.doc.tokens()[i].idx as usize
    }

    fn end_char(self, i: usize) -> usize {
        self.doc.end_char(i)
    }

    fn end_with_space(self, i: usize) -> usize {
        self.end_char(i) + usize::from(self.doc.tokens()[i].spacy())
    }
}
