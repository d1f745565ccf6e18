//! Documents and lexemes as Arrow record batches, which other libraries read without a copy.
//!
//! Texts are not copied: a column of texts has the type utf8 view, whose values point into the
//! memory of the documents and keep it allocated after the documents are dropped. Values of up to
//! twelve bytes are stored in the column itself, as Arrow demands. All other columns are new.
//!
//! | function | row |
//! | --- | --- |
//! | [`tokens`], [`tokens_of_docs`] | a token |
//! | [`docs`] | a document, with a list of its tokens |
//! | [`lexemes`] | a word type |
//! | [`matches()`] | a match |
//!
//! In the other direction, an [`Annotator`] adds tokens and their annotation to batches of texts.
//!
//! Depends on [`tokens`](lexpool::tokens) and [`vocab`](lexpool::vocab), annotators and matches
//! also on [`pipeline`](lexpool::pipeline) and [`matcher`](lexpool::matcher).
//! [`corpus`](crate::corpus) writes files.

mod add_strings;
mod aligned;
mod annotate;
pub(crate) mod annotation;
mod docs;
pub(crate) mod errors;
mod incoming;
mod lexemes;
pub(crate) mod lists;
mod matches;
mod packed_strings;
mod requested;
mod strings;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod tokens;

pub use arrow_array::RecordBatch;
pub use arrow_schema::Schema;

pub use self::add_strings::add_strings;
pub use self::annotate::{AnnotatedReader, Annotator, AnnotatorOptions, CallWrapper, WatchFn};
pub use self::docs::docs;
pub use self::incoming::{Batches, batch_from_c, stream_from_c};
pub use self::lexemes::lexemes;
pub use self::matches::matches;
pub use self::table::Table;
pub use self::tokens::{tokens, tokens_of_docs};

/// The structs of Arrow's C data interface (`arrow.h`).
///
/// A struct owns what it describes and releases it on drop unless its `release` is null: to move
/// it, copy its bytes and set `release` to null.
pub mod c {
    pub use arrow_array::ffi_stream::FFI_ArrowArrayStream;
    pub use arrow_data::ffi::FFI_ArrowArray;
    pub use arrow_schema::ffi::FFI_ArrowSchema;
}
