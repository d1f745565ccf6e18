//! Location of a text in its source.

use std::fmt;
use std::sync::Arc;

use lexpool::escape::one_line;

/// Location of a text, displayed as `notes.txt, line 12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    pub(super) file: Arc<str>,
    pub(super) position: Position,
}

/// Position of a text in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// The whole file.
    Whole,
    Line(u64),
    /// A row of a table.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "readers of tables"))]
    Row(u64),
}

impl SourceLocation {
    /// Returns the name of the file, or a name for the standard input.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the line, or the row of a table, from 1; `None` if the file is one document.
    pub fn line(&self) -> Option<u64> {
        match self.position {
            Position::Whole => None,
            Position::Line(at) | Position::Row(at) => Some(at),
        }
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = one_line(&self.file);
        match self.position {
            Position::Whole => write!(f, "{file}"),
            Position::Line(line) => write!(f, "{file}, line {line}"),
            Position::Row(row) => write!(f, "{file}, row {row}"),
        }
    }
}
