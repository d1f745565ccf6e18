//! The input and the output of tokenizing: a text, and its tokens without a document.

use lexpool_structs::TokenC;

use crate::Result;
use crate::tokens::{ForeignText, MAX_CHARS, text_too_long};
use crate::vocab::VocabSnapshot;

/// A text that is handed over to a document.
#[derive(Debug)]
pub enum Text {
    /// A string; the document takes it, or a copy of it.
    Owned(String),
    /// Foreign memory; the document keeps its owner alive.
    Foreign(ForeignText),
}

impl Text {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        match self {
            Text::Owned(text) => text,
            Text::Foreign(text) => text.as_str(),
        }
    }
}

/// The tokens of a text, valid until the next text is tokenized.
pub struct ScannedText<'a> {
    /// The number that the caller gave the text.
    pub number: usize,
    /// The text.
    pub text: &'a str,
    /// The words of the tokens.
    pub snapshot: &'a VocabSnapshot,
    /// The records that a document would have.
    pub tokens: &'a [TokenC],
}

/// Checks that a document can have a text.
///
/// # Errors
///
/// `E025` for a text of 2^30 characters or more, or of more than 4 GiB.
pub(super) fn check_length(text: &str) -> Result<()> {
    if text.len() <= MAX_CHARS {
        return Ok(());
    }
    let chars = text.chars().count();
    if chars > MAX_CHARS || u32::try_from(text.len()).is_err() {
        return Err(text_too_long(chars));
    }
    Ok(())
}
