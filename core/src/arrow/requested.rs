//! What a reader asks for instead of a table's own schema.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};

use super::{Columns, Table};
use crate::{Error, Result};

/// See [`Table::requested`].
pub(super) fn convert(table: Table, other: &Schema) -> Result<Table> {
    check(&table.schema, other)?;
    let kinds: Vec<DataType> = table
        .schema
        .fields()
        .iter()
        .zip(other.fields())
        .map(|(own, asked)| given(own.data_type(), asked.data_type()))
        .collect();
    let own = table.schema.fields();
    if own.iter().zip(&kinds).all(|(own, kind)| own.data_type() == kind) {
        return Ok(table);
    }
    let fields: Vec<Field> = own
        .iter()
        .zip(&kinds)
        .map(|(own, kind)| own.as_ref().clone().with_data_type(kind.clone()))
        .collect();
    let batches: Vec<Columns> =
        table.batches.iter().map(|batch| columns(batch, &kinds)).collect::<Result<_>>()?;
    Table::new(Schema::new(fields), batches)
}

fn check(own: &Schema, other: &Schema) -> Result<()> {
    let names = |schema: &Schema| {
        schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>().join(", ")
    };
    if names(own) != names(other) {
        let text = format!(
            "the requested schema has the columns {}; they are {}",
            names(other),
            names(own)
        );
        return Err(Error::value("arrow-schema", text));
    }
    for (own, asked) in own.fields().iter().zip(other.fields()) {
        if family(own.data_type()) != family(asked.data_type()) {
            let (name, own, asked) = (own.name(), own.data_type(), asked.data_type());
            let text = format!("the requested schema has {name:?} as {asked}; it is {own}");
            return Err(Error::value("arrow-schema", text));
        }
    }
    Ok(())
}

/// The type that a column is given in: the one asked for, where there is a way to it.
fn given(own: &DataType, asked: &DataType) -> DataType {
    match (own, asked) {
        (DataType::Utf8View, DataType::Utf8 | DataType::LargeUtf8) => asked.clone(),
        _ => own.clone(),
    }
}

#[derive(PartialEq, Eq)]
enum Family {
    String,
    Number,
    Bool,
    List,
    Other,
}

fn family(kind: &DataType) -> Family {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Family::String,
        DataType::Dictionary(_, values) => family(values),
        DataType::Boolean => Family::Bool,
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => Family::List,
        kind if kind.is_numeric() => Family::Number,
        _ => Family::Other,
    }
}

fn columns(batch: &RecordBatch, kinds: &[DataType]) -> Result<Columns> {
    batch.columns().iter().zip(kinds).map(|(column, kind)| converted(column, kind)).collect()
}

fn converted(column: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    let Some(views) = column.as_string_view_opt().filter(|_| column.data_type() != kind) else {
        return Ok(Arc::clone(column));
    };
    if *kind == DataType::LargeUtf8 {
        return Ok(Arc::new(views.iter().collect::<LargeStringArray>()));
    }
    let bytes: usize = views.iter().flatten().map(str::len).sum();
    if i32::try_from(bytes).is_err() {
        let text = format!(
            "the requested schema has strings as utf8, which has room for 2 GiB; they have {bytes} \
             bytes; ask for large_utf8, or for nothing"
        );
        return Err(Error::value("arrow-too-long", text));
    }
    Ok(Arc::new(views.iter().collect::<StringArray>()))
}
