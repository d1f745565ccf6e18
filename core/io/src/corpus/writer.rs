//! The trait of writers of corpora.

use std::io;

use lexpool::Result;
use lexpool::tokens::Doc;

/// Writer of documents to a file of some format.
///
/// The costly part, [`piece`](CorpusWriter::piece), needs no writer and can run on many threads at
/// once; the writer then appends the pieces in order.
///
/// ```
/// use lexpool_io::corpus::{CorpusWriter, Jsonl};
/// let tokenizer = lexpool::tokenizer::Tokenizer::blank("en")?;
/// let docs = [tokenizer.tokenize("Hi.")?];
/// let mut writer = Jsonl::new(Vec::new());
/// writer.write(Jsonl::<Vec<u8>>::piece(&docs)?).unwrap();
/// let line = String::from_utf8(writer.finish().unwrap()).unwrap();
/// assert!(line.starts_with(r#"{"text":"Hi.","tokens":[{"id":0,"start":0,"end":2,"text":"Hi"},"#));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub trait CorpusWriter: Sized {
    /// Documents encoded for the file.
    type Piece: Send + 'static;
    /// Destination of the bytes.
    type Sink: io::Write;

    /// Encodes documents.
    ///
    /// # Errors
    ///
    /// An error if the format cannot hold the documents.
    fn piece(docs: &[Doc]) -> Result<Self::Piece>;

    /// Appends a piece.
    ///
    /// # Errors
    ///
    /// Errors of the sink; `FileTooLarge` if the format cannot hold more.
    fn write(&mut self, piece: Self::Piece) -> io::Result<()>;

    /// Writes the end of the file and returns the sink. Without this call the file is incomplete.
    ///
    /// # Errors
    ///
    /// As for [`write`](CorpusWriter::write).
    fn finish(self) -> io::Result<Self::Sink>;
}
