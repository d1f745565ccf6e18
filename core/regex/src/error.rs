//! The errors of compiling a pattern and of searching with it.

use std::fmt;

/// A pattern that Python's `re` rejects, or that exceeds a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The position in the source, in characters.
    pub offset: usize,
    /// The fault, and what was expected if that is known.
    pub message: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid pattern at character {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for PatternError {}

/// A search that exceeded its budget of steps or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitError {
    /// The limit.
    pub limit: usize,
    /// The unit that the limit counts, in the plural.
    pub unit: &'static str,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitError { limit, unit } = self;
        write!(f, "the pattern reached its limit of {limit} {unit} on this text")
    }
}

impl std::error::Error for LimitError {}
