//! Columns that the caller adds to a corpus, made of plain values or of Arrow arrays.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, new_empty_array,
};
use arrow_schema::{DataType, Field};
use lexpool::codes;
use lexpool::{Error, Result};

use super::normalize::normalize;
use super::writer::concatenated;
use crate::arrow::Batches;

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A missing value.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float; a column may mix it with integers.
    Float(f64),
    /// Text.
    Str(String),
}

/// A named column with one value per document.
#[derive(Clone, Debug)]
pub struct Column {
    field: Arc<Field>,
    /// Non-empty arrays, in order.
    parts: Vec<ArrayRef>,
    /// Number of values up to the end of each part.
    ends: Vec<usize>,
}

impl Column {
    /// Creates a column of values of one type; integers and floats may be mixed.
    ///
    /// ```
    /// use lexpool_io::corpus::{Cell, Column};
    /// let column = Column::of("year", &[Cell::Int(1851), Cell::Null])?;
    /// assert_eq!(column.len(), 2);
    /// assert!(Column::of("year", &[Cell::Int(1851), Cell::Bool(true)]).is_err());
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `corpus-column` for values of different types, with the position of the first mismatch.
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
                "the column {name:?} has {} before and {other} at position {i}; all values must \
                 have one type or be None",
                first.unwrap_or_default()
            );
            return Err(Error::value(codes::CORPUS_COLUMN, text));
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

    /// Converts the columns of a table. Views become large strings, and so does a column of nulls;
    /// dictionaries are replaced by their values. Other types stay as they are.
    ///
    /// Cost: a pass over all values, which are validated since other libraries made them.
    ///
    /// # Errors
    ///
    /// `corpus-column` for a type that a corpus does not support, with the column's name, and for
    /// invalid values; errors of the table.
    pub fn of_table(table: Batches) -> Result<Vec<Column>> {
        let schema = table.schema();
        let mut columns: Vec<Vec<ArrayRef>> = vec![Vec::new(); schema.fields().len()];
        for batch in table {
            let batch =
                batch.map_err(|error| Error::value(codes::ARROW_INVALID, error.to_string()))?;
            let named = schema.fields().iter().zip(batch.columns());
            for (parts, (field, values)) in columns.iter_mut().zip(named) {
                parts.push(normalize(field.name(), values)?);
            }
        }
        let columns = schema.fields().iter().zip(columns).map(|(field, parts)| {
            let empty = || normalize(field.name(), &new_empty_array(field.data_type()));
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

    /// Returns the name and type.
    pub fn field(&self) -> &Arc<Field> {
        &self.field
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    /// Returns `true` if the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `len` values from `start` on, for
    /// [`Piece::with_columns`](super::Piece::with_columns).
    ///
    /// # Errors
    ///
    /// `corpus-column` if there are fewer values.
    pub fn values(&self, start: usize, len: usize) -> Result<ArrayRef> {
        if start.checked_add(len).is_none_or(|end| end > self.len()) {
            let text = format!(
                "the column {:?} has {} values, but there are more documents",
                self.field.name(),
                self.len()
            );
            return Err(Error::value(codes::CORPUS_COLUMN, text));
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
        concatenated(&found).map_err(|error| Error::value(codes::CORPUS_COLUMN, error.to_string()))
    }
}

impl Cell {
    fn as_bool(&self) -> Option<bool> {
        if let Cell::Bool(value) = self { Some(*value) } else { None }
    }

    fn as_int(&self) -> Option<i64> {
        if let Cell::Int(value) = self { Some(*value) } else { None }
    }

    #[expect(clippy::cast_precision_loss, reason = "as in Python, if ints and floats are mixed")]
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
