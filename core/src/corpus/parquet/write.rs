//! From documents to a Parquet file: a row each, with its text and its words.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use bytes::Bytes;

use crate::Result;
use crate::corpus::CorpusWriter;
use crate::tokens::Doc;

/// Writes documents as a Parquet file, compressed with Snappy.
///
/// | column | type | holds |
/// | --- | --- | --- |
/// | `text` | string | the text |
/// | `n_tokens` | int32 | how many tokens it has |
/// | `words` | list of string | their words, in order |
///
/// Nothing is null. Of annotation nothing is kept. Rows are grouped by a mebibyte of text; more in files
/// of gigabytes, for a file has at most 2^15 groups. Memory: one group.
pub struct Parquet<W> {
    out: W,
    file: SerializedFileWriter<Vec<u8>>,
    /// The next group.
    rows: Vec<Row>,
    bytes: usize,
    /// How many groups were written.
    groups: usize,
}

/// A document as columns have it.
pub struct Row {
    text: Bytes,
    /// Where words begin and end in the text.
    words: Vec<(u32, u32)>,
}

const SCHEMA: &str = "message docs {
    required binary text (STRING);
    required int32 n_tokens;
    required group words (LIST) { repeated group list { required binary element (STRING); } }
}";

/// A group of rows is written when it has so much text, or so many documents.
const ENOUGH_BYTES: usize = 1 << 20;
const ENOUGH_DOCS: usize = 1 << 16;
/// After so many groups they become twice as large.
const SAME_SIZE: usize = 1 << 10;

impl<W: Write> Parquet<W> {
    /// Will write to `out`.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    pub fn new(out: W) -> io::Result<Parquet<W>> {
        let schema = parse_message_type(SCHEMA).map_err(to_io)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            // Texts differ, so their order says little of a group.
            .set_statistics_enabled(EnabledStatistics::None)
            .set_column_dictionary_enabled("text".into(), false)
            .build();
        // The sink need not be one that may go to another thread, as this writer asks for; so what it
        // writes is carried over.
        let file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties));
        let file = file.map_err(to_io)?;
        Ok(Parquet { out, file, rows: Vec::new(), bytes: 0, groups: 0 })
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        self.groups += 1;
        put(&mut self.file, &rows).map_err(to_io)?;
        self.file.flush()?;
        let written = self.file.inner_mut();
        self.out.write_all(written)?;
        written.clear();
        Ok(())
    }
}

impl<W: Write> CorpusWriter for Parquet<W> {
    type Piece = Vec<Row>;
    type Sink = W;

    fn piece(docs: &[Doc]) -> Result<Vec<Row>> {
        let number = |at: usize| u32::try_from(at).expect("a text has less than 4 GiB");
        let row = |doc: &Doc| {
            let words = doc.iter().map(|token| {
                let start = token.record().byte;
                (start, start + number(token.text().len()))
            });
            Row { words: words.collect(), text: Bytes::copy_from_slice(doc.text().as_bytes()) }
        };
        Ok(docs.iter().map(row).collect())
    }

    fn write(&mut self, piece: Vec<Row>) -> io::Result<()> {
        for row in piece {
            self.bytes += row.text.len();
            self.rows.push(row);
            let enough = ENOUGH_BYTES << (self.groups / SAME_SIZE).min(16);
            if self.bytes >= enough || self.rows.len() >= ENOUGH_DOCS {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<W> {
        if !self.rows.is_empty() {
            self.flush()?;
        }
        let end = self.file.into_inner().map_err(to_io)?;
        self.out.write_all(&end)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Writes a group of rows.
fn put(
    file: &mut SerializedFileWriter<Vec<u8>>,
    rows: &[Row],
) -> std::result::Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    let mut at = 0;
    while let Some(mut column) = group.next_column()? {
        match at {
            0 => {
                let texts: Vec<_> =
                    rows.iter().map(|row| ByteArray::from(row.text.clone())).collect();
                column.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
            }
            1 => {
                let count = |row: &Row| i32::try_from(row.words.len()).expect("fewer than 2^30");
                let counts: Vec<_> = rows.iter().map(count).collect();
                column.typed::<Int32Type>().write_batch(&counts, None, None)?;
            }
            _ => {
                let (mut words, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
                for row in rows {
                    let own = row.words.iter().map(|(start, end)| {
                        ByteArray::from(row.text.slice(*start as usize..*end as usize))
                    });
                    words.extend(own);
                    // An empty list is one level that defines nothing; only a list's first word
                    // begins a row.
                    let len = row.words.len();
                    defined.extend(std::iter::repeat_n(i16::from(len > 0), len.max(1)));
                    repeated.push(0);
                    repeated.extend(std::iter::repeat_n(1, len.saturating_sub(1)));
                }
                let column = column.typed::<ByteArrayType>();
                column.write_batch(&words, Some(&defined), Some(&repeated))?;
            }
        }
        column.close()?;
        at += 1;
    }
    group.close().map(drop)
}

fn to_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{InvalidUtf8, Per, Reading, Source, Texts};
    use crate::tokenizer::Tokenizer;

    fn written(docs: &[Doc], pieces: usize) -> Vec<u8> {
        let mut writer = Parquet::new(Vec::new()).unwrap();
        for piece in docs.chunks(pieces) {
            writer.write(Parquet::<Vec<u8>>::piece(piece).unwrap()).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn texts_come_back_whatever_the_pieces_were() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let texts: Vec<_> =
            (0..3000).map(|i| "It's caf\u{e9} \u{1f600}. ".repeat(i % 50)).collect();
        let docs: Vec<_> = texts.iter().map(|text| tokenizer.tokenize(text).unwrap()).collect();
        let bytes = written(&docs, 1);
        assert!(bytes == written(&docs, 7) && bytes == written(&docs, 3000));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        std::fs::write(&path, &bytes).unwrap();
        let reading = Reading { per: Per::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };
        // The words are strings, too, but lists of them; so the column need not be named.
        for column in [Some("text".to_owned()), None] {
            let source = Source::Parquet { path: path.clone(), column };
            let read = Texts::new(vec![source], reading).map(|read| read.unwrap().text);
            assert!(read.eq(texts.iter().cloned()));
        }
        assert_eq!(written(&[], 1)[..4], *b"PAR1");
    }
}
