//! A corpus file: mapped or read, its footer validated, and its batches located.

use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_schema::SchemaRef;
use lexpool::codes;
use lexpool::mapped_file;
use lexpool::strings::StrId;
use lexpool::vocab::{MappedVocab, OpenOptions, Vocab, VocabSnapshot};
use lexpool::{Error, ErrorKind, Result};
use lexpool_structs::TokenC;

use super::batch::Batch;
use super::batch_docs::BatchDocs;
use super::errors::invalid_at;
use super::manifest::{self, CorpusManifest};
use super::validate::IndexLimits;
use super::{packing, schema};

/// An open corpus, each part of which is validated before its first use.
pub(super) struct CorpusFile {
    /// `None` for a corpus in memory.
    path: Option<PathBuf>,
    bytes: Buffer,
    schema: SchemaRef,
    manifest: CorpusManifest,
    batches: Vec<Batch>,
    /// Position of the first document of each batch, and the number of documents.
    starts: Vec<usize>,
    vocab: Arc<Vocab>,
    limits: IndexLimits,
}

const MAGIC: &[u8; 6] = b"ARROW1";

/// Bytes after the footer: its length, and the magic bytes again.
const TAIL: usize = 10;

impl CorpusFile {
    pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<CorpusFile> {
        if !options.is_mapped() {
            let mut file = fs::File::open(path).map_err(|error| Error::io("open", path, error))?;
            let metadata = file.metadata().map_err(|error| Error::io("read", path, error))?;
            let len = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
            let read = |bytes: &mut [u8]| file.read_exact(bytes);
            let bytes =
                aligned_buffer(len, read)?.map_err(|error| Error::io("read", path, error))?;
            let parsed = CorpusFile::parse(bytes, None, options)?;
            return Ok(parsed.at(path));
        }
        let (file, bytes) = mapped_file::map(path)?;
        Ok(CorpusFile::parse(Buffer::from(bytes), Some(&file), options)?.at(path))
    }

    fn at(mut self, path: &Path) -> CorpusFile {
        self.path = Some(path.to_owned());
        self
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn read(bytes: &[u8], options: &OpenOptions) -> Result<CorpusFile> {
        let copied = aligned_buffer(bytes.len(), |copy| {
            copy.copy_from_slice(bytes);
            Ok::<(), Error>(())
        })??;
        CorpusFile::parse(copied, None, options)
    }

    fn parse(bytes: Buffer, file: Option<&fs::File>, options: &OpenOptions) -> Result<CorpusFile> {
        let end = footer_start(&bytes)?;
        let parsed =
            arrow_ipc::root_as_footer(&bytes[end..bytes.len() - TAIL]).map_err(|error| {
                invalid_at(codes::CORPUS_FOOTER, end, format!("Arrow's footer: {error}"))
            })?;
        let json = parsed.custom_metadata().into_iter().flatten();
        let json = json
            .filter(|pair| pair.key() == Some(CorpusManifest::KEY))
            .find_map(|pair| pair.value());
        let Some(json) = json else {
            let text = "the file is an Arrow file, but not a corpus; convert its documents first \
                        (`lexpool corpus convert`)";
            return Err(invalid_at(codes::CORPUS_MAGIC, end, text));
        };
        let json_at = json.as_ptr().addr() - bytes.as_ptr().addr();
        let manifest = CorpusManifest::from_json(json, json_at)?;
        let image = image_of(&manifest, end)?;
        if !manifest::is_sealed(&bytes[image.end..], json, json_at - image.end) {
            let text = "the end of the file was changed after it was written";
            return Err(invalid_at(codes::CORPUS_SEAL, image.end, text));
        }
        let parsed_schema =
            parsed.schema().ok_or_else(|| invalid_at(codes::CORPUS_SCHEMA, end, "no schema"))?;
        let (schema, compressed) = schema::read(parsed_schema, end)?;
        if compressed != manifest.unpacked.is_some() {
            let text = "only one of tokens and lexicon is compressed; expected both or neither";
            return Err(invalid_at(codes::CORPUS_SCHEMA, end, text));
        }
        let batches = batches(&parsed, &manifest, end)?;
        let vocab = vocab_of(&bytes, file, image, manifest.unpacked, options)?;
        let mut starts = vec![0_usize];
        for batch in &manifest.batches {
            let before = starts.last().copied().unwrap_or_default();
            let after =
                before.checked_add(batch.docs).filter(|after| isize::try_from(*after).is_ok());
            starts.push(
                after.ok_or_else(|| {
                    invalid_at(codes::CORPUS_FOOTER, json_at, "too many documents")
                })?,
            );
        }
        let image = vocab.mapped().expect("it was opened from one");
        let limits = IndexLimits { lexemes: image.words() + 1, norms: norms_of(image) };
        let file =
            CorpusFile { path: None, bytes, schema, manifest, batches, starts, vocab, limits };
        if options.is_full() {
            file.verify()?;
        }
        Ok(file)
    }

    pub(super) fn vocab(&self) -> &Arc<Vocab> {
        &self.vocab
    }

    fn image(&self) -> &MappedVocab {
        self.vocab.mapped().expect("it was opened from one")
    }

    /// Returns `true` if the file is compressed.
    pub(super) fn is_compressed(&self) -> bool {
        self.manifest.unpacked.is_some()
    }

    pub(super) fn snapshot(&self) -> Arc<VocabSnapshot> {
        Arc::new(self.vocab.snapshot())
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn lang(&self) -> &str {
        &self.manifest.lang
    }

    pub(super) fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    pub(super) fn tokens(&self) -> u64 {
        self.manifest.batches.iter().map(|batch| batch.tokens as u64).sum()
    }

    pub(super) fn batches(&self) -> usize {
        self.batches.len()
    }

    /// Returns the number of lexeme indices, including that of the empty lexeme.
    pub(super) fn lexemes(&self) -> u32 {
        self.limits.lexemes
    }

    /// Returns the batch of a document, which must exist.
    pub(super) fn batch_of(&self, position: usize) -> usize {
        self.starts.partition_point(|start| *start <= position) - 1
    }

    /// Returns the position of the first document of a batch; for the number of batches, the number
    /// of documents.
    pub(super) fn start(&self, number: usize) -> usize {
        self.starts[number]
    }

    pub(super) fn batch(&self, number: usize) -> Result<&RecordBatch> {
        self.batches[number].columns(&self.bytes, &self.schema)
    }

    /// Returns the documents of a batch, validated.
    pub(super) fn docs(&self, number: usize) -> Result<&BatchDocs> {
        let batch = &self.batches[number];
        if let Some(docs) = batch.docs.get() {
            return Ok(docs);
        }
        let docs = BatchDocs::of(self.batch(number)?, self.image(), self.limits)
            .map_err(|error| error.context(format!("batch {number}, at byte {}", batch.at())))?;
        Ok(batch.docs.get_or_init(|| docs))
    }

    /// Returns `true` if the documents of a batch are validated.
    pub(super) fn is_validated(&self, number: usize) -> bool {
        self.batches[number].docs.get().is_some()
    }

    /// Returns the batch of a document, which must exist, and its row there.
    pub(super) fn find(&self, position: usize) -> Result<(&BatchDocs, usize)> {
        let number = self.batch_of(position);
        Ok((self.docs(number)?, position - self.starts[number]))
    }

    /// Compares the checksum of a batch, once.
    pub(super) fn check_checksum(&self, number: usize) -> Result<()> {
        let batch = &self.batches[number];
        if batch.checksum_ok.get().is_none() {
            let bytes = &self.bytes[batch.at()..batch.at() + batch.len()];
            if crc32fast::hash(bytes) != batch.entry.checksum {
                return Err(changed(&format!("batch {number}"), batch.at()));
            }
            batch.checksum_ok.get_or_init(|| ());
        }
        Ok(())
    }

    /// Compares all checksums and validates all documents.
    fn verify(&self) -> Result<()> {
        let first = self.batches.first().map_or(self.bytes.len(), Batch::at);
        let head = &self.bytes[..self.head_end(first)];
        if crc32fast::hash(head) != self.manifest.head {
            return Err(changed("the beginning of the file", 0));
        }
        let snapshot = self.snapshot();
        for (number, batch) in self.batches.iter().enumerate() {
            self.check_checksum(number)?;
            let docs = self.docs(number)?;
            for row in 0..batch.entry.docs {
                let parts = docs.parts(row)?;
                for (i, token) in parts.tokens.iter().enumerate() {
                    let next = parts.tokens.get(i + 1);
                    let end = next.map_or(parts.text.len(), |next| next.byte as usize);
                    let word = &parts.text[token.byte as usize..end - usize::from(token.spacy())];
                    let cell = snapshot.cell(lexpool::vocab::LexIx::from_raw(token.lex));
                    if cell.is_none_or(|cell| cell.orth() != StrId::of(word)) {
                        let text = format!("token {i}, {word:?}, has the lexeme of another word");
                        return Err(super::validate::invalid_document(row, &text)
                            .context(format!("batch {number}, at byte {}", batch.at())));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the end of the part before the batches: the message of the schema if there is no
    /// batch.
    fn head_end(&self, first: usize) -> usize {
        if !self.batches.is_empty() {
            return first;
        }
        // The padded magic bytes, then one message.
        let prefix = ALIGN + 8;
        let len = self.bytes.get(ALIGN + 4..prefix).and_then(|len| len.first_chunk::<4>());
        let len = len.map_or(0, |len| u32::from_le_bytes(*len) as usize);
        prefix.saturating_add(len).min(self.bytes.len())
    }
}

/// Allocates memory aligned for records, and fills it.
fn aligned_buffer<E>(
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<Result<Buffer, E>> {
    let mut words: Vec<u64> = Vec::new();
    words.try_reserve_exact(len.div_ceil(8)).map_err(|_| {
        let text = format!("out of memory for a corpus of {len} bytes; map the file instead");
        Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text)
    })?;
    words.resize(len.div_ceil(8), 0);
    let filled = fill(&mut bytemuck::cast_slice_mut(&mut words)[..len]);
    Ok(filled.map(|()| Buffer::from_vec(words).slice_with_length(0, len)))
}

/// Alignment of messages by Arrow's writer.
const ALIGN: usize = 64;

/// Returns the start of the footer.
fn footer_start(bytes: &[u8]) -> Result<usize> {
    let len = bytes.len();
    if bytes.get(..MAGIC.len()).is_some_and(|magic| magic != MAGIC) {
        let text = format!("the file starts with {:02x?}, expected {MAGIC:02x?}", &bytes[..6]);
        return Err(invalid_at(codes::CORPUS_MAGIC, 0, text));
    }
    let cut = |at: usize, text: String| invalid_at(codes::CORPUS_TRUNCATED, at, text);
    if len < MAGIC.len() + 2 + TAIL {
        return Err(cut(len, format!("the file ends after {len} bytes")));
    }
    if bytes[len - MAGIC.len()..] != *MAGIC {
        let text = "the file does not end with Arrow's magic bytes: it is truncated or still being written";
        return Err(cut(len, text.to_owned()));
    }
    let footer = i32::from_le_bytes(bytes[len - TAIL..len - MAGIC.len()].try_into().expect("four"));
    let end = usize::try_from(footer).ok().and_then(|footer| (len - TAIL).checked_sub(footer));
    end.ok_or_else(|| {
        cut(len - TAIL, format!("a footer of {footer} bytes does not fit into {len} bytes"))
    })
}

/// Returns the batches of a footer, which must be consecutive and before the lexicon.
fn batches(
    parsed: &arrow_ipc::Footer<'_>,
    manifest: &CorpusManifest,
    end: usize,
) -> Result<Vec<Batch>> {
    let blocks = parsed.recordBatches();
    let count = blocks.map_or(0, |blocks| blocks.len());
    if count != manifest.batches.len() || parsed.dictionaries().is_some_and(|it| !it.is_empty()) {
        let listed = manifest.batches.len();
        let text = format!("{count} batches, of which {listed} are listed, or dictionaries");
        return Err(invalid_at(codes::CORPUS_FOOTER, end, text));
    }
    let mut before = None;
    let mut batches = Vec::with_capacity(count);
    for (block, written) in blocks.into_iter().flatten().zip(&manifest.batches) {
        let (at, header, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
        let after = at.checked_add(i64::from(header)).and_then(|at| at.checked_add(body));
        let image = i64::try_from(manifest.image.0).unwrap_or(i64::MAX);
        let fits = at > 0
            && at % 8 == 0
            && header >= 8
            && body >= 0
            && before.is_none_or(|before| before == at)
            && after.is_some_and(|after| {
                after <= image && usize::try_from(after).unwrap_or(usize::MAX) <= end
            });
        if !fits {
            let text = format!(
                "batch {} has {header} and {body} bytes at {at}, but the one before ends at \
                 {before:?} and the lexicon begins at {image}",
                batches.len()
            );
            return Err(invalid_at(codes::CORPUS_FOOTER, end, text));
        }
        before = after;
        batches.push(Batch::new(*block, *written));
    }
    Ok(batches)
}

fn norms_of(image: &MappedVocab) -> u32 {
    u32::try_from(image.norms().len()).unwrap_or(u32::MAX).min(TokenC::NORM_IX.max())
}

/// Returns the range of the lexicon.
fn image_of(manifest: &CorpusManifest, end: usize) -> Result<Range<usize>> {
    let (at, len) = manifest.image;
    let range = usize::try_from(at).ok().zip(usize::try_from(len).ok());
    let range = range.and_then(|(at, len)| Some(at..at.checked_add(len)?));
    range.filter(|range| range.end <= end && at % 64 == 0).ok_or_else(|| {
        let text =
            format!("a lexicon of {len} bytes at {at} overlaps the footer, which begins at {end}");
        invalid_at(codes::CORPUS_FOOTER, end, text)
    })
}

/// Opens the lexicon of a file.
fn vocab_of(
    bytes: &Buffer,
    file: Option<&fs::File>,
    image: Range<usize>,
    unpacked: Option<u64>,
    options: &OpenOptions,
) -> Result<Arc<Vocab>> {
    let at = image.start;
    let vocab = match (file, unpacked) {
        (_, Some(len)) => packing::inflate(&bytes[image], len)
            .and_then(|image| Vocab::from_image_bytes(&image, options)),
        (Some(file), None) => Vocab::open_at(file, at as u64, image.len() as u64, options),
        (None, None) => Vocab::from_image_bytes(&bytes[image], options),
    };
    vocab.map_err(|error| error.context(format!("the lexicon at byte {at}")))
}

fn changed(what: &str, at: usize) -> Error {
    let text = format!("at byte {at}: {what} was changed after it was written");
    Error::new(ErrorKind::Value, codes::CORPUS_CHECKSUM, text)
}
