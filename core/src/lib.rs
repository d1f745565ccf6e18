//! spaCy's strings, vocab, tokenizer and documents as plain records in arenas.
//!
//! ```
//! use lexpool::tokenizer::Tokenizer;
//!
//! let tokenizer = Tokenizer::blank("en")?;
//! let doc = tokenizer.tokenize("Let's go to N.Y., shall we?")?;
//! let words: Vec<_> = doc.iter().map(|token| token.text()).collect();
//! assert_eq!(words, ["Let", "'s", "go", "to", "N.Y.", ",", "shall", "we", "?"]);
//! # Ok::<(), lexpool::Error>(())
//! ```
//!
//! The folders follow the journey of a text, and each calls only those before it:
//!
//! | module | holds |
//! | --- | --- |
//! | [`codes`], [`escape`] | the catalogue of error codes; untrusted text in messages |
//! | [`files`] | files that appear whole or not at all |
//! | [`strings`] | ids, and the interned strings behind them |
//! | [`morphology`] | features of word forms, interned |
//! | [`vectors`] | word vectors: by key or by parts of words, and the most similar ones |
//! | [`vocab`] | lexemes with their attributes; zones |
//! | [`tokens`] | documents and the views on them |
//! | [`alignment`] | two tokenizations of one text, laid over each other |
//! | [`iob`] | entities as tags of tokens |
//! | [`projective`] | trees without crossing arcs |
//! | [`graph`] | relations between groups of tokens |
//! | [`bloom`] | sets of ids that err on the side of yes |
//! | [`msgpack`] | the binary form that most of spaCy's data has on disk |
//! | [`formats`] | documents as bytes |
//! | `arrow` (a feature) | documents and lexemes as Arrow record batches, for other libraries |
//! | [`corpus`] | texts read from files, documents written to them |
//! | [`tokenizer`] | rules, the chunk cache, batches on all cores |
//! | [`matcher`] | sequences of tokens, found by patterns or phrases |
//! | [`pipeline`] | components that annotate documents |
//! | [`transition`] | parsing by moves: states, costs, batches, beams |
//! | [`render`] | documents as HTML and SVG |
//! | [`capi`] | the table of functions for other native code |
//! | [`registry`] | ops: functions by name, for Rust, C and Python |
//!
//! The records themselves are those of [`structs`]; the memory they live in is
//! [`lexpool-pool`](lexpool_pool)'s. This crate knows no Python, reads no environment variable,
//! starts no thread before a batch asks for one, and keeps no global vocab.

#![cfg_attr(test, allow(clippy::float_cmp, reason = "numbers that come back exactly"))]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files of any kind"))]

pub mod alignment;
#[cfg(feature = "arrow")]
pub mod arrow;
pub mod bloom;
pub mod capi;
pub mod corpus;
pub mod files;
pub mod formats;
pub mod graph;
pub mod iob;
pub mod matcher;
pub mod morphology;
pub mod msgpack;
pub mod pipeline;
pub mod projective;
pub mod registry;
mod seeded;
pub mod strings;
pub mod tokenizer;
pub mod tokens;
pub mod transition;
pub mod vectors;
pub mod vocab;

pub use lexpool_error::{Code, Error, ErrorKind, Result, codes, escape};
pub use lexpool_pool as pool;
pub use lexpool_render as render;
pub use lexpool_structs as structs;
pub use lexpool_threads as threads;
