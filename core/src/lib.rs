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
//! Each module uses only modules above it in this table; a test (`tests/workspace/test_modules.py`)
//! reads the order from here.
//!
//! | module | contents |
//! | --- | --- |
//! | `seeded` | hash maps by id, each with a random seed |
//! | `fallible` | lists that report refused memory |
//! | [`files`] | atomic files: complete under their final name, or not there |
//! | [`mapped_file`] | files that are mapped into memory |
//! | [`container`] | the one format of files that are mapped, or gone on from |
//! | [`strings`] | string ids, and the interned strings behind them |
//! | [`config`] | configurations in spaCy's format, and JSON that keeps its order |
//! | [`components`] | the table of spaCy's factories: names, default settings, scores |
//! | [`lookups`] | tables of a language's data by word |
//! | [`bloom`] | Bloom filters of lookup tables |
//! | [`graph`] | relations between groups of tokens |
//! | [`iob`] | entities as tags of tokens |
//! | [`alignment`] | the tokens of two tokenizations of one text that correspond to each other |
//! | [`morphology`] | interned morphological features |
//! | [`dictionaries`] | segmenters with the dictionaries of Sudachi and `MeCab` |
//! | [`vectors`] | word vectors: by key or by n-grams of characters, and the most similar ones |
//! | [`vocab`] | lexemes with their attributes; zones; the memory-mapped vocab |
//! | [`edit_trees`] | rules that rewrite word forms into lemmas |
//! | [`tokens`] | documents and the views on them |
//! | [`projective`] | trees without crossing arcs |
//! | [`transition`] | transition-based parsing of documents |
//! | [`formats`] | documents as bytes |
//! | [`tokenizer`] | rules, the chunk cache, batches on all cores |
//! | [`matcher`] | token patterns and phrases |
//! | `op_args` | documents and vocabs as arguments of ops |
//! | [`pipeline_files`] | the files of a saved pipeline: a folder, or one packed file |
//! | [`pipeline`] | components that annotate documents |
//! | [`knowledge`] | knowledge bases, and links of entities to them |
//! | [`trained`] | components with networks |
//! | [`loading`] | pipelines from folders that spaCy wrote |
//!
//! Other parts are crates of their own, re-exported here: [`pool`] (arenas), [`structs`]
//! (records), [`codes`], [`limits`], [`escape`] and [`Error`] (`lexpool-error`), [`threads`]
//! (thread pools that survive a fork), [`msgpack`] (the format of most of spaCy's files),
//! [`nn`] (networks; [`nn::learn`] trains them), [`render`] (drawings), [`segment`] (segmenters),
//! and what [`transition`], [`projective`] (`lexpool-parse`), [`tokenizer::pattern`]
//! (`lexpool-regex`) and [`strings::chars`] (`lexpool-chars`) build on. On this crate build
//! `lexpool-ops` (functions by name for Rust, C and Python), `lexpool-io` (corpora and other files
//! of documents) and `lexpool-training` (trainings and evaluation). Programs in the folders
//! `examples` of these crates count words, find matches, run a pipeline, read and write a corpus,
//! and train a tagger.
//!
//! No crate here uses Python, reads an environment variable (except the command, `lexpool-cli`),
//! starts a thread before a batch asks for one, or keeps a global vocab.

#![cfg_attr(test, allow(clippy::float_cmp, reason = "numbers that come back exactly"))]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make files of any kind"))]

pub mod alignment;
pub mod bloom;
pub mod components;
pub mod config;
pub mod container;
pub mod dictionaries;
pub mod edit_trees;
mod fallible;
pub mod files;
pub mod formats;
pub mod graph;
pub mod iob;
pub mod knowledge;
pub mod loading;
pub mod lookups;
pub mod mapped_file;
pub mod matcher;
pub mod morphology;
mod op_args;
pub mod pipeline;
pub mod pipeline_files;
pub mod projective;
mod seeded;
pub mod strings;
pub mod tokenizer;
pub mod tokens;
pub mod trained;
pub mod transition;
pub mod vectors;
pub mod vocab;

pub use lexpool_error::{Code, Error, ErrorKind, Result, codes, escape, limits};
pub use lexpool_msgpack as msgpack;
pub use lexpool_nn as nn;
pub use lexpool_pool as pool;
pub use lexpool_render as render;
pub use lexpool_segment as segment;
pub use lexpool_structs as structs;
pub use lexpool_threads as threads;
