//! Documents and the views on them.
//!
//! A [`Doc`] owns its records and its text (or borrows that from a foreign owner) and holds its
//! vocab and zone; [`Token`] and [`Span`] borrow the document. Calls [`vocab`](crate::vocab) and
//! [`strings`](crate::strings); the tokenizer and everything after it call this.

mod annotate;
mod array;
mod attrs;
mod build;
mod char_span;
mod children;
mod columns;
mod cut;
mod doc;
mod entities;
mod facets;
mod join;
mod lca;
mod navigate;
mod noun_chunks;
mod record_edit;
mod retired;
mod retokenize;
mod sentences;
mod spacy_records;
mod span;
mod span_group;
mod text;
mod token;
mod tree;

pub use annotate::Annotations;
pub use array::{column, count_by, longest_utf8, to_array, write_array, write_utf8};
pub use attrs::ARRAY_ATTRS;
pub(crate) use attrs::{ID_ATTRS, Place, check_value, low, signed};
pub(crate) use build::Builder;
pub use char_span::Alignment;
pub(crate) use doc::text_too_long;
pub use doc::{Doc, MAX_CHARS};
pub(crate) use entities::range_of;
pub use entities::{Ents, EntsDefault};
pub use join::Joined;
pub use record_edit::RecordEdit;
pub use retired::Pin;
pub use retokenize::{Head, Part, Retokenization};
pub use spacy_records::{SPACY_PADDING, SpacyTokens, set_spacy_children};
pub use span::Span;
pub use span_group::{SpanGroup, spans_overlap};
pub use text::{ForeignCount, ForeignText, SharedText};
pub use token::{Token, TokenIx};
pub(crate) use tree::{offset as tree_offset, rebuild};

#[cfg(test)]
mod tests;
