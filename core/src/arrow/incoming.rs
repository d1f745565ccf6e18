//! Batches that come from other libraries, through Arrow's C data interface.
//!
//! Holds unsafe code: takes over structs of C's, whose makers promise what they point to.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::ffi::from_ffi_and_data_type;
use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::{Array, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Schema};

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
        let schema = Schema::try_from(schema)?;
        let kind = DataType::Struct(schema.fields().clone());
        // SAFETY: the array agrees with its schema, says the caller; what is read of it is judged
        // before.
        let data = unsafe { from_ffi_and_data_type(array, kind) }?;
        let rows = StructArray::from(data);
        if rows.null_count() > 0 {
            let text = format!("{} of its rows are null, as a whole", rows.null_count());
            return Err(ArrowError::InvalidArgumentError(text));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(schema.into(), rows.into_parts().1, &options)
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
    let reader = guarded(|| unsafe { ArrowArrayStreamReader::from_raw(stream) })?;
    Ok(Box::new(reader))
}

/// Calls Arrow's code, some of which panics at what it does not expect.
fn guarded<T>(take: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    let taken = catch_unwind(AssertUnwindSafe(take));
    let taken = taken.map_err(|_| invalid("its buffers are not those of its type"))?;
    taken.map_err(|error| invalid(&error.to_string()))
}

fn invalid(why: &str) -> Error {
    Error::value("arrow-invalid", format!("the data cannot be taken over from Arrow: {why}"))
}
