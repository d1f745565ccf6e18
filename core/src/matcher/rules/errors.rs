//! Errors of patterns in JSON: all errors of an input, each with its place.

use std::fmt;

use crate::Error;
use crate::codes;

/// One error of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The place: the line of a file or the key, the element, and the fields down to the value.
    pub place: String,
    /// The expected value and the given one.
    pub text: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.place {
            "" => f.write_str(&self.text),
            place => write!(f, "{place}: {}", self.text),
        }
    }
}

/// All errors of an input, in its order; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternErrors(pub(super) Vec<PatternError>);

/// The maximum number of errors that `Display` prints.
const MAX_SHOWN: usize = 20;

impl PatternErrors {
    /// Wraps a list of errors; returns `None` for an empty list.
    pub(in crate::matcher) fn new(errors: Vec<PatternError>) -> Option<PatternErrors> {
        (!errors.is_empty()).then_some(PatternErrors(errors))
    }

    /// Returns the errors in the order of the input.
    pub fn iter(&self) -> impl Iterator<Item = &PatternError> {
        self.0.iter()
    }
}

impl fmt::Display for PatternErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [error] = &*self.0 {
            return error.fmt(f);
        }
        write!(f, "{} errors in patterns", self.0.len())?;
        for error in self.0.iter().take(MAX_SHOWN) {
            write!(f, "\n  {error}")?;
        }
        match self.0.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl std::error::Error for PatternErrors {}

impl From<PatternErrors> for Error {
    fn from(errors: PatternErrors) -> Error {
        Error::value(codes::PATTERN_SYNTAX, errors.to_string()).caused_by(errors)
    }
}

/// A place in an input that is being parsed, and the list that collects errors.
pub(super) struct ParseContext<'a> {
    place: String,
    errors: &'a mut Vec<PatternError>,
}

impl ParseContext<'_> {
    pub(super) fn new(place: String, errors: &mut Vec<PatternError>) -> ParseContext<'_> {
        ParseContext { place, errors }
    }

    /// Returns the same place, to be passed by value.
    pub(super) fn reborrow(&mut self) -> ParseContext<'_> {
        ParseContext { place: self.place.clone(), errors: self.errors }
    }

    /// Returns the place of an element or a field in this place.
    pub(super) fn child(&mut self, name: impl fmt::Display) -> ParseContext<'_> {
        let place =
            if self.place.is_empty() { name.to_string() } else { format!("{} {name}", self.place) };
        ParseContext { place, errors: self.errors }
    }

    /// Adds an error at this place. Returns `None`, as the result of a parser that fails.
    pub(super) fn error<T>(&mut self, text: impl Into<String>) -> Option<T> {
        // The comma separates a line from the places in it; without such a place it is dropped.
        let place = self.place.trim_end_matches(',').to_owned();
        self.errors.push(PatternError { place, text: text.into() });
        None
    }
}
