//! The documents of a file, in whatever form it has them.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::corpus::{Conllu, Corpus};
use crate::formats::{DocBin, DocExtras};
use crate::tokenizer::Tokenizer;
use crate::tokens::Doc;
use crate::vocab::Vocab;
use crate::{Error, Result};

/// The forms in which a file has documents, and not texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Corpus,
    SpacyDocbin,
    Conllu,
}

impl Form {
    /// What the name of a file says.
    pub(super) fn of(path: &Path) -> Option<Form> {
        match path.extension().and_then(OsStr::to_str)? {
            "corpus" => Some(Form::Corpus),
            "spacy" => Some(Form::SpacyDocbin),
            "conllu" => Some(Form::Conllu),
            _ => None,
        }
    }

    pub(super) fn unknown(path: &Path) -> Error {
        let text = format!(
            "what is {}? The name of a file of documents ends in .corpus, .spacy or .conllu",
            path.display()
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

type Next = Box<dyn FnMut() -> Option<Result<(Doc, DocExtras)>>>;

impl Documents {
    /// Opens a file. A corpus knows its language, for others it is given.
    ///
    /// # Errors
    ///
    /// `file-form` for a file of something else; those of the forms.
    pub(super) fn open(path: &Path, lang: &str, sentences: Option<usize>) -> Result<Documents> {
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
                let named = |error: Error| error.context(path.display());
                let bin = DocBin::from_bytes(&bytes).map_err(named)?;
                let vocab = blank()?;
                let reader = bin.reader(&vocab.scope()).map_err(named)?;
                let (place, mut i) = (path.to_owned(), 0);
                let next = move || {
                    i += 1;
                    let read = |i| {
                        let doc = reader.doc(&bin, i).map_err(|error| {
                            error.context(format_args!("{}, document {i}", place.display()))
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
