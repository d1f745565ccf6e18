//! Corpora on disk: texts that are read in, and documents that are written out.
//!
//! [`Texts`] cuts files into the texts of documents: plain files, JSON lines, and Parquet (feature
//! `parquet`). A [`CorpusWriter`] puts documents down in one
//! of these forms: [`Jsonl`] for people and scripts, which [`JsonlDocs`] reads, `Arrow` (feature
//! `arrow`) and `Parquet` (feature `parquet`) for data frames, [`DocBin`] for spaCy, [`ConlluWriter`] for treebanks, which [`Conllu`]
//! reads. Calls [`tokens`](crate::tokens) and everything before it; knows nothing of how texts
//! become documents.

#[cfg(feature = "arrow")]
mod arrow;
mod conllu;
mod docbin;
mod jsonl;
#[cfg(feature = "arrow")]
mod mapped;
#[cfg(feature = "parquet")]
mod parquet;
mod texts;

use std::io;

#[cfg(feature = "arrow")]
pub use arrow::Arrow;
pub use conllu::{Conllu, ConlluWriter, Gold, push_conllu};
pub use docbin::{AnnotatedDocBin, DocBin};
pub use jsonl::{Jsonl, JsonlDocs, JsonlRead, push_json_string};
#[cfg(feature = "arrow")]
pub use mapped::{Cell, Column, Corpus, MappedWriter, Piece, WriteOptions, merge};
#[cfg(feature = "parquet")]
pub use parquet::Parquet;
pub use texts::{InvalidUtf8, Per, Place, Reading, Source, SourceText, Texts};

use crate::Result;
use crate::tokens::Doc;

/// Writes documents in the form of some file.
///
/// The costly part, [`piece`](CorpusWriter::piece), needs no writer and may run on many threads at
/// once; what is left for the one that writes is to put the pieces down in order.
///
/// ```
/// use lexpool::corpus::{CorpusWriter, Jsonl};
/// let tokenizer = lexpool::tokenizer::Tokenizer::blank("en")?;
/// let docs = [tokenizer.tokenize("Hi.")?];
/// let mut writer = Jsonl::new(Vec::new());
/// writer.write(Jsonl::<Vec<u8>>::piece(&docs)?).unwrap();
/// let line = String::from_utf8(writer.finish().unwrap()).unwrap();
/// assert!(line.starts_with(r#"{"text":"Hi.","tokens":[{"id":0,"start":0,"end":2,"text":"Hi"},"#));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub trait CorpusWriter: Sized {
    /// Documents in the form of the file.
    type Piece: Send + 'static;
    /// Where the bytes go.
    type Sink: io::Write;

    /// Brings documents into the form of the file.
    ///
    /// # Errors
    ///
    /// When the documents are more than the form can hold.
    fn piece(docs: &[Doc]) -> Result<Self::Piece>;

    /// Puts a piece down after those before it.
    ///
    /// # Errors
    ///
    /// Those of the sink; `FileTooLarge` when the form can hold no more.
    fn write(&mut self, piece: Self::Piece) -> io::Result<()>;

    /// Writes what comes last and gives the sink back. Without this the file is not whole.
    ///
    /// # Errors
    ///
    /// As for [`write`](CorpusWriter::write).
    fn finish(self) -> io::Result<Self::Sink>;
}
