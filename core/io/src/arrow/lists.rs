//! Lists of structs, one list for each document.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use lexpool::codes;
use lexpool::{Error, Result};

use super::errors::internal;

/// Builds a list of structs for each document, with lists of these lengths.
///
/// # Errors
///
/// `arrow-too-many` for more than 2^31 - 1 items.
pub(crate) fn lists(
    name: &str,
    lens: impl Iterator<Item = usize>,
    fields: Fields,
    columns: Vec<ArrayRef>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let rows = StructArray::try_new(fields.clone(), columns, None);
    let rows = rows.map_err(|error| internal(&error))?;
    let lists = ListArray::try_new(item(fields), offsets(lens, name)?, Arc::new(rows), nulls);
    Ok(Arc::new(lists.map_err(|error| internal(&error))?))
}

/// Returns the field of the items of such lists.
pub(crate) fn item(fields: Fields) -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Struct(fields), false))
}

/// Converts lengths of rows to offsets.
///
/// # Errors
///
/// `arrow-too-many` for a sum of more than 2^31 - 1.
pub(super) fn offsets(lens: impl Iterator<Item = usize>, name: &str) -> Result<OffsetBuffer<i32>> {
    let mut offsets = vec![0_i32];
    let mut end = 0_usize;
    for len in lens {
        end = end.saturating_add(len);
        let Ok(end) = i32::try_from(end) else {
            let text = format!("a batch has more than 2^31 - 1 {name}; take fewer rows at once");
            return Err(Error::value(codes::ARROW_TOO_MANY, text));
        };
        offsets.push(end);
    }
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets)))
}
