//! Classes that users work with: `Doc`, `Token`, `Span`, `Lexeme`, `Vocab`, `StringStore` and their
//! helpers.
//!
//! The files of this folder import each other in circles, those of other folders do not: a document
//! makes tokens, a token returns its document, spans and vocab, and a vocab returns lexemes.

pub(crate) mod attribute_slots;
pub(crate) mod bloom_filter;
pub(crate) mod cosine;
pub(crate) mod doc;
pub(crate) mod graph;
pub(crate) mod lex_attrs;
pub(crate) mod lexeme;
pub(crate) mod lexeme_strings;
pub(crate) mod morphology;
pub(crate) mod noun_chunks;
pub(crate) mod retokenizer;
pub(crate) mod sequence_slots;
pub(crate) mod similarity;
pub(crate) mod span;
pub(crate) mod span_group;
pub(crate) mod span_tree;
pub(crate) mod strings;
pub(crate) mod token;
pub(crate) mod token_tree;
pub(crate) mod underscore;
pub(crate) mod vectors;
pub(crate) mod vocab;
pub(crate) mod zone;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    vectors::register(module)?;
    strings::register(module)?;
    vocab::register(module)?;
    morphology::register(module)?;
    lex_attrs::register(module)?;
    lexeme::register(module)?;
    doc::register(module)?;
    token::register(module)?;
    span::register(module)?;
    span_group::register(module)?;
    retokenizer::register(module)?;
    underscore::register(module)?;
    noun_chunks::register(module)?;
    graph::register(module)?;
    doc::word_lists::register(module)?;
    bloom_filter::register(module)
}
