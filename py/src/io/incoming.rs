//! Arrow data of other libraries, and the strings that it has.
//!
//! Unsafe code: moves Arrow structs out of the capsules of other libraries.
//!
//! Invariants:
//! - **W1** A capsule of the Arrow PyCapsule interface with the right name contains the struct of
//!   that name, made for one consumer.

use lexpool_io::arrow::c::{FFI_ArrowArray, FFI_ArrowArrayStream, FFI_ArrowSchema};
use lexpool_io::arrow::{self, Batches, RecordBatch, Table};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::io::arrow::Capsule;
use crate::object::strings::PyStringStore;
use crate::runtime::error::{OrRaise, to_py};
use crate::runtime::gil;

pub(crate) const STREAM: &str = "__arrow_c_stream__";
pub(crate) const ARRAY: &str = "__arrow_c_array__";

/// Adds the strings of a column to a store, such as the column "strings" of annotated data, so that
/// the ids of its rows have strings. Returns the number of new strings.
///
/// data: any object with an Arrow stream or array; a stream is read to its end.
///
/// Raises HashCollisionError if two strings have the same id, ValueError unless there is a column
/// of strings or of lists of strings.
#[pyfunction]
#[pyo3(signature = (store, data, column="strings"))]
// stub: (data: Any)
fn add_strings(
    py: Python<'_>,
    store: &Bound<'_, PyStringStore>,
    data: &Bound<'_, PyAny>,
    column: &str,
) -> PyResult<usize> {
    let batches = batches(data)?;
    let store = store.get().store();
    gil::detached(py, || {
        let mut new = 0;
        for batch in batches {
            let batch = batch.map_err(|error| PyValueError::new_err(error.to_string()))?;
            new += arrow::add_strings(store, &batch, column).map_err(|error| to_py(&error))?;
        }
        Ok(new)
    })
}

/// The error for an object without an Arrow stream or array.
pub(crate) fn no_arrow(data: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let given = data.get_type().name()?;
    let text = format!(
        "expected an object with an Arrow stream or array, such as a pyarrow.Table or a \
         polars.DataFrame, not {given}"
    );
    Ok(PyTypeError::new_err(text))
}

/// Returns true if an object has an Arrow stream or array.
pub(crate) fn has_arrow(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(data.hasattr(STREAM)? || data.hasattr(ARRAY)?)
}

/// The batches of an object.
pub(crate) fn batches(data: &Bound<'_, PyAny>) -> PyResult<Batches> {
    if !data.hasattr(STREAM)? {
        return Ok(Table::from(batch(data)?).into_batches());
    }
    let capsule = data.call_method0(STREAM)?;
    let capsule = as_capsule(&capsule)?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let stream = stream.cast::<FFI_ArrowArrayStream>().as_ptr();
    // SAFETY: W1. The stream's schema is requested at once, with the GIL, as its producer may
    // expect.
    unsafe { arrow::stream_from_c(stream) }.or_raise()
}

/// The single batch of an object.
pub(crate) fn batch(data: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    if !data.hasattr(ARRAY)? {
        return Err(no_arrow(data)?);
    }
    let pair = data.call_method0(ARRAY)?;
    let pair = pair.cast::<PyTuple>()?;
    let (schema, array) = (pair.get_item(0)?, pair.get_item(1)?);
    let (schema, array) = (as_capsule(&schema)?, as_capsule(&array)?);
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>().as_ptr();
    // SAFETY: W1.
    unsafe { arrow::batch_from_c(schema.as_ref(), array) }.or_raise()
}

fn as_capsule<'a, 'py>(capsule: &'a Bound<'py, PyAny>) -> PyResult<&'a Capsule<'py>> {
    capsule.cast::<PyCapsule>().map_err(|_| {
        let text = format!("expected a capsule from an Arrow method, not {}", capsule.get_type());
        PyTypeError::new_err(text)
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(add_strings, module)?)
}
