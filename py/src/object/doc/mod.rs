//! `lexpool.tokens.Doc`: the class, how it is made, and what a sequence has.
//!
//! Holds unsafe code: lends the document to who promises not to run Python meanwhile, or holds it.

pub(crate) mod annotation;
mod arguments;
mod copies;
mod python_attributes;
mod spacy_export;
pub(crate) mod word_lists;

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use lexpool::tokens::Doc;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString};

use self::spacy_export::SpacyExport;
use crate::object::doc::arguments::DocArguments;
use crate::object::doc::python_attributes::PythonAttributes;
use crate::object::sequence_slots;
use crate::object::span::PySpan;
use crate::object::strings::id_of;
use crate::object::token::PyToken;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::doc_lock::{DocLock, ReadGuard, WriteGuard};
use crate::runtime::error::{OrRaise, StaleError};
use crate::runtime::text::{self, with_utf8};

/// A tokenized text with its annotation.
///
/// Made by a tokenizer, or from words: `Doc(vocab, words=["Hello", "!"], spaces=[False, False])`.
///
/// Any number of threads may read a document. A change waits a moment for readers that run outside
/// of the GIL, then raises BusyError; it is never half done.
#[pyclass(name = "Doc", module = "lexpool.tokens", frozen, weakref)]
pub(crate) struct PyDoc {
    doc: DocLock<Doc>,
    vocab: Py<PyVocab>,
    pub(crate) python_attributes: PythonAttributes,
    spacy_export: SpacyExport,
}

class!(PyDoc);

impl PyDoc {
    pub(crate) fn new(doc: Doc, vocab: Py<PyVocab>) -> PyDoc {
        PyDoc {
            doc: DocLock::new(doc),
            vocab,
            python_attributes: PythonAttributes::default(),
            spacy_export: SpacyExport::default(),
        }
    }

    /// The document, to be read; what native code wrote meanwhile is put back first.
    ///
    /// Fails with `BusyError` while it is being changed, and with `ValueError`, once, if what was
    /// written does not hold.
    #[inline]
    pub(crate) fn read<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<ReadGuard<'a, 'py, Doc>> {
        match self.doc.try_read(py) {
            Some(doc) => Ok(doc),
            None => self.read_reclaimed(py),
        }
    }

    #[cold]
    fn read_reclaimed<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<ReadGuard<'a, 'py, Doc>> {
        self.reclaim(py)?;
        self.doc.try_read(py).ok_or_else(|| self.doc.busy())
    }

    /// The document without counting a reader, where that is possible.
    ///
    /// # Safety
    ///
    /// As for [`DocLock::peek`].
    #[inline]
    pub(crate) unsafe fn peek<'a>(&'a self, py: Python<'_>) -> Option<&'a Doc> {
        // SAFETY: the caller promises the same.
        unsafe { self.doc.peek(py) }
    }

    /// The document, to be changed; as for `read`.
    pub(crate) fn write<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<WriteGuard<'a, 'py, Doc>> {
        loop {
            self.reclaim(py)?;
            match self.doc.write(py) {
                // Another thread took the tokens while this one waited.
                Err(_) if self.doc.is_exported() => {}
                done => return done,
            }
        }
    }

    /// The document, to be changed by a caller that has kept it.
    ///
    /// # Safety
    ///
    /// As for [`DocLock::reacquire_leaked`].
    pub(crate) unsafe fn reacquire_leaked<'a, 'py>(
        &'a self,
        py: Python<'py>,
    ) -> WriteGuard<'a, 'py, Doc> {
        // SAFETY: the caller promises the same.
        unsafe { self.doc.reacquire_leaked(py) }
    }

    pub(crate) fn py_vocab(&self) -> &Py<PyVocab> {
        &self.vocab
    }
}

#[pymethods]
impl PyDoc {
    /// Doc(vocab, words=None, spaces=None, *, user_data=None, tags=None, pos=None, morphs=None,
    ///     lemmas=None, heads=None, deps=None, sent_starts=None, ents=None)
    ///
    /// words: strings or ids. spaces: for each word, whether a space follows; by default each, and
    ///     `has_unknown_spaces` is set. All others: a list of one item a word.
    /// heads: positions; None for a root. deps: None where unknown. sent_starts: True, False or
    ///     None. ents: "B-TYPE", "I-TYPE", "O" or None.
    ///
    /// Raises ValueError: E908 spaces without words, E027 or E189 lengths that differ, E031 an empty
    /// word, E1017 heads without deps, E190 a head outside, E1021 an unknown part of speech, E177 a
    /// malformed entity tag. Raises AttributeError (E177) for a tag that is no string behind another,
    /// TypeError for words (E1022) or annotation (E017) of another type, OverflowError for a head
    /// beyond 32 bits.
    #[new]
    #[pyo3(signature = (vocab, words=None, spaces=None, *, user_data=None, tags=None, pos=None,
                        morphs=None, lemmas=None, heads=None, deps=None, sent_starts=None,
                        ents=None))]
    #[expect(clippy::too_many_arguments, reason = "spaCy's signature")]
    fn py_new(
        vocab: &Bound<'_, PyVocab>,
        words: Option<&Bound<'_, PyAny>>,
        spaces: Option<&Bound<'_, PyAny>>,
        user_data: Option<&Bound<'_, PyAny>>,
        tags: Option<&Bound<'_, PyAny>>,
        pos: Option<&Bound<'_, PyAny>>,
        morphs: Option<&Bound<'_, PyAny>>,
        lemmas: Option<&Bound<'_, PyAny>>,
        heads: Option<&Bound<'_, PyAny>>,
        deps: Option<&Bound<'_, PyAny>>,
        sent_starts: Option<&Bound<'_, PyAny>>,
        ents: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyDoc> {
        let py = vocab.py();
        let mut doc = from_words(vocab, words, spaces)?;
        let given = DocArguments { tags, pos, morphs, lemmas, heads, deps, sent_starts, ents };
        given.put_on(&mut doc, vocab)?;
        let made = PyDoc::new(doc, vocab.clone().unbind());
        if let Some(user_data) = user_data {
            made.python_attributes.set(py, "user_data", user_data)?;
        }
        Ok(made)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.python_attributes.traverse(&visit)?;
        visit.call(&self.vocab)
    }

    /// The vocab.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }

    /// The document itself, as for a token or span.
    #[getter]
    fn doc(slf: Bound<'_, PyDoc>) -> Bound<'_, PyDoc> {
        slf
    }

    /// The text, as it was given.
    #[getter]
    pub(crate) fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let doc = self.read(py)?;
        Ok(match doc.foreign_text() {
            Some(foreign) => text::owner(py, foreign),
            None => PyString::new(py, doc.text()),
        })
    }

    /// The text; a document always knows its trailing whitespace.
    #[getter]
    fn text_with_ws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    /// Whether nobody said which words are followed by spaces.
    #[getter]
    fn has_unknown_spaces(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.read(py)?.has_unknown_spaces())
    }

    #[setter]
    fn set_has_unknown_spaces(&self, py: Python<'_>, unknown: bool) -> PyResult<()> {
        self.write(py)?.set_unknown_spaces(unknown);
        Ok(())
    }

    /// Id of the code of the vocab's language.
    #[getter]
    fn lang(&self, py: Python<'_>) -> PyResult<u64> {
        let code = self.lang_(py)?;
        with_utf8(code.cast::<PyString>()?, |code| Ok(lexpool::strings::StrId::of(code).get()))
    }

    /// The code of the vocab's language, such as "en".
    #[getter]
    fn lang_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vocab.bind(py).getattr("lang")
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.read(py)?.len())
    }

    pub(crate) fn __getitem__<'py>(
        slf: &Bound<'py, PyDoc>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let doc = slf.get().read(py)?;
        if let Ok(slice) = key.cast::<PySlice>() {
            let (start, end) = bounds(slice, doc.len())?;
            return Ok(Bound::new(py, PySpan::of(slf, &doc, start, end))?.into_any());
        }
        let given = key.extract::<isize>()?;
        let len = doc.len();
        let Some(i) = position(given, len) else {
            let text = format!("[E040] no token {given} in a document of {len} tokens");
            return Err(PyIndexError::new_err(text));
        };
        Ok(PyToken::make(slf, &doc, i)?.into_any())
    }

    fn __iter__(slf: &Bound<'_, PyDoc>) -> PyResult<TokenIter> {
        let doc = slf.get().read(slf.py())?;
        Ok(TokenIter::new(slf, &doc, 0, doc.len()))
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    fn __bytes__(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        Ok(self.read(py)?.text().as_bytes().to_vec())
    }
}

/// The tokens of a document or span, one after another.
#[pyclass(module = "lexpool.tokens", frozen)]
pub(crate) struct TokenIter {
    doc: Py<PyDoc>,
    next: AtomicUsize,
    end: usize,
    generation: u32,
}

class!(TokenIter);

impl TokenIter {
    pub(crate) fn new(owner: &Bound<'_, PyDoc>, doc: &Doc, start: usize, end: usize) -> TokenIter {
        let generation = doc.generation();
        TokenIter { doc: owner.clone().unbind(), next: AtomicUsize::new(start), end, generation }
    }
}

#[pymethods]
impl TokenIter {
    fn __iter__(slf: PyRef<'_, TokenIter>) -> PyRef<'_, TokenIter> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyToken>>> {
        self.advance(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.doc)
    }

    fn __length_hint__(&self) -> usize {
        self.end.saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

impl TokenIter {
    #[inline]
    pub(crate) fn advance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyToken>>> {
        let next = self.next.load(Ordering::Relaxed);
        if next >= self.end {
            return Ok(None);
        }
        let owner = self.doc.bind(py);
        let doc = owner.get().read(py)?;
        if doc.generation() != self.generation {
            let text = "tokens of the document were merged or split while it was iterated over";
            return Err(StaleError::new_err(text));
        }
        self.next.store(next + 1, Ordering::Relaxed);
        PyToken::make(owner, &doc, next).map(Some)
    }
}

fn from_words(
    vocab: &Bound<'_, PyVocab>,
    words: Option<&Bound<'_, PyAny>>,
    spaces: Option<&Bound<'_, PyAny>>,
) -> PyResult<Doc> {
    let vocab = vocab.get().vocab();
    let Some(words) = words else {
        if spaces.is_some() {
            return Err(PyValueError::new_err("[E908] spaces were given without words"));
        }
        return Ok(Doc::empty(vocab));
    };
    let words = items(words)?;
    let spaces = spaces.map(items).transpose()?;
    if let Some(spaces) = &spaces {
        if spaces.len() != words.len() {
            let (words, spaces) = (words.len(), spaces.len());
            let text = format!("[E027] {words} words and {spaces} spaces; there is one a word");
            return Err(PyValueError::new_err(text));
        }
    }
    // Word by word, and no further than an empty one, which the core refuses: so of two faults the
    // first is named.
    let mut owned: Vec<(Cow<'_, str>, bool)> = Vec::with_capacity(words.len());
    for (i, word) in words.iter().enumerate() {
        let spacy = spaces.as_ref().map_or(Ok(true), |spaces| spaces[i].is_truthy())?;
        owned.push((word_of(vocab, word)?, spacy));
        if owned[i].0.is_empty() {
            break;
        }
    }
    let given: Vec<(&str, bool)> = owned.iter().map(|(word, spacy)| (&**word, *spacy)).collect();
    let doc = Doc::from_words(vocab, &given).or_raise()?;
    Ok(if spaces.is_some() { doc } else { doc.with_unknown_spaces() })
}

/// What is in an iterable.
pub(crate) fn items<'py>(of: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    match of.cast_exact::<PyList>() {
        Ok(list) => Ok(list.iter().collect()),
        Err(_) => of.try_iter()?.collect(),
    }
}

/// A word given as a string or by its id, as a string.
fn word_of<'a>(
    vocab: &std::sync::Arc<lexpool::vocab::Vocab>,
    word: &'a Bound<'_, PyAny>,
) -> PyResult<Cow<'a, str>> {
    if let Ok(word) = word.cast::<PyString>() {
        return text::utf8(word);
    }
    if word.is_instance_of::<pyo3::types::PyBytes>() {
        let text =
            "[E028] words are str, not bytes; decode them first, such as word.decode('utf8')";
        return Err(PyValueError::new_err(text));
    }
    let Ok(id) = id_of(word) else {
        let given = word.get_type().name()?;
        return Err(PyTypeError::new_err(format!("[E1022] words are str or ids, not {given}")));
    };
    let lexeme = vocab.lexeme_of(lexpool::strings::StrId::new(id)).or_raise()?;
    Ok(Cow::Owned(lexeme.text().to_owned()))
}

/// The position that an index names, counted from the end if it is negative.
pub(crate) fn position(given: isize, len: usize) -> Option<usize> {
    let i = if given < 0 { len.checked_add_signed(given)? } else { given.unsigned_abs() };
    (i < len).then_some(i)
}

/// The bounds of a slice without a step, cut to the length as for a list.
pub(crate) fn bounds(slice: &Bound<'_, PySlice>, len: usize) -> PyResult<(usize, usize)> {
    let indices = slice.indices(isize::try_from(len).unwrap_or(isize::MAX))?;
    if indices.step != 1 {
        let text = format!("[E057] a slice of tokens has no step; {} was given", indices.step);
        return Err(PyValueError::new_err(text));
    }
    // Cut to the length, so neither is negative.
    let (start, stop) = (indices.start.unsigned_abs(), indices.stop.unsigned_abs());
    Ok((start, stop.max(start)))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyDoc>(module)?;
    classes::prepare::<TokenIter>(module.py());
    sequence_slots::install(module.py());
    Ok(())
}
