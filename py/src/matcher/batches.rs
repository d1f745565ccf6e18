//! Phrase matching in many documents or texts at once, and phrases from texts and files.

use std::ops::Range;
use std::path::PathBuf;

use lexpool::matcher::{Matches, PhraseList, PhraseMatcher};
use lexpool::threads;
use lexpool::tokenizer::Text;
use lexpool::tokens::Doc;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString};

use super::matches::PyMatches;
use super::phrases::{ANNOTATION, PyPhraseMatcher, key_id};
use super::search_input::{MatchTuple, SearchInput};
use crate::object::vocab::PyVocab;
use crate::runtime::error::OrRaise;
use crate::runtime::gil::{self, detached};
use crate::runtime::items::{self, Items};
use crate::runtime::text_stream::{self, MAX_BATCH_BYTES, as_text, thread_count};
use crate::runtime::user_calls::nested;

/// The number of bytes of a batch for each thread: some milliseconds of work, so that waiting for
/// the last thread and waking the others take a small part of it.
const THREAD_BYTES: usize = 256 << 10;

#[pymethods]
impl PyPhraseMatcher {
    /// Adds phrases under a key, from texts that are tokenized; texts without tokens are skipped.
    ///
    /// on_match: as for `add`.
    /// tokenizer: a Tokenizer, or a Language with one; by default one with lexpool's rules for the
    ///     vocab's language.
    ///
    /// Creates no documents, so it takes a fraction of the time of `add`. Raises ValueError (E155)
    /// if the compared attribute needs a pipeline, TypeError for an item other than a text.
    /// Nothing is added then.
    #[pyo3(signature = (key, texts, *, on_match=None, tokenizer=None))]
    // stub: (key: str, texts: Iterable[str], on_match: _OnPhrase | None,
    //     tokenizer: Tokenizer | Any | None)
    fn add_texts(
        slf: &Bound<'_, PyPhraseMatcher>,
        key: &Bound<'_, PyAny>,
        texts: &Bound<'_, PyAny>,
        on_match: Option<&Bound<'_, PyAny>>,
        tokenizer: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = slf.py();
        let tokenizer = slf.get().tokenizer(py, tokenizer)?;
        let attr = slf.get().phrases()?.attr();
        if ANNOTATION.contains(&attr) {
            let name = attr.name().unwrap_or("the attribute");
            let text = format!(
                "[E155] phrases are compared by {name}, which a tokenizer does not set; create \
                 documents with a pipeline that sets it and use add()"
            );
            return Err(PyValueError::new_err(text));
        }
        let vocab = slf.get().py_vocab(py)?;
        let mut texts = TextSource::new(texts)?;
        let mut batches = Vec::new();
        loop {
            let batch = texts.take(py, usize::MAX, 0)?;
            if batch.is_empty() {
                break;
            }
            let before = texts.texts_read - batch.len();
            let strings: Vec<&str> = batch.iter().map(Text::as_str).collect();
            let phrases = detached(py, || PhraseList::of_texts(attr, &tokenizer, &strings));
            batches.push(phrases.map_err(|error| numbered(error, before)).or_raise()?);
            py.check_signals()?;
        }
        PyVocab::__getitem__(vocab.bind(py), key)?;
        PyPhraseMatcher::enter(slf, key, on_match)?;
        let number = key_id(key)?;
        slf.get().change(|phrases| {
            batches.iter().try_for_each(|batch| phrases.add_phrases(number, batch))
        })
    }

    /// Finds all phrases in many texts: the matches in the documents that a tokenizer would make of
    /// them, without making them. No callback is called.
    ///
    /// tokenizer: as for `add_texts`.
    /// n_threads: 1 for the caller's thread only, 0 for one thread per core.
    /// batch_size: number of texts in a batch; on several threads, a batch of short texts has more.
    ///
    /// Raises ValueError: E025 for a text of 2**30 characters or more, phrase-limit as for a call;
    /// TypeError for an item other than a text.
    #[pyo3(signature = (texts, *, tokenizer=None, n_threads=1, batch_size=1000))]
    // stub: (texts: Iterable[str], tokenizer: Tokenizer | Any | None)
    fn match_texts(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        tokenizer: Option<&Bound<'_, PyAny>>,
        n_threads: isize,
        batch_size: isize,
    ) -> PyResult<PyMatches> {
        let tokenizer = self.tokenizer(py, tokenizer)?;
        let (n_threads, size) = (thread_count(n_threads)?, text_stream::batch_size(batch_size)?);
        let phrases = self.phrases()?;
        let least =
            if n_threads == 1 { 0 } else { THREAD_BYTES.saturating_mul(threads::size(n_threads)) };
        let mut texts = TextSource::new(texts)?;
        let mut all = Matches::default();
        let mut batch = texts.take(py, size, least)?;
        while !batch.is_empty() {
            let (before, mut next) = (texts.texts_read - batch.len(), None);
            let found = if n_threads == 1 {
                gil::waiting(py, || phrases.find_in_texts(&tokenizer, &batch, 1))
            } else {
                // This thread takes the next texts while the others work.
                let meanwhile = || next = Some(Python::attach(|py| texts.take(py, size, least)));
                let mut meanwhile = meanwhile;
                gil::waiting(py, || {
                    phrases.find_in_texts_while(&tokenizer, &batch, n_threads, &mut meanwhile)
                })
            };
            let found = found.map_err(|error| numbered(error, before)).or_raise()?;
            all.append(found, before).or_raise()?;
            py.check_signals()?;
            batch = next.unwrap_or_else(|| texts.take(py, size, least))?;
        }
        Ok(PyMatches::new(all, self.py_vocab(py)?, texts.texts_read, true))
    }

    /// Finds all phrases in many documents or spans, on many threads. No callback is called.
    ///
    /// n_threads: 0 for one thread per core, 1 for the caller's thread only.
    ///
    /// Raises ValueError as a call does, with the number of the document.
    #[pyo3(signature = (docs, n_threads=0))]
    // stub: (docs: Iterable[Doc | Span])
    fn match_all(
        &self,
        py: Python<'_>,
        docs: &Bound<'_, PyAny>,
        n_threads: isize,
    ) -> PyResult<PyMatches> {
        let (phrases, threads) = (self.phrases()?, thread_count(n_threads)?);
        let docs = items::read(docs, Ok)?;
        let searched = docs.iter().map(SearchInput::one).collect::<PyResult<Vec<_>>>()?;
        let found = find_all(py, &phrases, &searched, threads)?;
        Ok(PyMatches::new(found, self.py_vocab(py)?, docs.len(), false))
    }

    /// Returns for each document the result of a call, searched on many threads.
    #[pyo3(signature = (docs, n_threads, as_spans))]
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    // stub: (docs: Sequence[Doc | Span]) -> list[list[Any]]
    fn _match_batch<'py>(
        slf: &Bound<'py, PyPhraseMatcher>,
        docs: Items<Bound<'py, PyAny>>,
        n_threads: isize,
        as_spans: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let (phrases, threads) = (slf.get().phrases()?, thread_count(n_threads)?);
        let docs = docs.iter().map(SearchInput::one).collect::<PyResult<Vec<_>>>()?;
        let matches = find_all(py, &phrases, &docs, threads)?;
        drop(phrases);
        py.check_signals()?;
        let (results, mut found) = (PyList::empty(py), Vec::new());
        for (number, searched) in docs.iter().enumerate() {
            let own = matches.of_doc(number).filter_map(|at| matches.get(at));
            found.clear();
            found.extend(own.map(|found| -> MatchTuple {
                (found.key.get(), found.start as usize, found.end as usize)
            }));
            let doc = searched.doc(py);
            results.append(PyPhraseMatcher::finish(slf, doc, &found, as_spans)?)?;
        }
        Ok(results)
    }

    /// Writes the phrases and keys, without callbacks, to a file atomically. Raises OSError.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python path for this call")]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let (phrases, vocab) = (self.phrases()?, self.py_vocab(py)?);
        let vocab = vocab.get().vocab();
        detached(py, || phrases.save(&path, vocab)).or_raise()
    }

    /// Replaces the phrases by those of a file.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python path for this call")]
    fn _map(slf: &Bound<'_, PyPhraseMatcher>, path: PathBuf) -> PyResult<()> {
        let py = slf.py();
        let vocab = slf.get().py_vocab(py)?;
        let mapped = detached(py, || PhraseMatcher::open(&path, vocab.get().vocab())).or_raise()?;
        slf.get().replace(py, mapped)
    }
}

/// The phrases in documents and spans, searched without the GIL.
fn find_all(
    py: Python<'_>,
    phrases: &PhraseMatcher,
    searched: &[SearchInput<'_, '_>],
    threads: usize,
) -> PyResult<Matches> {
    let reading =
        searched.iter().map(|searched| searched.read(py)).collect::<PyResult<Vec<_>>>()?;
    let docs: Vec<(&Doc, Range<usize>)> =
        reading.iter().map(|(doc, tokens)| (&**doc, tokens.clone())).collect();
    // The threads that search, of which this is one, register with the fork gate.
    gil::waiting(py, || phrases.find_all(&docs, threads)).or_raise()
}

/// A stream of texts, taken in batches.
struct TextSource {
    stream: Py<PyIterator>,
    /// The number of texts read so far.
    texts_read: usize,
}

impl TextSource {
    fn new(texts: &Bound<'_, PyAny>) -> PyResult<TextSource> {
        if texts.is_instance_of::<PyString>() {
            let text = "expected an iterable of texts, not a single text; wrap it: [text]";
            return Err(PyTypeError::new_err(text));
        }
        Ok(TextSource { stream: PyIterator::from_object(texts)?.unbind(), texts_read: 0 })
    }

    /// The next texts, up to a number of them, or more until they have `least` bytes, and up to a
    /// few megabytes; empty at the end.
    fn take(&mut self, py: Python<'_>, number: usize, least: usize) -> PyResult<Vec<Text>> {
        let mut stream = self.stream.bind(py).clone();
        let (mut texts, mut bytes) = (Vec::new(), 0);
        while (texts.len() < number || bytes < least) && bytes < MAX_BATCH_BYTES {
            let Some(next) = nested(py, || stream.next().transpose())? else { break };
            let text = as_text(&next, self.texts_read)?;
            bytes += text.as_str().len();
            self.texts_read += 1;
            texts.push(text);
        }
        Ok(texts)
    }
}

/// Renumbers an error about a text by its position in the stream.
fn numbered(error: lexpool::Error, before: usize) -> lexpool::Error {
    if before == 0 { error } else { error.context(format_args!("after {before} texts")) }
}
