//! Corpora on disk: readers of texts and of documents, and writers of documents.
//!
//! [`Texts`] reads the texts of documents from plain files, JSON lines and Parquet files (feature
//! `parquet`). A [`CorpusWriter`] writes documents: [`Jsonl`] for people and scripts (read by
//! [`JsonlDocs`]), `Arrow` and `AnnotatedArrow` (feature `arrow`) and `Parquet` (feature
//! `parquet`) for data frames, [`DocBin`] for spaCy, [`ConlluWriter`] for treebanks (read by
//! [`Conllu`]), and `MappedWriter` for corpora that are memory-mapped (`Corpus`, feature `arrow`).
//! Depends on [`tokens`](lexpool::tokens) and the modules before it; tokenizing is left to the
//! caller.

#[cfg(feature = "arrow")]
mod arrow;
mod cats;
mod conllu;
mod docbin;
mod jsonl;
mod location;
#[cfg(feature = "arrow")]
mod mapped;
#[cfg(feature = "parquet")]
mod parquet;
mod source;
mod texts;
mod writer;

pub use cats::cats_of;

#[cfg(feature = "arrow")]
pub use arrow::{AnnotatedArrow, Arrow};
pub use conllu::{Conllu, ConlluWriter, GoldDoc, push_conllu};
pub use docbin::{AnnotatedDocBin, DocBin};
pub use jsonl::{Jsonl, JsonlDocs, JsonlRead, push_json_string};
pub use location::SourceLocation;
#[cfg(feature = "arrow")]
pub use mapped::{Cell, Column, Corpus, MappedWriter, Piece, WriteOptions, merge};
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
pub use source::{DocUnit, InvalidUtf8, ReadOptions, Source, SourceText};
pub use texts::Texts;
pub use writer::CorpusWriter;
