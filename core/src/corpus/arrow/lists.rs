//! Lists of structs, one list for each document.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields};

use crate::codes;
use crate::{Error, ErrorKind, Result};

/// Builds a list of structs for each document, with lists of these lengths.
///
/// # Errors
///
/// `arrow-too-many` for more than 2^31 - 1 items.
pub(super) fn lists(
    name: &str,
    lens: impl ExactSizeIterator<Item = usize> + Clone,
    fields: Fields,
    columns: Vec<ArrayRef>,
) -> Result<ArrayRef> {
    let (docs, len) = (lens.len(), lens.clone().sum::<usize>());
    if i32::try_from(len).is_err() {
        let text = format!("{docs} documents have {len} {name} in one batch; at most 2^31 - 1");
        return Err(Error::value(codes::ARROW_TOO_MANY, text));
    }
    let rows = StructArray::try_new(fields.clone(), columns, None);
    let rows = rows.map_err(|error| internal(&error))?;
    let offsets = OffsetBuffer::from_lengths(lens);
    let lists = ListArray::try_new(item(fields), offsets, Arc::new(rows), None);
    Ok(Arc::new(lists.map_err(|error| internal(&error))?))
}

pub(super) fn item(fields: Fields) -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Struct(fields), false))
}

/// Wraps an error of Arrow's own checks of the arrays built here.
pub(super) fn internal(error: &ArrowError) -> Error {
    let text = format!("{error}; this is a bug in lexpool");
    Error::new(ErrorKind::State, codes::ARROW_COLUMNS, text)
}
