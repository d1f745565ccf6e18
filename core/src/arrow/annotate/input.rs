//! The column of texts that a batch comes with.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, GenericStringArray, LargeStringArray, OffsetSizeTrait, StringArray,
    StringViewArray,
};
use arrow_schema::Schema;

use super::is_text;
use crate::{Error, Result};

/// Texts of any of Arrow's types for them.
pub(in crate::arrow) enum Texts<'a> {
    Utf8(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
    /// The rows of a dictionary as numbers of its values.
    Coded {
        array: &'a ArrayRef,
        keys: Vec<usize>,
        values: Box<Texts<'a>>,
    },
}

impl<'a> Texts<'a> {
    /// Judges the bytes of a column first, which may come from code that does not: those of its own
    /// rows, for it may be a small slice of a large column.
    pub(in crate::arrow) fn new(array: &'a ArrayRef) -> Result<Texts<'a>> {
        if let Some(array) = array.as_string_opt::<i32>() {
            judge(array)?;
            return Ok(Texts::Utf8(array));
        }
        if let Some(array) = array.as_string_opt::<i64>() {
            judge(array)?;
            return Ok(Texts::Large(array));
        }
        if let Some(views) = array.as_string_view_opt() {
            array.to_data().validate_full().map_err(|error| invalid(&error.to_string()))?;
            return Ok(Texts::View(views));
        }
        if let Some(coded) = array.as_any_dictionary_opt() {
            let values = Box::new(Texts::new(coded.values())?);
            let empty = coded.values().is_empty();
            let keys = if empty { Vec::new() } else { coded.normalized_keys() };
            return Ok(Texts::Coded { array, keys, values });
        }
        let text = format!("the column has {}, not strings", array.data_type());
        Err(Error::value("arrow-text-column", text))
    }

    pub(in crate::arrow) fn len(&self) -> usize {
        match self {
            Texts::Utf8(array) => array.len(),
            Texts::Large(array) => array.len(),
            Texts::View(array) => array.len(),
            Texts::Coded { array, .. } => array.len(),
        }
    }

    /// The text of a row, unless it is null.
    pub(in crate::arrow) fn get(&self, row: usize) -> Option<&'a str> {
        match self {
            Texts::Utf8(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::View(array) => array.is_valid(row).then(|| array.value(row)),
            Texts::Coded { array, keys, values } => {
                values.get(*keys.get(row).filter(|_| array.is_valid(row))?)
            }
        }
    }

    /// The bytes of all texts.
    pub(super) fn bytes(&self) -> usize {
        (0..self.len()).map(|row| self.get(row).map_or(0, str::len)).sum()
    }

    /// The rows, cut where a share has so many bytes.
    pub(super) fn shares(&self, most: usize) -> Vec<Range<usize>> {
        let (mut shares, mut start, mut bytes) = (Vec::new(), 0, 0);
        for row in 0..self.len() {
            bytes += self.get(row).map_or(0, str::len);
            if bytes >= most {
                shares.push(start..row + 1);
                (start, bytes) = (row + 1, 0);
            }
        }
        if start < self.len() {
            shares.push(start..self.len());
        }
        shares
    }
}

/// Whether each row that is not null is UTF-8 within its buffer. What is behind a null, nobody reads.
fn judge<O: OffsetSizeTrait>(array: &GenericStringArray<O>) -> Result<()> {
    let (offsets, bytes) = (array.value_offsets(), array.value_data());
    for row in (0..array.len()).filter(|row| array.is_valid(*row)) {
        let [start, end] = [row, row + 1].map(|at| offsets[at].to_usize());
        let range = start.zip(end).map(|(start, end)| start..end);
        let Some(text) = range.clone().and_then(|range| bytes.get(range)) else {
            let text = format!("row {row} lies at {range:?} in a buffer of {} bytes", bytes.len());
            return Err(invalid(&text));
        };
        if let Err(error) = std::str::from_utf8(text) {
            return Err(invalid(&format!("row {row} is no UTF-8: {error}")));
        }
    }
    Ok(())
}

pub(in crate::arrow) fn invalid(why: &str) -> Error {
    Error::value("arrow-invalid", format!("the array is not what Arrow prescribes: {why}"))
}

/// The position of the column with this name, or of the only one that has texts.
pub(super) fn text_column(input: &Schema, name: Option<&str>) -> Result<usize> {
    let fits = |field: &arrow_schema::Field| match name {
        Some(name) => field.name() == name,
        None => is_text(field.data_type()),
    };
    let mut found = input.fields().iter().enumerate().filter(|(_, field)| fits(field));
    let (first, second) = (found.next(), found.next());
    let wrong = match (name, first, second) {
        (_, Some((at, field)), None) if is_text(field.data_type()) => return Ok(at),
        (Some(name), Some((_, field)), None) => {
            format!("the column {name:?} has {}, not strings", field.data_type())
        }
        (Some(name), Some(_), Some(_)) => format!("there is more than one column {name:?}"),
        (Some(name), None, _) => format!("there is no column {name:?}"),
        (None, None, _) => "there is no column of strings".to_owned(),
        (None, ..) => "there is more than one column of strings; name the one to take".to_owned(),
    };
    let text = format!("{wrong}; the columns are {}", described(input));
    Err(Error::value("arrow-text-column", text))
}

/// The columns of a schema with their types, for an error.
pub(super) fn described(input: &Schema) -> String {
    const MOST: usize = 20;
    let names = input.fields().iter().take(MOST);
    let mut names: Vec<String> =
        names.map(|field| format!("{:?} ({})", field.name(), field.data_type())).collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    if input.fields().len() > MOST {
        names.push(format!("and {} more", input.fields().len() - MOST));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn shares_cover_all_rows_once_and_in_order() {
        let array: ArrayRef = Arc::new(StringArray::from(vec!["12345"; 7]));
        let texts = Texts::new(&array).unwrap();
        assert_eq!(texts.shares(10), [0..2, 2..4, 4..6, 6..7]);
        assert_eq!(texts.shares(30), [0..6, 6..7]);
    }
}
