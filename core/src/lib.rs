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
//! | [`strings`] | ids, and the interned strings behind them |
//! | [`vocab`] | lexemes with their attributes; zones |
//! | [`tokens`] | documents and the views on them |
//! | [`corpus`] | texts read from files, documents written to them |
//! | [`tokenizer`] | rules, the chunk cache, batches on all cores |
//!
//! The records themselves are those of [`structs`]; the memory they live in is
//! [`lexpool-pool`](lexpool_pool)'s. This crate knows no Python, reads no environment variable,
//! starts no thread before a batch asks for one, and keeps no global vocab.

pub mod corpus;
mod error;
#[cfg(feature = "shell")]
pub mod shell;
pub mod strings;
pub mod threads;
pub mod tokenizer;
pub mod tokens;
pub mod vocab;

pub use error::{Error, ErrorKind, Result};
pub use lexpool_pool as pool;
pub use lexpool_structs as structs;
