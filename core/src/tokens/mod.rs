//! Documents and their views.
//!
//! A [`Doc`] owns its records and its text (or borrows the text from a foreign owner) and keeps its
//! vocab and zone alive. [`Token`] and [`Span`] are references into a document, and each concept of
//! annotation has a view: [`TokenAttrs`], [`Tree`], [`Entities`], [`Sentences`], [`CharOffsets`].
//! Uses [`vocab`](crate::vocab) and [`strings`](crate::strings); the tokenizer and all later stages
//! use this module.

mod address_pins;
mod annotations;
mod attrs;
mod builder;
mod char_offsets;
mod columns;
mod doc;
mod entities;
mod joined_docs;
mod record_edit;
mod replace;
mod retokenize;
mod sentences;
mod spacy_tokens;
mod span;
mod span_group;
mod span_to_doc;
mod tensor;
mod text;
mod token;
mod tree;
mod utf8_rows;

pub use address_pins::AddressPin;
pub use annotations::Annotations;
pub(crate) use attrs::ID_ATTRS;
pub use attrs::{
    ARRAY_ATTRS, AttrColumn, TokenAttrs, TokenAttrsMut, check_value, low as low_half, signed,
};
pub(crate) use builder::DocBuilder;
pub use char_offsets::{Alignment, CharOffsets};
pub use doc::text_too_long;
pub use doc::{Doc, MAX_CHARS};
pub use entities::{Entities, EntitiesMut, EntityAssignment, EntityDefault};
pub use joined_docs::JoinedDocs;
pub use record_edit::RecordEdit;
pub use retokenize::{PartHead, Retokenization, SplitPart};
pub use sentences::Sentences;
pub use spacy_tokens::{SPACY_PADDING, SpacyTokens, set_spacy_children};
pub use span::Span;
pub use span::range_of;
pub use span_group::{SpanGroup, spans_overlap};
pub use tensor::Tensor;
pub use text::{ForeignCount, ForeignText, SharedText};
pub use token::{Token, TokenIx};
pub use tree::{NounChunkRules, Tree, TreeMut};
pub use tree::{offset as tree_offset, rebuild as rebuild_tree};
pub use utf8_rows::{longest_utf8, write_utf8};

#[cfg(test)]
mod tests;
