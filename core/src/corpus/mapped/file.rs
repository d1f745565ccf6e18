//! A corpus file: mapped or read, its footer judged, and its batches found.
//!
//! Holds unsafe code: maps a file, which others should not change.

use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_schema::SchemaRef;
use lexpool_structs::TokenC;
use memmap2::Mmap;

use super::batch::Batch;
use super::check::Limits;
use super::docs::Docs;
use super::footer::{self, Footer};
use super::{fault, packing, schema};
use crate::strings::StrId;
use crate::vocab::{MappedVocab, OpenOptions, Vocab, VocabSnapshot};
use crate::{Error, ErrorKind, Result};

/// An open corpus, of which every part is judged before it is used.
pub(super) struct File {
    /// None for a corpus in memory.
    path: Option<PathBuf>,
    bytes: Buffer,
    schema: SchemaRef,
    footer: Footer,
    batches: Vec<Batch>,
    /// The position of the first document of each batch, and the number of all.
    starts: Vec<usize>,
    vocab: Arc<Vocab>,
    limits: Limits,
}

const MAGIC: &[u8; 6] = b"ARROW1";

/// The length of the footer, and the magic bytes again.
const TAIL: usize = 10;

impl File {
    pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<File> {
        let mut file = fs::File::open(path).map_err(|error| Error::io("open", path, error))?;
        let metadata = file.metadata().map_err(|error| Error::io("read", path, error))?;
        let len = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        if !options.is_mapped() || len == 0 {
            let read = |bytes: &mut [u8]| file.read_exact(bytes);
            let bytes = filled(len, read)?.map_err(|error| Error::io("read", path, error))?;
            let judged = File::judged(bytes, None, options)?;
            return Ok(judged.at(path));
        }
        // SAFETY: what is read of the bytes is judged first, and nothing that they may be is unsound.
        // They must not change under the references to them: lexpool writes such a file under
        // another name, and the documentation asks others to.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Error::io("map", path, error))?;
        let map = Arc::new(map);
        let at = NonNull::from(&map[..]).cast();
        // SAFETY: the mapping holds that many bytes for as long as it lives.
        let bytes = unsafe { Buffer::from_custom_allocation(at, map.len(), map) };
        Ok(File::judged(bytes, Some(&file), options)?.at(path))
    }

    fn at(mut self, path: &Path) -> File {
        self.path = Some(path.to_owned());
        self
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn read(bytes: &[u8], options: &OpenOptions) -> Result<File> {
        let copied = filled(bytes.len(), |copy| {
            copy.copy_from_slice(bytes);
            Ok::<(), Error>(())
        })??;
        File::judged(copied, None, options)
    }

    fn judged(bytes: Buffer, file: Option<&fs::File>, options: &OpenOptions) -> Result<File> {
        let end = end_of(&bytes)?;
        let parsed = arrow_ipc::root_as_footer(&bytes[end..bytes.len() - TAIL])
            .map_err(|error| fault("corpus-footer", end, format!("Arrow's footer: {error}")))?;
        let json = parsed.custom_metadata().into_iter().flatten();
        let json =
            json.filter(|pair| pair.key() == Some(Footer::KEY)).find_map(|pair| pair.value());
        let Some(json) = json else {
            let text = "the file is an Arrow file, but no corpus: its documents are converted first \
                        (`lexpool corpus convert`)";
            return Err(fault("corpus-magic", end, text));
        };
        let json_at = json.as_ptr().addr() - bytes.as_ptr().addr();
        let footer = Footer::from_json(json, json_at)?;
        let image = image_of(&footer, end)?;
        if !footer::is_sealed(&bytes[image.end..], json, json_at - image.end) {
            let text = "the end of the file is not as it was written";
            return Err(fault("corpus-seal", image.end, text));
        }
        let given = parsed.schema().ok_or_else(|| fault("corpus-schema", end, "no schema"))?;
        let (schema, compressed) = schema::read(given, end)?;
        if compressed != footer.unpacked.is_some() {
            return Err(fault("corpus-schema", end, "tokens are packed, or the lexicon, not both"));
        }
        let batches = batches(&parsed, &footer, end)?;
        let vocab = vocab_of(&bytes, file, image, footer.unpacked, options)?;
        let mut starts = vec![0_usize];
        for batch in &footer.batches {
            let before = starts.last().copied().unwrap_or_default();
            let after =
                before.checked_add(batch.docs).filter(|after| isize::try_from(*after).is_ok());
            starts
                .push(after.ok_or_else(|| fault("corpus-footer", json_at, "too many documents"))?);
        }
        let image = vocab.image().expect("it was opened from one");
        let limits = Limits { lexemes: image.words() + 1, norms: norms_of(image) };
        let file = File { path: None, bytes, schema, footer, batches, starts, vocab, limits };
        if options.is_full() {
            file.verify()?;
        }
        Ok(file)
    }

    pub(super) fn vocab(&self) -> &Arc<Vocab> {
        &self.vocab
    }

    fn image(&self) -> &MappedVocab {
        self.vocab.image().expect("it was opened from one")
    }

    /// Whether the file is a compressed one.
    pub(super) fn is_compressed(&self) -> bool {
        self.footer.unpacked.is_some()
    }

    pub(super) fn snapshot(&self) -> VocabSnapshot {
        self.vocab.snapshot()
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn lang(&self) -> &str {
        &self.footer.lang
    }

    pub(super) fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    pub(super) fn tokens(&self) -> u64 {
        self.footer.batches.iter().map(|batch| batch.tokens as u64).sum()
    }

    pub(super) fn batches(&self) -> usize {
        self.batches.len()
    }

    /// How many positions of lexemes there are, the empty one's included.
    pub(super) fn lexemes(&self) -> u32 {
        self.limits.lexemes
    }

    /// The batch of a document, which there is.
    pub(super) fn batch_of(&self, position: usize) -> usize {
        self.starts.partition_point(|start| *start <= position) - 1
    }

    /// The position of the first document of a batch; of the number of batches, that of all documents.
    pub(super) fn start(&self, number: usize) -> usize {
        self.starts[number]
    }

    pub(super) fn batch(&self, number: usize) -> Result<&RecordBatch> {
        self.batches[number].columns(&self.bytes, &self.schema)
    }

    /// The documents of a batch, judged.
    pub(super) fn docs(&self, number: usize) -> Result<&Docs> {
        let batch = &self.batches[number];
        if let Some(docs) = batch.judged.get() {
            return Ok(docs);
        }
        let docs = Docs::of(self.batch(number)?, self.image(), self.limits)
            .map_err(|error| error.context(format!("batch {number}, at byte {}", batch.at())))?;
        Ok(batch.judged.get_or_init(|| docs))
    }

    /// Whether the documents of a batch have been judged.
    pub(super) fn is_judged(&self, number: usize) -> bool {
        self.batches[number].judged.get().is_some()
    }

    /// The batch of a document, which there is, and its row there.
    pub(super) fn find(&self, position: usize) -> Result<(&Docs, usize)> {
        let number = self.batch_of(position);
        Ok((self.docs(number)?, position - self.starts[number]))
    }

    /// Checks the checksum of a batch, the first time.
    pub(super) fn check_sum(&self, number: usize) -> Result<()> {
        let batch = &self.batches[number];
        if batch.summed.get().is_none() {
            let bytes = &self.bytes[batch.at()..batch.at() + batch.len()];
            if crc32fast::hash(bytes) != batch.written.sum {
                return Err(checksum(&format!("batch {number}"), batch.at()));
            }
            batch.summed.get_or_init(|| ());
        }
        Ok(())
    }

    /// Checks all checksums and all documents.
    fn verify(&self) -> Result<()> {
        let first = self.batches.first().map_or(self.bytes.len(), Batch::at);
        let head = &self.bytes[..self.footer_head_end(first)];
        if crc32fast::hash(head) != self.footer.head {
            return Err(checksum("the beginning of the file", 0));
        }
        let snapshot = self.snapshot();
        for (number, batch) in self.batches.iter().enumerate() {
            self.check_sum(number)?;
            let docs = self.docs(number)?;
            for row in 0..batch.written.docs {
                let parts = docs.parts(row)?;
                for (i, token) in parts.tokens.iter().enumerate() {
                    let next = parts.tokens.get(i + 1);
                    let end = next.map_or(parts.text.len(), |next| next.byte as usize);
                    let own = &parts.text[token.byte as usize..end - usize::from(token.spacy())];
                    let cell = snapshot.cell(crate::vocab::LexIx::from_raw(token.lex));
                    if cell.is_none_or(|cell| cell.orth() != StrId::of(own)) {
                        let text = format!("token {i}, {own:?}, is another word in the lexicon");
                        return Err(super::check::wrong(row, &text)
                            .context(format!("batch {number}, at byte {}", batch.at())));
                    }
                }
            }
        }
        Ok(())
    }

    /// Where the part before the batches ends. Without a batch it is the schema's message.
    fn footer_head_end(&self, first: usize) -> usize {
        if !self.batches.is_empty() {
            return first;
        }
        // The magic bytes, padded, and one message.
        let prefix = ALIGN + 8;
        let len = self.bytes.get(ALIGN + 4..prefix).and_then(|len| len.first_chunk::<4>());
        let len = len.map_or(0, |len| u32::from_le_bytes(*len) as usize);
        prefix.saturating_add(len).min(self.bytes.len())
    }
}

/// Memory aligned as records need it, filled.
fn filled<E>(
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
) -> Result<Result<Buffer, E>> {
    let mut words: Vec<u64> = Vec::new();
    words.try_reserve_exact(len.div_ceil(8)).map_err(|_| {
        let text = format!("no memory for a corpus of {len} bytes; mapped, it needs none");
        Error::new(ErrorKind::Memory, "out-of-memory", text)
    })?;
    words.resize(len.div_ceil(8), 0);
    let filled = fill(&mut bytemuck::cast_slice_mut(&mut words)[..len]);
    Ok(filled.map(|()| Buffer::from_vec(words).slice_with_length(0, len)))
}

/// What Arrow's writer aligns messages to.
const ALIGN: usize = 64;

/// Where the footer begins.
fn end_of(bytes: &[u8]) -> Result<usize> {
    let len = bytes.len();
    if bytes.get(..MAGIC.len()).is_some_and(|magic| magic != MAGIC) {
        let text = format!("the file begins with {:02x?}, not with {MAGIC:02x?}", &bytes[..6]);
        return Err(fault("corpus-magic", 0, text));
    }
    let cut = |at: usize, text: String| fault("corpus-truncated", at, text);
    if len < MAGIC.len() + 2 + TAIL {
        return Err(cut(len, format!("the file ends after {len} bytes")));
    }
    if bytes[len - MAGIC.len()..] != *MAGIC {
        let text =
            "the file does not end with Arrow's magic bytes: it was cut, or is not whole yet";
        return Err(cut(len, text.to_owned()));
    }
    let footer = i32::from_le_bytes(bytes[len - TAIL..len - MAGIC.len()].try_into().expect("four"));
    let end = usize::try_from(footer).ok().and_then(|footer| (len - TAIL).checked_sub(footer));
    end.ok_or_else(|| cut(len - TAIL, format!("a footer of {footer} bytes in a file of {len}")))
}

/// The batches of a footer, which follow each other before the lexicon.
fn batches(parsed: &arrow_ipc::Footer<'_>, footer: &Footer, end: usize) -> Result<Vec<Batch>> {
    let blocks = parsed.recordBatches();
    let count = blocks.map_or(0, |blocks| blocks.len());
    if count != footer.batches.len() || parsed.dictionaries().is_some_and(|it| !it.is_empty()) {
        let listed = footer.batches.len();
        let text = format!("{count} batches, of which {listed} are listed, or dictionaries");
        return Err(fault("corpus-footer", end, text));
    }
    let mut before = None;
    let mut batches = Vec::with_capacity(count);
    for (block, written) in blocks.into_iter().flatten().zip(&footer.batches) {
        let (at, header, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
        let after = at.checked_add(i64::from(header)).and_then(|at| at.checked_add(body));
        let image = i64::try_from(footer.image.0).unwrap_or(i64::MAX);
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
                "batch {} of {header} and {body} bytes at {at}, where the one before ends at \
                 {before:?} and the lexicon begins at {image}",
                batches.len()
            );
            return Err(fault("corpus-footer", end, text));
        }
        before = after;
        batches.push(Batch::new(*block, *written));
    }
    Ok(batches)
}

fn norms_of(image: &MappedVocab) -> u32 {
    u32::try_from(image.norms().len()).unwrap_or(u32::MAX).min(TokenC::NORM_IX.max())
}

/// Where the lexicon lies, before the end of the file.
fn image_of(footer: &Footer, end: usize) -> Result<Range<usize>> {
    let (at, len) = footer.image;
    let range = usize::try_from(at).ok().zip(usize::try_from(len).ok());
    let range = range.and_then(|(at, len)| Some(at..at.checked_add(len)?));
    range.filter(|range| range.end <= end && at % 64 == 0).ok_or_else(|| {
        let text = format!("a lexicon of {len} bytes at {at}; the footer begins at {end}");
        fault("corpus-footer", end, text)
    })
}

/// The lexicon of a file.
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

fn checksum(what: &str, at: usize) -> Error {
    let text = format!("at byte {at}: {what} is not as it was written");
    Error::new(ErrorKind::Value, "corpus-checksum", text)
}
