//! From character offsets to tokens.

use super::{Doc, Span};

/// What to do with a character range whose ends are not token boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// There is no such span.
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

impl Doc {
    /// The span of a range of characters, or none if the range does not fit. Cost: two binary
    /// searches over the tokens.
    ///
    /// A range that begins with the space after a token does not, in expanding alignment, take in
    /// that token; a range of such a space alone gives an empty span.
    pub fn char_span(&self, start: usize, end: usize, mode: Alignment) -> Option<Span<'_>> {
        let mut first = self.covering(start)?;
        let mut last = self.covering(end.checked_sub(1)?)?;
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
        self.span(first, last + 1).ok()
    }

    /// The token that begins exactly at a character offset.
    pub fn starting_at(&self, start: usize) -> Option<usize> {
        self.tokens().binary_search_by_key(&start, |token| token.idx as usize).ok()
    }

    /// The token that ends exactly at a character offset.
    pub fn ending_at(&self, end: usize) -> Option<usize> {
        let i = self.covering(end.checked_sub(1)?)?;
        (self.end_char(i) == end).then_some(i)
    }

    /// The token that covers a character, its trailing space counted in.
    pub fn covering(&self, offset: usize) -> Option<usize> {
        let after = self.tokens().partition_point(|token| token.idx as usize <= offset);
        let i = after.checked_sub(1)?;
        (offset < self.end_with_space(i)).then_some(i)
    }

    fn start_char(&self, i: usize) -> usize {
        self.tokens()[i].idx as usize
    }

    fn end_with_space(&self, i: usize) -> usize {
        self.end_char(i) + usize::from(self.tokens()[i].spacy())
    }
}
