//! Assembly of Arrow arrays from the values of rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use lexpool::Result;

use super::layout::{AddedColumn, ColumnLayout, struct_fields};
use super::token_rows::TokenRows;
use super::values::numbers;
use crate::arrow::errors::internal;
use crate::arrow::lists::offsets;

impl ColumnLayout {
    /// Builds the columns from groups of rows, in the order of the rows.
    pub(super) fn assemble(&self, parts: Vec<TokenRows>, signed: bool) -> Result<Vec<ArrayRef>> {
        let part = TokenRows::concatenated(parts, self);
        let nulls: NullBuffer = part.rows.iter().map(Option::is_some).collect();
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let lens = || part.rows.iter().map(|len| len.unwrap_or(0));
        let token_offsets = offsets(lens().map(|len| len as usize), "tokens")?;
        let counts = numbers(lens().collect(), signed, nulls.clone());
        let items = part.items.into_iter().map(|values| values.into_array(signed));
        let items = items.collect::<Result<Vec<ArrayRef>>>()?;
        let list = |item: Arc<Field>, values, offsets: &OffsetBuffer<i32>| -> Result<ArrayRef> {
            let list = ListArray::try_new(item, offsets.clone(), values, nulls.clone());
            Ok(Arc::new(list.map_err(|error| internal(&error))?))
        };
        let mut strings = None;
        if let Some((lens, values)) = part.strings {
            let offsets = offsets(lens.iter().map(|len| *len as usize), "strings")?;
            strings = Some((offsets, values.into_utf8(None)?));
        }
        let cats = part.cats.map(|cats| cats.into_lists(nulls.clone())).transpose()?;
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            columns.push(match column {
                AddedColumn::Count => Arc::clone(&counts),
                AddedColumn::Cats => Arc::clone(cats.as_ref().expect("asked for by this column")),
                AddedColumn::List(at) => {
                    list(column.item(self, signed), Arc::clone(&items[*at]), &token_offsets)?
                }
                AddedColumn::Tokens(indices) => {
                    let arrays = indices.map(|at| Arc::clone(&items[at])).to_vec();
                    let rows = StructArray::try_new(struct_fields(signed), arrays, None);
                    let rows = Arc::new(rows.map_err(|error| internal(&error))?);
                    list(column.item(self, signed), rows, &token_offsets)?
                }
                AddedColumn::Strings => {
                    let (offsets, values) = strings.as_ref().expect("asked for by this column");
                    list(column.item(self, signed), Arc::clone(values), offsets)?
                }
            });
        }
        Ok(columns)
    }
}
