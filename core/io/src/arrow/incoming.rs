//! Import of batches from other libraries through Arrow's C data interface.
//!
//! # Safety
//!
//! - `C1`: the struct is valid, agrees with its schema, and is not accessed elsewhere during the
//!   call, as the caller guarantees.
//! - `C2`: until a stream is released, its callbacks may be called with the stream itself.
//! - `C3`: the arrays of a valid stream agree with its schema.

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::ffi::from_ffi_and_data_type;
use arrow_array::{Array, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use lexpool::codes;
use lexpool::{Error, Result};

use super::aligned::aligned;
use super::c::{FFI_ArrowArray, FFI_ArrowArrayStream, FFI_ArrowSchema};

/// Batches of one schema.
pub type Batches = Box<dyn RecordBatchReader + Send>;

/// Imports a batch from a struct array, which is moved out, and its type.
///
/// # Errors
///
/// `arrow-invalid` for an array that was released, is not a struct, has null rows, or has an
/// unknown type.
///
/// # Safety
///
/// C1 holds for both structs.
pub unsafe fn batch_from_c(
    schema: &FFI_ArrowSchema,
    array: *mut FFI_ArrowArray,
) -> Result<RecordBatch> {
    // SAFETY: C1.
    let array = unsafe { FFI_ArrowArray::from_raw(array) };
    if array.is_released() || schema.release.is_none() {
        return Err(invalid("it was released; export it again"));
    }
    import(|| {
        let schema = Arc::new(Schema::try_from(schema)?);
        // SAFETY: C1.
        unsafe { batch(array, &schema) }
    })
}

/// Imports a stream, which is moved out.
///
/// # Errors
///
/// `arrow-invalid` for a stream that was released, does not report its schema, or is not a stream
/// of structs.
///
/// # Safety
///
/// C1 holds for the stream.
pub unsafe fn stream_from_c(stream: *mut FFI_ArrowArrayStream) -> Result<Batches> {
    // SAFETY: C1.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream) };
    let (Some(get_schema), Some(_)) = (stream.get_schema, stream.release) else {
        return Err(invalid("it was released; export it again"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: C2.
    let code = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    if code != 0 {
        return Err(invalid(&last_error(&mut stream, code)));
    }
    let schema = import(|| Schema::try_from(&schema))?;
    Ok(Box::new(ImportedStream { stream, schema: Arc::new(schema) }))
}

/// A stream of another library.
struct ImportedStream {
    stream: FFI_ArrowArrayStream,
    schema: SchemaRef,
}

impl Iterator for ImportedStream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut array = FFI_ArrowArray::empty();
        let get_next = self.stream.get_next?;
        // SAFETY: C2: the stream is released when this is dropped.
        let code = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        if code != 0 {
            let text = last_error(&mut self.stream, code);
            return Some(Err(ArrowError::CDataInterface(text)));
        }
        if array.is_released() {
            return None;
        }
        let schema = &self.schema;
        // SAFETY: C3.
        Some(catch_panics(|| unsafe { batch(array, schema) }))
    }
}

impl RecordBatchReader for ImportedStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Returns the stream's message for its last call, which returned `code`.
fn last_error(stream: &mut FFI_ArrowArrayStream, code: i32) -> String {
    // SAFETY: C2: the callback returns null or a C string that is valid until the next call.
    let text = stream.get_last_error.and_then(|get| unsafe {
        let text = get(&raw mut *stream);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    });
    text.unwrap_or_else(|| format!("the stream failed with the code {code} and without a message"))
}

/// Converts a struct array to a batch.
///
/// # Safety
///
/// The array must be valid, and a struct of these fields.
unsafe fn batch(array: FFI_ArrowArray, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let kind = DataType::Struct(schema.fields().clone());
    // SAFETY: C1, C3: the array is of this type; texts are validated before they are read.
    let data = unsafe { from_ffi_and_data_type(aligned(array, &kind), kind) }?;
    let rows = StructArray::from(data);
    if rows.null_count() > 0 {
        let text = format!("{} of its rows are null structs", rows.null_count());
        return Err(ArrowError::InvalidArgumentError(text));
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(Arc::clone(schema), rows.into_parts().1, &options)
}

/// Calls Arrow's code, and converts its errors to the crate's own.
fn import<T>(take: impl FnOnce() -> Result<T, ArrowError>) -> Result<T> {
    catch_panics(take).map_err(|error| invalid(&error.to_string()))
}

/// Calls Arrow's code, and converts panics to errors.
fn catch_panics<T>(take: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    let outcome = catch_unwind(AssertUnwindSafe(take));
    let text = "its buffers do not fit its type";
    outcome.unwrap_or_else(|_| Err(ArrowError::CDataInterface(text.to_owned())))
}

fn invalid(why: &str) -> Error {
    Error::value(codes::ARROW_INVALID, format!("cannot import the Arrow data: {why}"))
}
