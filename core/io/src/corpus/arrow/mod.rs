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
//! [`AnnotatedArrow`] adds the annotation:
//!
//! | column | type | content |
//! | --- | --- | --- |
//! | `tokens.lemma`, `pos`, `tag`, `morph`, `dep` | large utf8 | as in spaCy |
//! | `tokens.head` | uint32 | the position of the head; that of the token itself for a root |
//! | `tokens.ent_type`, `ent_kb_id` | large utf8 | the label of the entity, and its identifier |
//! | `tokens.ent_iob` | uint8 | 1 inside an entity, 2 outside, 3 at the beginning of one |
//! | `tokens.sent_start` | int8 | 1 at the beginning of a sentence, -1 elsewhere |
//! | `cats` | list of struct | the categories: `label` (large utf8), `score` (float64) |
//! | `spans` | list of struct | the spans of groups: `group` (large utf8), `start`, `end` (uint32, tokens), `label`, `kb_id` (large utf8) |
//!
//! Null stands for unset annotation of a token; other columns have no nulls. The word's column is
//! called `word` so that a data frame can unnest `tokens` next to `text`. Strings are plain
//! columns, since a dictionary would have to grow from batch to batch, which some readers do not
//! support. The metadata of the file has `lexpool.version` and `lexpool.lang`.

mod annotation;
mod extras;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use lexpool::Result;
use lexpool::formats::DocExtras;
use lexpool::tokens::Doc;

use super::writer::CorpusWriter;
use crate::arrow::annotation::CatRows;
use crate::arrow::errors::internal;
use crate::arrow::lists::{item, lists};

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
        Ok(Arrow { file: create(out, schema(), lang)? })
    }
}

impl<W: Write> CorpusWriter for Arrow<W> {
    type Piece = RecordBatch;
    type Sink = W;

    /// Converts documents into rows: their texts and tokens.
    ///
    /// # Errors
    ///
    /// `arrow-too-many` for more than 2^31 - 1 tokens at once.
    fn piece(docs: &[Doc]) -> Result<RecordBatch> {
        let docs: Vec<&Doc> = docs.iter().collect();
        let tokens = tokens(&docs, words::fields().into(), words::columns(&docs))?;
        batch(schema(), vec![words::texts(&docs), tokens])
    }

    fn write(&mut self, piece: RecordBatch) -> io::Result<()> {
        self.file.write(&piece).map_err(to_io)
    }

    fn finish(self) -> io::Result<W> {
        self.file.into_inner().map_err(to_io)
    }
}

/// Writer of documents with their annotation as an Arrow IPC file. Memory: as for [`Arrow`].
///
/// ```
/// use lexpool_io::corpus::{AnnotatedArrow, CorpusWriter};
/// use lexpool::formats::DocExtras;
///
/// let doc = lexpool::tokenizer::Tokenizer::blank("en")?.tokenize("Hi.")?;
/// let mut writer = AnnotatedArrow::new(Vec::new(), "en").unwrap();
/// let piece = AnnotatedArrow::<Vec<u8>>::piece_with([(&doc, &DocExtras::default())])?;
/// assert_eq!((piece.num_rows(), piece.num_columns()), (1, 4));
/// writer.write(piece).unwrap();
/// writer.finish().unwrap();
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct AnnotatedArrow<W: Write> {
    file: FileWriter<W>,
}

impl<W: Write> AnnotatedArrow<W> {
    /// Creates a writer and writes the schema to `out`.
    ///
    /// # Errors
    ///
    /// Errors of `out`.
    pub fn new(out: W, lang: &str) -> io::Result<AnnotatedArrow<W>> {
        Ok(AnnotatedArrow { file: create(out, annotated_schema(), lang)? })
    }

    /// Encodes documents with their annotation, categories and span groups. User data and the
    /// attributes of groups are left out.
    ///
    /// # Errors
    ///
    /// `arrow-too-many` for more than 2^31 - 1 tokens, categories or spans at once; `corpus-cats`
    /// for a category other than a name with a number; `span-group` for spans outside of the
    /// document.
    pub fn piece_with<'a>(
        docs: impl IntoIterator<Item = (&'a Doc, &'a DocExtras)>,
    ) -> Result<RecordBatch> {
        let rows: Vec<(&Doc, &DocExtras)> = docs.into_iter().collect();
        let docs: Vec<&Doc> = rows.iter().map(|(doc, _)| *doc).collect();
        let mut columns = words::columns(&docs);
        columns.extend(annotation::columns(&docs));
        let tokens = tokens(&docs, annotated_fields(), columns)?;
        let columns =
            vec![words::texts(&docs), tokens, extras::cats(&rows)?, extras::spans(&rows)?];
        batch(annotated_schema(), columns)
    }
}

impl<W: Write> CorpusWriter for AnnotatedArrow<W> {
    type Piece = RecordBatch;
    type Sink = W;

    /// Converts documents without extras into rows.
    ///
    /// # Errors
    ///
    /// As for [`piece_with`](AnnotatedArrow::piece_with).
    fn piece(docs: &[Doc]) -> Result<RecordBatch> {
        let none = DocExtras::default();
        AnnotatedArrow::<W>::piece_with(docs.iter().map(|doc| (doc, &none)))
    }

    fn write(&mut self, piece: RecordBatch) -> io::Result<()> {
        self.file.write(&piece).map_err(to_io)
    }

    fn finish(self) -> io::Result<W> {
        self.file.into_inner().map_err(to_io)
    }
}

fn create<W: Write>(out: W, schema: Schema, lang: &str) -> io::Result<FileWriter<W>> {
    let metadata = [("lexpool.version", env!("CARGO_PKG_VERSION")), ("lexpool.lang", lang)];
    let owned = metadata.map(|(key, value)| (key.to_owned(), value.to_owned()));
    FileWriter::try_new(out, &schema.with_metadata(HashMap::from(owned))).map_err(to_io)
}

fn schema() -> Schema {
    Schema::new(doc_fields(words::fields().into()))
}

fn annotated_schema() -> Schema {
    let mut fields = doc_fields(annotated_fields());
    fields.push(list_field("cats", CatRows::fields()));
    fields.push(list_field("spans", extras::span_fields()));
    Schema::new(fields)
}

fn doc_fields(token_fields: Fields) -> Vec<Field> {
    vec![Field::new("text", DataType::LargeUtf8, false), list_field("tokens", token_fields)]
}

fn annotated_fields() -> Fields {
    words::fields().into_iter().chain(annotation::fields()).collect()
}

fn list_field(name: &str, fields: Fields) -> Field {
    Field::new(name, DataType::List(item(fields)), false)
}

fn tokens(docs: &[&Doc], fields: Fields, columns: Vec<ArrayRef>) -> Result<ArrayRef> {
    lists("tokens", docs.iter().map(|doc| doc.len()), fields, columns, None)
}

fn batch(schema: Schema, columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    RecordBatch::try_new(Arc::new(schema), columns).map_err(|error| internal(&error))
}

fn to_io(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}
