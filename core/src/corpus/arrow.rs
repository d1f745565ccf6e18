//! Arrow IPC files (Feather V2), uncompressed, so that they can be memory-mapped.
//!
//! A row is a document:
//!
//! | column | type | content |
//! | --- | --- | --- |
//! | `text` | large utf8 | the text |
//! | `tokens` | list of struct | its tokens, in order |
//! | `tokens.start`, `tokens.end` | uint32 | offsets of the token, in characters |
//! | `tokens.orth` | uint64 | the id of its word, equal to spaCy's `token.orth` |
//! | `tokens.word` | large utf8 | the word |
//! | `tokens.space` | bool | true if a space follows |
//!
//! No value is null. The word's column is called `word` so that a data frame can unnest `tokens`
//! next to `text`. It is a plain string column, since a dictionary would have to grow from batch to
//! batch, which some readers do not support. The metadata of the file has `lexpool.version` and
//! `lexpool.lang`.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, LargeStringBuilder};
use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray, UInt32Array, UInt64Array};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};

use super::writer::CorpusWriter;
use crate::codes;
use crate::tokens::Doc;
use crate::{Error, ErrorKind, Result};

/// Writer of documents as an Arrow IPC file. Memory: one piece, and 24 bytes for each piece
/// written.
pub struct Arrow<W: Write> {
    file: FileWriter<W>,
}

impl<W: Write> Arrow<W> {
    /// Creates a writer and writes the schema to `out`.
    ///
    /// # Errors
    ///
    /// Errors of `out`.
    pub fn new(out: W, lang: &str) -> io::Result<Arrow<W>> {
        let metadata = [("lexpool.version", env!("CARGO_PKG_VERSION")), ("lexpool.lang", lang)];
        let owned = metadata.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let schema = schema().with_metadata(HashMap::from(owned));
        Ok(Arrow { file: FileWriter::try_new(out, &schema).map_err(to_io)? })
    }
}

impl<W: Write> CorpusWriter for Arrow<W> {
    type Piece = RecordBatch;
    type Sink = W;

    /// # Errors
    ///
    /// `arrow-too-many` for more than 2^31 - 1 tokens at once.
    fn piece(docs: &[Doc]) -> Result<RecordBatch> {
        let columns = vec![texts(docs), tokens(docs)?];
        RecordBatch::try_new(Arc::new(schema()), columns).map_err(|error| internal(&error))
    }

    fn write(&mut self, piece: RecordBatch) -> io::Result<()> {
        self.file.write(&piece).map_err(to_io)
    }

    fn finish(self) -> io::Result<W> {
        self.file.into_inner().map_err(to_io)
    }
}

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("text", DataType::LargeUtf8, false),
        Field::new("tokens", DataType::List(token_field()), false),
    ])
}

fn token_field() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Struct(token_fields()), false))
}

fn token_fields() -> Fields {
    Fields::from(vec![
        Field::new("start", DataType::UInt32, false),
        Field::new("end", DataType::UInt32, false),
        Field::new("orth", DataType::UInt64, false),
        Field::new("word", DataType::LargeUtf8, false),
        Field::new("space", DataType::Boolean, false),
    ])
}

fn texts(docs: &[Doc]) -> ArrayRef {
    let bytes = docs.iter().map(|doc| doc.text().len()).sum();
    let mut texts = LargeStringBuilder::with_capacity(docs.len(), bytes);
    for doc in docs {
        texts.append_value(doc.text());
    }
    Arc::new(texts.finish())
}

fn tokens(docs: &[Doc]) -> Result<ArrayRef> {
    let len = docs.iter().map(Doc::len).sum();
    if i32::try_from(len).is_err() {
        let text =
            format!("{} documents have {len} tokens in one batch; at most 2^31 - 1", docs.len());
        return Err(Error::value(codes::ARROW_TOO_MANY, text));
    }
    let bytes = docs.iter().map(|doc| doc.text().len()).sum();
    let (mut starts, mut ends) = (Vec::with_capacity(len), Vec::with_capacity(len));
    let mut orths = Vec::with_capacity(len);
    let mut words = LargeStringBuilder::with_capacity(len, bytes);
    let mut spaces = BooleanBuilder::with_capacity(len);
    for token in docs.iter().flat_map(Doc::iter) {
        let record = token.record();
        starts.push(record.idx);
        ends.push(u32::try_from(token.end_char()).expect("a text has fewer than 2^30 characters"));
        orths.push(token.lex().orth().get());
        words.append_value(token.text());
        spaces.append_value(record.spacy());
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt32Array::from(starts)),
        Arc::new(UInt32Array::from(ends)),
        Arc::new(UInt64Array::from(orths)),
        Arc::new(words.finish()),
        Arc::new(spaces.finish()),
    ];
    let rows =
        StructArray::try_new(token_fields(), columns, None).map_err(|error| internal(&error))?;
    let offsets = OffsetBuffer::from_lengths(docs.iter().map(Doc::len));
    let lists = ListArray::try_new(token_field(), offsets, Arc::new(rows), None);
    Ok(Arc::new(lists.map_err(|error| internal(&error))?))
}

/// Wraps an error of Arrow's own checks of the arrays built here.
fn internal(error: &ArrowError) -> Error {
    let text = format!("{error}; this is a bug in lexpool");
    Error::new(ErrorKind::State, codes::ARROW_COLUMNS, text)
}

fn to_io(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{UInt32Type, UInt64Type};
    use arrow_ipc::reader::FileReader;

    use super::*;
    use crate::tokenizer::Tokenizer;

    const TEXTS: [&str; 3] = ["Let's go to N.Y., caf\u{e9}!", "", "  two\nlines "];

    fn file(docs: &[Doc]) -> FileReader<Cursor<Vec<u8>>> {
        let mut writer = Arrow::new(Vec::new(), "en").unwrap();
        for doc in docs.chunks(2) {
            writer.write(Arrow::<Vec<u8>>::piece(doc).unwrap()).unwrap();
        }
        FileReader::try_new(Cursor::new(writer.finish().unwrap()), None).unwrap()
    }

    #[test]
    fn documents_come_back_over_batches() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let docs = TEXTS.map(|text| tokenizer.tokenize(text).unwrap());
        let mut at = docs.iter();
        for batch in file(&docs) {
            let batch = batch.unwrap();
            let (texts, lists) =
                (batch.column(0).as_string::<i64>(), batch.column(1).as_list::<i32>());
            for row in 0..batch.num_rows() {
                let doc = at.next().unwrap();
                assert_eq!(texts.value(row), doc.text());
                let rows = lists.value(row);
                let rows = rows.as_struct();
                assert_eq!(rows.len(), doc.len());
                for (i, token) in doc.iter().enumerate() {
                    let start = rows.column(0).as_primitive::<UInt32Type>().value(i) as usize;
                    let end = rows.column(1).as_primitive::<UInt32Type>().value(i) as usize;
                    let word: String = doc.text().chars().skip(start).take(end - start).collect();
                    assert_eq!(word, token.text());
                    let orth = rows.column(2).as_primitive::<UInt64Type>().value(i);
                    assert_eq!(orth, crate::strings::StrId::of(&word).get());
                    assert_eq!(rows.column(3).as_string::<i64>().value(i), word);
                    assert_eq!(rows.column(4).as_boolean().value(i), token.record().spacy());
                }
            }
        }
        assert!(at.next().is_none());
    }

    #[test]
    fn a_file_without_documents_has_a_schema_and_says_who_wrote_it() {
        let file = file(&[]);
        let schema = file.schema();
        assert_eq!(schema.fields(), super::schema().fields());
        assert_eq!(schema.metadata()["lexpool.lang"], "en");
        assert_eq!(file.num_batches(), 0);
    }
}
