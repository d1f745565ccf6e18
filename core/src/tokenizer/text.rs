//! The input and the output of tokenizing: a text, and its tokens without a document.

use lexpool_structs::TokenC;

use crate::tokens::ForeignText;
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
pub(crate) struct ScannedText<'a> {
    /// The number that the caller gave the text.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    pub(crate) snapshot: &'a VocabSnapshot,
    /// The records that a document would have.
    pub(crate) tokens: &'a [TokenC],
}
