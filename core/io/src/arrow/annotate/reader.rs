//! Annotated batches, computed on demand.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use lexpool::Result;

use super::annotator::Annotator;
use crate::arrow::incoming::Batches;

/// Reader that annotates each batch of another reader when it is requested, one at a time.
///
/// It ends after an error. Panics of the input and of lexpool are caught, since the caller may be C
/// code.
pub struct AnnotatedReader {
    annotator: Arc<Annotator>,
    input: Option<Batches>,
    schema: SchemaRef,
    wrapper: CallWrapper,
    watch: WatchFn,
}

/// Calls its argument exactly once, for example while a lock is released.
pub type CallWrapper = fn(&mut (dyn FnMut() + Send));

/// Returns an error if work is to be stopped.
pub type WatchFn = fn() -> Result<()>;

impl Annotator {
    /// Returns the batches of a reader with the added columns.
    ///
    /// # Errors
    ///
    /// As for [`schema`](Annotator::schema).
    pub fn reader(self: &Arc<Annotator>, input: Batches) -> Result<AnnotatedReader> {
        let schema = self.schema(&input.schema())?;
        let annotator = Arc::clone(self);
        Ok(AnnotatedReader {
            annotator,
            input: Some(input),
            schema,
            wrapper: |work| work(),
            watch: || Ok(()),
        })
    }
}

impl AnnotatedReader {
    /// Converts to a stream for another library, which may call it on any thread and while it holds
    /// any lock. All work is done inside `wrapper`, and `watch` is called as for
    /// [`annotate_watched`](Annotator::annotate_watched).
    pub fn into_stream(mut self, wrapper: CallWrapper, watch: WatchFn) -> FFI_ArrowArrayStream {
        (self.wrapper, self.watch) = (wrapper, watch);
        FFI_ArrowArrayStream::new(Box::new(self))
    }

    fn annotated(&mut self) -> Option<Result<RecordBatch, ArrowError>> {
        match self.input.as_mut()?.next()? {
            Ok(batch) => {
                let done = self.annotator.annotate_watched(&batch, &mut self.watch);
                Some(done.map_err(|error| ArrowError::ExternalError(Box::new(error))))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

impl Iterator for AnnotatedReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let wrapper = self.wrapper;
        let mut next = None;
        let pulled = catch_unwind(AssertUnwindSafe(|| wrapper(&mut || next = self.annotated())));
        if pulled.is_err() {
            let text = "the input has an invalid batch, or this is a bug in lexpool";
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
