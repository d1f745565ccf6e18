//! Batches that come from other libraries, through Arrow's C data interface.
//!
//! Holds unsafe code: takes over structs of C's, whose makers promise what they point to.

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::ffi::from_ffi_and_data_type;
use arrow_array::{Array, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

use super::aligned::aligned;
use super::c::{FFI_ArrowArray, FFI_ArrowArrayStream, FFI_ArrowSchema};
use crate::{Error, Result};

/// Batches of one schema, one after another.
pub type Batches = Box<dyn RecordBatchReader + Send>;

/// A batch of a struct array and its type, which are moved out.
///
/// # Errors
///
/// `arrow-invalid` for an array that was released, is of no struct, has null rows, or of a type that
/// is not known here.
///
/// # Safety
///
/// Both are valid structs of the interface, and nobody else looks at the array meanwhile.
pub unsafe fn batch_from_c(
    schema: &FFI_ArrowSchema,
    array: *mut FFI_ArrowArray,
) -> Result<RecordBatch> {
    // SAFETY: valid, says the caller.
    let array = unsafe { FFI_ArrowArray::from_raw(array) };
    if array.is_released() || schema.release.is_none() {
        return Err(invalid("it was released; ask for it anew"));
    }
    guarded(|| {
        let schema = Arc::new(Schema::try_from(schema)?);
        // SAFETY: the array agrees with its schema, says the caller.
        unsafe { batch(array, &schema) }
    })
}

/// The batches of a stream, which is moved out.
///
/// # Errors
///
/// `arrow-invalid` for a stream that was released or does not say its schema, or one of no struct.
///
/// # Safety
///
/// It is a valid struct of the interface, and nobody else looks at it meanwhile.
pub unsafe fn stream_from_c(stream: *mut FFI_ArrowArrayStream) -> Result<Batches> {
    // SAFETY: valid, says the caller.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream) };
    let (Some(get_schema), Some(_)) = (stream.get_schema, stream.release) else {
        return Err(invalid("it was released; ask for it anew"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: a stream that is not released has this function, which takes the stream itself.
    let code = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    if code != 0 {
        return Err(invalid(&last_error(&mut stream, code)));
    }
    let schema = guarded(|| Schema::try_from(&schema))?;
    Ok(Box::new(Stream { stream, schema: Arc::new(schema) }))
}

/// A stream of another library's.
struct Stream {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut array = FFI_ArrowArray::empty();
        let get_next = self.stream.get_next?;
        // SAFETY: the stream is not released before this is dropped.
        let code = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        if code != 0 {
            let text = last_error(&mut self.stream, code);
            return Some(Err(ArrowError::CDataInterface(text)));
        }
        if array.is_released() {
            return None;
        }
        let schema = &self.schema;
        // SAFETY: a stream's arrays agree with its schema.
        Some(caught(|| unsafe { batch(array, schema) }))
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// What a stream says of its last call, which gave this number.
fn last_error(stream: &mut FFI_ArrowArrayStream, code: i32) -> String {
    // SAFETY: the function takes the stream itself, and gives a C string that stays until the next
    // call, or null.
    let text = stream.get_last_error.and_then(|get| unsafe {
        let text = get(&raw mut *stream);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    });
    text.unwrap_or_else(|| format!("the stream failed with the number {code} and no text"))
}

/// The batch that a struct array is.
///
/// # Safety
///
/// The array is valid, and of a struct of these fields.
unsafe fn batch(array: FFI_ArrowArray, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let kind = DataType::Struct(schema.fields().clone());
    // SAFETY: valid, says the caller; and texts are judged before they are read.
    let data = unsafe { from_ffi_and_data_type(aligned(array, &kind), kind) }?;
    let rows = StructArray::from(data);
    if rows.null_count() > 0 {
        let text = format!("{} of its rows are null, as a whole", rows.null_count());
        return Err(ArrowError::InvalidArgumentError(text));
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::clone(schema), rows.into_parts().1, &options)
}

/// Calls Arrow's code, with the crate's own error for what it refuses.
fn guarded<T>(take: impl FnOnce() -> Result<T, ArrowError>) -> Result<T> {
    caught(take).map_err(|error| invalid(&error.to_string()))
}

/// Calls Arrow's code, some of which panics at what it does not expect.
fn caught<T>(take: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    let taken = catch_unwind(AssertUnwindSafe(take));
    let text = "its buffers are not those of its type";
    taken.unwrap_or_else(|_| Err(ArrowError::CDataInterface(text.to_owned())))
}

fn invalid(why: &str) -> Error {
    Error::value("arrow-invalid", format!("the data cannot be taken over from Arrow: {why}"))
}
