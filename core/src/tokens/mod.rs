//! Documents and the views on them.
//!
//! A [`Doc`] owns its records and its text (or borrows that from a foreign owner) and holds its
//! vocab and zone; [`Token`] and [`Span`] borrow the document. Calls [`vocab`](crate::vocab) and
//! [`strings`](crate::strings); the tokenizer and everything after it call this.

mod array;
mod char_span;
mod doc;
mod span;
mod text;
mod token;

pub use array::{column, count_by, to_array};
pub use char_span::Alignment;
pub(crate) use doc::text_too_long;
pub use doc::{Doc, MAX_CHARS};
pub use span::Span;
pub use text::ForeignText;
pub use token::{Token, TokenIx};

#[cfg(test)]
mod tests;
