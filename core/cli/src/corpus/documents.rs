//! Reader of the documents of a file, in any format.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lexpool::codes;
use lexpool::escape::shown;
use lexpool::formats::zlib::InflateLimit;
use lexpool::formats::{DocBin, DocExtras};
use lexpool::threads::all_cores;
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;
use lexpool::{Error, Result};
use lexpool_io::corpus::{Conllu, Corpus, DocUnit, InvalidUtf8, JsonlDocs, JsonlRead, ReadOptions};

/// Formats of files of documents, as opposed to texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocFormat {
    Corpus,
    SpacyDocbin,
    Conllu,
    /// JSON lines, each of which is a document or a text.
    Jsonl,
}

impl DocFormat {
    /// Returns the format of a file by the ending of its name.
    pub(super) fn of(path: &Path) -> Option<DocFormat> {
        match path.extension().and_then(OsStr::to_str)? {
            "corpus" => Some(DocFormat::Corpus),
            "spacy" => Some(DocFormat::SpacyDocbin),
            "conllu" => Some(DocFormat::Conllu),
            "jsonl" | "ndjson" => Some(DocFormat::Jsonl),
            _ => None,
        }
    }

    pub(super) fn unknown(path: &Path) -> Error {
        let text = format!(
            "cannot tell the format of {} from its ending; expected .corpus, .spacy, .conllu or \
             .jsonl",
            shown(path)
        );
        Error::value(codes::FILE_FORM, text)
    }
}

/// Iterator over documents with their extras.
pub(super) struct Documents {
    /// The vocab of the documents.
    pub(super) vocab: Arc<Vocab>,
    next: NextDoc,
}

/// Options of reading a file of documents.
#[derive(Clone, Copy)]
pub(super) struct ReadSettings<'a> {
    pub(super) lang: &'a str,
    /// Number of sentences per document of CoNLL-U.
    pub(super) sentences: Option<usize>,
    /// Options of reading JSON lines.
    pub(super) reading: ReadOptions,
    /// Number of threads that tokenize texts; 0 for one per core.
    pub(super) threads: usize,
    /// Limit of the uncompressed size of a `DocBin`, in bytes; `None` for the default.
    pub(super) max_bytes: Option<usize>,
}

impl ReadSettings<'_> {
    /// Default options: English, and everything in the file.
    pub(super) const DEFAULT: ReadSettings<'static> = ReadSettings {
        lang: "en",
        sentences: None,
        reading: ReadOptions {
            unit: DocUnit::Line,
            invalid: InvalidUtf8::Refuse,
            skip_blank: false,
        },
        threads: 0,
        max_bytes: None,
    };
}

/// Reader of JSON lines, some of which are texts: tokenizes many of them at once, on all threads.
struct JsonLines {
    reader: JsonlDocs,
    tokenizer: Tokenizer,
    threads: usize,
    /// Finished documents; an error is the last of them.
    ready: VecDeque<Result<(Doc, DocExtras)>>,
}

/// Bytes of text after which a batch of lines is complete.
const BATCH_BYTES: usize = 256 << 10;
/// Number of lines after which a batch is complete.
const BATCH_LINES: usize = 1 << 10;

impl JsonLines {
    fn next(&mut self) -> Option<Result<(Doc, DocExtras)>> {
        if self.ready.is_empty() {
            self.fill();
        }
        self.ready.pop_front()
    }

    fn fill(&mut self) {
        let (mut rows, mut texts, mut locations) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bytes, mut failed) = (0, None);
        while bytes < BATCH_BYTES && rows.len() < BATCH_LINES {
            match self.reader.next_at() {
                None => break,
                Some(Err(error)) => {
                    failed = Some(error);
                    break;
                }
                Some(Ok((JsonlRead::Doc(doc, extras), _))) => {
                    bytes += doc.text().len();
                    rows.push(Some((*doc, extras)));
                }
                Some(Ok((JsonlRead::Text(text), place))) => {
                    bytes += text.len();
                    texts.push(Text::Owned(text));
                    locations.push(place);
                    rows.push(None);
                }
            }
        }
        let threads = if self.threads == 0 { all_cores() } else { self.threads };
        match self.tokenizer.tokenize_all(texts, threads, &AtomicBool::new(false)) {
            Err(error) => failed = Some(error),
            Ok(made) => {
                let mut made = made.into_iter().zip(locations).map(|(doc, place)| {
                    let doc = doc.map_err(|error| error.context(place))?;
                    Ok((doc, DocExtras::default()))
                });
                self.ready.extend(rows.into_iter().filter_map(|row| match row {
                    Some(row) => Some(Ok(row)),
                    None => made.next(),
                }));
            }
        }
        self.ready.extend(failed.map(Err));
    }
}

type NextDoc = Box<dyn FnMut() -> Option<Result<(Doc, DocExtras)>>>;

impl Documents {
    /// Opens a file. `settings.lang` is used unless the file names a language.
    ///
    /// # Errors
    ///
    /// `file-form` for a file of another format; errors of the formats.
    pub(super) fn open(path: &Path, settings: &ReadSettings<'_>) -> Result<Documents> {
        let ReadSettings { lang, sentences, reading, threads, max_bytes } = *settings;
        let blank = || -> Result<Arc<Vocab>> { Ok(Arc::clone(Tokenizer::blank(lang)?.vocab())) };
        let (vocab, next): (Arc<Vocab>, NextDoc) = match DocFormat::of(path) {
            None => return Err(DocFormat::unknown(path)),
            Some(DocFormat::Corpus) => {
                let corpus = Corpus::open(path)?;
                let (vocab, mut i) = (Arc::clone(corpus.vocab()), 0);
                let next = move || {
                    i += 1;
                    let read = |i| Ok((corpus.doc(i)?, corpus.extras(i)?));
                    (i <= corpus.len()).then(|| read(i - 1))
                };
                (vocab, Box::new(next))
            }
            Some(DocFormat::SpacyDocbin) => {
                let bytes = fs::read(path).map_err(|error| Error::io("read", path, error))?;
                let named = |error: Error| error.context(shown(path));
                let limit = max_bytes
                    .map_or_else(|| InflateLimit::for_stream(bytes.len()), InflateLimit::new);
                let bin = DocBin::from_bytes_within(&bytes, limit).map_err(named)?;
                let vocab = blank()?;
                let reader = bin.reader(&vocab.snapshot()).map_err(named)?;
                let (place, mut i) = (path.to_owned(), 0);
                let next = move || {
                    i += 1;
                    let read = |i| {
                        let doc = reader.doc(&bin, i).map_err(|error| {
                            error.context(format_args!("{}, document {i}", shown(&place)))
                        })?;
                        Ok((doc, bin.extras(i).cloned().unwrap_or_default()))
                    };
                    (i <= bin.len()).then(|| read(i - 1))
                };
                (vocab, Box::new(next))
            }
            Some(DocFormat::Conllu) => {
                let vocab = blank()?;
                let mut reader = Conllu::open(path, &vocab, sentences)?;
                let next = move || reader.next().map(|gold| Ok((gold?.doc, DocExtras::default())));
                (vocab, Box::new(next))
            }
            Some(DocFormat::Jsonl) => {
                let tokenizer = Tokenizer::blank(lang)?;
                let vocab = Arc::clone(tokenizer.vocab());
                let reader = JsonlDocs::open(path, reading, &vocab)?;
                let mut lines = JsonLines { reader, tokenizer, threads, ready: VecDeque::new() };
                (vocab, Box::new(move || lines.next()))
            }
        };
        Ok(Documents { vocab, next })
    }
}

impl Iterator for Documents {
    type Item = Result<(Doc, DocExtras)>;

    fn next(&mut self) -> Option<Result<(Doc, DocExtras)>> {
        (self.next)()
    }
}
