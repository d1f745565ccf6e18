//! Where a text stood.

use std::fmt;
use std::sync::Arc;

use crate::escape::one_line;

/// The place that a text was read from; shown as `notes.txt, line 12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(in crate::corpus) file: Arc<str>,
    pub(in crate::corpus) position: Position,
}

/// Which text of the file it is, the first being 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::corpus) enum Position {
    /// The file is one document.
    Whole,
    Line(u64),
    /// A row of a table.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "what reads tables"))]
    Row(u64),
}

impl Place {
    /// The name of the file, or what stands for the standard input.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line, or the row of a table, the first being 1; none where a file is one document.
    pub fn line(&self) -> Option<u64> {
        match self.position {
            Position::Whole => None,
            Position::Line(at) | Position::Row(at) => Some(at),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = one_line(&self.file);
        match self.position {
            Position::Whole => write!(f, "{file}"),
            Position::Line(line) => write!(f, "{file}, line {line}"),
            Position::Row(row) => write!(f, "{file}, row {row}"),
        }
    }
}
