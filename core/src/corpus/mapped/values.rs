//! Columns of the caller's own, made of plain values or of Arrow's.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, new_empty_array,
};
use arrow_schema::{DataType, Field};

use super::plain::plain;
use super::writer::joined;
use crate::arrow::Batches;
use crate::{Error, Result};

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// None.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number; whole ones beside it count as such, too.
    Float(f64),
    /// Text.
    Str(String),
}

/// A column with a name, an item a document.
#[derive(Clone, Debug)]
pub struct Column {
    field: Arc<Field>,
    /// In the order of their items; each has some.
    parts: Vec<ArrayRef>,
    /// How many items there are up to the end of each part.
    ends: Vec<usize>,
}

impl Column {
    /// Makes a column of values of one type; numbers with and without a fraction go together.
    ///
    /// ```
    /// use lexpool::corpus::{Cell, Column};
    /// let column = Column::of("year", &[Cell::Int(1851), Cell::Null])?;
    /// assert_eq!(column.len(), 2);
    /// assert!(Column::of("year", &[Cell::Int(1851), Cell::Bool(true)]).is_err());
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `corpus-column` for values of different types, with the position of the first that differs.
    pub fn of(name: &str, cells: &[Cell]) -> Result<Column> {
        let kind = |cell: &Cell| match cell {
            Cell::Null => None,
            Cell::Bool(_) => Some("a bool"),
            Cell::Int(_) | Cell::Float(_) => Some("a number"),
            Cell::Str(_) => Some("a string"),
        };
        let mut kinds = cells.iter().enumerate().filter_map(|(i, cell)| Some((i, kind(cell)?)));
        let first = kinds.next().map(|(_, kind)| kind);
        if let Some((i, other)) = kinds.find(|(_, kind)| Some(*kind) != first) {
            let text = format!(
                "the column {name:?} has {} before and {other} at position {i}; its values are of \
                 one type, or None",
                first.unwrap_or_default()
            );
            return Err(Error::value("corpus-column", text));
        }
        let has_fraction = cells.iter().any(|cell| matches!(cell, Cell::Float(_)));
        let values: ArrayRef = match first {
            Some("a bool") => Arc::new(cells.iter().map(Cell::as_bool).collect::<BooleanArray>()),
            Some("a number") if has_fraction => {
                Arc::new(cells.iter().map(Cell::as_float).collect::<Float64Array>())
            }
            Some("a number") => Arc::new(cells.iter().map(Cell::as_int).collect::<Int64Array>()),
            _ => Arc::new(cells.iter().map(Cell::as_str).collect::<LargeStringArray>()),
        };
        Ok(Column::of_parts(name, values.data_type().clone(), vec![values]))
    }

    /// The columns of a table: numbers, strings, dates, lists, structs and so on, as they are. Views
    /// become large strings, and so does a column of nothing; dictionaries become what they are of.
    ///
    /// Cost: a pass over all, for what other libraries make is judged.
    ///
    /// # Errors
    ///
    /// `corpus-column` for a type that a corpus does not have, with its name, and for values that are
    /// not of their type; what the table fails with.
    pub fn of_table(table: Batches) -> Result<Vec<Column>> {
        let schema = table.schema();
        let mut columns: Vec<Vec<ArrayRef>> = vec![Vec::new(); schema.fields().len()];
        for batch in table {
            let batch = batch.map_err(|error| Error::value("arrow-invalid", error.to_string()))?;
            let named = schema.fields().iter().zip(batch.columns());
            for (parts, (field, values)) in columns.iter_mut().zip(named) {
                parts.push(plain(field.name(), values)?);
            }
        }
        let columns = schema.fields().iter().zip(columns).map(|(field, parts)| {
            let empty = || plain(field.name(), &new_empty_array(field.data_type()));
            let kind = parts.first().map_or_else(empty, |part| Ok(ArrayRef::clone(part)))?;
            Ok(Column::of_parts(field.name(), kind.data_type().clone(), parts))
        });
        columns.collect()
    }

    fn of_parts(name: &str, kind: DataType, mut parts: Vec<ArrayRef>) -> Column {
        parts.retain(|part| !part.is_empty());
        let ends = parts.iter().scan(0, |end, part| {
            *end += part.len();
            Some(*end)
        });
        Column { field: Arc::new(Field::new(name, kind, true)), ends: ends.collect(), parts }
    }

    /// Its name and type.
    pub fn field(&self) -> &Arc<Field> {
        &self.field
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values from `start` on, `len` of them, for [`Piece::with_columns`](super::Piece::with_columns).
    ///
    /// # Errors
    ///
    /// `corpus-column` if there are fewer.
    pub fn values(&self, start: usize, len: usize) -> Result<ArrayRef> {
        if start.checked_add(len).is_none_or(|end| end > self.len()) {
            let text = format!(
                "the column {:?} has {} values, and there are more documents than that",
                self.field.name(),
                self.len()
            );
            return Err(Error::value("corpus-column", text));
        }
        let first = self.ends.partition_point(|end| *end <= start);
        let (mut at, end, mut found) = (start, start + len, Vec::new());
        for (part, part_end) in self.parts.iter().zip(&self.ends).skip(first) {
            if at == end {
                break;
            }
            let (from, until) = (at + part.len() - part_end, end.min(*part_end));
            found.push(part.slice(from, until - at));
            at = until;
        }
        if found.is_empty() {
            return Ok(new_empty_array(self.field.data_type()));
        }
        joined(&found).map_err(|error| Error::value("corpus-column", error.to_string()))
    }
}

impl Cell {
    fn as_bool(&self) -> Option<bool> {
        if let Cell::Bool(value) = self { Some(*value) } else { None }
    }

    fn as_int(&self) -> Option<i64> {
        if let Cell::Int(value) = self { Some(*value) } else { None }
    }

    #[expect(clippy::cast_precision_loss, reason = "as in Python, where an int is beside a float")]
    fn as_float(&self) -> Option<f64> {
        match self {
            Cell::Int(value) => Some(*value as f64),
            Cell::Float(value) => Some(*value),
            _ => None,
        }
    }

    fn as_str(&self) -> Option<&str> {
        if let Cell::Str(value) = self { Some(value) } else { None }
    }
}
