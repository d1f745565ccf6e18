//! Annotated batches, made as they are asked for.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};

use super::Annotator;
use crate::Result;

/// The batches of a reader, each annotated when its turn comes: one is in memory at a time.
///
/// After an error there is nothing more. No panic goes through it, neither that of the reader nor
/// lexpool's own, for the caller may be written in C.
pub struct AnnotatedReader {
    annotator: Arc<Annotator>,
    input: Option<Box<dyn RecordBatchReader + Send>>,
    schema: SchemaRef,
}

impl Annotator {
    /// The batches of a reader with the added columns.
    ///
    /// # Errors
    ///
    /// Those of [`schema`](Annotator::schema).
    pub fn reader(
        self: &Arc<Annotator>,
        input: Box<dyn RecordBatchReader + Send>,
    ) -> Result<AnnotatedReader> {
        let schema = self.schema(&input.schema())?;
        Ok(AnnotatedReader { annotator: Arc::clone(self), input: Some(input), schema })
    }
}

impl AnnotatedReader {
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
        let next = catch_unwind(AssertUnwindSafe(|| self.annotated())).unwrap_or_else(|_| {
            let text = "the stream of batches has no valid batch, or there is a bug in lexpool";
            Some(Err(ArrowError::CDataInterface(text.to_owned())))
        });
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
