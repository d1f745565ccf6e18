//! Texts without annotation in files of lines: `JsonlCorpus` and `PlainTextCorpus` of
//! `spacy.training.corpus`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use lexpool::codes;
use lexpool::config::Value;
use lexpool::escape::shown;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use lexpool::{Error, Result};

/// The form of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LineFormat {
    /// A JSON object with "text".
    Json,
    /// The text itself.
    Plain,
}

impl LineFormat {
    /// Returns the ending of files in a folder.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            LineFormat::Json => "jsonl",
            LineFormat::Plain => "txt",
        }
    }

    /// Returns the text of a line; `None` for an empty one. The error says what was expected.
    fn text(self, line: &[u8]) -> std::result::Result<Option<String>, &'static str> {
        match self {
            LineFormat::Json => {
                let line = line.trim_ascii();
                if line.is_empty() {
                    return Ok(None);
                }
                let value =
                    std::str::from_utf8(line).ok().and_then(|line| Value::from_json(line).ok());
                let text =
                    value.as_ref().and_then(|value| value.as_section()?.get("text")?.as_text());
                text.map(|text| Some(text.to_owned())).ok_or("a JSON object with \"text\"")
            }
            LineFormat::Plain => {
                let text = std::str::from_utf8(line).map_err(|_| "text in UTF-8")?;
                let text = text.trim_end_matches(['\r', '\n']);
                Ok(Some(text).filter(|text| !text.is_empty()).map(str::to_owned))
            }
        }
    }
}

/// Files of texts, a line each.
#[derive(Clone, Debug)]
pub(crate) struct TextLines {
    pub(crate) format: LineFormat,
    pub(crate) files: Vec<PathBuf>,
    /// The least number of tokens of a text; 0 for any.
    pub(crate) min_length: usize,
    /// The number of tokens from which on a text is left out, in plain lines above which; 0 for
    /// none.
    pub(crate) max_length: usize,
}

/// The place of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    file: usize,
    /// Its number in the file, from 1 on.
    number: usize,
    /// The position of its first byte.
    start: u64,
    /// The number of its bytes, with those that end it.
    len: usize,
}

impl TextLines {
    /// Calls a function with each text that is neither too short nor too long, in the order of the
    /// files, of which one line at a time is in memory. Adds a message to `faults` for each line
    /// without a text.
    ///
    /// # Errors
    ///
    /// Those of reading the files, of the tokenizer, and of the function.
    pub(crate) fn each(
        &self,
        tokenizer: &Tokenizer,
        faults: &mut Vec<String>,
        visit: &mut dyn FnMut(Line, Doc) -> Result<()>,
    ) -> Result<()> {
        let mut scanner = LineScanner::new(self.clone());
        while let Some((line, text)) = scanner.next(tokenizer)? {
            match text {
                ScannedText::Doc(doc) => visit(line, doc)?,
                ScannedText::Fault(fault) => faults.push(fault),
            }
        }
        Ok(())
    }

    fn takes(&self, len: usize) -> bool {
        let is_too_long = match self.format {
            LineFormat::Json => len >= self.max_length,
            LineFormat::Plain => len > self.max_length,
        };
        len >= self.min_length && (self.max_length == 0 || !is_too_long)
    }

    /// Returns the file of a line with its number, for messages.
    pub(crate) fn place(&self, line: Line) -> String {
        format!("{}, line {}", shown(&self.files[line.file]), line.number)
    }
}

/// Scanner of lines in the order of the files.
pub(crate) struct LineScanner {
    lines: TextLines,
    /// The file of the last line, if it is open.
    open: Option<BufReader<File>>,
    /// The last line.
    line: Line,
    bytes: Vec<u8>,
}

/// A line as it was read.
pub(crate) enum ScannedText {
    /// Its text, neither too short nor too long.
    Doc(Doc),
    /// The message about a line without a text.
    Fault(String),
}

impl LineScanner {
    pub(crate) fn new(lines: TextLines) -> LineScanner {
        let line = Line { file: 0, number: 0, start: 0, len: 0 };
        LineScanner { lines, open: None, line, bytes: Vec::new() }
    }

    /// Returns the next line that is neither empty, too short nor too long; `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of reading the files and of the tokenizer.
    pub(crate) fn next(&mut self, tokenizer: &Tokenizer) -> Result<Option<(Line, ScannedText)>> {
        while self.next_line()? {
            match self.lines.format.text(&self.bytes) {
                Ok(None) => {}
                Ok(Some(text)) => {
                    let doc = tokenizer.tokenize(&text)?;
                    if self.lines.takes(doc.len()) {
                        return Ok(Some((self.line, ScannedText::Doc(doc))));
                    }
                }
                Err(expected) => {
                    let fault = format!("{}: expected {expected}", self.place(self.line));
                    return Ok(Some((self.line, ScannedText::Fault(fault))));
                }
            }
        }
        Ok(None)
    }

    /// Returns the place of a line for messages.
    pub(crate) fn place(&self, line: Line) -> String {
        self.lines.place(line)
    }

    /// Reads a line of this file or of the next one. Returns `false` at the end.
    fn next_line(&mut self) -> Result<bool> {
        while let Some(path) = self.lines.files.get(self.line.file) {
            let failed = |error| Error::io("read", path, error);
            let reader = match &mut self.open {
                Some(reader) => reader,
                None => self.open.insert(BufReader::new(File::open(path).map_err(failed)?)),
            };
            self.bytes.clear();
            self.line.start += self.line.len as u64;
            self.line.len = reader.read_until(b'\n', &mut self.bytes).map_err(failed)?;
            self.line.number += 1;
            if self.line.len > 0 {
                return Ok(true);
            }
            self.open = None;
            self.line = Line { file: self.line.file + 1, number: 0, start: 0, len: 0 };
        }
        Ok(false)
    }
}

/// Reader of single lines, of which the last file stays open.
pub(crate) struct LineReader {
    lines: TextLines,
    open: Option<(usize, File)>,
    bytes: Vec<u8>,
}

impl LineReader {
    /// Makes a reader of lines that [`TextLines::each`] has given.
    pub(crate) fn new(lines: TextLines) -> LineReader {
        LineReader { lines, open: None, bytes: Vec::new() }
    }

    /// Reads a text again.
    ///
    /// # Errors
    ///
    /// `training-corpus` if the file has changed; those of reading it and of the tokenizer.
    pub(crate) fn doc(&mut self, line: Line, tokenizer: &Tokenizer) -> Result<Doc> {
        self.read(line).map_err(|error| Error::io("read", &self.lines.files[line.file], error))?;
        let Ok(Some(text)) = self.lines.format.text(&self.bytes) else {
            let text = format!("{} has changed since it was read", self.lines.place(line));
            return Err(Error::value(codes::TRAINING_CORPUS, text));
        };
        tokenizer.tokenize(&text)
    }

    fn read(&mut self, line: Line) -> std::io::Result<()> {
        if self.open.as_ref().is_none_or(|(file, _)| *file != line.file) {
            self.open = Some((line.file, File::open(&self.lines.files[line.file])?));
        }
        if let Some((_, file)) = &mut self.open {
            self.bytes.resize(line.len, 0);
            file.seek(SeekFrom::Start(line.start))?;
            file.read_exact(&mut self.bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &TextLines, faults: &mut Vec<String>) -> Vec<(Line, String)> {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let mut found = Vec::new();
        let mut visit = |line, doc: Doc| {
            found.push((line, doc.text().to_owned()));
            Ok(())
        };
        lines.each(&tokenizer, faults, &mut visit).unwrap();
        found
    }

    #[test]
    fn lines_are_read_in_order_and_again_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one.txt"), folder.path().join("two.txt"));
        std::fs::write(&one, "a b c\r\n\nlong long long long\nd\n").unwrap();
        std::fs::write(&two, "\u{e9} f\nlast one").unwrap();
        let files = vec![one, two.clone()];
        let lines = TextLines { format: LineFormat::Plain, files, min_length: 2, max_length: 3 };
        let mut faults = Vec::new();
        let found = texts(&lines, &mut faults);
        let words: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(words, ["a b c", "\u{e9} f", "last one"]);
        assert!(lines.place(found[2].0).ends_with("two.txt, line 2"));
        let tokenizer = Tokenizer::blank("en").unwrap();
        let mut reader = LineReader::new(lines);
        for (line, text) in found.iter().rev() {
            assert_eq!(reader.doc(*line, &tokenizer).unwrap().text(), text);
        }
        std::fs::write(&two, "short").unwrap();
        let mut reader = LineReader::new(reader.lines);
        assert!(reader.doc(found[2].0, &tokenizer).is_err());
        assert_eq!(faults, [] as [String; 0]);
    }

    #[test]
    fn lines_without_a_text_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("texts.jsonl");
        let lines =
            b"{\"text\": \"one two\"}\n\n{\"txt\": 1}\n\xff\n[1]\n{\"text\": \"one two three\"}";
        std::fs::write(&path, lines).unwrap();
        let files = vec![path];
        let lines = TextLines { format: LineFormat::Json, files, min_length: 0, max_length: 3 };
        let mut faults = Vec::new();
        let found = texts(&lines, &mut faults);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, "one two");
        assert_eq!(faults.len(), 3);
        for (fault, number) in faults.iter().zip([3, 4, 5]) {
            let end = format!("line {number}: expected a JSON object with \"text\"");
            assert!(fault.ends_with(&end), "{fault}");
        }
    }
}
