//! Encoding of documents with their extras.

use std::io::Write;

use lexpool::Result;
use lexpool::formats::DocExtras;
use lexpool::tokens::Doc;
use lexpool_io::corpus::{
    AnnotatedArrow, AnnotatedDocBin, ConlluWriter, CorpusWriter, Jsonl, MappedWriter, Parquet,
    Piece, push_conllu,
};

/// A document with its extras.
pub(super) type DocRow<'a> = (&'a Doc, &'a DocExtras);

/// A writer that can encode extras, as far as its format has a place for them.
pub(super) trait DocEncoder: CorpusWriter {
    /// Encodes documents with their extras.
    ///
    /// # Errors
    ///
    /// As for [`CorpusWriter::piece`]; errors of invalid extras.
    fn encode(rows: &[DocRow<'_>]) -> Result<Self::Piece>;
}

impl<W: Write> DocEncoder for MappedWriter<W> {
    fn encode(rows: &[DocRow<'_>]) -> Result<Self::Piece> {
        Piece::of(rows.iter().map(|(doc, extras)| (*doc, (*extras).clone())))
    }
}

impl<W: Write> DocEncoder for AnnotatedDocBin<W> {
    fn encode(rows: &[DocRow<'_>]) -> Result<Self::Piece> {
        AnnotatedDocBin::<W>::piece_with(rows.iter().map(|(doc, extras)| (*doc, (*extras).clone())))
    }
}

impl<W: Write> DocEncoder for AnnotatedArrow<W> {
    fn encode(rows: &[DocRow<'_>]) -> Result<Self::Piece> {
        AnnotatedArrow::<W>::piece_with(rows.iter().copied())
    }
}

impl<W: Write> DocEncoder for Jsonl<W> {
    fn encode(rows: &[DocRow<'_>]) -> Result<Self::Piece> {
        Jsonl::<W>::piece_with(rows.iter().copied())
    }
}

impl<W: Write> DocEncoder for ConlluWriter<W> {
    fn encode(rows: &[DocRow<'_>]) -> Result<Self::Piece> {
        let mut out = Vec::new();
        for (doc, _) in rows {
            push_conllu(&mut out, doc, None, &[]);
        }
        Ok(out)
    }
}

impl<W: Write> DocEncoder for Parquet<W> {
    fn encode(rows: &[DocRow<'_>]) -> Result<Self::Piece> {
        let docs = rows.iter().map(|(doc, _)| doc.try_clone()).collect::<Result<Vec<_>>>()?;
        Parquet::<W>::piece(&docs)
    }
}
