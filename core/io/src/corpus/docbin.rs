//! spaCy's `DocBin` format, which `DocBin().from_disk(path)` reads.
//!
//! Stores `ORTH`, `NORM` and `SPACY` of each token, so that documents come back with their texts,
//! tokens and norms in any vocab of spaCy. The format is that of
//! [`formats::DocBin`](lexpool::formats::DocBin); this writer encodes pieces on several threads and
//! keeps them compressed until the end, at about 4 bytes per token, where spaCy needs more than
//! 120.

use std::io::{self, Write};

use lexpool::Result;
use lexpool::formats::{
    self, Columns, DeflatedColumn, DeflatedPiece, DocExtras, Strings, write_file,
};
use lexpool::tokens::Doc;
use lexpool_structs::AttrId;

use super::writer::CorpusWriter;

/// Writer of documents as a `DocBin`, which it writes in [`finish`](CorpusWriter::finish). Memory:
/// the size of the file, and each distinct word once.
///
/// Annotation is stored only by a writer created with [`annotated`](DocBin::annotated).
///
/// ```
/// use lexpool::{formats, tokenizer::Tokenizer};
/// use lexpool_io::corpus::{CorpusWriter, DocBin};
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let docs = [tokenizer.tokenize("One.")?, tokenizer.tokenize("And another.")?];
/// let mut writer = DocBin::new(Vec::new());
/// writer.write(DocBin::<Vec<u8>>::piece(&docs)?).unwrap();
/// let bin = formats::DocBin::from_bytes(&writer.finish().unwrap())?;
/// let reader = bin.reader(&tokenizer.vocab().snapshot())?;
/// assert_eq!(reader.doc(&bin, 1)?.text(), "And another.");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct DocBin<W, const ANNOTATED: bool = false> {
    out: W,
    columns: Columns<DeflatedColumn>,
    strings: Strings,
}

/// Writer of documents with all attributes that spaCy stores by default.
pub type AnnotatedDocBin<W> = DocBin<W, true>;

/// Documents encoded as compressed columns.
pub struct DocBinPiece {
    columns: Columns<DeflatedPiece>,
    strings: Strings,
}

/// Attributes stored without annotation.
const ATTRS: [AttrId; 2] = [AttrId::ORTH, AttrId::NORM];

impl<W: Write> DocBin<W> {
    /// Creates a writer of documents without annotation.
    pub fn new(out: W) -> DocBin<W> {
        DocBin { out, columns: Columns::default(), strings: Strings::new() }
    }
}

impl<W: Write> DocBin<W, true> {
    /// Creates a writer that also stores tags, heads, entities and other annotation.
    pub fn annotated(out: W) -> DocBin<W, true> {
        DocBin { out, columns: Columns::default(), strings: Strings::new() }
    }
}

impl<W: Write> DocBin<W, true> {
    /// Encodes documents together with their extras. A file must consist of such pieces only, or of
    /// none.
    ///
    /// # Errors
    ///
    /// `E018` if an id of the annotation has no string.
    pub fn piece_with<'a>(
        docs: impl IntoIterator<Item = (&'a Doc, DocExtras)>,
    ) -> Result<DocBinPiece> {
        let mut bin = formats::DocBin::new(attrs(true), true);
        for (doc, mut extras) in docs {
            // spaCy expects user data for each document, if only an empty map.
            extras.user_data.get_or_insert_with(|| [0x80].into());
            bin.add(doc, extras)?;
        }
        Ok(DocBinPiece { columns: bin.columns(), strings: bin.into_strings() })
    }
}

/// Returns the attributes to store.
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
    use lexpool::tokenizer::Tokenizer;

    use super::*;

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
