//! One corpus of several, and of parts of them.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::{ArrayRef, new_null_array};
use arrow_schema::Field;

use super::{Corpus, MappedWriter, Piece, WriteOptions, schema};
use crate::corpus::CorpusWriter;
use crate::{Error, Result};

/// Puts corpora together, in the order in which they come: whole ones, slices, or selections, from
/// whatever machines.
///
/// Ids are hashes of strings, so they agree, and the strings of the outcome are the union. A column
/// that one of them does not have is null there.
///
/// ```
/// use lexpool::corpus::{Corpus, CorpusWriter, MappedWriter, merge};
/// use lexpool::tokenizer::Tokenizer;
/// let corpora = ["One text.", "Another one."].map(|text| {
///     let tokenizer = Tokenizer::blank("en").unwrap();
///     let docs = [tokenizer.tokenize(text).unwrap()];
///     let mut writer = MappedWriter::new(Vec::new(), tokenizer.vocab()).unwrap();
///     writer.write(MappedWriter::<Vec<u8>>::piece(&docs).unwrap()).unwrap();
///     Corpus::from_bytes(writer.finish().unwrap()).unwrap()
/// });
/// let both = Corpus::from_bytes(merge(&corpora, Vec::new(), false, &mut |_| Ok(()))?)?;
/// assert_eq!(both.doc(1)?.text(), "Another one.");
/// # Ok::<(), lexpool::Error>(())
/// ```
///
/// `progress` is told how many documents are done; what it fails with ends the work. Cost: that of
/// writing all documents anew, some tens of nanoseconds a token.
///
/// # Errors
///
/// `corpus-merge` for columns of one name and different types, and without any corpus;
/// `hash-collision` for two strings of one id; those of reading a document, and of the sink.
pub fn merge<W: Write>(
    corpora: &[Corpus],
    out: W,
    compressed: bool,
    progress: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<W> {
    let Some(first) = corpora.first() else {
        return Err(Error::value("corpus-merge", "no corpus was given; at least one is needed"));
    };
    let columns = columns(corpora)?;
    let options = WriteOptions { columns: columns.clone(), compressed };
    let written = |error: io::Error| {
        error.downcast::<Error>().unwrap_or_else(|error| {
            Error::new(crate::ErrorKind::Io, "file-io", format!("cannot write: {error}"))
        })
    };
    let mut writer = MappedWriter::with_options(out, first.vocab(), &options).map_err(written)?;
    let mut done = 0;
    for corpus in corpora {
        for run in corpus.runs() {
            let docs = corpus.file.docs(run.batch)?;
            let scope = corpus.file.scope();
            let rows = run.rows.clone().map(|row| Ok((docs.doc(row, &scope)?, docs.extras(row)?)));
            let rows = rows.collect::<Result<Vec<_>>>()?;
            let piece = Piece::of(rows.iter().map(|(doc, extras)| (doc, extras.clone())))?;
            let batch = corpus.file.batch(run.batch)?;
            let column = |field: &Arc<Field>| -> ArrayRef {
                match batch.column_by_name(field.name()) {
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

/// The columns beside lexpool's own, of all corpora.
fn columns(corpora: &[Corpus]) -> Result<Vec<Arc<Field>>> {
    let mut columns: Vec<Arc<Field>> = Vec::new();
    for (i, corpus) in corpora.iter().enumerate() {
        for field in &corpus.schema().fields()[schema::OWN..] {
            match columns.iter().find(|known| known.name() == field.name()) {
                None => columns.push(Arc::clone(field)),
                Some(known) if known.data_type() == field.data_type() => {}
                Some(known) => {
                    let text = format!(
                        "the column {:?} is {} in corpus {i} and {} before",
                        field.name(),
                        field.data_type(),
                        known.data_type()
                    );
                    return Err(Error::value("corpus-merge", text));
                }
            }
        }
    }
    for column in &mut columns {
        let everywhere = |corpus: &Corpus| {
            corpus.schema().field_with_name(column.name()).is_ok_and(|field| !field.is_nullable())
        };
        if !corpora.iter().all(everywhere) {
            *column = Arc::new(column.as_ref().clone().with_nullable(true));
        }
    }
    Ok(columns)
}
