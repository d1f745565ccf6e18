//! Sources of texts, and options of reading them.

use std::path::{Path, PathBuf};

use super::location::SourceLocation;

/// Source of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The standard input.
    Stdin,
    /// A file of text.
    File(PathBuf),
    /// A file with a JSON object on each line.
    Jsonl {
        /// The file.
        path: PathBuf,
        /// The name of the field that has the text.
        field: String,
    },
    /// A Parquet file, of which only the text column is read.
    #[cfg(feature = "parquet")]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Name of the text column, with dots if it is nested. `None` for the only column of
        /// strings, or the one called `text`.
        column: Option<String>,
    },
}

/// Unit of a plain text file that makes one document. In other files it is a line or a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocUnit {
    /// A line, without its end (`\n` or `\r\n`).
    Line,
    /// The whole file.
    File,
}

/// Treatment of bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidUtf8 {
    /// Stop with an error that names their position.
    Refuse,
    /// Replace each invalid sequence by U+FFFD.
    Replace,
}

/// Options of reading texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// Unit that makes one document.
    pub unit: DocUnit,
    /// Treatment of bytes that are not UTF-8.
    pub invalid: InvalidUtf8,
    /// Set to skip texts of whitespace only. Otherwise each of them becomes a document, so that
    /// documents can be matched with lines.
    pub skip_blank: bool,
}

/// A text with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The text.
    pub text: String,
    /// Location of the text in its source.
    pub location: SourceLocation,
    /// Bytes of the file read for it; of a Parquet file, an equal share of its size.
    pub bytes: u64,
}

impl Source {
    /// Returns the path of the file, or `None` for the standard input.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::Stdin => None,
            Source::File(path) | Source::Jsonl { path, .. } => Some(path),
            #[cfg(feature = "parquet")]
            Source::Parquet { path, .. } => Some(path),
        }
    }
}
