//! Files of nothing but text: a document a line, or a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::place::Position;
use super::{InvalidUtf8, Per, Place, Reading, SourceText};
use crate::tokens::{MAX_CHARS, text_too_long};
use crate::{Error, ErrorKind, Result};

/// A source that is being read.
pub(in crate::corpus) struct Plain {
    name: Arc<str>,
    input: BufReader<Box<dyn Read + Send>>,
    is_stdin: bool,
    /// How many lines, and bytes, have been read.
    line: u64,
    offset: u64,
}

/// No text of more bytes has few enough characters.
const MOST_BYTES: u64 = 4 * MAX_CHARS as u64;
const BUFFER: usize = 256 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Plain {
    pub(super) fn stdin() -> Plain {
        Plain::new("standard input".into(), Box::new(io::stdin()), true)
    }

    pub(in crate::corpus) fn file(path: &Path) -> Result<Plain> {
        let file = File::open(path).map_err(|error| Error::io("read", path, error))?;
        Ok(Plain::new(path.to_string_lossy().into(), Box::new(file), false))
    }

    fn new(name: Arc<str>, input: Box<dyn Read + Send>, is_stdin: bool) -> Plain {
        let input = BufReader::with_capacity(BUFFER, input);
        Plain { name, input, is_stdin, line: 0, offset: 0 }
    }

    /// Whether the next text has to be waited for.
    pub(super) fn may_wait(&self) -> bool {
        self.is_stdin && self.input.buffer().is_empty()
    }

    /// The next text, or none at the end.
    pub(in crate::corpus) fn read(&mut self, reading: Reading) -> Result<Option<SourceText>> {
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
        let position = match reading.per {
            Per::Line => Position::Line(self.line),
            Per::File => Position::Whole,
        };
        let place = Place { file: Arc::clone(&self.name), position };
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
