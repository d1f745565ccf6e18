//! The ten columns of a line, and the errors found in them.

use lexpool::Error;
use lexpool::codes;
use lexpool::escape::one_line;

/// The names of the columns.
const NAMES: [&str; 10] =
    ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"];

pub(super) const ID: usize = 0;
pub(super) const FORM: usize = 1;
pub(super) const LEMMA: usize = 2;
pub(super) const UPOS: usize = 3;
pub(super) const XPOS: usize = 4;
pub(super) const FEATS: usize = 5;
pub(super) const HEAD: usize = 6;
pub(super) const DEPREL: usize = 7;
pub(super) const MISC: usize = 9;

/// Stands for an empty value.
pub(super) const EMPTY: &str = "_";

/// A line split into its columns.
#[derive(Clone, Debug)]
pub(super) struct Line {
    text: String,
    /// The end of each column, in bytes.
    ends: [usize; 10],
    /// Number of the line in the file, from 1.
    pub(super) number: u64,
}

impl Line {
    pub(super) fn new(text: String, number: u64) -> Result<Line, InvalidLine> {
        let mut ends = [0; 10];
        let mut columns = 0;
        for column in text.split('\t') {
            if columns < ends.len() {
                let start = if columns == 0 { 0 } else { ends[columns - 1] + 1 };
                ends[columns] = start + column.len();
            }
            columns += 1;
        }
        if columns != ends.len() {
            let text =
                format!("{columns} columns between tabs; there are 10: {}", NAMES.join(", "));
            return Err(InvalidLine { line: number, column: None, text });
        }
        let line = Line { text, ends, number };
        for column in [ID, FORM] {
            if line.get(column).is_empty() {
                return Err(line.invalid(column, "it is empty; _ stands for an unknown value"));
            }
        }
        Ok(line)
    }

    pub(super) fn get(&self, column: usize) -> &str {
        let start = if column == 0 { 0 } else { self.ends[column - 1] + 1 };
        &self.text[start..self.ends[column]]
    }

    /// Returns a column, or `None` if it is empty or `_`.
    pub(super) fn known(&self, column: usize) -> Option<&str> {
        Some(self.get(column)).filter(|value| !value.is_empty() && *value != EMPTY)
    }

    pub(super) fn invalid(&self, column: usize, text: impl Into<String>) -> InvalidLine {
        InvalidLine { line: self.number, column: Some(column), text: text.into() }
    }

    /// Returns the value of a key in the column `MISC`, such as `SpaceAfter`.
    pub(super) fn misc(&self, name: &str) -> Option<&str> {
        let mut parts = self.get(MISC).split('|');
        parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
    }
}

/// A syntax error: what is invalid, and where.
#[derive(Debug)]
pub(super) struct InvalidLine {
    pub(super) line: u64,
    pub(super) column: Option<usize>,
    pub(super) text: String,
}

impl InvalidLine {
    /// Converts to the error `conllu-syntax`, which names the file.
    pub(super) fn into_error(self, file: &str) -> Error {
        let InvalidLine { line, column, text } = self;
        let column =
            column.map_or(String::new(), |at| format!(", column {} ({})", at + 1, NAMES[at]));
        Error::value(
            codes::CONLLU_SYNTAX,
            format!("{}, line {line}{column}: {text}", one_line(file)),
        )
    }
}
