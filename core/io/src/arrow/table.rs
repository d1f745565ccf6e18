//! Tables: record batches of one schema.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{Schema, SchemaRef};
use lexpool::codes;
use lexpool::{Error, Result};

use super::errors::internal;
use super::incoming::Batches;

/// The columns of a batch.
pub(super) type Columns = Vec<ArrayRef>;

/// Record batches of one schema.
///
/// ```
/// use lexpool_io::arrow;
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
    pub(super) fn new(schema: Schema, columns: impl IntoIterator<Item = Columns>) -> Result<Table> {
        let schema = Arc::new(schema);
        let batch = |columns| RecordBatch::try_new(Arc::clone(&schema), columns);
        let batches = columns.into_iter().map(batch).collect::<Result<_, _>>();
        Ok(Table { batches: batches.map_err(|error| internal(&error))?, schema })
    }

    /// Returns the schema of all batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }

    /// Returns the number of rows of all batches.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Exports the only batch as a struct array with its type. Several batches can be exported as a
    /// stream.
    ///
    /// # Errors
    ///
    /// `arrow-batches` unless there is exactly one batch.
    pub fn into_array(self) -> Result<(FFI_ArrowSchema, FFI_ArrowArray)> {
        let [batch] = <[RecordBatch; 1]>::try_from(self.batches).map_err(|batches| {
            let text = format!("expected one batch, but there are {}", batches.len());
            Error::value(codes::ARROW_BATCHES, text)
        })?;
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref());
        let array = FFI_ArrowArray::new(&StructArray::from(batch).to_data());
        Ok((schema.map_err(|error| internal(&error))?, array))
    }

    /// Exports the batches as a stream of struct arrays.
    pub fn into_stream(self) -> FFI_ArrowArrayStream {
        FFI_ArrowArrayStream::new(self.into_batches())
    }

    /// Iterates over the batches.
    pub fn into_batches(self) -> Batches {
        let batches = self.batches.into_iter().map(Ok);
        Box::new(RecordBatchIterator::new(batches, self.schema))
    }
}

impl From<RecordBatch> for Table {
    /// Creates a table of one batch.
    fn from(batch: RecordBatch) -> Table {
        Table { schema: batch.schema(), batches: vec![batch] }
    }
}
