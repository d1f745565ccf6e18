//! The texts of one column of a Parquet file, page by page; and documents written as one.
//!
//! Other columns are not read: row n is document n, so whoever wants them beside the documents can
//! put them there. Calls of the `parquet` crate are guarded, for a crafted file may break what it
//! relies on: that is an error here.

mod announced;
mod choice;
mod delta;
mod pages;
mod write;

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use ::parquet::column::reader::ColumnReaderImpl;
use ::parquet::data_type::{ByteArray, ByteArrayType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use super::texts::Position;
use super::{InvalidUtf8, Place, Reading, SourceText};
use crate::escape::one_line;
use crate::tokens::{MAX_CHARS, text_too_long};
use crate::{Error, ErrorKind, Result};
pub use write::Parquet;

use pages::Pages;

/// A column of strings that is being read.
pub(super) struct Column {
    name: Arc<str>,
    file: Arc<File>,
    size: u64,
    metadata: ParquetMetaData,
    /// Which column, and its highest definition level: a value below it is null.
    at: usize,
    defined: i16,
    /// The next group of rows.
    group: usize,
    open: Option<Group>,
    /// Values that were read and not yet given out; none for null.
    ready: VecDeque<Option<ByteArray>>,
    /// How many rows were given out, of how many.
    row: u64,
    rows: u64,
}

/// A group of rows that is being read.
struct Group {
    reader: ColumnReaderImpl<ByteArrayType>,
    left: u64,
}

/// So many values are read at once: pages with few long texts are held as long as one is left.
const AT_ONCE: usize = 32;

impl Column {
    /// Opens a file and finds the column.
    ///
    /// # Errors
    ///
    /// `parquet-invalid`; `no-column` and `column-type`, which name the columns that there are.
    pub(super) fn open(path: &Path, column: Option<&str>) -> Result<Column> {
        let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
        let name: Arc<str> = path.to_string_lossy().into();
        let size = file.metadata().map_err(|error| Error::io("read", path, error))?.len();
        let metadata = guarded(|| ParquetMetaDataReader::new().parse_and_finish(&file));
        let metadata = metadata.map_err(|fault| fault.named(&one_line(&name)))?;
        let columns = metadata.file_metadata().schema_descr();
        let at = choice::choose(columns, column).map_err(|error| error.context(one_line(&name)))?;
        let defined = columns.column(at).max_def_level();
        let rows = rows_of(&metadata, at).map_err(|fault| fault.named(&one_line(&name)))?;
        let (open, ready) = (None, VecDeque::new());
        let file = Arc::new(file);
        Ok(Column { name, file, size, metadata, at, defined, group: 0, open, ready, row: 0, rows })
    }

    /// The next text, or none at the end. Null is an empty one.
    pub(super) fn read(&mut self, reading: Reading) -> Result<Option<SourceText>> {
        let place = Place { file: Arc::clone(&self.name), position: Position::Row(self.row + 1) };
        while self.ready.is_empty() {
            match self.fill() {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(fault) => {
                    // What comes after a fault is not to be trusted.
                    (self.open, self.group) = (None, self.metadata.num_row_groups());
                    return Err(fault.named(&place));
                }
            }
        }
        let value = self.ready.pop_front().flatten();
        let bytes = value.as_ref().map_or(&[][..], ByteArray::data);
        if bytes.len() > 4 * MAX_CHARS {
            return Err(text_too_long(MAX_CHARS + 1).context(place));
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) if reading.invalid == InvalidUtf8::Replace => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            Err(error) => {
                let at = error.valid_up_to();
                let text = format!("byte {at} of the text (0x{:02x}) is not UTF-8", bytes[at]);
                return Err(Error::value("not-utf8", text).context(place));
            }
        };
        // Rows share the file evenly, so that the last one ends where the file does.
        let share = |row: u64| {
            let part = u128::from(self.size) * u128::from(row) / u128::from(self.rows.max(1));
            u64::try_from(part).unwrap_or(self.size)
        };
        let bytes = share(self.row + 1).saturating_sub(share(self.row));
        self.row += 1;
        Ok(Some(SourceText { text, place, bytes }))
    }

    /// Reads more values; says whether there may be any.
    fn fill(&mut self) -> Result<bool, Fault> {
        let Some(group) = &mut self.open else {
            if self.group == self.metadata.num_row_groups() {
                return Ok(false);
            }
            let group = self.open_group()?;
            self.group += 1;
            self.open = Some(group);
            return Ok(true);
        };
        if group.left == 0 {
            self.open = None;
            return Ok(true);
        }
        let most = AT_ONCE.min(usize::try_from(group.left).unwrap_or(AT_ONCE));
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let wanted = (self.defined > 0).then_some(&mut levels);
        let read = guarded(|| group.reader.read_records(most, wanted, None, &mut values));
        let (rows, ..) = read?;
        let nulls = levels.iter().filter(|level| **level < self.defined).count();
        if rows == 0 || rows > most || values.len() + nulls != rows {
            let text = format!("its group of rows ends {} rows before its end", group.left);
            return Err(Fault::Invalid(text));
        }
        group.left -= rows as u64;
        let mut values = values.into_iter();
        if self.defined == 0 {
            self.ready.extend(values.map(Some));
        } else {
            let defined = self.defined;
            let next = |level: i16| if level < defined { None } else { values.next() };
            self.ready.extend(levels.into_iter().map(next));
        }
        Ok(true)
    }

    fn open_group(&self) -> Result<Group, Fault> {
        let group = self.metadata.row_group(self.group);
        let left = u64::try_from(group.num_rows()).unwrap_or_default();
        let (chunk, file, size) = (group.column(self.at), Arc::clone(&self.file), self.size);
        let reader = guarded(|| {
            let pages =
                Pages::open(file, size, chunk, usize::try_from(left).unwrap_or(usize::MAX))?;
            Ok(ColumnReaderImpl::new(chunk.column_descr_ptr(), Box::new(pages)))
        })?;
        Ok(Group { reader, left })
    }
}

/// How many rows a file has: what it says of all, of each group, and of the column in each group has
/// to agree, for a group that says too little would lose its last rows in silence.
fn rows_of(metadata: &ParquetMetaData, at: usize) -> Result<u64, Fault> {
    let mut rows = 0_u64;
    for (number, group) in metadata.row_groups().iter().enumerate() {
        let (own, values) = (group.num_rows(), group.column(at).num_values());
        // The column is flat: null has a value too.
        if own < 0 || own != values {
            let text = format!(
                "its group of rows {} announces {own} rows, and {values} values of the column",
                number + 1
            );
            return Err(Fault::Invalid(text));
        }
        rows = rows.saturating_add(own.unsigned_abs());
    }
    let announced = metadata.file_metadata().num_rows();
    if u64::try_from(announced) != Ok(rows) {
        let text = format!("it announces {announced} rows, and its groups {rows}");
        return Err(Fault::Invalid(text));
    }
    Ok(rows)
}

/// What is wrong with a file.
enum Fault {
    Io(io::Error),
    Invalid(String),
}

impl Fault {
    fn named(self, place: &impl std::fmt::Display) -> Error {
        match self {
            Fault::Io(error) => Error::io("read", Path::new(&place.to_string()), error),
            Fault::Invalid(text) => {
                let text = format!("{place}: cannot be read as Parquet: {text}");
                Error::new(ErrorKind::Value, "parquet-invalid", text)
            }
        }
    }
}

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Fault {
        match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(error) => Fault::Io(*error),
                Err(source) => Fault::Invalid(source.to_string()),
            },
            ParquetError::General(text) | ParquetError::EOF(text) => Fault::Invalid(text),
            error => Fault::Invalid(error.to_string()),
        }
    }
}

/// Calls the `parquet` crate; a panic is a fault of the file.
fn guarded<T>(call: impl FnOnce() -> ::parquet::errors::Result<T>) -> Result<T, Fault> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(done) => Ok(done?),
        Err(_) => Err(Fault::Invalid("a number in it contradicts another".to_owned())),
    }
}

#[cfg(test)]
mod tests;
