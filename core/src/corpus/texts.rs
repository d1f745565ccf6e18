//! From files to the texts of documents: a line each, or a file.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use crate::tokens::{MAX_CHARS, text_too_long};
use crate::{Error, ErrorKind, Result};

/// Where texts come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// What the process is given on its standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// What makes one document.
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

/// The place that a text was read from; shown as `notes.txt, line 12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    file: Arc<str>,
    line: Option<u64>,
}

/// A text with the place that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The text.
    pub text: String,
    /// Where it stood.
    pub place: Place,
    /// How many bytes were read for it.
    pub bytes: u64,
}

/// The texts of some sources, in order. Memory: one text and a buffer of 256 KiB.
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
struct Open {
    name: Arc<str>,
    input: BufReader<Box<dyn Read + Send>>,
    is_stdin: bool,
    /// How many lines, and bytes, have been read.
    line: u64,
    offset: u64,
}

impl Texts {
    /// The texts of these sources; none is opened yet.
    pub fn new(sources: Vec<Source>, reading: Reading) -> Texts {
        Texts { sources: sources.into_iter(), reading, open: None }
    }

    /// Whether the next text may be long in coming, because it has to be read from the standard
    /// input and none of it is here yet.
    pub fn may_wait(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.is_stdin && open.input.buffer().is_empty())
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

/// No text of more bytes has few enough characters.
const MOST_BYTES: u64 = 4 * MAX_CHARS as u64;
const BUFFER: usize = 256 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Open {
    fn new(source: &Source) -> Result<Open> {
        let (name, input): (Arc<str>, Box<dyn Read + Send>) = match source {
            Source::Stdin => ("standard input".into(), Box::new(io::stdin())),
            Source::File(path) => {
                let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
                (path.to_string_lossy().into(), Box::new(file))
            }
        };
        let is_stdin = *source == Source::Stdin;
        let input = BufReader::with_capacity(BUFFER, input);
        Ok(Open { name, input, is_stdin, line: 0, offset: 0 })
    }

    /// The next text, or none at the end.
    fn read(&mut self, reading: Reading) -> Result<Option<SourceText>> {
        let mut bytes = Vec::new();
        let mut input = (&mut self.input).take(MOST_BYTES + 1);
        let read = match reading.per {
            Per::Line => input.read_until(b'\n', &mut bytes),
            Per::File => input.read_to_end(&mut bytes),
        };
        let read = read.map_err(|error| Error::io("read", Path::new(&*self.name), error))? as u64;
        // An empty file is a document; the end of a file is no line.
        if read == 0 && (reading.per == Per::Line || self.line > 0) {
            return Ok(None);
        }
        self.line += 1;
        let line = (reading.per == Per::Line).then_some(self.line);
        let place = Place { file: Arc::clone(&self.name), line };
        if read > MOST_BYTES {
            return Err(text_too_long(MAX_CHARS + 1).context(place));
        }
        let start = self.offset;
        self.offset += read;
        if reading.per == Per::Line && bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        }
        let mut mark = 0;
        if self.line == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            mark = BYTE_ORDER_MARK.len();
            bytes.drain(..mark);
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) if reading.invalid == InvalidUtf8::Replace => {
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let (byte, offset) = (error.as_bytes()[at], start + (mark + at) as u64);
                let text = format!("byte {offset} (0x{byte:02x}) is not UTF-8");
                return Err(Error::new(ErrorKind::Value, "not-utf8", text).context(place));
            }
        };
        Ok(Some(SourceText { text, place, bytes: read }))
    }
}

impl Place {
    /// The name of the file, or what stands for the standard input.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line, the first being 1; none where a file is one document.
    pub fn line(&self) -> Option<u64> {
        self.line
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    const LINES: Reading =
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
