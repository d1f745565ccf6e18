//! Readers of texts: a line each, or a file; a field of JSON lines, or a column of a Parquet file.

#![forbid(unsafe_code)]

mod field;
mod plain;

use std::sync::Arc;
use std::vec;

pub(super) use field::json_error;
pub(super) use plain::PlainReader;

use field::FieldReader;
use lexpool::Result;

#[cfg(feature = "parquet")]
use super::parquet::ParquetColumn;
use super::source::{ReadOptions, Source, SourceText};

/// Iterator over the texts of several sources, in order. Memory: one text and a buffer of 256 KiB;
/// for a Parquet file, its metadata and one page of the column.
///
/// A byte order mark at the start of a source is not part of its text.
///
/// ```
/// use lexpool_io::corpus::{DocUnit, InvalidUtf8, ReadOptions, Source, Texts};
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("notes.txt");
/// std::fs::write(&path, "One.\n\nThree.").unwrap();
/// let options = ReadOptions { unit: DocUnit::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };
/// let texts: Result<Vec<_>, _> = Texts::new(vec![Source::File(path)], options).collect();
/// let texts: Vec<_> = texts?.into_iter().map(|read| read.text).collect();
/// assert_eq!(texts, ["One.", "", "Three."]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Texts {
    sources: vec::IntoIter<Source>,
    options: ReadOptions,
    open: Option<OpenSource>,
}

/// An open source.
enum OpenSource {
    Plain(PlainReader),
    Field(FieldReader),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetColumn>),
}

impl Texts {
    /// Creates an iterator. Sources are opened when they are reached.
    pub fn new(sources: Vec<Source>, options: ReadOptions) -> Texts {
        Texts { sources: sources.into_iter(), options, open: None }
    }

    /// Returns `true` if reading the next text may block, since it comes from the standard input
    /// and none of it is buffered.
    pub fn may_wait(&self) -> bool {
        matches!(&self.open, Some(OpenSource::Plain(plain)) if plain.may_wait())
    }

    /// Gives the locations of the next texts a name with a reference count of its own: threads that
    /// drop texts which were read before and after do not write to one count.
    pub fn separate_locations(&mut self) {
        let name = match &mut self.open {
            None => return,
            Some(OpenSource::Plain(plain)) => plain.name_mut(),
            Some(OpenSource::Field(field)) => field.name_mut(),
            #[cfg(feature = "parquet")]
            Some(OpenSource::Parquet(column)) => column.name_mut(),
        };
        *name = Arc::from(&**name);
    }

    fn read(&mut self) -> Result<Option<SourceText>> {
        loop {
            let open = match &mut self.open {
                Some(open) => open,
                None => match self.sources.next() {
                    Some(source) => self.open.insert(OpenSource::new(&source)?),
                    None => return Ok(None),
                },
            };
            match open.read(self.options)? {
                None => self.open = None,
                Some(read) if self.options.skip_blank && read.text.trim().is_empty() => {}
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

impl OpenSource {
    fn new(source: &Source) -> Result<OpenSource> {
        Ok(match source {
            Source::Stdin => OpenSource::Plain(PlainReader::stdin()),
            Source::File(path) => OpenSource::Plain(PlainReader::file(path)?),
            Source::Jsonl { path, field } => OpenSource::Field(FieldReader::open(path, field)?),
            #[cfg(feature = "parquet")]
            Source::Parquet { path, column } => {
                OpenSource::Parquet(Box::new(ParquetColumn::open(path, column.as_deref())?))
            }
        })
    }

    /// Returns the next text, or `None` at the end.
    fn read(&mut self, options: ReadOptions) -> Result<Option<SourceText>> {
        match self {
            OpenSource::Plain(plain) => plain.read(options),
            OpenSource::Field(field) => field.read(options),
            #[cfg(feature = "parquet")]
            OpenSource::Parquet(column) => column.read(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::corpus::source::{DocUnit, InvalidUtf8};

    pub(super) const LINES: ReadOptions =
        ReadOptions { unit: DocUnit::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };

    /// Reads files of these contents.
    fn read(contents: &[&[u8]], options: ReadOptions) -> Result<Vec<SourceText>> {
        let folder = tempfile::tempdir().unwrap();
        let source = |(i, bytes): (usize, &&[u8])| {
            let path = folder.path().join(format!("{i}.txt"));
            fs::write(&path, bytes).unwrap();
            Source::File(path)
        };
        Texts::new(contents.iter().enumerate().map(source).collect(), options).collect()
    }

    fn texts(contents: &[&[u8]], options: ReadOptions) -> Vec<String> {
        read(contents, options).unwrap().into_iter().map(|read| read.text).collect()
    }

    #[test]
    fn each_line_is_a_text_without_its_end() {
        let files: [&[u8]; 3] = [b"one\r\ntwo\n\n four \n", b"", b"five\rsix"];
        assert_eq!(texts(&files, LINES), ["one", "two", "", " four ", "five\rsix"]);
        assert_eq!(texts(&files, ReadOptions { skip_blank: true, ..LINES }).len(), 4);
    }

    #[test]
    fn each_file_is_a_text_as_it_stands() {
        let reading = ReadOptions { unit: DocUnit::File, ..LINES };
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
        let reading = ReadOptions { invalid: InvalidUtf8::Replace, ..LINES };
        assert_eq!(texts(&[b"tw\xffo\n\xe2\x82"], reading), ["tw\u{fffd}o", "\u{fffd}"]);
    }

    #[test]
    fn separated_locations_have_the_same_name_and_no_common_count() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, lines) = (folder.path().join("a.txt"), folder.path().join("b.jsonl"));
        fs::write(&plain, "one\ntwo\n").unwrap();
        fs::write(&lines, "{\"t\": \"one\"}\n{\"t\": \"two\"}\n").unwrap();
        let field = Source::Jsonl { path: lines, field: "t".to_owned() };
        for source in [Source::File(plain), field] {
            let mut texts = Texts::new(vec![source], LINES);
            texts.separate_locations();
            let first = texts.next().unwrap().unwrap().location;
            texts.separate_locations();
            let second = texts.next().unwrap().unwrap().location;
            assert_eq!((first.file(), second.line()), (second.file(), Some(2)));
            assert!(!Arc::ptr_eq(&first.file, &second.file));
        }
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
