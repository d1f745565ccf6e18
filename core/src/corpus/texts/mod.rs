//! From files to the texts of documents: a line each, or a file; a field of JSON lines, or a column.

mod field;
mod place;
mod plain;

use std::path::{Path, PathBuf};
use std::vec;

pub(super) use field::json_fault;
pub use place::Place;
#[cfg(feature = "parquet")]
pub(super) use place::Position;
pub(super) use plain::Plain;

use crate::Result;
use field::Field;

/// Where texts come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// What the process is given on its standard input.
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
    /// A Parquet file. Only the column of the texts is read.
    #[cfg(feature = "parquet")]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The name of the column that has the texts, with dots if it is inside others. Without one
        /// it is the only column of strings, or the one called `text`.
        column: Option<String>,
    },
}

/// What makes one document of a file of text. In any other file each line or row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Each line; its end (`\n` or `\r\n`) is no part of the text.
    Line,
    /// Each file, as it stands.
    File,
}

/// What to do with bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidUtf8 {
    /// End with an error that says where they are.
    Refuse,
    /// Read U+FFFD in the place of each broken sequence.
    Replace,
}

/// How texts are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What makes one document.
    pub per: Per,
    /// What to do with bytes that are not UTF-8.
    pub invalid: InvalidUtf8,
    /// Whether texts of nothing but whitespace are left out; otherwise each of them becomes a
    /// document, so that the documents of a file can be counted off against its lines.
    pub skip_blank: bool,
}

/// A text with the place that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The text.
    pub text: String,
    /// Where it stood.
    pub place: Place,
    /// How many bytes of the file were read for it; of a Parquet file, its share of them.
    pub bytes: u64,
}

/// The texts of some sources, in order. Memory: one text and a buffer of 256 KiB; of a Parquet file,
/// its description and one page of the column.
///
/// A byte order mark at the start of a source is no part of its text.
///
/// ```
/// use lexpool::corpus::{InvalidUtf8, Per, Reading, Source, Texts};
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("notes.txt");
/// std::fs::write(&path, "One.\n\nThree.").unwrap();
/// let reading = Reading { per: Per::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };
/// let texts: Result<Vec<_>, _> = Texts::new(vec![Source::File(path)], reading).collect();
/// let texts: Vec<_> = texts?.into_iter().map(|read| read.text).collect();
/// assert_eq!(texts, ["One.", "", "Three."]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Texts {
    sources: vec::IntoIter<Source>,
    reading: Reading,
    open: Option<Open>,
}

/// A source that is being read.
enum Open {
    Plain(Plain),
    Field(Field),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::Column>),
}

impl Texts {
    /// The texts of these sources; none is opened yet.
    pub fn new(sources: Vec<Source>, reading: Reading) -> Texts {
        Texts { sources: sources.into_iter(), reading, open: None }
    }

    /// Whether the next text may be long in coming, because it has to be read from the standard
    /// input and none of it is here yet.
    pub fn may_wait(&self) -> bool {
        matches!(&self.open, Some(Open::Plain(plain)) if plain.may_wait())
    }

    fn read(&mut self) -> Result<Option<SourceText>> {
        loop {
            let open = match &mut self.open {
                Some(open) => open,
                None => match self.sources.next() {
                    Some(source) => self.open.insert(Open::new(&source)?),
                    None => return Ok(None),
                },
            };
            match open.read(self.reading)? {
                None => self.open = None,
                Some(read) if self.reading.skip_blank && read.text.trim().is_empty() => {}
                Some(read) => return Ok(Some(read)),
            }
        }
    }
}

impl Iterator for Texts {
    type Item = Result<SourceText>;

    fn next(&mut self) -> Option<Result<SourceText>> {
        self.read().transpose()
    }
}

impl Open {
    fn new(source: &Source) -> Result<Open> {
        Ok(match source {
            Source::Stdin => Open::Plain(Plain::stdin()),
            Source::File(path) => Open::Plain(Plain::file(path)?),
            Source::Jsonl { path, field } => Open::Field(Field::open(path, field)?),
            #[cfg(feature = "parquet")]
            Source::Parquet { path, column } => {
                Open::Parquet(Box::new(super::parquet::Column::open(path, column.as_deref())?))
            }
        })
    }

    /// The next text, or none at the end.
    fn read(&mut self, reading: Reading) -> Result<Option<SourceText>> {
        match self {
            Open::Plain(plain) => plain.read(reading),
            Open::Field(field) => field.read(reading),
            #[cfg(feature = "parquet")]
            Open::Parquet(column) => column.read(reading),
        }
    }
}

impl Source {
    /// The path of the file; none for the standard input.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::Stdin => None,
            Source::File(path) | Source::Jsonl { path, .. } => Some(path),
            #[cfg(feature = "parquet")]
            Source::Parquet { path, .. } => Some(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    pub(super) const LINES: Reading =
        Reading { per: Per::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };

    /// Reads files of these contents.
    fn read(contents: &[&[u8]], reading: Reading) -> Result<Vec<SourceText>> {
        let folder = tempfile::tempdir().unwrap();
        let source = |(i, bytes): (usize, &&[u8])| {
            let path = folder.path().join(format!("{i}.txt"));
            fs::write(&path, bytes).unwrap();
            Source::File(path)
        };
        Texts::new(contents.iter().enumerate().map(source).collect(), reading).collect()
    }

    fn texts(contents: &[&[u8]], reading: Reading) -> Vec<String> {
        read(contents, reading).unwrap().into_iter().map(|read| read.text).collect()
    }

    #[test]
    fn each_line_is_a_text_without_its_end() {
        let files: [&[u8]; 3] = [b"one\r\ntwo\n\n four \n", b"", b"five\rsix"];
        assert_eq!(texts(&files, LINES), ["one", "two", "", " four ", "five\rsix"]);
        assert_eq!(texts(&files, Reading { skip_blank: true, ..LINES }).len(), 4);
    }

    #[test]
    fn each_file_is_a_text_as_it_stands() {
        let reading = Reading { per: Per::File, ..LINES };
        assert_eq!(texts(&[b"one\ntwo\n", b"", b"three"], reading), ["one\ntwo\n", "", "three"]);
    }

    #[test]
    fn a_byte_order_mark_counts_only_at_the_start() {
        let mark = "\u{feff}";
        let file = format!("{mark}one\n{mark}two");
        assert_eq!(texts(&[file.as_bytes()], LINES), ["one".to_owned(), format!("{mark}two")]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_place() {
        let error = read(&[b"fine", b"one\ntw\xffo\n"], LINES).unwrap_err();
        assert_eq!(error.code(), "not-utf8");
        assert!(error.message().ends_with("1.txt, line 2: byte 6 (0xff) is not UTF-8"), "{error}");
        let error = read(&[b"\xef\xbb\xbfa\xff"], LINES).unwrap_err();
        assert!(error.message().contains("byte 4 "), "{error}");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced_on_request() {
        let reading = Reading { invalid: InvalidUtf8::Replace, ..LINES };
        assert_eq!(texts(&[b"tw\xffo\n\xe2\x82"], reading), ["tw\u{fffd}o", "\u{fffd}"]);
    }

    #[test]
    fn a_missing_file_is_named() {
        let source = Source::File("absent.txt".into());
        let error = Texts::new(vec![source], LINES).next().unwrap().unwrap_err();
        assert_eq!(error.code(), "file-not-found");
        assert!(error.message().contains("absent.txt"));
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_standard_library(file in "[ab\r\n\u{e9} ]{0,40}") {
            let expected: Vec<_> = file.lines().map(str::to_owned).collect();
            let read = read(&[file.as_bytes()], LINES).unwrap();
            prop_assert_eq!(read.iter().map(|read| read.bytes).sum::<u64>(), file.len() as u64);
            let texts: Vec<_> = read.into_iter().map(|read| read.text).collect();
            prop_assert_eq!(texts, expected);
        }
    }
}
