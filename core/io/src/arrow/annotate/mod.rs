//! Annotation of record batches: adds columns of tokens and their annotation to batches with a
//! column of texts.
//!
//! Called by batch engines: Ray, Spark, Dask, Polars. Processes need not share a vocab: ids are
//! hashes and mean the same everywhere, and a column of the batch has the strings that its ids
//! stand for.
//!
//! **Invariant:** the values of a row depend on its text, the rules, the components and the
//! requested columns only; never on other rows, the number of threads, or the words that the vocab
//! already has. The exception is spaCy's: an attribute ruler that sets an attribute of words, such
//! as `IS_STOP`, sets it for all later texts.

mod annotator;
mod assemble;
mod input;
mod layout;
#[cfg(test)]
mod pipeline_tests;
mod reader;
mod row_strings;
mod row_tokens;
#[cfg(test)]
mod tests;
mod token_rows;
mod values;

pub use self::annotator::{Annotator, AnnotatorOptions};
pub(super) use self::input::{TextColumn, invalid, is_text};
pub use self::reader::{AnnotatedReader, CallWrapper, WatchFn};
