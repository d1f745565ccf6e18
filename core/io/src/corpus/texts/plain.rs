//! Reader of plain text files: one document per line or per file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use lexpool::codes;
use lexpool::tokens::{MAX_CHARS, text_too_long};
use lexpool::{Error, ErrorKind, Result};

use crate::corpus::location::{Position, SourceLocation};
use crate::corpus::source::{DocUnit, InvalidUtf8, ReadOptions, SourceText};

/// Reader of a file or of the standard input.
pub(in crate::corpus) struct PlainReader {
    name: Arc<str>,
    input: BufReader<Box<dyn Read + Send>>,
    is_stdin: bool,
    /// Number of lines and of bytes read.
    line: u64,
    offset: u64,
}

/// Limit of the bytes of a text: longer ones exceed the limit of characters in any case.
const MAX_BYTES: u64 = 4 * MAX_CHARS as u64;
const BUFFER: usize = 256 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl PlainReader {
    pub(super) fn stdin() -> PlainReader {
        PlainReader::new("standard input".into(), Box::new(io::stdin()), true)
    }

    pub(in crate::corpus) fn file(path: &Path) -> Result<PlainReader> {
        let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
        Ok(PlainReader::new(path.to_string_lossy().into(), Box::new(file), false))
    }

    fn new(name: Arc<str>, input: Box<dyn Read + Send>, is_stdin: bool) -> PlainReader {
        let input = BufReader::with_capacity(BUFFER, input);
        PlainReader { name, input, is_stdin, line: 0, offset: 0 }
    }

    /// Returns `true` if reading the next text may block.
    pub(super) fn may_wait(&self) -> bool {
        self.is_stdin && self.input.buffer().is_empty()
    }

    /// Returns the name of the source, which later locations share.
    pub(super) fn name_mut(&mut self) -> &mut Arc<str> {
        &mut self.name
    }

    /// Returns the next text, or `None` at the end.
    pub(in crate::corpus) fn read(&mut self, options: ReadOptions) -> Result<Option<SourceText>> {
        let mut bytes = Vec::new();
        let mut input = (&mut self.input).take(MAX_BYTES + 1);
        let read = match options.unit {
            DocUnit::Line => input.read_until(b'\n', &mut bytes),
            DocUnit::File => input.read_to_end(&mut bytes),
        };
        let read = read.map_err(|error| Error::io("read", Path::new(&*self.name), error))? as u64;
        // An empty file is a document; the end of a file is not a line.
        if read == 0 && (options.unit == DocUnit::Line || self.line > 0) {
            return Ok(None);
        }
        self.line += 1;
        let position = match options.unit {
            DocUnit::Line => Position::Line(self.line),
            DocUnit::File => Position::Whole,
        };
        let location = SourceLocation { file: Arc::clone(&self.name), position };
        if read > MAX_BYTES {
            return Err(text_too_long(MAX_CHARS + 1).context(location));
        }
        let start = self.offset;
        self.offset += read;
        if options.unit == DocUnit::Line && bytes.last() == Some(&b'\n') {
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
            Err(error) if options.invalid == InvalidUtf8::Replace => {
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let (byte, offset) = (error.as_bytes()[at], start + (mark + at) as u64);
                let text = format!("byte {offset} (0x{byte:02x}) is not UTF-8");
                return Err(Error::new(ErrorKind::Value, codes::NOT_UTF8, text).context(location));
            }
        };
        Ok(Some(SourceText { text, location, bytes: read }))
    }
}
