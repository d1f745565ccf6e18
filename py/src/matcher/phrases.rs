//! Engine of `lexpool.matcher.PhraseMatcher`: phrases, callbacks and searches.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::matcher::{PhraseList, PhraseMatcher};
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokenizer::Tokenizer;
use lexpool::tokens::Doc;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyString, PyTuple};

use super::search::search;
use super::search_input::{MatchTuple, SearchInput, spans, tuples};
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::class;
use crate::runtime::error::{OrRaise, warn};
use crate::runtime::items::{self, Items};
use crate::runtime::python_side;
use crate::runtime::text::with_utf8;
use crate::runtime::user_calls::CallUser;

/// The id that marks the end of a phrase in spaCy's trie. No phrase continues after a token with
/// this id.
const END: u64 = 826_361_138_722_620_965;

/// The attributes that only a component of a pipeline sets.
pub(super) const ANNOTATION: [AttrId; 5] =
    [AttrId::TAG, AttrId::POS, AttrId::MORPH, AttrId::LEMMA, AttrId::DEP];

/// Phrases by key, and the search for them; the base of `lexpool.matcher.PhraseMatcher`.
#[pyclass(name = "PhraseMatcher", module = "lexpool._core", frozen, subclass)]
pub(crate) struct PyPhraseMatcher(Mutex<MatcherState>);

class!(PyPhraseMatcher);

/// The state of a matcher. Locked for a moment only, and never while Python code runs.
#[derive(Default)]
struct MatcherState {
    /// `None` before `__init__`, and after the garbage collector has broken a cycle.
    parts: Option<MatcherParts>,
}

struct MatcherParts {
    vocab: Py<PyVocab>,
    validate: bool,
    phrases: Arc<PhraseMatcher>,
    /// Callbacks by key, or None.
    callbacks: Py<PyDict>,
    /// The number of those that are not None.
    calls: usize,
    /// The default tokenizer for texts, created on first use.
    tokenizer: Option<Arc<Tokenizer>>,
}

impl PyPhraseMatcher {
    fn state(&self) -> MutexGuard<'_, MatcherState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, f: impl FnOnce(&mut MatcherParts) -> T) -> PyResult<T> {
        self.state().parts.as_mut().map(f).ok_or_else(|| {
            PyRuntimeError::new_err("this matcher has no vocab; its __init__ was not called")
        })
    }

    pub(super) fn phrases(&self) -> PyResult<Arc<PhraseMatcher>> {
        self.with(|parts| Arc::clone(&parts.phrases))
    }

    /// The present phrases, unless matches call Python functions.
    pub(crate) fn without_python(&self) -> PyResult<Option<Arc<PhraseMatcher>>> {
        self.with(|parts| (parts.calls == 0).then(|| Arc::clone(&parts.phrases)))
    }

    pub(super) fn py_vocab(&self, py: Python<'_>) -> PyResult<Py<PyVocab>> {
        self.with(|parts| parts.vocab.clone_ref(py))
    }

    /// The callbacks, if there is one.
    fn calls(&self, py: Python<'_>) -> PyResult<Option<Py<PyDict>>> {
        self.with(|parts| (parts.calls > 0).then(|| parts.callbacks.clone_ref(py)))
    }

    /// Changes the phrases; a search in progress continues with the old ones.
    pub(super) fn change(
        &self,
        f: impl FnOnce(&mut PhraseMatcher) -> lexpool::Result<()>,
    ) -> PyResult<()> {
        self.with(|parts| f(Arc::make_mut(&mut parts.phrases)))?.or_raise()
    }

    /// Registers a key and its callback; returns the key's id.
    pub(super) fn enter(
        slf: &Bound<'_, PyPhraseMatcher>,
        key: &Bound<'_, PyAny>,
        on_match: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = slf.py();
        let callbacks = slf.get().callbacks(py)?;
        let was_called = is_called(callbacks.bind(py), key)?;
        callbacks.bind(py).set_item(key, on_match)?;
        slf.get().count_calls(was_called, on_match.is_some())
    }

    /// Replaces all phrases, without callbacks.
    pub(super) fn replace(&self, py: Python<'_>, phrases: PhraseMatcher) -> PyResult<()> {
        let callbacks = PyDict::new(py);
        let vocab = self.py_vocab(py)?;
        let snapshot = vocab.get().vocab().snapshot();
        for key in phrases.keys() {
            callbacks.set_item(snapshot.string(key).unwrap_or_default(), py.None())?;
        }
        let old = self.with(|parts| {
            let old = std::mem::replace(&mut parts.callbacks, callbacks.unbind());
            parts.phrases = Arc::new(phrases);
            parts.calls = 0;
            old
        });
        drop(old?);
        Ok(())
    }

    /// Counts the callback of a key, before and after a change.
    fn count_calls(&self, was_called: bool, is_called: bool) -> PyResult<()> {
        self.with(|parts| {
            let others = parts.calls.saturating_sub(usize::from(was_called));
            parts.calls = others + usize::from(is_called);
        })
    }

    /// The given tokenizer, or one with lexpool's rules for the vocab's language.
    pub(super) fn tokenizer(
        &self,
        py: Python<'_>,
        given: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Arc<Tokenizer>> {
        if let Some(given) = given {
            return super::search_input::tokenizer(given);
        }
        if let Some(made) = self.with(|parts| parts.tokenizer.clone())? {
            return Ok(made);
        }
        let vocab = Arc::clone(self.py_vocab(py)?.get().vocab());
        let lang = vocab.attrs().lang().to_owned();
        let lang = if lang.is_empty() { "xx" } else { &lang };
        let made = Arc::new(Tokenizer::blank_for(lang, &vocab).or_raise()?);
        self.with(|parts| Arc::clone(parts.tokenizer.get_or_insert(made)))
    }

    /// The phrases among tokens of a document.
    pub(super) fn find(
        py: Python<'_>,
        phrases: &PhraseMatcher,
        doc: &Doc,
        tokens: Range<usize>,
    ) -> PyResult<Vec<MatchTuple>> {
        let found = search(py, tokens, doc, |doc, tokens| {
            let mut found = Vec::new();
            let run = phrases.each_match(doc, tokens, |key, start, end| {
                found.push((key.get(), start, end));
                Ok(())
            });
            run.map(|()| found)
        });
        found.or_raise()
    }

    /// Calls the callbacks of matches, and returns the matches as tuples or spans.
    pub(super) fn finish<'py>(
        slf: &Bound<'py, PyPhraseMatcher>,
        doc: &Bound<'py, PyDoc>,
        found: &[MatchTuple],
        as_spans: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let Some(callbacks) = slf.get().calls(py)? else {
            return if as_spans { spans(doc, found) } else { tuples(py, found) };
        };
        let (callbacks, matches) = (callbacks.bind(py), tuples(py, found)?);
        let vocab = slf.get().py_vocab(py)?;
        let strings = vocab.bind(py).getattr("strings")?;
        // As if Python iterated over the list: a callback may change it.
        let mut i = 0;
        while i < matches.len() {
            let key = strings.get_item(matches.get_item(i)?.get_item(0)?)?;
            if let Some(call) = callbacks.get_item(key)?.filter(|call| !call.is_none()) {
                call.call_user((slf, doc, i, &matches))?;
            }
            i += 1;
        }
        if !as_spans {
            return Ok(matches);
        }
        let found =
            matches.iter().map(|found| found.extract()).collect::<PyResult<Vec<MatchTuple>>>();
        spans(doc, &found?)
    }

    /// The ids of a phrase that is given as a document or a sequence of ids. `None` if it is empty.
    fn phrase(
        phrases: &PhraseMatcher,
        validate: bool,
        key: &Bound<'_, PyAny>,
        given: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Vec<u64>>> {
        let py = given.py();
        let Ok(doc) = given.cast::<PyDoc>() else {
            if given.len()? == 0 {
                return Ok(None);
            }
            let ids = given.extract::<Items<u64>>()?.into_vec();
            return Ok(Some(ids).filter(|ids| !ids.is_empty()));
        };
        let (ids, attr) = (|| {
            let (doc, attr) = (doc.get().read(py)?, phrases.attr());
            if ANNOTATION.contains(&attr) && !doc.attrs().has_annotation(attr, false) {
                return Ok((None, attr));
            }
            let has_more =
                || ANNOTATION.iter().any(|attr| doc.attrs().has_annotation(*attr, false));
            if validate && !doc.is_empty() && !ANNOTATION.contains(&attr) && has_more() {
                let key = key.repr()?;
                let name = attr.name().map_or_else(|| attr.number().to_string(), str::to_owned);
                let text = format!(
                    "[W012] a phrase for {key} has annotation, but only {name} is compared; \
                     create phrases with the tokenizer alone, which is faster"
                );
                warn(py, &text)?;
            }
            Ok::<_, PyErr>((Some(phrases.ids(&doc).or_raise()?), attr))
        })()?;
        if ids.is_none() {
            // Raises the error that names the missing annotation.
            python_side::REQUIRE_ANNOTATION.call(py, (given, (attr.number(),)))?;
        }
        Ok(ids.filter(|ids| !ids.is_empty()))
    }
}

#[pymethods]
impl PyPhraseMatcher {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    #[pyo3(text_signature = "(vocab, attr, validate)")]
    // stub: (*_args: Any, **_kwargs: Any)
    fn py_new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> PyPhraseMatcher {
        PyPhraseMatcher(Mutex::default())
    }

    fn __init__(&self, vocab: &Bound<'_, PyVocab>, attr: u32, validate: bool) {
        let parts = MatcherParts {
            vocab: vocab.clone().unbind(),
            validate,
            phrases: Arc::new(PhraseMatcher::new(AttrId::new(attr))),
            callbacks: PyDict::new(vocab.py()).unbind(),
            calls: 0,
            tokenizer: None,
        };
        let old = self.state().parts.replace(parts);
        drop(old);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A locked matcher is in use, hence reachable, and has nothing to collect.
        let Ok(state) = self.0.try_lock() else { return Ok(()) };
        let Some(parts) = &state.parts else { return Ok(()) };
        visit.call(&parts.vocab)?;
        visit.call(&parts.callbacks)
    }

    fn __clear__(&self) {
        let parts = self.state().parts.take();
        drop(parts);
    }

    /// The vocab.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> PyResult<Py<PyVocab>> {
        self.py_vocab(py)
    }

    /// The number of the attribute by which tokens are compared.
    #[getter]
    fn attr(&self) -> PyResult<u32> {
        Ok(self.phrases()?.attr().number())
    }

    #[getter(_validate)]
    fn validate(&self) -> PyResult<bool> {
        self.with(|parts| parts.validate)
    }

    /// The callbacks by key, or None.
    #[getter(_callbacks)]
    // stub: -> dict[str, _OnPhrase | None]
    fn callbacks(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        self.with(|parts| parts.callbacks.clone_ref(py))
    }

    /// The phrases by key: sets of tuples of ids, created on each access.
    #[getter(_docs)]
    // stub: -> dict[str, set[tuple[int, ...]]]
    fn docs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let docs = PyDict::new(py);
        let callbacks = self.callbacks(py)?;
        for key in callbacks.bind(py).keys() {
            docs.set_item(key, PySet::empty(py)?)?;
        }
        let mut sets = std::collections::HashMap::new();
        for (key, set) in &docs {
            sets.insert(key_id(&key)?, set.cast_into::<PySet>()?);
        }
        let mut phrases = Vec::new();
        let each = |phrase: &[u64], keys: &[StrId]| {
            phrases.push((phrase.to_vec(), keys.to_vec()));
            Ok(())
        };
        self.phrases()?.each_phrase(each).or_raise()?;
        for (phrase, keys) in phrases {
            let phrase = PyTuple::new(py, phrase)?;
            for set in keys.iter().filter_map(|key| sets.get(key)) {
                set.add(&phrase)?;
            }
        }
        Ok(docs)
    }

    /// Returns the number of keys.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.callbacks(py)?.bind(py).len())
    }

    /// Returns True if there are phrases under a key.
    // stub: (key: str)
    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.callbacks(key.py())?.bind(key.py()).contains(key)
    }

    /// Adds phrases under a key: documents, or sequences of ids. Empty ones are skipped.
    ///
    /// on_match: called for each match, with the matcher, the document, the position of the match
    ///     and all matches. In the old form it is the second argument, and the documents follow.
    ///
    /// Raises ValueError: E179 for a document instead of a list, E155 if a document lacks the
    /// compared attribute, phrase-limit for more than 2**29 ids in all. Warns: W012 for phrases
    /// with annotation that the matcher ignores, if the matcher validates; W021 for a phrase that
    /// is cut.
    #[pyo3(signature = (key, docs, *_docs, on_match=None))]
    #[allow(clippy::duplicate_underscore_argument, reason = "spaCy's names")]
    #[allow(clippy::used_underscore_binding, reason = "spaCy's names")]
    // stub: (key: str, docs: Iterable[_Phrase], *, on_match: _OnPhrase | None = None) -> None
    // stub: (key: str, docs: _OnPhrase | None, *_docs: _Phrase) -> None
    fn add(
        slf: &Bound<'_, PyPhraseMatcher>,
        key: &Bound<'_, PyAny>,
        docs: Option<&Bound<'_, PyAny>>,
        _docs: &Bound<'_, PyTuple>,
        on_match: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = key.py();
        let (on_match, given) = match docs {
            None => (None, _docs.as_any()),
            Some(call) if call.is_callable() => (Some(call), _docs.as_any()),
            Some(docs) => (on_match, docs),
        };
        if given.is_instance_of::<PyDoc>() {
            let key = key.repr()?;
            let text = format!(
                "[E179] expected a list of documents as phrases for {key}, not a \
                                Doc"
            );
            return Err(PyValueError::new_err(text));
        }
        let number = PyVocab::__getitem__(slf.get().py_vocab(py)?.bind(py), key)?;
        let number = StrId::new(number.getattr("orth")?.extract()?);
        let (phrases, validate) =
            slf.get().with(|parts| (Arc::clone(&parts.phrases), parts.validate))?;
        let (mut added, mut cut) = (PhraseList::default(), 0);
        for phrase in items::iterate(given)? {
            let phrase = PyPhraseMatcher::phrase(&phrases, validate, key, &phrase?)?;
            let Some(phrase) = phrase else { continue };
            let end = phrase.iter().position(|id| *id == END);
            cut += usize::from(end.is_some());
            added.push(phrase.into_iter().take(end.unwrap_or(usize::MAX))).or_raise()?;
        }
        // Dropped first: otherwise `change` would copy the phrases.
        drop(phrases);
        PyPhraseMatcher::enter(slf, key, on_match)?;
        slf.get().change(|phrases| phrases.add_phrases(number, &added))?;
        for _ in 0..cut {
            let key = key.repr()?;
            warn(
                py,
                &format!("[W021] a phrase for {key} is cut off before a token with the id {END}"),
            )?;
        }
        Ok(())
    }

    /// Removes a key with its phrases. Raises KeyError if it is unknown.
    // stub: (key: str)
    fn remove(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = key.py();
        let callbacks = self.callbacks(py)?;
        let callbacks = callbacks.bind(py);
        if !callbacks.contains(key)? {
            return Err(PyKeyError::new_err(key.clone().unbind()));
        }
        let number = key_id(key)?;
        self.change(|phrases| phrases.remove_all(number))?;
        let was_called = is_called(callbacks, key)?;
        callbacks.del_item(key)?;
        self.count_calls(was_called, false)
    }

    /// Finds all matches, overlapping ones included, sorted by start, then length: tuples of the
    /// key's id, start and end, as positions in the document.
    ///
    /// as_spans: return spans with the key as label.
    ///
    /// Returns no matches for None. Raises ValueError: E195 for an object that is neither Doc nor
    /// Span, phrase-limit for too many matches or too much work.
    #[pyo3(signature = (doclike, *, as_spans=false))]
    // stub: (doclike: Doc | Span | None, *, as_spans: Literal[False] = False) -> list[tuple[int,
    //     int, int]]
    // stub: (doclike: Doc | Span | None, *, as_spans: Literal[True]) -> list[Span]
    // stub: (doclike: Doc | Span | None, *, as_spans: bool) -> list[Any]
    fn __call__<'py>(
        slf: &Bound<'py, PyPhraseMatcher>,
        doclike: Option<&Bound<'py, PyAny>>,
        as_spans: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let Some(searched) = doclike.map(SearchInput::new).transpose()?.flatten() else {
            return Ok(PyList::empty(py));
        };
        let phrases = slf.get().phrases()?;
        let found = {
            let (doc, tokens) = searched.read(py)?;
            PyPhraseMatcher::find(py, &phrases, &doc, tokens)?
        };
        drop(phrases);
        PyPhraseMatcher::finish(slf, searched.doc(py), &found, as_spans)
    }
}

/// Returns whether a key has a callback other than None.
fn is_called(callbacks: &Bound<'_, PyDict>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(callbacks.get_item(key)?.is_some_and(|call| !call.is_none()))
}

/// The id of a key.
pub(super) fn key_id(key: &Bound<'_, PyAny>) -> PyResult<StrId> {
    match key.cast::<PyString>() {
        Ok(string) => with_utf8(string, |text| Ok(StrId::of(text))),
        Err(_) => Ok(StrId::new(key.extract()?)),
    }
}
