//! Parquet files: reads the texts of one column page by page, and writes documents.
//!
//! Other columns are not read: row n becomes document n, so callers can join them with the
//! documents. Calls of the `parquet` crate catch panics, since a crafted file may violate its
//! assumptions; that is reported as an invalid file.

#![forbid(unsafe_code)]

mod choice;
mod delta;
mod page_sizes;
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
use lexpool::codes;
use lexpool::escape::one_line;
use lexpool::tokens::{MAX_CHARS, text_too_long};
use lexpool::{Error, ErrorKind, Result};
use pages::Pages;
pub use write::Parquet;

use super::location::{Position, SourceLocation};
use super::source::{InvalidUtf8, ReadOptions, SourceText};

/// Reader of a column of strings.
pub(super) struct ParquetColumn {
    name: Arc<str>,
    file: Arc<File>,
    size: u64,
    metadata: ParquetMetaData,
    /// Position of the column, and its highest definition level: a value below it is null.
    at: usize,
    defined: i16,
    /// The next row group.
    group: usize,
    open: Option<RowGroup>,
    /// Values read and not yet returned; `None` for null.
    ready: VecDeque<Option<ByteArray>>,
    /// Number of rows returned, and of all rows.
    row: u64,
    rows: u64,
}

/// Reader of a row group.
struct RowGroup {
    reader: ColumnReaderImpl<ByteArrayType>,
    left: u64,
}

/// Values read at once. Few, since long texts keep their page in memory.
const AT_ONCE: usize = 32;

impl ParquetColumn {
    /// Opens a file and finds the column.
    ///
    /// # Errors
    ///
    /// `parquet-invalid`; `no-column` and `column-type`, which list the columns of the file.
    pub(super) fn open(path: &Path, column: Option<&str>) -> Result<ParquetColumn> {
        let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
        let name: Arc<str> = path.to_string_lossy().into();
        let size = file.metadata().map_err(|error| Error::io("read", path, error))?.len();
        let metadata = catch_panics(|| ParquetMetaDataReader::new().parse_and_finish(&file));
        let metadata = metadata.map_err(|error| error.located(&one_line(&name)))?;
        let columns = metadata.file_metadata().schema_descr();
        let at = choice::choose(columns, column).map_err(|error| error.context(one_line(&name)))?;
        let defined = columns.column(at).max_def_level();
        let rows = count_rows(&metadata, at).map_err(|error| error.located(&one_line(&name)))?;
        let (open, ready) = (None, VecDeque::new());
        let file = Arc::new(file);
        Ok(ParquetColumn {
            name,
            file,
            size,
            metadata,
            at,
            defined,
            group: 0,
            open,
            ready,
            row: 0,
            rows,
        })
    }

    /// Returns the name of the file, which later locations share.
    pub(super) fn name_mut(&mut self) -> &mut Arc<str> {
        &mut self.name
    }

    /// Returns the next text, or `None` at the end. Null is an empty text.
    pub(super) fn read(&mut self, options: ReadOptions) -> Result<Option<SourceText>> {
        let location =
            SourceLocation { file: Arc::clone(&self.name), position: Position::Row(self.row + 1) };
        while self.ready.is_empty() {
            match self.fill() {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => {
                    // Data after an invalid part is not read.
                    (self.open, self.group) = (None, self.metadata.num_row_groups());
                    return Err(error.located(&location));
                }
            }
        }
        let value = self.ready.pop_front().flatten();
        let bytes = value.as_ref().map_or(&[][..], ByteArray::data);
        if bytes.len() > 4 * MAX_CHARS {
            return Err(text_too_long(MAX_CHARS + 1).context(location));
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) if options.invalid == InvalidUtf8::Replace => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            Err(error) => {
                let at = error.valid_up_to();
                let text = format!("byte {at} of the text (0x{:02x}) is not UTF-8", bytes[at]);
                return Err(Error::value(codes::NOT_UTF8, text).context(location));
            }
        };
        // Each row counts an equal share of the file, so that progress ends at 100 %.
        let share = |row: u64| {
            let part = u128::from(self.size) * u128::from(row) / u128::from(self.rows.max(1));
            u64::try_from(part).unwrap_or(self.size)
        };
        let bytes = share(self.row + 1).saturating_sub(share(self.row));
        self.row += 1;
        Ok(Some(SourceText { text, location, bytes }))
    }

    /// Reads more values; returns `false` at the end of the file.
    fn fill(&mut self) -> Result<bool, ReadError> {
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
        let limit = AT_ONCE.min(usize::try_from(group.left).unwrap_or(AT_ONCE));
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let level_buffer = (self.defined > 0).then_some(&mut levels);
        let read =
            catch_panics(|| group.reader.read_records(limit, level_buffer, None, &mut values));
        let (rows, ..) = read?;
        let nulls = levels.iter().filter(|level| **level < self.defined).count();
        if rows == 0 || rows > limit || values.len() + nulls != rows {
            let text = format!("a row group ends {} rows early", group.left);
            return Err(ReadError::Invalid(text));
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

    fn open_group(&self) -> Result<RowGroup, ReadError> {
        let group = self.metadata.row_group(self.group);
        let left = u64::try_from(group.num_rows()).unwrap_or_default();
        let (chunk, file, size) = (group.column(self.at), Arc::clone(&self.file), self.size);
        let reader = catch_panics(|| {
            let pages =
                Pages::open(file, size, chunk, usize::try_from(left).unwrap_or(usize::MAX))?;
            Ok(ColumnReaderImpl::new(chunk.column_descr_ptr(), Box::new(pages)))
        })?;
        Ok(RowGroup { reader, left })
    }
}

/// Returns the number of rows. The counts of the file, of each row group and of the column in each
/// group must agree, since a group that announces too few rows would lose the others silently.
fn count_rows(metadata: &ParquetMetaData, at: usize) -> Result<u64, ReadError> {
    let mut rows = 0_u64;
    for (number, group) in metadata.row_groups().iter().enumerate() {
        let (own, values) = (group.num_rows(), group.column(at).num_values());
        // The column is flat: null has a value too.
        if own < 0 || own != values {
            let text = format!(
                "row group {} announces {own} rows, but {values} values of the column",
                number + 1
            );
            return Err(ReadError::Invalid(text));
        }
        rows = rows.saturating_add(own.unsigned_abs());
    }
    let announced = metadata.file_metadata().num_rows();
    if u64::try_from(announced) != Ok(rows) {
        let text = format!("the file announces {announced} rows, but its row groups {rows}");
        return Err(ReadError::Invalid(text));
    }
    Ok(rows)
}

/// Failure to read a file.
enum ReadError {
    Io(io::Error),
    Invalid(String),
}

impl ReadError {
    fn located(self, location: &impl std::fmt::Display) -> Error {
        match self {
            ReadError::Io(error) => Error::io("read", Path::new(&location.to_string()), error),
            ReadError::Invalid(text) => {
                let text = format!("{location}: not a valid Parquet file: {text}");
                Error::new(ErrorKind::Value, codes::PARQUET_INVALID, text)
            }
        }
    }
}

impl From<ParquetError> for ReadError {
    fn from(error: ParquetError) -> ReadError {
        match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(error) => ReadError::Io(*error),
                Err(source) => ReadError::Invalid(source.to_string()),
            },
            ParquetError::General(text) | ParquetError::EOF(text) => ReadError::Invalid(text),
            error => ReadError::Invalid(error.to_string()),
        }
    }
}

/// Calls the `parquet` crate; a panic means that the file is invalid.
fn catch_panics<T>(call: impl FnOnce() -> ::parquet::errors::Result<T>) -> Result<T, ReadError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(done) => Ok(done?),
        Err(_) => Err(ReadError::Invalid("contradictory numbers".to_owned())),
    }
}

#[cfg(test)]
mod tests;
