//! A corpus in one file that is both: an Arrow file for every tool that reads those, and documents
//! that need no reading, for their records lie in it as they lie in memory.
//!
//! The site's `files/corpus.mdx` has the bytes. [`MappedWriter`] writes such a file, [`Corpus`] opens it.

mod batch;
mod check;
mod count;
mod docs;
mod extras;
mod file;
mod footer;
mod merge;
mod packing;
mod piece;
mod plain;
mod runs;
mod schema;
mod streams;
mod values;
mod writer;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};

pub use self::merge::merge;
pub use self::piece::Piece;
pub use self::values::{Cell, Column};
pub use self::writer::{MappedWriter, WriteOptions};

use self::docs::Docs;
use self::file::File;
use crate::escape::shown;
use crate::formats::DocExtras;
use crate::tokens::Doc;
use crate::vocab::{OpenOptions, Verify, Vocab};
use crate::{Error, ErrorKind, Result};

/// Documents in a file, most of which nobody has looked at yet.
///
/// Opening one reads its footer only, so it takes the same time for any number of documents. A
/// document is a view on the memory of the file; it is copied when it is first written to. What a
/// file says is judged before it is used: batches of documents when the first of them is asked for.
/// Clones and slices share all of it.
///
/// A mapped file must not be changed while it is open. lexpool itself writes such files beside and
/// renames them, so whoever has the old one open keeps it. [`OpenOptions::mmap`] switches to reading.
///
/// ```
/// use lexpool::corpus::{Corpus, CorpusWriter, MappedWriter};
/// use lexpool::files::AtomicFile;
/// use lexpool::tokenizer::Tokenizer;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("two.corpus");
/// let tokenizer = Tokenizer::blank("en")?;
/// let docs = [tokenizer.tokenize("One.")?, tokenizer.tokenize("And another one.")?];
/// let mut writer = MappedWriter::new(AtomicFile::create(&path)?, tokenizer.vocab()).unwrap();
/// writer.write(MappedWriter::<AtomicFile>::piece(&docs)?).unwrap();
/// writer.finish().unwrap().commit()?;
///
/// let corpus = Corpus::open(&path)?;
/// assert_eq!((corpus.len(), corpus.doc(1)?.text()), (2, "And another one."));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct Corpus {
    file: Arc<File>,
    rows: Rows,
}

/// Which documents of the file there are, by their positions.
#[derive(Clone)]
enum Rows {
    Range(Range<usize>),
    Some(Arc<[usize]>),
}

impl Corpus {
    /// Maps a file. Cost: that of reading its footer, whatever the number of documents.
    ///
    /// # Errors
    ///
    /// `file-not-found` and others of the system; `corpus-truncated`, `corpus-magic`,
    /// `corpus-footer`, `corpus-seal`, `corpus-version`, `corpus-schema`, `corpus-batch` and those of
    /// images for a file that is no whole corpus, with the offset of what does not hold.
    pub fn open(path: &Path) -> Result<Corpus> {
        Corpus::open_with(path, &OpenOptions::default())
    }

    /// Opens a file as the options say.
    ///
    /// # Errors
    ///
    /// As for [`open`](Corpus::open); with [`Verify::Full`] also those of reading each document, and
    /// `corpus-checksum`.
    pub fn open_with(path: &Path, options: &OpenOptions) -> Result<Corpus> {
        let file = File::open(path, options).map_err(|error| error.context(shown(path)))?;
        Ok(Corpus::of(file))
    }

    /// A corpus in memory.
    ///
    /// # Errors
    ///
    /// As for [`open_with`](Corpus::open_with) and [`Verify::Full`].
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Corpus> {
        Corpus::from_bytes_with(bytes, &OpenOptions::new().verify(Verify::Full))
    }

    /// A corpus in memory, opened as the options say.
    ///
    /// # Errors
    ///
    /// As for [`open_with`](Corpus::open_with).
    pub fn from_bytes_with(bytes: impl AsRef<[u8]>, options: &OpenOptions) -> Result<Corpus> {
        Ok(Corpus::of(File::read(bytes.as_ref(), options)?))
    }

    fn of(file: File) -> Corpus {
        let rows = Rows::Range(0..file.len());
        Corpus { file: Arc::new(file), rows }
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Range(range) => range.len(),
            Rows::Some(rows) => rows.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of the file, to which new ones may be added; nothing of that goes to the file.
    pub fn vocab(&self) -> &Arc<Vocab> {
        self.file.vocab()
    }

    /// The columns of the file.
    pub fn schema(&self) -> &SchemaRef {
        self.file.schema()
    }

    /// The language that the writer's vocab had.
    pub fn lang(&self) -> &str {
        self.file.lang()
    }

    /// The file; none for a corpus in memory.
    pub fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    /// Where in the file the documents are, by their positions there.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        (0..self.len()).map(|i| self.row(i).expect("below the length"))
    }

    /// Whether these are all documents of the file, in its order.
    pub fn is_whole(&self) -> bool {
        matches!(&self.rows, Rows::Range(range) if range.len() == self.file.len())
    }

    /// Whether the file is a compressed one, which is unpacked and not mapped.
    pub fn is_compressed(&self) -> bool {
        self.file.is_compressed()
    }

    /// How many tokens the file has, those of all its documents.
    pub fn file_tokens(&self) -> u64 {
        self.file.tokens()
    }

    /// A document, in the memory of the file. Cost: the first of a batch pays for judging all of it,
    /// some milliseconds; the others a hundred nanoseconds or so.
    ///
    /// # Errors
    ///
    /// `corpus-index` beyond the end; `corpus-batch` and `corpus-document` for what does not hold.
    pub fn doc(&self, i: usize) -> Result<Doc> {
        let (docs, row) = self.find(i)?;
        docs.doc(row, &self.file.snapshot())
    }

    /// Whether the batch of a document has been judged, so that [`doc`](Corpus::doc) costs little.
    ///
    /// # Errors
    ///
    /// `corpus-index` beyond the end.
    pub fn is_judged(&self, i: usize) -> Result<bool> {
        Ok(self.file.is_judged(self.file.batch_of(self.row(i)?)))
    }

    /// What a document carries along: categories, groups of spans, user data.
    ///
    /// # Errors
    ///
    /// As for [`doc`](Corpus::doc).
    pub fn extras(&self, i: usize) -> Result<DocExtras> {
        let (docs, row) = self.find(i)?;
        docs.extras(row)
    }

    /// All documents in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Doc>> + '_ {
        (0..self.len()).map(|i| self.doc(i))
    }

    /// The documents from `start` to before `end`, sharing the file.
    ///
    /// # Errors
    ///
    /// `corpus-index` unless `start <= end <= len`.
    pub fn slice(&self, start: usize, end: usize) -> Result<Corpus> {
        if start > end || end > self.len() {
            return Err(self.beyond(&format!("{start}..{end}")));
        }
        let rows = match &self.rows {
            Rows::Range(range) => Rows::Range(range.start + start..range.start + end),
            Rows::Some(rows) => Rows::Some(rows[start..end].into()),
        };
        Ok(Corpus { file: Arc::clone(&self.file), rows })
    }

    /// Some documents by their positions, in the order given, sharing the file.
    ///
    /// # Errors
    ///
    /// `corpus-index` for one beyond the end.
    pub fn select(&self, positions: &[usize]) -> Result<Corpus> {
        let rows = positions.iter().map(|i| self.row(*i)).collect::<Result<Arc<[usize]>>>()?;
        Ok(Corpus { file: Arc::clone(&self.file), rows: Rows::Some(rows) })
    }

    /// The rows of a batch, as many batches as the file has: Arrow arrays in the memory of the file.
    ///
    /// # Errors
    ///
    /// `corpus-batch` for one that does not hold.
    pub fn file_batches(&self) -> impl ExactSizeIterator<Item = Result<&RecordBatch>> + '_ {
        (0..self.file.batches()).map(|number| self.file.batch(number))
    }

    fn find(&self, i: usize) -> Result<(&Docs, usize)> {
        self.file.find(self.row(i)?)
    }

    /// The position in the file.
    fn row(&self, i: usize) -> Result<usize> {
        let row = match &self.rows {
            Rows::Range(range) => range.clone().nth(i),
            Rows::Some(rows) => rows.get(i).copied(),
        };
        row.ok_or_else(|| self.beyond(&i.to_string()))
    }

    fn beyond(&self, what: &str) -> Error {
        let text = format!("no document {what} in a corpus of {}", self.len());
        Error::new(ErrorKind::Index, "corpus-index", text)
    }
}

impl std::fmt::Debug for Corpus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Corpus").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// What is wrong with a file, and where.
fn fault(code: &'static str, at: usize, text: impl AsRef<str>) -> Error {
    Error::value(code, format!("at byte {at}: {}", text.as_ref()))
}

/// Arrow's own checks of what was just built for it.
fn unfit(error: &ArrowError) -> Error {
    let text = format!("{error}; this is a bug in lexpool");
    Error::new(ErrorKind::State, "arrow-columns", text)
}

#[cfg(test)]
mod tests;
