//! Writer of documents as a Parquet file.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use bytes::Bytes;
use lexpool::Result;
use lexpool::tokens::Doc;

use crate::corpus::writer::CorpusWriter;

/// Writer of documents as a Parquet file, compressed with Snappy, one row per document.
///
/// | column | type | content |
/// | --- | --- | --- |
/// | `text` | string | the text |
/// | `n_tokens` | int32 | number of tokens |
/// | `words` | list of string | the words, in order |
///
/// No value is null; annotation is not written. A row group has a mebibyte of text, more in files
/// of gigabytes, since a file can have at most 2^15 row groups. Memory: one row group.
pub struct Parquet<W> {
    out: W,
    file: SerializedFileWriter<Vec<u8>>,
    /// Rows of the next group.
    rows: Vec<ParquetRow>,
    bytes: usize,
    /// Number of groups written.
    groups: usize,
}

/// A document encoded as a row.
pub struct ParquetRow {
    text: Bytes,
    /// Byte ranges of the words in the text.
    words: Vec<(u32, u32)>,
}

const SCHEMA: &str = "message docs {
    required binary text (STRING);
    required int32 n_tokens;
    required group words (LIST) { repeated group list { required binary element (STRING); } }
}";

/// A row group is written once it has this many bytes of text ...
const GROUP_BYTES: usize = 1 << 20;
/// ... or this many documents.
const GROUP_DOCS: usize = 1 << 16;
/// The size of groups doubles after this many groups.
const SAME_SIZE: usize = 1 << 10;

impl<W: Write> Parquet<W> {
    /// Creates a writer to `out`.
    ///
    /// # Errors
    ///
    /// Errors of `out`.
    pub fn new(out: W) -> io::Result<Parquet<W>> {
        let schema = parse_message_type(SCHEMA).map_err(to_io)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            // Texts differ, so minimum and maximum are useless for filtering.
            .set_statistics_enabled(EnabledStatistics::None)
            .set_column_dictionary_enabled("text".into(), false)
            .build();
        // The file writer requires a `Send` sink, which `out` need not be; so it writes to a
        // buffer.
        let file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties));
        let file = file.map_err(to_io)?;
        Ok(Parquet { out, file, rows: Vec::new(), bytes: 0, groups: 0 })
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        self.groups += 1;
        write_group(&mut self.file, &rows).map_err(to_io)?;
        self.file.flush()?;
        let written = self.file.inner_mut();
        self.out.write_all(written)?;
        written.clear();
        Ok(())
    }
}

impl<W: Write> CorpusWriter for Parquet<W> {
    type Piece = Vec<ParquetRow>;
    type Sink = W;

    fn piece(docs: &[Doc]) -> Result<Vec<ParquetRow>> {
        let number = |at: usize| u32::try_from(at).expect("a text has less than 4 GiB");
        let row = |doc: &Doc| {
            let words = doc.iter().map(|token| {
                let start = token.record().byte;
                (start, start + number(token.text().len()))
            });
            ParquetRow {
                words: words.collect(),
                text: Bytes::copy_from_slice(doc.text().as_bytes()),
            }
        };
        Ok(docs.iter().map(row).collect())
    }

    fn write(&mut self, piece: Vec<ParquetRow>) -> io::Result<()> {
        for row in piece {
            self.bytes += row.text.len();
            self.rows.push(row);
            let enough = GROUP_BYTES << (self.groups / SAME_SIZE).min(16);
            if self.bytes >= enough || self.rows.len() >= GROUP_DOCS {
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

/// Writes a row group.
fn write_group(
    file: &mut SerializedFileWriter<Vec<u8>>,
    rows: &[ParquetRow],
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
                let count =
                    |row: &ParquetRow| i32::try_from(row.words.len()).expect("fewer than 2^30");
                let counts: Vec<_> = rows.iter().map(count).collect();
                column.typed::<Int32Type>().write_batch(&counts, None, None)?;
            }
            _ => {
                let (mut words, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
                for row in rows {
                    let row_words = row.words.iter().map(|(start, end)| {
                        ByteArray::from(row.text.slice(*start as usize..*end as usize))
                    });
                    words.extend(row_words);
                    // An empty list has a definition level of 0 and no word; only the first word of
                    // a list begins a row.
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
    use lexpool::tokenizer::Tokenizer;

    use super::*;
    use crate::corpus::{DocUnit, InvalidUtf8, ReadOptions, Source, Texts};

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
        let reading =
            ReadOptions { unit: DocUnit::Line, invalid: InvalidUtf8::Refuse, skip_blank: false };
        // The words are strings too, but in lists, so the column need not be named.
        for column in [Some("text".to_owned()), None] {
            let source = Source::Parquet { path: path.clone(), column };
            let read = Texts::new(vec![source], reading).map(|read| read.unwrap().text);
            assert!(read.eq(texts.iter().cloned()));
        }
        assert_eq!(written(&[], 1)[..4], *b"PAR1");
    }
}
