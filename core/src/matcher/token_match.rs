//! Matches of token patterns, and the questions that patterns leave to the caller.

use std::ops::Range;

use crate::strings::StrId;
use crate::{Error, Result, fallible};

/// A sequence of tokens that a pattern fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The key under which the pattern was added.
    pub key: StrId,
    /// The tokens, counted from the first token of the searched range.
    pub tokens: Range<usize>,
    /// For each token the position of the pattern's element that took it, or the last such element
    /// if several could. Empty unless alignments were requested.
    pub alignment: Vec<u32>,
}

/// A question that a pattern leaves to the caller: see [`Test::Ask`](super::Test::Ask) and
/// [`Test::AskText`](super::Test::AskText).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// The question's number, as the pattern gives it.
    pub number: u32,
    /// The token's position in the document.
    pub token: usize,
    /// The string of the attribute, for [`Test::AskText`](super::Test::AskText).
    pub text: Option<&'a str>,
}

/// A match as the search engines report it, counted from the first token of the searched range.
#[derive(Clone, Copy)]
pub(super) struct RawMatch {
    /// The position of the key in the program.
    pub(super) key: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl RawMatch {
    pub(super) fn tokens(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The matches of one search. Once memory for one is refused, the list is only an error.
#[derive(Default)]
pub(super) struct MatchList {
    matches: Vec<RawMatch>,
    refused: Option<Error>,
}

impl MatchList {
    /// Returns the number of matches.
    pub(super) fn len(&self) -> usize {
        self.matches.len()
    }

    /// Appends a match.
    #[inline]
    pub(super) fn push(&mut self, found: RawMatch) {
        if let Err(error) = fallible::push(&mut self.matches, found) {
            self.refused = Some(error);
        }
    }

    /// Returns the matches.
    ///
    /// # Errors
    ///
    /// `out-of-memory` if a match could not be appended.
    pub(super) fn finish(self) -> Result<Vec<RawMatch>> {
        self.refused.map_or(Ok(self.matches), Err)
    }
}
