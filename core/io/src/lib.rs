//! Texts and documents in files: corpora, Arrow, Parquet, CoNLL-U, JSON lines, `DocBin`.
//!
//! ```
//! use lexpool::tokenizer::Tokenizer;
//! use lexpool_io::corpus::{CorpusWriter, Jsonl};
//!
//! let tokenizer = Tokenizer::blank("en")?;
//! let doc = tokenizer.tokenize("Call me Ishmael.")?;
//! let mut writer = Jsonl::new(Vec::new());
//! writer.write(Jsonl::<Vec<u8>>::piece(&[doc])?).unwrap();
//! let lines = String::from_utf8(writer.finish().unwrap()).unwrap();
//! assert!(lines.starts_with(r#"{"text":"Call me Ishmael.","tokens":["#));
//! # Ok::<(), lexpool::Error>(())
//! ```
//!
//! Each module uses only modules above it in this table; a test (`tests/workspace/test_modules.py`)
//! reads the order from here.
//!
//! | module | contents |
//! | --- | --- |
//! | `arrow` (a feature) | documents and lexemes as Arrow record batches |
//! | [`corpus`] | texts read from files, documents written to them |
//! | [`converters`] | annotated files of other formats, as `spacy convert` reads them |
//!
//! A crate of its own, so that `lexpool` and the libraries of Arrow and Parquet are compiled at the
//! same time.

#![cfg_attr(test, allow(clippy::float_cmp, reason = "numbers that come back exactly"))]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files of any kind"))]

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod converters;
pub mod corpus;
