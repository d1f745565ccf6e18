//! The documents of a file, in whatever form it has them.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lexpool::corpus::{Conllu, Corpus, DocUnit, InvalidUtf8, JsonlDocs, JsonlRead, ReadOptions};
use lexpool::escape::shown;
use lexpool::formats::zlib::InflateLimit;
use lexpool::formats::{DocBin, DocExtras};
use lexpool::threads::all_cores;
use lexpool::tokenizer::{Text, Tokenizer};
use lexpool::tokens::Doc;
use lexpool::vocab::Vocab;
use lexpool::{Error, Result};

/// The forms in which a file has documents, and not texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Corpus,
    SpacyDocbin,
    Conllu,
    /// Lines of which each is a document, or a text.
    Jsonl,
}

impl Form {
    /// What the name of a file says.
    pub(super) fn of(path: &Path) -> Option<Form> {
        match path.extension().and_then(OsStr::to_str)? {
            "corpus" => Some(Form::Corpus),
            "spacy" => Some(Form::SpacyDocbin),
            "conllu" => Some(Form::Conllu),
            "jsonl" | "ndjson" => Some(Form::Jsonl),
            _ => None,
        }
    }

    pub(super) fn unknown(path: &Path) -> Error {
        let text = format!(
            "what is {}? The name of a file of documents ends in .corpus, .spacy, .conllu or .jsonl",
            shown(path)
        );
        Error::value("file-form", text)
    }
}

/// Documents with what they carry, one after the other.
pub(super) struct Documents {
    /// The vocab that they are in.
    pub(super) vocab: Arc<Vocab>,
    next: Next,
}

/// How a file is read.
#[derive(Clone, Copy)]
pub(super) struct Opening<'a> {
    pub(super) lang: &'a str,
    /// Of CoNLL-U, how many sentences a document has.
    pub(super) sentences: Option<usize>,
    /// Of JSON lines.
    pub(super) reading: ReadOptions,
    /// On how many threads texts are tokenized; 0 for one a core.
    pub(super) threads: usize,
    /// Limit of a `DocBin` in bytes when it is uncompressed; `None` for the default.
    pub(super) max_bytes: Option<usize>,
}

impl Opening<'_> {
    /// Reads all that is there, in English, as it stands.
    pub(super) const PLAIN: Opening<'static> = Opening {
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

/// JSON lines, some of which are texts that are to be tokenized: many at once, on all threads.
struct Lines {
    reader: JsonlDocs,
    tokenizer: Tokenizer,
    threads: usize,
    /// What is done; an error comes after what was read before it.
    ready: VecDeque<Result<(Doc, DocExtras)>>,
}

/// So much text, or so many lines, are read at once.
const ENOUGH_BYTES: usize = 256 << 10;
const ENOUGH_LINES: usize = 1 << 10;

impl Lines {
    fn next(&mut self) -> Option<Result<(Doc, DocExtras)>> {
        if self.ready.is_empty() {
            self.fill();
        }
        self.ready.pop_front()
    }

    fn fill(&mut self) {
        let (mut rows, mut texts, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let (mut bytes, mut failed) = (0, None);
        while bytes < ENOUGH_BYTES && rows.len() < ENOUGH_LINES {
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
                    places.push(place);
                    rows.push(None);
                }
            }
        }
        let threads = if self.threads == 0 { all_cores() } else { self.threads };
        match self.tokenizer.tokenize_all(texts, threads, &AtomicBool::new(false)) {
            Err(error) => failed = Some(error),
            Ok(made) => {
                let mut made = made.into_iter().zip(places).map(|(doc, place)| {
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

type Next = Box<dyn FnMut() -> Option<Result<(Doc, DocExtras)>>>;

impl Documents {
    /// Opens a file. A corpus knows its language, for others it is given.
    ///
    /// # Errors
    ///
    /// `file-form` for a file of something else; those of the forms.
    pub(super) fn open(path: &Path, opening: &Opening<'_>) -> Result<Documents> {
        let Opening { lang, sentences, reading, threads, max_bytes } = *opening;
        let blank = || -> Result<Arc<Vocab>> { Ok(Arc::clone(Tokenizer::blank(lang)?.vocab())) };
        let (vocab, next): (Arc<Vocab>, Next) = match Form::of(path) {
            None => return Err(Form::unknown(path)),
            Some(Form::Corpus) => {
                let corpus = Corpus::open(path)?;
                let (vocab, mut i) = (Arc::clone(corpus.vocab()), 0);
                let next = move || {
                    i += 1;
                    let read = |i| Ok((corpus.doc(i)?, corpus.extras(i)?));
                    (i <= corpus.len()).then(|| read(i - 1))
                };
                (vocab, Box::new(next))
            }
            Some(Form::SpacyDocbin) => {
                let bytes = fs::read(path).map_err(|error| Error::io("read", path, error))?;
                let named = |error: Error| error.context(shown(path));
                let most = max_bytes
                    .map_or_else(|| InflateLimit::for_stream(bytes.len()), InflateLimit::new);
                let bin = DocBin::from_bytes_within(&bytes, most).map_err(named)?;
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
            Some(Form::Conllu) => {
                let vocab = blank()?;
                let mut reader = Conllu::open(path, &vocab, sentences)?;
                let next = move || reader.next().map(|gold| Ok((gold?.doc, DocExtras::default())));
                (vocab, Box::new(next))
            }
            Some(Form::Jsonl) => {
                let tokenizer = Tokenizer::blank(lang)?;
                let vocab = Arc::clone(tokenizer.vocab());
                let reader = JsonlDocs::open(path, reading, &vocab)?;
                let mut lines = Lines { reader, tokenizer, threads, ready: VecDeque::new() };
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
