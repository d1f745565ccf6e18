//! Conversion of a table to the schema that a reader requests.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use lexpool::codes;
use lexpool::{Error, Result};

use super::table::{Columns, Table};

impl Table {
    /// Converts the rows as far as possible to a requested schema: columns of strings become utf8
    /// or large utf8 if requested, which copies them; other columns stay as they are.
    ///
    /// # Errors
    ///
    /// `arrow-schema` if the requested schema has other columns, or a column of another kind, such
    /// as a number instead of a string.
    pub fn requested(self, other: &Schema) -> Result<Table> {
        check(self.schema(), other)?;
        let kinds: Vec<DataType> = self
            .schema()
            .fields()
            .iter()
            .zip(other.fields())
            .map(|(own, asked)| converted_type(own.data_type(), asked.data_type()))
            .collect();
        let column_fields = self.schema().fields();
        if column_fields.iter().zip(&kinds).all(|(field, kind)| field.data_type() == kind) {
            return Ok(self);
        }
        let fields: Vec<Field> = column_fields
            .iter()
            .zip(&kinds)
            .map(|(field, kind)| field.as_ref().clone().with_data_type(kind.clone()))
            .collect();
        let batches: Vec<Columns> =
            self.batches().iter().map(|batch| columns(batch, &kinds)).collect::<Result<_>>()?;
        Table::new(Schema::new(fields), batches)
    }
}

fn check(columns: &Schema, other: &Schema) -> Result<()> {
    let names = |schema: &Schema| {
        schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>().join(", ")
    };
    if names(columns) != names(other) {
        let text = format!(
            "the requested schema has the columns {}, but the table has {}",
            names(other),
            names(columns)
        );
        return Err(Error::value(codes::ARROW_SCHEMA, text));
    }
    for (field, requested) in columns.fields().iter().zip(other.fields()) {
        if family(field.data_type()) != family(requested.data_type()) {
            let (name, kind, requested) = (field.name(), field.data_type(), requested.data_type());
            let text = format!("{name:?} is requested as {requested}, but it is {kind}");
            return Err(Error::value(codes::ARROW_SCHEMA, text));
        }
    }
    Ok(())
}

/// Returns the type to convert a column to: the requested one if the conversion is supported.
fn converted_type(column_type: &DataType, requested_type: &DataType) -> DataType {
    match (column_type, requested_type) {
        (DataType::Utf8View, DataType::Utf8 | DataType::LargeUtf8) => requested_type.clone(),
        _ => column_type.clone(),
    }
}

/// Kinds of types that can be converted into each other.
#[derive(PartialEq, Eq)]
enum TypeFamily {
    String,
    Number,
    Bool,
    List,
    Other,
}

fn family(kind: &DataType) -> TypeFamily {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => TypeFamily::String,
        DataType::Dictionary(_, values) => family(values),
        DataType::Boolean => TypeFamily::Bool,
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => TypeFamily::List,
        kind if kind.is_numeric() => TypeFamily::Number,
        _ => TypeFamily::Other,
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
            "strings are requested as utf8, which holds at most 2 GiB, but they have {bytes} \
             bytes; request large_utf8 or no schema"
        );
        return Err(Error::value(codes::ARROW_TOO_LONG, text));
    }
    Ok(Arc::new(views.iter().collect::<StringArray>()))
}
