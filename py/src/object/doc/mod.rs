//! `lexpool.tokens.Doc`: the class, its constructor, and its sequence methods.
//!
//! Unsafe code: passes on references without a reader count, and leaked write locks, to callers
//! that keep the rules of `DocLock`.

pub(crate) mod annotation;
mod arguments;
mod copies;
mod python_attributes;
mod spacy_export;
pub(crate) mod tensor;
mod token_details;
pub(crate) mod word_lists;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lexpool::segment::Segment;
use lexpool::tokens::Doc;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString};

use self::spacy_export::SpacyExport;
use crate::object::doc::arguments::DocArguments;
use crate::object::doc::python_attributes::PythonAttributes;
use crate::object::doc::tensor::TensorObject;
use crate::object::sequence_slots;
use crate::object::span::PySpan;
use crate::object::strings::id_of;
use crate::object::token::PyToken;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::{self, class};
use crate::runtime::doc_lock::{DocLock, ReadGuard, WriteGuard};
use crate::runtime::error::{OrRaise, Raised, StaleError};
use crate::runtime::items;
use crate::runtime::text::{self, Utf8, with_utf8};

/// A tokenized text with its annotation.
///
/// Made by a tokenizer, or from words: `Doc(vocab, words=["Hello", "!"], spaces=[False, False])`.
///
/// Any number of threads may read a document. A change waits 20 ms for readers that run without the
/// GIL, then raises BusyError; no change is ever applied in part.
#[pyclass(name = "Doc", module = "lexpool.tokens", frozen, weakref)]
pub(crate) struct PyDoc {
    doc: DocLock<Doc>,
    vocab: Py<PyVocab>,
    pub(crate) python_attributes: PythonAttributes,
    spacy_export: SpacyExport,
    /// The segmenter that cut the text, if it has details of the tokens for `user_data`.
    segmenter: Option<Arc<dyn Segment>>,
}

class!(PyDoc);

impl PyDoc {
    pub(crate) fn new(doc: Doc, vocab: Py<PyVocab>) -> PyDoc {
        PyDoc {
            doc: DocLock::new(doc),
            vocab,
            python_attributes: PythonAttributes::default(),
            spacy_export: SpacyExport::default(),
            segmenter: None,
        }
    }

    /// Returns the document of a segmenter that has details of tokens.
    pub(crate) fn with_segmenter(mut self, segmenter: Option<Arc<dyn Segment>>) -> PyDoc {
        self.segmenter = segmenter;
        self
    }

    /// Locks the document for reading, after putting back what native code wrote to exported
    /// tokens.
    ///
    /// # Errors
    ///
    /// `BusyError` while it is being changed; once `ValueError` if native code wrote invalid
    /// records.
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

    /// The document without counting a reader, if possible.
    ///
    /// # Safety
    ///
    /// As for [`DocLock::peek`].
    #[inline]
    pub(crate) unsafe fn peek<'a>(&'a self, py: Python<'_>) -> Option<&'a Doc> {
        // SAFETY: the caller has the same duties as that of `DocLock::peek`.
        unsafe { self.doc.peek(py) }
    }

    /// Locks the document for writing; as for `read`.
    pub(crate) fn write<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<WriteGuard<'a, 'py, Doc>> {
        loop {
            self.reclaim(py)?;
            match self.doc.write(py) {
                // Another thread exported the tokens meanwhile.
                Err(_) if self.doc.is_exported() => {}
                done => return done,
            }
        }
    }

    /// Turns the leaked write lock into a guard again.
    ///
    /// # Safety
    ///
    /// As for [`DocLock::reacquire_leaked`].
    pub(crate) unsafe fn reacquire_leaked<'a, 'py>(
        &'a self,
        py: Python<'py>,
    ) -> WriteGuard<'a, 'py, Doc> {
        // SAFETY: the caller has the same duties as that of `DocLock::reacquire_leaked`.
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
    /// words: strings or ids.
    /// spaces: for each word, True if a space follows. By default a space follows each word, and
    ///     `has_unknown_spaces` is set.
    /// heads: positions; None for a root.
    /// deps: relations; None if unknown.
    /// sent_starts: True, False, or None if unknown.
    /// ents: "B-TYPE", "I-TYPE", "O" or None.
    /// tags, pos, morphs, lemmas: as strings. These and the four above are lists with one item a
    ///     word.
    ///
    /// Raises ValueError: E908 for spaces without words, E027 or E189 for lengths that differ, E031
    /// for an empty word, E1017 for heads without deps, E190 for a head outside, E1021 for an
    /// unknown part of speech, E177 for a malformed entity tag. Raises AttributeError (E177) for a
    /// tag that is not a string after one that is, TypeError for words (E1022) or annotation (E017)
    /// of another type, OverflowError for a head beyond 32 bits.
    #[new]
    #[pyo3(signature = (vocab, words=None, spaces=None, *, user_data=None, tags=None, pos=None,
                        morphs=None, lemmas=None, heads=None, deps=None, sent_starts=None,
                        ents=None))]
    #[expect(clippy::too_many_arguments, reason = "spaCy's signature")]
    // stub: (words: Iterable[str | SupportsIndex] | None, spaces: Iterable[object] | None,
    //     user_data: dict[Any, Any] | None, tags: Iterable[str | None] | None,
    //     pos: Iterable[str | None] | None, morphs: Iterable[str | None] | None,
    //     lemmas: Iterable[str | None] | None, heads: Iterable[float | None] | None,
    //     deps: Iterable[str | None] | None, sent_starts: Iterable[bool | int | None] | None,
    //     ents: Iterable[str | None] | None)
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
        let arguments = DocArguments { tags, pos, morphs, lemmas, heads, deps, sent_starts, ents };
        arguments.put_on(&mut doc, vocab)?;
        let py_doc = PyDoc::new(doc, vocab.clone().unbind());
        if let Some(user_data) = user_data {
            py_doc.python_attributes.set(py, "user_data", user_data)?;
        }
        Ok(py_doc)
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
    // stub: -> Self
    fn doc(slf: Bound<'_, PyDoc>) -> Bound<'_, PyDoc> {
        slf
    }

    /// The text that the document was made from.
    #[getter]
    pub(crate) fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let doc = self.read(py)?;
        Ok(match doc.foreign_text() {
            Some(foreign) => text::owner(py, foreign),
            None => PyString::new(py, doc.text()),
        })
    }

    /// The text; a document always includes its trailing whitespace.
    #[getter]
    fn text_with_ws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py)
    }

    /// True if the document was made from words without `spaces`.
    #[getter]
    fn has_unknown_spaces(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.read(py)?.has_unknown_spaces())
    }

    #[setter]
    fn set_has_unknown_spaces(&self, py: Python<'_>, unknown: bool) -> PyResult<()> {
        self.write(py)?.set_unknown_spaces(unknown);
        Ok(())
    }

    /// The id of the language code of the vocab.
    #[getter]
    fn lang(&self, py: Python<'_>) -> PyResult<u64> {
        let code = self.lang_(py)?;
        with_utf8(code.cast::<PyString>()?, |code| Ok(lexpool::strings::StrId::of(code).get()))
    }

    /// The language code of the vocab, such as "en".
    #[getter]
    // stub: -> str
    fn lang_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vocab.bind(py).getattr("lang")
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.read(py)?.len())
    }

    // stub: (key: SupportsIndex, /) -> Token
    // stub: (key: slice, /) -> Span
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
        let index = key.extract::<isize>()?;
        let len = doc.len();
        let Some(i) = position(index, len) else {
            let text = format!(
                "[E040] token {index} is out of range for a document of {len} \
                                tokens"
            );
            return Err(PyIndexError::new_err(text));
        };
        Ok(PyToken::make(slf, &doc, i)?.into_any())
    }

    // stub: -> Iterator[Token]
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

/// Iterator over the tokens of a document or span.
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
    let words = list_of(words)?;
    let spaces = spaces.map(list_of).transpose()?;
    if let Some(spaces) = &spaces {
        if spaces.len() != words.len() {
            let (words, spaces) = (words.len(), spaces.len());
            let text = format!(
                "[E027] got {words} words and {spaces} spaces; expected as many \
                                spaces as words"
            );
            return Err(PyValueError::new_err(text));
        }
    }
    let is_spacy = |i: usize| match &spaces {
        Some(spaces) => spaces.get_item(i)?.is_truthy(),
        None => Ok(true),
    };
    let spaced_words = words.iter().enumerate().map(|(i, word)| {
        let spacy = is_spacy(i)?;
        Ok((word_of(vocab, word)?, spacy))
    });
    let doc = Doc::try_from_words(vocab, spaced_words).map_err(|Raised(error)| error)?;
    Ok(if spaces.is_some() { doc } else { doc.with_unknown_spaces() })
}

/// A list, or a list of the items of another iterable.
fn list_of<'py>(of: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    match of.cast_exact::<PyList>() {
        Ok(list) => Ok(list.clone()),
        Err(_) => PyList::new(of.py(), items::read(of, Ok)?),
    }
}

/// The string of a word that is given as a string or by its id.
fn word_of<'py>(
    vocab: &Arc<lexpool::vocab::Vocab>,
    word: Bound<'py, PyAny>,
) -> PyResult<Utf8<'py>> {
    let word = match word.cast_into::<PyString>() {
        Ok(word) => return Utf8::of(word),
        Err(other) => other.into_inner(),
    };
    if word.is_instance_of::<pyo3::types::PyBytes>() {
        let text =
            "[E028] words must be str, not bytes; decode them first, such as word.decode('utf8')";
        return Err(PyValueError::new_err(text));
    }
    let Ok(id) = id_of(&word) else {
        let class = word.get_type().name()?;
        return Err(PyTypeError::new_err(format!("[E1022] words must be str or ids, not {class}")));
    };
    let lexeme = vocab.lexeme_of(lexpool::strings::StrId::new(id)).or_raise()?;
    Ok(Utf8::Owned(lexeme.text().to_owned()))
}

/// Resolves an index, which counts from the end if it is negative. Returns `None` out of range.
pub(crate) fn position(index: isize, len: usize) -> Option<usize> {
    let i = if index < 0 { len.checked_add_signed(index)? } else { index.unsigned_abs() };
    (i < len).then_some(i)
}

/// The bounds of a slice without a step, cut to the length as for a list.
pub(crate) fn bounds(slice: &Bound<'_, PySlice>, len: usize) -> PyResult<(usize, usize)> {
    let indices = slice.indices(isize::try_from(len).unwrap_or(isize::MAX))?;
    if indices.step != 1 {
        let text = format!(
            "[E057] slices of tokens with a step are not supported; the step is {}",
            indices.step
        );
        return Err(PyValueError::new_err(text));
    }
    // `indices` cut them to the length, so neither is negative.
    let (start, stop) = (indices.start.unsigned_abs(), indices.stop.unsigned_abs());
    Ok((start, stop.max(start)))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyDoc>(module)?;
    classes::prepare::<TokenIter>(module.py());
    classes::prepare::<TensorObject>(module.py());
    sequence_slots::install(module.py());
    Ok(())
}
