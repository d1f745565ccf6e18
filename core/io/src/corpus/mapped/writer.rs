//! Writer of a corpus: record batches, then the lexicon, then the footer with the manifest.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use ahash::AHashSet;
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeBinaryArray, LargeStringArray, ListArray, RecordBatch,
    make_array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use bytemuck::Pod;
use lexpool::codes;
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use lexpool::vocab::{Vocab, image};
use lexpool::{Error, Result};

use super::errors::internal;
use super::manifest::{BatchEntry, CorpusManifest};
use super::piece::{Piece, RecordColumn, StringRole};
use super::{extras, packing, schema};
use crate::corpus::writer::CorpusWriter;

/// Writer of documents as a corpus that can be memory-mapped; see [`Corpus`](super::Corpus).
///
/// The bytes depend on the documents and their order only, not on the pieces they arrive in.
/// Memory: a batch (1 MiB of text) or one piece, and the lexicon.
///
/// ```
/// use lexpool_io::corpus::{Corpus, CorpusWriter, MappedWriter, Piece};
/// use lexpool::tokenizer::Tokenizer;
/// let tokenizer = Tokenizer::blank("en")?;
/// let docs = [tokenizer.tokenize("One.")?, tokenizer.tokenize("And another one.")?];
/// let mut writer = MappedWriter::new(Vec::new(), tokenizer.vocab()).unwrap();
/// writer.write(MappedWriter::<Vec<u8>>::piece(&docs)?).unwrap();
/// let corpus = Corpus::from_bytes(writer.finish().unwrap())?;
/// assert_eq!(corpus.doc(1)?.text(), "And another one.");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct MappedWriter<W: Write> {
    file: FileWriter<TailSink<W>>,
    schema: SchemaRef,
    compressed: bool,
    /// The next batch. Its lexeme indices are those of the file.
    open: Piece,
    /// The caller's columns of the next batch, in parts.
    columns: Vec<Vec<ArrayRef>>,
    lexicon: FileLexicon,
    manifest: CorpusManifest,
}

/// Bytes of text after which a batch is written; small, so that reading the first document is fast.
const BATCH_TEXT: usize = 1 << 20;

/// Documents after which a batch is written.
const BATCH_DOCS: usize = 1 << 14;

impl<W: Write> MappedWriter<W> {
    /// Creates a writer to `out`. A reader computes the attributes of new words as `vocab` does.
    ///
    /// # Errors
    ///
    /// Errors of `out`.
    pub fn new(out: W, vocab: &Vocab) -> io::Result<MappedWriter<W>> {
        MappedWriter::with_options(out, vocab, &WriteOptions::default())
    }

    /// Creates a writer with columns of the caller, or of a compressed file.
    ///
    /// # Errors
    ///
    /// Errors of `out`; `corpus-column` for a column whose name is taken.
    pub fn with_options(
        out: W,
        vocab: &Vocab,
        options: &WriteOptions,
    ) -> io::Result<MappedWriter<W>> {
        let schema =
            schema::with_columns(&options.columns, options.compressed).map_err(io::Error::other)?;
        let kind = options.compressed.then_some(CompressionType::LZ4_FRAME);
        let ipc = IpcWriteOptions::default().try_with_compression(kind).map_err(to_io)?;
        let mut file =
            FileWriter::try_new_with_options(TailSink::new(out), &schema, ipc).map_err(to_io)?;
        let head = file.get_mut().take_checksum();
        Ok(MappedWriter {
            file,
            schema,
            compressed: options.compressed,
            open: Piece::default(),
            columns: vec![Vec::new(); options.columns.len()],
            lexicon: FileLexicon {
                image: image::VocabImageBuilder::new(&vocab.attrs()),
                morphs: AHashSet::new(),
            },
            manifest: CorpusManifest::new(vocab.attrs().lang(), head),
        })
    }

    fn take_columns(&mut self, piece: &Piece, rows: Range<usize>) {
        for (parts, column) in self.columns.iter_mut().zip(&piece.columns) {
            parts.push(column.slice(rows.start, rows.len()));
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        let mut piece = std::mem::take(&mut self.open);
        let columns = self.columns.iter_mut().map(|parts| concatenated(&std::mem::take(parts)));
        piece.columns = columns.collect::<Result<_, _>>().map_err(to_io)?;
        let (docs, tokens) = (piece.len(), piece.tokens.len());
        let batch = batch(piece, &self.schema, self.compressed).map_err(io::Error::other)?;
        self.file.write(&batch).map_err(to_io)?;
        let checksum = self.file.get_mut().take_checksum();
        self.manifest.push(BatchEntry { docs, tokens, checksum });
        Ok(())
    }
}

/// Options of a corpus file.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Columns of the caller, after lexpool's own.
    pub columns: Vec<Arc<Field>>,
    /// Set to make the file small instead of fast: its batches are then decompressed instead of
    /// mapped.
    pub compressed: bool,
}

impl<W: Write> CorpusWriter for MappedWriter<W> {
    type Piece = Piece;
    type Sink = W;

    /// Collects documents without extras.
    ///
    /// # Errors
    ///
    /// As for [`Piece::of`].
    fn piece(docs: &[Doc]) -> Result<Piece> {
        Piece::of(docs.iter().map(|doc| (doc, lexpool::formats::DocExtras::default())))
    }

    fn write(&mut self, mut piece: Piece) -> io::Result<()> {
        self.lexicon.add_piece(&mut piece).map_err(io::Error::other)?;
        // The end of a batch depends on the documents, not on the pieces.
        let mut next = PieceCursor::default();
        let mut first = 0;
        for row in 0..piece.len() {
            if self.open.tokens.len() + piece.lens[row] > i32::MAX as usize {
                self.take_columns(&piece, first..row);
                self.flush()?;
                first = row;
            }
            self.open.append_next(&mut piece, &mut next);
            if self.open.text.len() >= BATCH_TEXT || self.open.len() >= BATCH_DOCS {
                self.take_columns(&piece, first..row + 1);
                self.flush()?;
                first = row + 1;
            }
        }
        self.take_columns(&piece, first..piece.len());
        Ok(())
    }

    fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        let image = self.lexicon.image.finish().map_err(io::Error::other)?;
        let sink = self.file.get_mut();
        // Readers of the Arrow stream stop here, before the lexicon, which is not an Arrow message.
        sink.write_all(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])?;
        sink.align(64)?;
        let at = sink.at;
        if self.compressed {
            let packed = packing::deflate(&image);
            sink.write_all(&packed)?;
            self.manifest.set_image(at, packed.len(), Some(image.len()));
        } else {
            sink.write_all(&image)?;
            self.manifest.set_image(at, image.len(), None);
        }
        sink.start_tail();
        sink.align(8)?;
        let unsealed = self.manifest.to_json();
        self.file.write_metadata(CorpusManifest::KEY, unsealed.as_str());
        self.file.finish().map_err(to_io)?;
        let (mut out, mut end) = self.file.into_inner().map_err(to_io)?.into_parts();
        super::manifest::seal(&mut end, &unsealed).map_err(io::Error::other)?;
        out.write_all(&end)?;
        out.flush()?;
        Ok(out)
    }
}

/// Position of the next document in each part of a piece.
#[derive(Default)]
struct PieceCursor {
    row: usize,
    text: usize,
    tokens: usize,
    facets: [usize; 3],
}

impl Piece {
    /// Moves the next document of another piece to the end of this one.
    fn append_next(&mut self, from: &mut Piece, next: &mut PieceCursor) {
        let (row, len) = (next.row, from.lens[next.row]);
        let end = from.text_ends[row];
        self.text.push_str(&from.text[next.text..end]);
        self.text_ends.push(self.text.len());
        self.tokens.extend_from_slice(&from.tokens[next.tokens..next.tokens + len]);
        self.lens.push(len);
        let [tags, syntax, entities] = &mut next.facets;
        self.tags.append_row(&from.tags, row, len, tags);
        self.syntax.append_row(&from.syntax, row, len, syntax);
        self.entities.append_row(&from.entities, row, len, entities);
        self.extras.push(std::mem::take(&mut from.extras[row]));
        self.unknown_spaces.push(from.unknown_spaces[row]);
        (next.row, next.text, next.tokens) = (row + 1, end, next.tokens + len);
    }
}

/// The lexicon of the whole file, in the order of first occurrence.
struct FileLexicon {
    image: image::VocabImageBuilder,
    morphs: AHashSet<StrId>,
}

impl FileLexicon {
    /// Adds the lexicon of a piece, and makes its tokens refer to this lexicon.
    fn add_piece(&mut self, piece: &mut Piece) -> Result<()> {
        let lexicon = std::mem::take(&mut piece.lexicon);
        let image = &mut self.image;
        let lexemes = lexicon.lexemes.iter().map(|(record, text)| image.add_lexeme(record, text));
        let lexemes = lexemes.collect::<Result<Vec<_>>>()?;
        let mut norms = vec![0];
        for (role, string) in &lexicon.strings {
            let id = image.add_string(string)?;
            match role {
                StringRole::Norm => norms.push(image.add_norm(id)?),
                StringRole::Morph if self.morphs.insert(id) => drop(image.add_morph(string)?),
                StringRole::Morph | StringRole::Id => {}
            }
        }
        for token in &mut piece.tokens {
            token.lex = lexemes[token.lex as usize];
            if token.norm_ix() != 0 {
                *token = token.with_norm_ix(norms[token.norm_ix() as usize]);
            }
        }
        Ok(())
    }
}

/// Concatenates arrays of one type.
pub(super) fn concatenated(parts: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
    if let [single] = parts {
        return Ok(ArrayRef::clone(single));
    }
    let data: Vec<_> = parts.iter().map(|part| part.to_data()).collect();
    let len = data.iter().map(ArrayData::len).sum();
    let mut all = MutableArrayData::new(data.iter().collect(), false, len);
    for (i, part) in data.iter().enumerate() {
        all.try_extend(i, 0, part.len())?;
    }
    Ok(make_array(all.freeze()))
}

fn batch(piece: Piece, schema: &SchemaRef, compressed: bool) -> Result<RecordBatch> {
    let ends = piece.text_ends.iter().map(|end| i64::try_from(*end).expect("less than memory"));
    let offsets = OffsetBuffer::new(std::iter::once(0).chain(ends).collect());
    let extras_columns = extras::columns(&piece.extras)?;
    let tokens = if compressed {
        packing::pack(&piece)
    } else {
        list(&piece.tokens, piece.lens.iter().copied(), None)?
    };
    let text = LargeStringArray::try_new(offsets, Buffer::from_vec(piece.text.into_bytes()), None);
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(text.map_err(|error| internal(&error))?),
        tokens,
        annotation(&piece.tags, &piece.lens)?,
        annotation(&piece.syntax, &piece.lens)?,
        annotation(&piece.entities, &piece.lens)?,
    ];
    columns.extend(extras_columns);
    columns.push(Arc::new(BooleanArray::from(piece.unknown_spaces)));
    columns.extend(piece.columns);
    RecordBatch::try_new(Arc::clone(schema), columns)
        .map_err(|error| Error::value(codes::CORPUS_COLUMN, error.to_string()))
}

fn annotation<T: Pod>(records: &RecordColumn<T>, lens: &[usize]) -> Result<ArrayRef> {
    let validity = NullBuffer::from(records.present.clone());
    let lens = lens.iter().zip(&records.present).map(|(len, there)| if *there { *len } else { 0 });
    list(&records.records, lens, Some(validity))
}

/// Builds a list of records per document.
fn list<T: Pod>(
    records: &[T],
    lens: impl ExactSizeIterator<Item = usize>,
    validity: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let DataType::FixedSizeBinary(width) = schema::record::<T>() else { unreachable!() };
    let bytes = Buffer::from(bytemuck::cast_slice::<T, u8>(records));
    let records = FixedSizeBinaryArray::try_new(width, bytes, None);
    lists(
        schema::record::<T>(),
        Arc::new(records.map_err(|error| internal(&error))?),
        lens,
        validity,
    )
}

fn lists(
    kind: DataType,
    values: ArrayRef,
    lens: impl ExactSizeIterator<Item = usize>,
    validity: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let list =
        ListArray::try_new(schema::item(kind), OffsetBuffer::from_lengths(lens), values, validity);
    Ok(Arc::new(list.map_err(|error| internal(&error))?))
}

/// Sink that tracks the position and the checksum, and buffers the tail of the file until it is
/// sealed.
struct TailSink<W> {
    out: W,
    at: u64,
    sum: crc32fast::Hasher,
    tail: Option<Vec<u8>>,
}

impl<W: Write> TailSink<W> {
    fn new(out: W) -> TailSink<W> {
        TailSink { out, at: 0, sum: crc32fast::Hasher::new(), tail: None }
    }

    /// Returns the checksum of the bytes written since the last call.
    fn take_checksum(&mut self) -> u32 {
        std::mem::take(&mut self.sum).finalize()
    }

    fn align(&mut self, to: u64) -> io::Result<()> {
        let missing = self.at.next_multiple_of(to) - self.at;
        self.write_all(&[0; 64][..usize::try_from(missing).expect("less than 64")])
    }

    fn start_tail(&mut self) {
        self.tail = Some(Vec::new());
    }

    fn into_parts(self) -> (W, Vec<u8>) {
        (self.out, self.tail.unwrap_or_default())
    }
}

impl<W: Write> Write for TailSink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.tail {
            Some(tail) => tail.write(bytes)?,
            None => self.out.write(bytes)?,
        };
        self.sum.update(&bytes[..written]);
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn to_io(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}
