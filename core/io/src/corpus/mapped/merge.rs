//! Merging of corpora.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Float64Array, new_null_array};
use arrow_schema::{DataType, Field};
use lexpool::codes;
use lexpool::{Error, Result};

use super::corpus::Corpus;
use super::piece::Piece;
use super::schema;
use super::writer::{MappedWriter, WriteOptions};
use crate::corpus::writer::CorpusWriter;

/// Writes several corpora as one, in the given order: whole ones, slices or selections, written on
/// any machine.
///
/// Ids are hashes of strings, so they agree, and the result has the union of the strings. If two
/// corpora have a word with different lexical attributes, those of the first are kept. A column
/// that a corpus does not have is null for its documents.
///
/// ```
/// use lexpool_io::corpus::{Corpus, CorpusWriter, MappedWriter, merge};
/// use lexpool::tokenizer::Tokenizer;
/// let corpora = ["One text.", "Another one."].map(|text| {
///     let tokenizer = Tokenizer::blank("en").unwrap();
///     let docs = [tokenizer.tokenize(text).unwrap()];
///     let mut writer = MappedWriter::new(Vec::new(), tokenizer.vocab()).unwrap();
///     writer.write(MappedWriter::<Vec<u8>>::piece(&docs).unwrap()).unwrap();
///     Corpus::from_bytes(writer.finish().unwrap()).unwrap()
/// });
/// let name = std::path::Path::new("memory");
/// let both = Corpus::from_bytes(merge(&corpora, Vec::new(), name, false, &mut |_| Ok(()))?)?;
/// assert_eq!(both.doc(1)?.text(), "Another one.");
/// # Ok::<(), lexpool::Error>(())
/// ```
///
/// `name` is the path of `out`, for errors. Calls `progress` with the number of documents written;
/// an error of it stops the merge. Cost: that of writing all documents again, some tens of
/// nanoseconds per token.
///
/// # Errors
///
/// `corpus-checksum` for a batch that was changed; `corpus-merge` for columns of one name and
/// different types, and if there is no corpus; `hash-collision` for two strings of one id; errors
/// of reading a document, and of `out`, such as `disk-full`, with `name`.
pub fn merge<W: Write>(
    corpora: &[Corpus],
    out: W,
    name: &Path,
    compressed: bool,
    progress: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<W> {
    let Some(first) = corpora.first() else {
        return Err(Error::value(codes::CORPUS_MERGE, "no corpus given; expected at least one"));
    };
    let columns = columns(corpora)?;
    let options = WriteOptions { columns: columns.clone(), compressed };
    let written = |error: io::Error| {
        error.downcast::<Error>().unwrap_or_else(|error| Error::io("write to", name, error))
    };
    let mut writer = MappedWriter::with_options(out, first.vocab(), &options).map_err(written)?;
    let mut done = 0;
    for corpus in corpora {
        for run in corpus.runs() {
            corpus.file.check_checksum(run.batch)?;
            let docs = corpus.file.docs(run.batch)?;
            let snapshot = corpus.file.snapshot();
            let rows =
                run.rows.clone().map(|row| Ok((docs.doc(row, &snapshot)?, docs.extras(row)?)));
            let rows = rows.collect::<Result<Vec<_>>>()?;
            let piece = Piece::of(rows.iter().map(|(doc, extras)| (doc, extras.clone())))?;
            let batch = corpus.file.batch(run.batch)?;
            let column = |field: &Arc<Field>| -> ArrayRef {
                let column = batch.column_by_name(field.name());
                let column = column.and_then(|column| as_type(column, field.data_type()));
                match column {
                    Some(column) => column.slice(run.rows.start, run.rows.len()),
                    None => new_null_array(field.data_type(), run.rows.len()),
                }
            };
            let piece = piece.with_columns(columns.iter().map(column).collect())?;
            writer.write(piece).map_err(written)?;
            done += run.rows.len();
            progress(done)?;
        }
    }
    writer.finish().map_err(written)
}

/// Converts a column to another type; `None` if all its values are null.
fn as_type(column: &ArrayRef, kind: &DataType) -> Option<ArrayRef> {
    if column.data_type() == kind {
        return Some(ArrayRef::clone(column));
    }
    let numbers = column.as_primitive_opt::<Int64Type>()?;
    #[expect(clippy::cast_precision_loss, reason = "as in Python, if ints and floats are mixed")]
    let numbers: Float64Array = numbers.unary(|number| number as f64);
    Some(Arc::new(numbers))
}

/// Returns the columns of all corpora besides lexpool's own. A column without values adopts any
/// type, and integers are promoted to floats.
fn columns(corpora: &[Corpus]) -> Result<Vec<Arc<Field>>> {
    let mut columns: Vec<Arc<Field>> = Vec::new();
    for (i, corpus) in corpora.iter().enumerate() {
        for field in &corpus.schema().fields()[schema::OWN..] {
            let column = columns.iter_mut().find(|column| column.name() == field.name());
            let Some(column) = column else {
                columns.push(Arc::clone(field));
                continue;
            };
            match (column.data_type(), field.data_type()) {
                (before, now) if before == now => {}
                (DataType::Float64, DataType::Int64) => {}
                (DataType::Int64, DataType::Float64) => *column = Arc::clone(field),
                _ if is_null(corpus, field.name())? => {}
                _ if all_null(&corpora[..i], field.name())? => *column = Arc::clone(field),
                (before, now) => {
                    let name = field.name();
                    let text =
                        format!("the column {name:?} is {now} in corpus {i} and {before} before");
                    return Err(Error::value(codes::CORPUS_MERGE, text));
                }
            }
        }
    }
    for column in &mut columns {
        let everywhere = |corpus: &Corpus| {
            let field = corpus.schema().field_with_name(column.name());
            field.is_ok_and(|field| !field.is_nullable() && field.data_type() == column.data_type())
        };
        if !corpora.iter().all(everywhere) {
            *column = Arc::new(column.as_ref().clone().with_nullable(true));
        }
    }
    Ok(columns)
}

fn all_null(corpora: &[Corpus], name: &str) -> Result<bool> {
    for corpus in corpora {
        if !is_null(corpus, name)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `true` if a corpus does not have a column, or only nulls in it.
fn is_null(corpus: &Corpus, name: &str) -> Result<bool> {
    for batch in corpus.file_batches() {
        let column = batch?.column_by_name(name);
        if column.is_some_and(|column| column.null_count() < column.len()) {
            return Ok(false);
        }
    }
    Ok(true)
}
