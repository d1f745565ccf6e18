//! Annotation of record batches: adds columns of tokens to batches with a column of texts.
//!
//! Called by batch engines: Ray, Spark, Dask, Polars. Processes need not share a vocab: ids are
//! hashes and mean the same everywhere, and a column of the batch has the strings that its ids
//! stand for.
//!
//! **Invariant:** the values of a row depend on its text, the rules and the requested columns only;
//! never on other rows, the number of threads, or the words that the vocab already has.

mod annotator;
mod assemble;
mod input;
mod layout;
mod reader;
#[cfg(test)]
mod tests;
mod token_rows;

pub use self::annotator::{Annotator, AnnotatorOptions};
pub(super) use self::input::{TextColumn, invalid, is_text};
pub use self::reader::{AnnotatedReader, CallWrapper};
