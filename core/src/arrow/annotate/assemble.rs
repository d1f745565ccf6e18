//! Assembly of Arrow arrays from the values of rows.

use std::sync::Arc;

use arrow_array::types::{Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, BooleanArray, ListArray, PrimitiveArray, StringArray, StructArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::Field;

use super::layout::{AddedColumn, ColumnLayout, struct_fields};
use super::token_rows::{PackedStrings, TokenRows, TokenValues};
use crate::arrow::errors::internal;
use crate::codes;
use crate::{Error, Result};

impl ColumnLayout {
    /// Builds the columns from groups of rows, in the order of the rows.
    pub(super) fn assemble(&self, parts: Vec<TokenRows>, signed: bool) -> Result<Vec<ArrayRef>> {
        let part = TokenRows::concatenated(parts, self);
        let nulls: NullBuffer = part.rows.iter().map(Option::is_some).collect();
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let lens = || part.rows.iter().map(|len| len.unwrap_or(0));
        let offsets = offsets(lens(), "tokens")?;
        let counts = numbers(lens().collect(), signed, nulls.as_ref());
        let mut items = Vec::with_capacity(self.items.len());
        for values in part.items {
            items.push(match values {
                TokenValues::Short(values) => numbers(values, signed, None),
                TokenValues::Long(values) => long_numbers(values, signed),
                TokenValues::Bits(values) => {
                    Arc::new(BooleanArray::new(BooleanBuffer::from(values), None))
                }
                TokenValues::Strings(chars) => strings(chars)?,
            });
        }
        let list = |item: Arc<Field>, values, offsets: &OffsetBuffer<i32>| -> Result<ArrayRef> {
            let list = ListArray::try_new(item, offsets.clone(), values, nulls.clone());
            Ok(Arc::new(list.map_err(|error| internal(&error))?))
        };
        let mut strings_column = None;
        if let Some((lens, chars)) = part.strings {
            let offsets = self::offsets(lens.into_iter(), "strings")?;
            strings_column = Some((offsets, strings(chars)?));
        }
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            columns.push(match column {
                AddedColumn::Count => Arc::clone(&counts),
                AddedColumn::List(at) => {
                    list(column.item(self, signed), Arc::clone(&items[*at]), &offsets)?
                }
                AddedColumn::Tokens(indices) => {
                    let arrays = indices.map(|at| Arc::clone(&items[at])).to_vec();
                    let rows = StructArray::try_new(struct_fields(signed), arrays, None);
                    let rows = Arc::new(rows.map_err(|error| internal(&error))?);
                    list(column.item(self, signed), rows, &offsets)?
                }
                AddedColumn::Strings => {
                    let (offsets, values) =
                        strings_column.as_ref().expect("asked for by this column");
                    list(column.item(self, signed), Arc::clone(values), offsets)?
                }
            });
        }
        Ok(columns)
    }
}

/// Converts lengths of rows to offsets.
fn offsets(lens: impl Iterator<Item = u32>, what: &str) -> Result<OffsetBuffer<i32>> {
    let mut offsets = vec![0_i32];
    let mut end = 0_u64;
    for len in lens {
        end += u64::from(len);
        let Ok(end) = i32::try_from(end) else {
            let text = format!("a batch has more than 2^31 - 1 {what}; take fewer rows at once");
            return Err(Error::value(codes::ARROW_TOO_MANY, text));
        };
        offsets.push(end);
    }
    Ok(OffsetBuffer::new(ScalarBuffer::from(offsets)))
}

fn strings(chars: PackedStrings) -> Result<ArrayRef> {
    let offsets = offsets(chars.lens.into_iter(), "bytes of strings")?;
    let array = StringArray::try_new(offsets, Buffer::from_vec(chars.bytes), None);
    Ok(Arc::new(array.map_err(|error| internal(&error))?))
}

/// Builds an array of numbers below 2^31, signed or unsigned.
fn numbers(values: Vec<u32>, signed: bool, nulls: Option<&NullBuffer>) -> ArrayRef {
    let (len, bytes, nulls) = (values.len(), Buffer::from_vec(values), nulls.cloned());
    if signed {
        let values = ScalarBuffer::new(bytes, 0, len);
        return Arc::new(PrimitiveArray::<Int32Type>::new(values, nulls));
    }
    Arc::new(PrimitiveArray::<UInt32Type>::new(ScalarBuffer::new(bytes, 0, len), nulls))
}

/// Builds an array of 64-bit numbers; a signed one reinterprets the bits.
fn long_numbers(values: Vec<u64>, signed: bool) -> ArrayRef {
    let (len, bytes) = (values.len(), Buffer::from_vec(values));
    if signed {
        return Arc::new(PrimitiveArray::<Int64Type>::new(ScalarBuffer::new(bytes, 0, len), None));
    }
    Arc::new(PrimitiveArray::<UInt64Type>::new(ScalarBuffer::new(bytes, 0, len), None))
}
