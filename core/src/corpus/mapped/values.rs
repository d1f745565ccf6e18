//! Columns of the caller's own, made of plain values.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray};
use arrow_schema::Field;

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
    pub(super) field: Arc<Field>,
    pub(super) values: ArrayRef,
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
        let field = Arc::new(Field::new(name, values.data_type().clone(), true));
        Ok(Column { field, values })
    }

    /// A column that Arrow has already.
    pub fn of_array(field: Arc<Field>, values: ArrayRef) -> Column {
        Column { field, values }
    }

    /// Its name and type.
    pub fn field(&self) -> &Arc<Field> {
        &self.field
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
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
        Ok(self.values.slice(start, len))
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
