//! Annotated batches, made as they are asked for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::Annotator;
use crate::Result;
use crate::arrow::Batches;

/// The batches of a reader, each annotated when its turn comes: one is in memory at a time.
///
/// After an error there is nothing more. No panic goes through it, neither that of the reader nor
/// lexpool's own, for the caller may be written in C.
pub struct AnnotatedReader {
    annotator: Arc<Annotator>,
    input: Option<Batches>,
    schema: SchemaRef,
    around: Around,
}

/// Calls what it is given, once: to let go of a lock meanwhile.
pub type Around = fn(&mut (dyn FnMut() + Send));

impl Annotator {
    /// The batches of a reader with the added columns.
    ///
    /// # Errors
    ///
    /// Those of [`schema`](Annotator::schema).
    pub fn reader(self: &Arc<Annotator>, input: Batches) -> Result<AnnotatedReader> {
        let schema = self.schema(&input.schema())?;
        let annotator = Arc::clone(self);
        Ok(AnnotatedReader { annotator, input: Some(input), schema, around: |work| work() })
    }
}

impl AnnotatedReader {
    /// As a stream for another library, which may call it on any thread and under any lock: all that
    /// it has to do, `around` does.
    pub fn into_stream(mut self, around: Around) -> FFI_ArrowArrayStream {
        self.around = around;
        FFI_ArrowArrayStream::new(Box::new(self))
    }

    fn annotated(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        match self.input.as_mut()?.next()? {
            Ok(batch) => {
                let done = self.annotator.annotate(&batch);
                Some(done.map_err(|error| ArrowError::ExternalError(Box::new(error))))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

impl Iterator for AnnotatedReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let around = self.around;
        let mut next = None;
        let pulled = catch_unwind(AssertUnwindSafe(|| around(&mut || next = self.annotated())));
        if pulled.is_err() {
            let text = "the stream of batches has no valid batch, or there is a bug in lexpool";
            next = Some(Err(ArrowError::CDataInterface(text.to_owned())));
        }
        if !matches!(next, Some(Ok(_))) {
            self.input = None;
        }
        next
    }
}

impl RecordBatchReader for AnnotatedReader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
