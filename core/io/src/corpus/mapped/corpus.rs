//! Documents of a corpus file: the whole of it, slices and selections.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lexpool::codes;
use lexpool::escape::shown;
use lexpool::formats::DocExtras;
use lexpool::tokens::Doc;
use lexpool::vocab::{OpenOptions, Verify, Vocab};
use lexpool::{Error, ErrorKind, Result};

use super::batch_docs::BatchDocs;
use super::file::CorpusFile;

/// Documents in a file, validated when first used.
///
/// Opening a file reads its footer only, so it takes the same time for any number of documents. A
/// document is a view of the file's memory, and is copied when it is first written to. Data of the
/// file is validated before it is used: a batch of documents when the first of them is requested.
/// Clones and slices share the file.
///
/// A mapped file must not be changed while it is open. lexpool replaces such files by renaming, so
/// that processes that have the old file open keep it. [`OpenOptions::mmap`] turns mapping off.
///
/// ```
/// use lexpool_io::corpus::{Corpus, CorpusWriter, MappedWriter};
/// use lexpool::files::{AtomicFile, Links};
/// use lexpool::tokenizer::Tokenizer;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("two.corpus");
/// let tokenizer = Tokenizer::blank("en")?;
/// let docs = [tokenizer.tokenize("One.")?, tokenizer.tokenize("And another one.")?];
/// let file = AtomicFile::create(&path, Links::Followed)?;
/// let mut writer = MappedWriter::new(file, tokenizer.vocab()).unwrap();
/// writer.write(MappedWriter::<AtomicFile>::piece(&docs)?).unwrap();
/// writer.finish().unwrap().commit()?;
///
/// let corpus = Corpus::open(&path)?;
/// assert_eq!((corpus.len(), corpus.doc(1)?.text()), (2, "And another one."));
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct Corpus {
    pub(super) file: Arc<CorpusFile>,
    pub(super) rows: RowSelection,
}

/// The documents of a corpus, by their positions in the file.
#[derive(Clone)]
pub(super) enum RowSelection {
    Range(Range<usize>),
    Positions(Arc<[usize]>),
}

impl Corpus {
    /// Maps a file. Cost: that of reading its footer, for any number of documents.
    ///
    /// # Errors
    ///
    /// `file-not-found` and other errors of the system; `corpus-truncated`, `corpus-magic`,
    /// `corpus-footer`, `corpus-seal`, `corpus-version`, `corpus-schema`, `corpus-batch` and those
    /// of vocab images for a file that is not a complete corpus, with the position of the invalid
    /// part.
    pub fn open(path: &Path) -> Result<Corpus> {
        Corpus::open_with(path, &OpenOptions::default())
    }

    /// Opens a file with options.
    ///
    /// # Errors
    ///
    /// As for [`open`](Corpus::open); with [`Verify::Full`] also the errors of reading each
    /// document, and `corpus-checksum`.
    pub fn open_with(path: &Path, options: &OpenOptions) -> Result<Corpus> {
        let file = CorpusFile::open(path, options).map_err(|error| error.context(shown(path)))?;
        Ok(Corpus::of(file))
    }

    /// Opens a corpus in memory, and verifies it completely.
    ///
    /// # Errors
    ///
    /// As for [`open_with`](Corpus::open_with) and [`Verify::Full`].
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Corpus> {
        Corpus::from_bytes_with(bytes, &OpenOptions::new().verify(Verify::Full))
    }

    /// Opens a corpus in memory with options.
    ///
    /// # Errors
    ///
    /// As for [`open_with`](Corpus::open_with).
    pub fn from_bytes_with(bytes: impl AsRef<[u8]>, options: &OpenOptions) -> Result<Corpus> {
        Ok(Corpus::of(CorpusFile::read(bytes.as_ref(), options)?))
    }

    fn of(file: CorpusFile) -> Corpus {
        let rows = RowSelection::Range(0..file.len());
        Corpus { file: Arc::new(file), rows }
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        match &self.rows {
            RowSelection::Range(range) => range.len(),
            RowSelection::Positions(rows) => rows.len(),
        }
    }

    /// Returns `true` if the corpus is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the vocab of the file. Words added to it are not written to the file.
    pub fn vocab(&self) -> &Arc<Vocab> {
        self.file.vocab()
    }

    /// Returns the columns of the file.
    pub fn schema(&self) -> &SchemaRef {
        self.file.schema()
    }

    /// Returns the language of the writer's vocab.
    pub fn lang(&self) -> &str {
        self.file.lang()
    }

    /// Returns the path of the file, or `None` for a corpus in memory.
    pub fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    /// Returns the positions of the documents in the file.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        (0..self.len()).map(|i| self.row(i).expect("below the length"))
    }

    /// Returns `true` if these are all documents of the file, in its order.
    pub fn is_whole(&self) -> bool {
        matches!(&self.rows, RowSelection::Range(range) if range.len() == self.file.len())
    }

    /// Returns `true` if the file is compressed, so that its batches are decompressed instead of
    /// mapped.
    pub fn is_compressed(&self) -> bool {
        self.file.is_compressed()
    }

    /// Returns the number of tokens of all documents of the file.
    pub fn file_tokens(&self) -> u64 {
        self.file.tokens()
    }

    /// Returns a document, in the memory of the file. Cost: the first document of a batch pays for
    /// the validation of the batch, some milliseconds; others take about a hundred nanoseconds.
    ///
    /// # Errors
    ///
    /// `corpus-index` beyond the end; `corpus-batch` and `corpus-document` for invalid data.
    pub fn doc(&self, i: usize) -> Result<Doc> {
        let (docs, row) = self.find(i)?;
        docs.doc(row, &self.file.snapshot())
    }

    /// Returns `true` if the batch of a document is validated, so that [`doc`](Corpus::doc) is
    /// cheap.
    ///
    /// # Errors
    ///
    /// `corpus-index` beyond the end.
    pub fn is_validated(&self, i: usize) -> Result<bool> {
        Ok(self.file.is_validated(self.file.batch_of(self.row(i)?)))
    }

    /// Returns the extras of a document: categories, groups of spans, user data.
    ///
    /// # Errors
    ///
    /// As for [`doc`](Corpus::doc).
    pub fn extras(&self, i: usize) -> Result<DocExtras> {
        let (docs, row) = self.find(i)?;
        docs.extras(row)
    }

    /// Iterates over all documents in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Doc>> + '_ {
        (0..self.len()).map(|i| self.doc(i))
    }

    /// Returns the documents from `start` to before `end`, sharing the file.
    ///
    /// # Errors
    ///
    /// `corpus-index` unless `start <= end <= len`.
    pub fn slice(&self, start: usize, end: usize) -> Result<Corpus> {
        if start > end || end > self.len() {
            return Err(self.index_error(&format!("{start}..{end}")));
        }
        let rows = match &self.rows {
            RowSelection::Range(range) => {
                RowSelection::Range(range.start + start..range.start + end)
            }
            RowSelection::Positions(rows) => RowSelection::Positions(rows[start..end].into()),
        };
        Ok(Corpus { file: Arc::clone(&self.file), rows })
    }

    /// Returns the documents at some positions, in the given order, sharing the file.
    ///
    /// # Errors
    ///
    /// `corpus-index` for a position beyond the end.
    pub fn select(&self, positions: &[usize]) -> Result<Corpus> {
        let rows = positions.iter().map(|i| self.row(*i)).collect::<Result<Arc<[usize]>>>()?;
        Ok(Corpus { file: Arc::clone(&self.file), rows: RowSelection::Positions(rows) })
    }

    /// Returns all batches of the file: Arrow arrays in its memory.
    ///
    /// # Errors
    ///
    /// `corpus-batch` for an invalid batch.
    pub fn file_batches(&self) -> impl ExactSizeIterator<Item = Result<&RecordBatch>> + '_ {
        (0..self.file.batches()).map(|number| self.file.batch(number))
    }

    fn find(&self, i: usize) -> Result<(&BatchDocs, usize)> {
        self.file.find(self.row(i)?)
    }

    /// Returns the position of a document in the file.
    fn row(&self, i: usize) -> Result<usize> {
        let row = match &self.rows {
            RowSelection::Range(range) => range.clone().nth(i),
            RowSelection::Positions(rows) => rows.get(i).copied(),
        };
        row.ok_or_else(|| self.index_error(&i.to_string()))
    }

    fn index_error(&self, what: &str) -> Error {
        let text = format!("no document {what}; the corpus has {}", self.len());
        Error::new(ErrorKind::Index, codes::CORPUS_INDEX, text)
    }
}

impl std::fmt::Debug for Corpus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Corpus").field("len", &self.len()).finish_non_exhaustive()
    }
}
