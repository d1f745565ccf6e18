//! The text column of a batch.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, GenericStringArray, LargeStringArray, OffsetSizeTrait, StringArray,
    StringViewArray,
};
use arrow_schema::{DataType, Schema};

use lexpool::codes;
use lexpool::{Error, Result};

/// A column of strings of any Arrow type.
pub(in crate::arrow) enum TextColumn<'a> {
    Utf8(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
    /// A dictionary: the value index of each row.
    Dictionary {
        array: &'a ArrayRef,
        keys: Vec<usize>,
        values: Box<TextColumn<'a>>,
    },
}

impl<'a> TextColumn<'a> {
    /// Validates the bytes of a column, since other code may not have done so. Only the rows of the
    /// array itself are checked: it may be a small slice of a large column.
    pub(in crate::arrow) fn new(array: &'a ArrayRef) -> Result<TextColumn<'a>> {
        if let Some(array) = array.as_string_opt::<i32>() {
            validate(array)?;
            return Ok(TextColumn::Utf8(array));
        }
        if let Some(array) = array.as_string_opt::<i64>() {
            validate(array)?;
            return Ok(TextColumn::Large(array));
        }
        if let Some(views) = array.as_string_view_opt() {
            array.to_data().validate_full().map_err(|error| invalid(&error.to_string()))?;
            return Ok(TextColumn::View(views));
        }
        if let Some(coded) = array.as_any_dictionary_opt() {
            let values = Box::new(TextColumn::new(coded.values())?);
            let empty = coded.values().is_empty();
            let keys = if empty { Vec::new() } else { coded.normalized_keys() };
            return Ok(TextColumn::Dictionary { array, keys, values });
        }
        let text = format!("the column has {}, not strings", array.data_type());
        Err(Error::value(codes::ARROW_TEXT_COLUMN, text))
    }

    pub(in crate::arrow) fn len(&self) -> usize {
        match self {
            TextColumn::Utf8(array) => array.len(),
            TextColumn::Large(array) => array.len(),
            TextColumn::View(array) => array.len(),
            TextColumn::Dictionary { array, .. } => array.len(),
        }
    }

    /// Returns the text of a row, or `None` if it is null.
    pub(in crate::arrow) fn get(&self, row: usize) -> Option<&'a str> {
        match self {
            TextColumn::Utf8(array) => array.is_valid(row).then(|| array.value(row)),
            TextColumn::Large(array) => array.is_valid(row).then(|| array.value(row)),
            TextColumn::View(array) => array.is_valid(row).then(|| array.value(row)),
            TextColumn::Dictionary { array, keys, values } => {
                values.get(*keys.get(row).filter(|_| array.is_valid(row))?)
            }
        }
    }

    /// Returns the number of bytes of all texts.
    pub(super) fn bytes(&self) -> usize {
        (0..self.len()).map(|row| self.get(row).map_or(0, str::len)).sum()
    }

    /// Splits the rows into ranges of about `size` bytes.
    pub(super) fn split(&self, size: usize) -> Vec<Range<usize>> {
        let (mut ranges, mut start, mut bytes) = (Vec::new(), 0, 0);
        for row in 0..self.len() {
            bytes += self.get(row).map_or(0, str::len);
            if bytes >= size {
                ranges.push(start..row + 1);
                (start, bytes) = (row + 1, 0);
            }
        }
        if start < self.len() {
            ranges.push(start..self.len());
        }
        ranges
    }
}

/// Checks that each non-null row lies within the buffer and is UTF-8.
fn validate<O: OffsetSizeTrait>(array: &GenericStringArray<O>) -> Result<()> {
    let (offsets, bytes) = (array.value_offsets(), array.value_data());
    for row in (0..array.len()).filter(|row| array.is_valid(*row)) {
        let [start, end] = [row, row + 1].map(|at| offsets[at].to_usize());
        let range = start.zip(end).map(|(start, end)| start..end);
        let Some(text) = range.clone().and_then(|range| bytes.get(range)) else {
            let text = format!("row {row} has the range {range:?} of {} bytes", bytes.len());
            return Err(invalid(&text));
        };
        if let Err(error) = std::str::from_utf8(text) {
            return Err(invalid(&format!("row {row} is not UTF-8: {error}")));
        }
    }
    Ok(())
}

pub(in crate::arrow) fn invalid(why: &str) -> Error {
    Error::value(codes::ARROW_INVALID, format!("not a valid Arrow array: {why}"))
}

/// Returns the position of the column with this name, or of the only column of strings.
pub(super) fn text_column(input: &Schema, name: Option<&str>) -> Result<usize> {
    let fits = |field: &arrow_schema::Field| match name {
        Some(name) => field.name() == name,
        None => is_text(field.data_type()),
    };
    let mut columns = input.fields().iter().enumerate().filter(|(_, field)| fits(field));
    let (first, second) = (columns.next(), columns.next());
    let wrong = match (name, first, second) {
        (_, Some((at, field)), None) if is_text(field.data_type()) => return Ok(at),
        (Some(name), Some((_, field)), None) => {
            format!("the column {name:?} has {}, not strings", field.data_type())
        }
        (Some(name), Some(_), Some(_)) => format!("there is more than one column {name:?}"),
        (Some(name), None, _) => format!("no column is named {name:?}"),
        (None, None, _) => "no column has strings".to_owned(),
        (None, ..) => "there is more than one column of strings; name one of them".to_owned(),
    };
    let text = format!("{wrong}; the columns are {}", described(input));
    Err(Error::value(codes::ARROW_TEXT_COLUMN, text))
}

/// Describes the columns of a schema with their types, for errors.
pub(super) fn described(input: &Schema) -> String {
    const MAX_DESCRIBED: usize = 20;
    let names = input.fields().iter().take(MAX_DESCRIBED);
    let mut names: Vec<String> =
        names.map(|field| format!("{:?} ({})", field.name(), field.data_type())).collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    if input.fields().len() > MAX_DESCRIBED {
        names.push(format!("and {} more", input.fields().len() - MAX_DESCRIBED));
    }
    names.join(", ")
}

/// Returns `true` if a column of this type has texts.
pub(in crate::arrow) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn shares_cover_all_rows_once_and_in_order() {
        let array: ArrayRef = Arc::new(StringArray::from(vec!["12345"; 7]));
        let texts = TextColumn::new(&array).unwrap();
        assert_eq!(texts.split(10), [0..2, 2..4, 4..6, 6..7]);
        assert_eq!(texts.split(30), [0..6, 6..7]);
    }
}
