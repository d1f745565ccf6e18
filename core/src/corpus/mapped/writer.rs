//! Writing a corpus: record batches, then the lexicon, then the footer that names both.

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

use super::footer::{Footer, Written};
use super::piece::{Piece, Records, Role};
use super::{extras, packing, schema, unfit};
use crate::corpus::CorpusWriter;
use crate::strings::StrId;
use crate::tokens::Doc;
use crate::vocab::{Vocab, image};
use crate::{Error, Result};

/// Writes documents as a corpus that can be mapped: see [`Corpus`](super::Corpus).
///
/// What is written depends on the documents and their order only, and not on how they were cut into
/// pieces. Memory: a batch of a mebibyte of text or one piece, and the lexicon.
///
/// ```
/// use lexpool::corpus::{Corpus, CorpusWriter, MappedWriter, Piece};
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
    file: FileWriter<Sink<W>>,
    schema: SchemaRef,
    compressed: bool,
    /// What the next batch will be, its words by their positions in the file.
    open: Piece,
    /// The caller's own columns of it, as they came.
    columns: Vec<Vec<ArrayRef>>,
    lexicon: FileLexicon,
    footer: Footer,
}

/// A batch is written when it has this much text, so that what is read first is read soon.
const ENOUGH_TEXT: usize = 1 << 20;

/// Or this many documents.
const ENOUGH_DOCS: usize = 1 << 14;

impl<W: Write> MappedWriter<W> {
    /// Writes to `out`. New words of whoever opens the file get their attributes as in `vocab`.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    pub fn new(out: W, vocab: &Vocab) -> io::Result<MappedWriter<W>> {
        MappedWriter::with_options(out, vocab, &WriteOptions::default())
    }

    /// The same, with columns of the caller's own behind lexpool's, or compressed.
    ///
    /// # Errors
    ///
    /// Those of the sink; `corpus-column` for a column whose name is taken.
    pub fn with_options(
        out: W,
        vocab: &Vocab,
        options: &WriteOptions,
    ) -> io::Result<MappedWriter<W>> {
        let schema =
            schema::with(&options.columns, options.compressed).map_err(io::Error::other)?;
        let kind = options.compressed.then_some(CompressionType::LZ4_FRAME);
        let ipc = IpcWriteOptions::default().try_with_compression(kind).map_err(to_io)?;
        let mut file =
            FileWriter::try_new_with_options(Sink::new(out), &schema, ipc).map_err(to_io)?;
        let head = file.get_mut().take_sum();
        Ok(MappedWriter {
            file,
            schema,
            compressed: options.compressed,
            open: Piece::default(),
            columns: vec![Vec::new(); options.columns.len()],
            lexicon: FileLexicon {
                image: image::Builder::new(&vocab.attrs()),
                morphs: AHashSet::new(),
            },
            footer: Footer::begun(vocab.attrs().lang(), head),
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
        let columns = self.columns.iter_mut().map(|parts| joined(&std::mem::take(parts)));
        piece.columns = columns.collect::<Result<_, _>>().map_err(to_io)?;
        let (docs, tokens) = (piece.len(), piece.tokens.len());
        let batch = batch(piece, &self.schema, self.compressed).map_err(io::Error::other)?;
        self.file.write(&batch).map_err(to_io)?;
        let sum = self.file.get_mut().take_sum();
        self.footer.push(Written { docs, tokens, sum });
        Ok(())
    }
}

/// How a corpus is written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Columns of the caller's own.
    pub columns: Vec<Arc<Field>>,
    /// Whether to make the file small instead of fast: it is then unpacked, batch by batch, and not
    /// mapped.
    pub compressed: bool,
}

impl<W: Write> CorpusWriter for MappedWriter<W> {
    type Piece = Piece;
    type Sink = W;

    /// # Errors
    ///
    /// Those of [`Piece::of`].
    fn piece(docs: &[Doc]) -> Result<Piece> {
        Piece::of(docs.iter().map(|doc| (doc, crate::formats::DocExtras::default())))
    }

    fn write(&mut self, mut piece: Piece) -> io::Result<()> {
        self.lexicon.take(&mut piece).map_err(io::Error::other)?;
        // Batches end where documents say, and not where pieces happen to.
        let mut next = Next::default();
        let mut first = 0;
        for row in 0..piece.len() {
            if self.open.tokens.len() + piece.lens[row] > i32::MAX as usize {
                self.take_columns(&piece, first..row);
                self.flush()?;
                first = row;
            }
            self.open.take(&mut piece, &mut next);
            if self.open.text.len() >= ENOUGH_TEXT || self.open.len() >= ENOUGH_DOCS {
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
        // Who reads the file as a stream stops here, before what is no message of Arrow's.
        sink.write_all(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])?;
        sink.align(64)?;
        let at = sink.at;
        if self.compressed {
            let packed = packing::deflate(&image);
            sink.write_all(&packed)?;
            self.footer.set_image(at, packed.len(), Some(image.len()));
        } else {
            sink.write_all(&image)?;
            self.footer.set_image(at, image.len(), None);
        }
        sink.hold();
        sink.align(8)?;
        let unsealed = self.footer.to_json();
        self.file.write_metadata(Footer::KEY, unsealed.as_str());
        self.file.finish().map_err(to_io)?;
        let (mut out, mut end) = self.file.into_inner().map_err(to_io)?.release();
        super::footer::seal(&mut end, &unsealed).map_err(io::Error::other)?;
        out.write_all(&end)?;
        out.flush()?;
        Ok(out)
    }
}

/// Where the next document of a piece begins in each of its parts.
#[derive(Default)]
struct Next {
    row: usize,
    text: usize,
    tokens: usize,
    facets: [usize; 3],
}

impl Piece {
    /// Moves the next document of another piece behind these.
    fn take(&mut self, from: &mut Piece, next: &mut Next) {
        let (row, len) = (next.row, from.lens[next.row]);
        let end = from.text_ends[row];
        self.text.push_str(&from.text[next.text..end]);
        self.text_ends.push(self.text.len());
        self.tokens.extend_from_slice(&from.tokens[next.tokens..next.tokens + len]);
        self.lens.push(len);
        let [tags, syntax, entities] = &mut next.facets;
        self.tags.take(&from.tags, row, len, tags);
        self.syntax.take(&from.syntax, row, len, syntax);
        self.entities.take(&from.entities, row, len, entities);
        self.carried.push(std::mem::take(&mut from.carried[row]));
        self.unknown_spaces.push(from.unknown_spaces[row]);
        (next.row, next.text, next.tokens) = (row + 1, end, next.tokens + len);
    }
}

/// The words of the whole file, in the order in which they first occur.
struct FileLexicon {
    image: image::Builder,
    morphs: AHashSet<StrId>,
}

impl FileLexicon {
    /// Takes a piece's words over, and makes its tokens refer to them here.
    fn take(&mut self, piece: &mut Piece) -> Result<()> {
        let lexicon = std::mem::take(&mut piece.lexicon);
        let image = &mut self.image;
        let lexemes = lexicon.lexemes.iter().map(|(record, text)| image.add_lexeme(record, text));
        let lexemes = lexemes.collect::<Result<Vec<_>>>()?;
        let mut norms = vec![0];
        for (role, string) in &lexicon.strings {
            let id = image.add_string(string)?;
            match role {
                Role::Norm => norms.push(image.add_norm(id)?),
                Role::Morph if self.morphs.insert(id) => drop(image.add_morph(string)?),
                Role::Morph | Role::Id => {}
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

/// Arrays of one type as one.
pub(super) fn joined(parts: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
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
    let carried = extras::columns(&piece.carried)?;
    let tokens = if compressed {
        packing::pack(&piece)
    } else {
        list(&piece.tokens, piece.lens.iter().copied(), None)?
    };
    let text = LargeStringArray::try_new(offsets, Buffer::from_vec(piece.text.into_bytes()), None);
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(text.map_err(|error| unfit(&error))?),
        tokens,
        facet(&piece.tags, &piece.lens)?,
        facet(&piece.syntax, &piece.lens)?,
        facet(&piece.entities, &piece.lens)?,
    ];
    columns.extend(carried);
    columns.push(Arc::new(BooleanArray::from(piece.unknown_spaces)));
    columns.extend(piece.columns);
    RecordBatch::try_new(Arc::clone(schema), columns)
        .map_err(|error| Error::value("corpus-column", error.to_string()))
}

fn facet<T: Pod>(records: &Records<T>, lens: &[usize]) -> Result<ArrayRef> {
    let there = NullBuffer::from(records.is_there.clone());
    let lens = lens.iter().zip(&records.is_there).map(|(len, there)| if *there { *len } else { 0 });
    list(&records.records, lens, Some(there))
}

/// A list of records a document.
fn list<T: Pod>(
    records: &[T],
    lens: impl ExactSizeIterator<Item = usize>,
    there: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let DataType::FixedSizeBinary(width) = schema::record::<T>() else { unreachable!() };
    let bytes = Buffer::from(bytemuck::cast_slice::<T, u8>(records));
    let records = FixedSizeBinaryArray::try_new(width, bytes, None);
    lists(schema::record::<T>(), Arc::new(records.map_err(|error| unfit(&error))?), lens, there)
}

fn lists(
    kind: DataType,
    values: ArrayRef,
    lens: impl ExactSizeIterator<Item = usize>,
    there: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let list =
        ListArray::try_new(schema::item(kind), OffsetBuffer::from_lengths(lens), values, there);
    Ok(Arc::new(list.map_err(|error| unfit(&error))?))
}

/// Counts and sums what goes through, and keeps the end back until it is sealed.
struct Sink<W> {
    out: W,
    at: u64,
    sum: crc32fast::Hasher,
    held: Option<Vec<u8>>,
}

impl<W: Write> Sink<W> {
    fn new(out: W) -> Sink<W> {
        Sink { out, at: 0, sum: crc32fast::Hasher::new(), held: None }
    }

    /// The checksum of what was written since the last time.
    fn take_sum(&mut self) -> u32 {
        std::mem::take(&mut self.sum).finalize()
    }

    fn align(&mut self, to: u64) -> io::Result<()> {
        let missing = self.at.next_multiple_of(to) - self.at;
        self.write_all(&[0; 64][..usize::try_from(missing).expect("less than 64")])
    }

    fn hold(&mut self) {
        self.held = Some(Vec::new());
    }

    fn release(self) -> (W, Vec<u8>) {
        (self.out, self.held.unwrap_or_default())
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.held {
            Some(held) => held.write(bytes)?,
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
