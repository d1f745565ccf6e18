//! spaCy's `DocBin`: what `DocBin().from_disk(path)` reads.
//!
//! Stored are `ORTH` and `NORM` of each token and whether a space follows: so the documents come
//! back with their texts, tokens and norms in any vocab of spaCy's. The form is that of
//! [`formats::DocBin`](crate::formats::DocBin); here it is written piece by piece, on many threads,
//! and held compressed until the end: about 4 bytes a token where spaCy keeps more than 120.

use std::io::{self, Write};

use lexpool_structs::AttrId;

use super::CorpusWriter;
use crate::Result;
use crate::formats::{
    self, Columns, DeflatedColumn, DeflatedPiece, DocExtras, Strings, write_file,
};
use crate::tokens::Doc;

/// Writes documents as a `DocBin`, all of it in [`finish`](CorpusWriter::finish). Memory: the file,
/// and each different word once.
///
/// Of annotation nothing is stored, but by the writer that [`annotated`](DocBin::annotated) makes.
pub struct DocBin<W, const ANNOTATED: bool = false> {
    out: W,
    columns: Columns<DeflatedColumn>,
    strings: Strings,
}

/// Writes documents with all that spaCy stores of tokens unless it is told otherwise.
pub type AnnotatedDocBin<W> = DocBin<W, true>;

/// Documents as columns, compressed.
pub struct DocBinPiece {
    columns: Columns<DeflatedPiece>,
    strings: Strings,
}

/// What is stored of a token without annotation.
const ATTRS: [AttrId; 2] = [AttrId::ORTH, AttrId::NORM];

impl<W: Write> DocBin<W> {
    /// Will write to `out`.
    pub fn new(out: W) -> DocBin<W> {
        DocBin { out, columns: Columns::default(), strings: Strings::new() }
    }
}

impl<W: Write> DocBin<W, true> {
    /// Will write to `out`: tags, heads, entities and the like too.
    pub fn annotated(out: W) -> DocBin<W, true> {
        DocBin { out, columns: Columns::default(), strings: Strings::new() }
    }
}

impl<W: Write> DocBin<W, true> {
    /// Brings documents with what they carry into the form of the file. All pieces of a file are made
    /// so, or none.
    ///
    /// # Errors
    ///
    /// `E018` for annotation whose id has no string.
    pub fn piece_with<'a>(
        docs: impl IntoIterator<Item = (&'a Doc, DocExtras)>,
    ) -> Result<DocBinPiece> {
        let mut bin = formats::DocBin::new(attrs(true), true);
        for (doc, mut extras) in docs {
            // Each has some, be it an empty map.
            extras.user_data.get_or_insert_with(|| [0x80].into());
            bin.add(doc, extras)?;
        }
        Ok(DocBinPiece { columns: bin.columns(), strings: bin.into_strings() })
    }
}

/// The attributes that are stored.
fn attrs(annotated: bool) -> &'static [AttrId] {
    if annotated { &formats::DocBin::ALL_ATTRS } else { &ATTRS }
}

impl<W: Write, const ANNOTATED: bool> CorpusWriter for DocBin<W, ANNOTATED> {
    type Piece = DocBinPiece;
    type Sink = W;

    fn piece(docs: &[Doc]) -> Result<DocBinPiece> {
        let mut bin = formats::DocBin::new(attrs(ANNOTATED), false);
        for doc in docs {
            bin.add(doc, DocExtras::default())?;
        }
        Ok(DocBinPiece { columns: bin.columns(), strings: bin.into_strings() })
    }

    fn write(&mut self, piece: DocBinPiece) -> io::Result<()> {
        self.columns.push(piece.columns);
        for (id, string) in piece.strings {
            self.strings.entry(id).or_insert(string);
        }
        self.columns.check_size()
    }

    fn finish(self) -> io::Result<W> {
        let attrs = formats::DocBin::new(attrs(ANNOTATED), false);
        write_file(self.out, attrs.attrs(), self.columns, &self.strings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Tokenizer;

    fn written(docs: &[Doc], at_once: usize) -> formats::DocBin {
        let mut writer = DocBin::new(Vec::new());
        for docs in docs.chunks(at_once) {
            writer.write(DocBin::<Vec<u8>>::piece(docs).unwrap()).unwrap();
        }
        formats::DocBin::from_bytes(&writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn documents_come_back_whatever_pieces_they_were_written_in() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let texts = ["I don't know.", "", " \n", "So what, don't go!"];
        let docs = texts.map(|text| tokenizer.tokenize(text).unwrap());
        for at_once in [1, 3, 4] {
            let bin = written(&docs, at_once);
            let other = Tokenizer::blank("en").unwrap();
            let reader = bin.reader(&other.vocab().snapshot()).unwrap();
            assert_eq!(bin.len(), docs.len());
            for (i, doc) in docs.iter().enumerate() {
                let again = reader.doc(&bin, i).unwrap();
                assert_eq!(again.text(), doc.text());
                let row = |doc: &Doc| {
                    let row = doc.iter().map(|t| (t.idx(), t.lex().orth(), t.norm()));
                    row.collect::<Vec<_>>()
                };
                assert_eq!(row(&again), row(doc));
            }
            assert!(bin.strings().any(|string| string == "not"), "the norm of n't is stored");
        }
    }

    #[test]
    fn unknown_spaces_stay_unknown() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let doc = tokenizer.tokenize("a b").unwrap().with_unknown_spaces();
        assert_eq!(written(&[doc], 1).has_unknown_spaces(0), Some(true));
    }

    #[test]
    fn there_may_be_no_document() {
        assert!(written(&[], 1).is_empty());
    }
}
