//! Documents and lexemes as Arrow record batches, for other libraries to read where they lie.
//!
//! Texts are not copied: a column of texts is of the type utf8 view, whose values point into the
//! documents' own memory and keep it allocated, whatever becomes of the documents. Values of up to
//! twelve bytes lie in the column itself, as Arrow prescribes. All other columns are new.
//!
//! | function | a row is |
//! | --- | --- |
//! | [`tokens`], [`tokens_of_docs`] | a token |
//! | [`docs`] | a document, with a list of its tokens |
//! | [`lexemes`] | a word type |
//! | [`matches()`] | a match |
//!
//! The other way round, an [`Annotator`] takes batches of texts and adds tokens to them.
//!
//! Calls [`tokens`](crate::tokens), [`vocab`](crate::vocab), and for annotators and matches
//! [`tokenizer`](crate::tokenizer) and [`matcher`](crate::matcher). Files are written by
//! [`corpus`](crate::corpus).

mod aligned;
mod annotate;
mod docs;
mod incoming;
mod lexemes;
mod matches;
mod requested;
mod rows;
mod strings;
#[cfg(test)]
mod tests;
mod texts;
mod union;

use std::sync::Arc;

pub use arrow_array::RecordBatch;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatchIterator, StructArray};
use arrow_data::ffi::FFI_ArrowArray;
pub use arrow_schema::Schema;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};

pub use self::annotate::{AnnotatedReader, Annotator, AnnotatorOptions, Around};
pub use self::docs::docs;
pub use self::incoming::{Batches, batch_from_c, stream_from_c};
pub use self::lexemes::lexemes;
pub use self::matches::matches;
pub use self::rows::{tokens, tokens_of_docs};
pub use self::union::add_strings;
use crate::{Error, ErrorKind, Result};

/// The structs of Arrow's C data interface, as `arrow.h` has them.
///
/// Each owns what it describes and releases it when dropped, unless its `release` was taken: moving
/// the struct's bytes elsewhere and setting `release` to null hands everything on.
pub mod c {
    pub use arrow_array::ffi_stream::FFI_ArrowArrayStream;
    pub use arrow_data::ffi::FFI_ArrowArray;
    pub use arrow_schema::ffi::FFI_ArrowSchema;
}

/// Record batches of one schema.
///
/// ```
/// use lexpool::arrow;
/// use lexpool::tokenizer::Tokenizer;
/// let doc = Tokenizer::blank("en")?.tokenize("Let's go!")?;
/// let table = arrow::tokens(&doc, 0..doc.len())?;
/// assert_eq!(table.rows(), 4);
/// assert_eq!(table.schema().field(0).name(), "text");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    fn new(schema: Schema, columns: impl IntoIterator<Item = Columns>) -> Result<Table> {
        let schema = Arc::new(schema);
        let batch = |columns| RecordBatch::try_new(Arc::clone(&schema), columns);
        let batches = columns.into_iter().map(batch).collect::<Result<_, _>>();
        Ok(Table { batches: batches.map_err(|error| unfit(&error))?, schema })
    }

    /// The schema of all batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// How many rows all batches have.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The same rows as near to another schema as they can be given: columns of strings as utf8 or
    /// large utf8 where that is asked for, which copies them; other columns stay as they are.
    ///
    /// # Errors
    ///
    /// `arrow-schema` if the other schema has other columns, or one of another kind, such as a
    /// number where there are strings.
    pub fn requested(self, other: &Schema) -> Result<Table> {
        requested::convert(self, other)
    }

    /// As a struct array with its type. More than one batch are joined by who reads a stream, not
    /// here.
    ///
    /// # Errors
    ///
    /// `arrow-batches` unless there is one batch.
    pub fn into_array(self) -> Result<(FFI_ArrowSchema, FFI_ArrowArray)> {
        let [batch] = <[RecordBatch; 1]>::try_from(self.batches).map_err(|batches| {
            let text = format!("an array is one batch, and there are {}", batches.len());
            Error::value("arrow-batches", text)
        })?;
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref());
        let array = FFI_ArrowArray::new(&StructArray::from(batch).to_data());
        Ok((schema.map_err(|error| unfit(&error))?, array))
    }

    /// As a stream of struct arrays.
    pub fn into_stream(self) -> FFI_ArrowArrayStream {
        FFI_ArrowArrayStream::new(self.into_batches())
    }

    /// Batch by batch.
    pub fn into_batches(self) -> Batches {
        let batches = self.batches.into_iter().map(Ok);
        Box::new(RecordBatchIterator::new(batches, self.schema))
    }
}

impl From<RecordBatch> for Table {
    /// One batch.
    fn from(batch: RecordBatch) -> Table {
        Table { schema: batch.schema(), batches: vec![batch] }
    }
}

type Columns = Vec<arrow_array::ArrayRef>;

/// Arrow's own checks of what was just built for it.
fn unfit(error: &ArrowError) -> Error {
    let text = format!("{error}; this is a bug in lexpool");
    Error::new(ErrorKind::State, "arrow-columns", text)
}
