//! `lexpool.tokenizer.Tokenizer`.

use std::sync::Arc;

use lexpool::tokenizer::{PatternSource, RuleSet, SpecialToken, Tokenizer};
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::doc::PyDoc;
use crate::error::OrRaise;
use crate::gil::detached;
use crate::pipe::{PyPipe, watch};
use crate::text::{text, with_utf8};
use crate::vocab::PyVocab;

/// Texts longer than this are tokenized on another thread, while this one waits with an eye on
/// signals: one chunk may take seconds, and nothing in it asks whether to go on.
const WATCH_FROM: usize = 1 << 20;

/// Texts shorter than this are tokenized without letting go of the GIL: letting go and taking it
/// back costs as much as some fifty bytes do.
const DETACH_FROM: usize = 48;

/// Cuts texts into tokens as spaCy does.
///
/// `tokenizer("a text")` gives a Doc; `tokenizer.pipe(texts)` many, on all cores. Any number of
/// threads may share one.
#[pyclass(name = "Tokenizer", module = "lexpool.tokenizer", frozen, weakref, subclass)]
pub(crate) struct PyTokenizer {
    tokenizer: Arc<Tokenizer>,
    vocab: Py<PyVocab>,
}

#[pymethods]
impl PyTokenizer {
    /// Tokenizer(vocab, rules=None, *, prefix_search=None, suffix_search=None,
    ///           infix_finditer=None, token_match=None, url_match=None,
    ///           faster_heuristics=True, max_cache_size=262144)
    ///
    /// rules: special cases, a dict from a text to a list of {"ORTH": ..., "NORM": ...}.
    /// The patterns are compiled expressions of `re`, or their bound methods, or strings.
    /// max_cache_size: how many chunks each worker remembers.
    ///
    /// Raises RuleError for a pattern that does not compile, ValueError (E997, E1005) for a special
    /// case.
    #[new]
    #[pyo3(signature = (vocab, rules=None, *, prefix_search=None, suffix_search=None,
                        infix_finditer=None, token_match=None, url_match=None,
                        faster_heuristics=true, max_cache_size=Tokenizer::MOST_CHUNKS))]
    #[expect(clippy::too_many_arguments, reason = "spaCy's, by keyword")]
    fn py_new(
        vocab: &Bound<'_, PyVocab>,
        rules: Option<&Bound<'_, PyDict>>,
        prefix_search: Option<&Bound<'_, PyAny>>,
        suffix_search: Option<&Bound<'_, PyAny>>,
        infix_finditer: Option<&Bound<'_, PyAny>>,
        token_match: Option<&Bound<'_, PyAny>>,
        url_match: Option<&Bound<'_, PyAny>>,
        faster_heuristics: bool,
        max_cache_size: usize,
    ) -> PyResult<PyTokenizer> {
        let set = RuleSet {
            prefix_search: pattern("prefix_search", prefix_search)?,
            suffix_search: pattern("suffix_search", suffix_search)?,
            infix_finditer: pattern("infix_finditer", infix_finditer)?,
            token_match: pattern("token_match", token_match)?,
            url_match: pattern("url_match", url_match)?,
            special_cases: rules.map_or(Ok(Vec::new()), special_cases)?,
            faster_heuristics,
        };
        let tokenizer = Tokenizer::new(vocab.get().vocab(), &set, max_cache_size).or_raise()?;
        Ok(PyTokenizer { tokenizer: Arc::new(tokenizer), vocab: vocab.clone().unbind() })
    }

    /// A tokenizer with lexpool's own rules for a language ("en", "xx"), and a new vocab.
    #[staticmethod]
    fn blank(py: Python<'_>, lang: &str) -> PyResult<PyTokenizer> {
        let tokenizer = Arc::new(Tokenizer::blank(lang).or_raise()?);
        let vocab = Py::new(py, PyVocab::new(Arc::clone(tokenizer.vocab())))?;
        Ok(PyTokenizer { tokenizer, vocab })
    }

    /// A tokenizer with the rules and the lexical attributes of a spaCy tokenizer, any language.
    ///
    /// Its vocab is new and empty. Attribute getters that spaCy brings are computed natively;
    /// others are called, once for each new word.
    #[staticmethod]
    fn from_spacy<'py>(tokenizer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        tokenizer.py().import("lexpool._spacy")?.call_method1("from_spacy", (tokenizer,))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.vocab)
    }

    /// The vocab of all documents made here.
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }

    /// Tokenize a text.
    ///
    /// Lets other threads run meanwhile. Raises ValueError (E025) for a text of 2**30 characters or
    /// more, UnicodeEncodeError for a lone surrogate.
    fn __call__<'py>(&self, string: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyDoc>> {
        let py = string.py();
        let text = text(string)?;
        // Too short to be asked whether to go on, or stopped through the job.
        let go_on = &mut || Ok(());
        let doc = match text.as_str().len() {
            0..DETACH_FROM => self.tokenizer.tokenize_text(text, go_on),
            WATCH_FROM.. => {
                let mut job = self.tokenizer.submit(vec![text], 0).or_raise()?;
                watch(py, &mut job)?.pop().expect("a document for the text, or an error")
            }
            _ => detached(py, || self.tokenizer.tokenize_text(text, go_on)),
        };
        Bound::new(py, PyDoc::new(doc.or_raise()?, self.vocab.clone_ref(py)))
    }

    /// Tokenize a stream of texts, on all cores and in order.
    ///
    /// texts: any iterable of str. batch_size: how many texts are handed out at once; two batches
    /// are in memory. n_threads: 0 for one a core, 1 to use no thread but the caller's.
    ///
    /// An error about one text is raised when its turn comes, after the documents before it.
    #[pyo3(signature = (texts, batch_size=1000, n_threads=0))]
    fn pipe(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        batch_size: isize,
        n_threads: isize,
    ) -> PyResult<PyPipe> {
        let (tokenizer, vocab) = (Arc::clone(&self.tokenizer), self.vocab.clone_ref(py));
        PyPipe::new(tokenizer, vocab, texts, batch_size, n_threads)
    }

    /// Why a text is cut as it is: pairs of a rule's name and a token, whitespace left out.
    fn explain(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<(String, String)>> {
        let explained = with_utf8(text, |text| self.tokenizer.explain(text).or_raise())?;
        Ok(explained.into_iter().map(|(reason, token)| (reason.to_string(), token)).collect())
    }

    /// How each pattern runs: a dict from its name to a text, "automata" or why it fell back.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for report in self.tokenizer.report() {
            dict.set_item(report.name, report.to_string())?;
        }
        Ok(dict)
    }

    /// The special cases: a dict from a text to its tokens.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (text, tokens) in self.tokenizer.special_cases() {
            let list = PyList::empty(py);
            for token in tokens {
                let attrs = PyDict::new(py);
                attrs.set_item(ORTH, token.orth)?;
                if let Some(norm) = token.norm {
                    attrs.set_item(NORM, norm)?;
                }
                list.append(attrs)?;
            }
            dict.set_item(text, list)?;
        }
        Ok(dict)
    }

    /// Add a special case: a text with the tokens that it has, a list of dicts with "ORTH" and
    /// perhaps "NORM". It replaces an earlier one for the same text.
    ///
    /// Raises ValueError: E997 if the tokens do not join to the text, E1005 for other attributes.
    fn add_special_case(&self, string: &str, token_attrs: &Bound<'_, PyAny>) -> PyResult<()> {
        let case = (string.to_owned(), special_tokens(string, token_attrs)?);
        self.tokenizer.add_special_cases(&[case]).or_raise()
    }

    /// How many characters the prefix rules would cut off a string; 0 for none.
    fn find_prefix(&self, string: &str) -> PyResult<usize> {
        let bytes = self.tokenizer.find_prefix(string).or_raise()?;
        Ok(string[..bytes].chars().count())
    }

    /// How many characters the suffix rules would cut off a string; 0 for none.
    fn find_suffix(&self, string: &str) -> PyResult<usize> {
        let bytes = self.tokenizer.find_suffix(string).or_raise()?;
        Ok(string[string.len() - bytes..].chars().count())
    }
}

const ORTH: u32 = lexpool::structs::AttrId::ORTH.number();
const NORM: u32 = lexpool::structs::AttrId::NORM.number();

/// A pattern as a string, a compiled expression, or a method of one (`re.compile(...).search`).
fn pattern(name: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<PatternSource>> {
    let Some(given) = given else { return Ok(None) };
    if let Ok(source) = given.cast::<PyString>() {
        return Ok(Some(PatternSource::new(source.to_str()?)));
    }
    let compiled = given.getattr("__self__").unwrap_or_else(|_| given.clone());
    let parts = compiled.getattr("pattern").and_then(|source| {
        Ok((source.extract::<String>()?, compiled.getattr("flags")?.extract::<u32>()?))
    });
    match parts {
        Ok((source, flags)) => Ok(Some(PatternSource { source, flags })),
        Err(_) => Err(PyValueError::new_err(format!(
            "{name}: expected a pattern of `re`, its search, match or finditer method, or a string, \
             not {}; other functions cannot be run outside of Python",
            given.repr()?
        ))),
    }
}

fn special_cases(rules: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Vec<SpecialToken>)>> {
    let mut cases = Vec::with_capacity(rules.len());
    for (text, tokens) in rules {
        let text = text.extract::<String>()?;
        let tokens = special_tokens(&text, &tokens)?;
        cases.push((text, tokens));
    }
    Ok(cases)
}

fn special_tokens(text: &str, tokens: &Bound<'_, PyAny>) -> PyResult<Vec<SpecialToken>> {
    let mut out = Vec::new();
    for attrs in tokens.try_iter()? {
        let attrs = attrs?.cast_into::<PyDict>()?;
        let (mut orth, mut norm) = (None, None);
        for (key, value) in attrs {
            match crate::vocab::attr_of(&key).ok().map(lexpool::structs::AttrId::number) {
                Some(ORTH) => orth = Some(value.extract::<String>()?),
                Some(NORM) => norm = Some(value.extract::<String>()?),
                _ => {
                    return Err(PyValueError::new_err(format!(
                        "[E1005] the special case {text:?} sets {}; only ORTH and NORM can be set",
                        key.repr()?
                    )));
                }
            }
        }
        let Some(orth) = orth else {
            let message = format!("[E997] a token of the special case {text:?} has no ORTH");
            return Err(PyValueError::new_err(message));
        };
        out.push(SpecialToken { orth, norm });
    }
    Ok(out)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyTokenizer>()?;
    module.add_class::<PyPipe>()
}
