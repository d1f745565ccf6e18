//! Engine of `lexpool.matcher.Matcher`.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::matcher::{DocMatch, Greedy, Match, Matcher, Matches, Question};
use lexpool::strings::StrId;
use lexpool::tokens::Doc;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::matches::PyMatches;
use super::pattern::{Element, pattern_of};
use super::search::search;
use super::search_input::{MatchTuple, SearchInput, spans, tuples};
use crate::object::doc::PyDoc;
use crate::object::vocab::PyVocab;
use crate::runtime::classes::class;
use crate::runtime::error::{OrRaise, from_py};
use crate::runtime::gil;
use crate::runtime::items::{self, Items};
use crate::runtime::text_stream::thread_count;
use crate::runtime::user_calls::{CallUser, nested};

/// Compiled token patterns, by key; the base of `lexpool.matcher.Matcher`.
///
/// It does what every call needs. The rest is written in Python: `_require_patterns()`,
/// `_require_annotation(doc)`, `_answerer(doc)` and `_call_back(doc, found)`, each called only if
/// necessary.
#[pyclass(name = "TokenMatcher", module = "lexpool._core", frozen, subclass, weakref)]
pub(crate) struct PyTokenMatcher {
    matcher: Mutex<Arc<Matcher>>,
    /// True if patterns use annotation that a document may lack.
    wants_annotation: AtomicBool,
    calls_back: AtomicBool,
}

class!(PyTokenMatcher);

impl PyTokenMatcher {
    /// Locked for a moment only, and never while Python code runs.
    fn matcher(&self) -> MutexGuard<'_, Arc<Matcher>> {
        self.matcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present patterns, unless a condition or a callback needs Python.
    pub(crate) fn without_python(&self) -> Option<Arc<Matcher>> {
        let matcher = Arc::clone(&self.matcher());
        let calls_back = self.calls_back.load(Ordering::Relaxed);
        (!calls_back && !matcher.asks()).then_some(matcher)
    }

    /// The object that answers Python conditions about a document, if there are any.
    fn answerer<'py>(
        slf: &Bound<'py, Self>,
        matcher: &Matcher,
        doc: &Bound<'py, PyDoc>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        matcher.asks().then(|| slf.call_method1("_answerer", (doc,))).transpose()
    }

    /// The matches of a search, before callbacks, counted from the first token.
    fn found(slf: &Bound<'_, Self>, given: &SearchInput<'_, '_>) -> PyResult<Vec<MatchTuple>> {
        let py = slf.py();
        let matcher = Arc::clone(&slf.get().matcher());
        let answerer = Self::answerer(slf, &matcher, given.doc(py))?;
        let (doc, tokens) = given.read(py)?;
        let mut found = Vec::new();
        let mut keep = |key: StrId, tokens: Range<usize>| {
            found.try_reserve(1)?;
            found.push((key.get(), tokens.start, tokens.end));
            Ok(())
        };
        let done = match answerer {
            Some(answerer) => {
                matcher.find_each(&doc, tokens, &mut |asked| ask(&answerer, asked), &mut keep)
            }
            None => search(py, tokens, &doc, |doc, tokens| {
                matcher.find_each(doc, tokens, &mut |_| Ok(false), &mut keep)
            }),
        };
        done.or_raise()?;
        Ok(found)
    }

    /// The matches as tuples, with the elements that matched the tokens.
    fn aligned<'py>(
        slf: &Bound<'py, Self>,
        given: &SearchInput<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let matcher = Arc::clone(&slf.get().matcher());
        let answerer = Self::answerer(slf, &matcher, given.doc(py))?;
        let (doc, tokens) = given.read(py)?;
        let found = match answerer {
            Some(answerer) => matcher.find(&doc, tokens, true, &mut |asked| ask(&answerer, asked)),
            None => search(py, tokens, &doc, |doc, tokens| {
                matcher.find(doc, tokens, true, &mut |_| Ok(false))
            }),
        };
        let found = found.or_raise()?.into_iter().map(|found| {
            let Match { key, tokens, alignment } = found;
            (key.get(), tokens.start, tokens.end, alignment).into_pyobject(py)
        });
        PyList::new(py, found.collect::<PyResult<Vec<_>>>()?)
    }

    /// Checks the requirements of a search: patterns, and annotation of the document unless it may
    /// be missing.
    fn prepare(slf: &Bound<'_, Self>, given: &SearchInput<'_, '_>, may_miss: bool) -> PyResult<()> {
        if slf.get().wants_annotation.load(Ordering::Relaxed) && !may_miss {
            slf.call_method1("_require_annotation", (given.doc(slf.py()),))?;
        }
        Ok(())
    }

    /// Calls the callbacks of matches, and returns the matches as tuples or spans. Spans are
    /// created first, since a callback may change the document.
    fn finish<'py>(
        slf: &Bound<'py, Self>,
        doc: &Bound<'py, PyDoc>,
        first: usize,
        found: &[MatchTuple],
        as_spans: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let calls_back = slf.get().calls_back.load(Ordering::Relaxed);
        let made = if as_spans {
            let of_doc = |found: &MatchTuple| (found.0, found.1 + first, found.2 + first);
            Some(spans(doc, &found.iter().map(of_doc).collect::<Vec<_>>())?)
        } else {
            None
        };
        match made {
            Some(made) if !calls_back => Ok(made),
            made => {
                let matches = tuples(py, found)?;
                if calls_back {
                    nested(py, || slf.call_method1("_call_back", (doc, &matches)))?;
                }
                Ok(made.unwrap_or(matches))
            }
        }
    }
}

fn ask(answerer: &Bound<'_, PyAny>, asked: Question<'_>) -> lexpool::Result<bool> {
    let Question { number, token, text } = asked;
    let said = answerer.call_user((number, token, text)).and_then(|said| said.extract());
    said.map_err(|raised| from_py(answerer.py(), raised, "asking whether a token matches"))
}

#[pymethods]
impl PyTokenMatcher {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    // stub: (*_args: Any, **_kwargs: Any)
    fn py_new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> PyTokenMatcher {
        PyTokenMatcher {
            matcher: Mutex::default(),
            wants_annotation: AtomicBool::new(false),
            calls_back: AtomicBool::new(false),
        }
    }

    /// Adds patterns under a key, and sets which of its matches are kept: "FIRST", "LONGEST", or
    /// None for all.
    ///
    /// A pattern is a list of elements, each an operator and a list of conditions, which are tuples
    /// of a kind, an attribute's number (-1 for none) and values.
    ///
    /// Raises ValueError: E011 for an unknown operator, E154 for an unknown condition; then nothing
    /// is added.
    #[pyo3(signature = (key, patterns, greedy=None))]
    #[expect(clippy::needless_pass_by_value, reason = "made from Python lists for this call")]
    // stub: (patterns: Sequence[Sequence[tuple[str, Sequence[tuple[Any, ...]]]]])
    fn _compile(
        &self,
        key: u64,
        patterns: Items<Items<Element<'_>>>,
        greedy: Option<&str>,
    ) -> PyResult<()> {
        let greedy = match greedy {
            Some("FIRST") => Some(Greedy::First),
            Some("LONGEST") => Some(Greedy::Longest),
            _ => None,
        };
        let compiled = patterns.iter().map(|elements| pattern_of(elements));
        let compiled = compiled.collect::<PyResult<_>>()?;
        Arc::make_mut(&mut *self.matcher()).add(StrId::new(key), compiled, greedy).or_raise()
    }

    /// Adds patterns under many keys, of which all matches are kept.
    ///
    /// Raises ValueError as `_compile` does; then nothing is added.
    #[expect(clippy::needless_pass_by_value, reason = "made from Python lists for this call")]
    // stub: (rules: Sequence[tuple[int, Sequence[Sequence[tuple[str, Sequence[tuple[Any,
    //     ...]]]]]]])
    fn _compile_all(&self, rules: Items<(u64, Items<Items<Element<'_>>>)>) -> PyResult<()> {
        let compiled = rules.iter().map(|(key, patterns)| {
            let patterns = patterns.iter().map(|elements| pattern_of(elements));
            Ok((StrId::new(*key), patterns.collect::<PyResult<_>>()?))
        });
        let compiled = compiled.collect::<PyResult<_>>()?;
        Arc::make_mut(&mut *self.matcher()).add_all(compiled).or_raise()
    }

    /// Removes all patterns of a key.
    fn _forget(&self, key: u64) {
        Arc::make_mut(&mut *self.matcher()).remove(StrId::new(key));
    }

    /// Sets what a call needs from Python: annotation of the document, callbacks.
    fn _note(&self, wants_annotation: bool, calls_back: bool) {
        self.wants_annotation.store(wants_annotation, Ordering::Relaxed);
        self.calls_back.store(calls_back, Ordering::Relaxed);
    }

    /// Finds all matches: tuples of the key's id, start and end, for a span counted from its start.
    ///
    /// as_spans: return spans with the key as label.
    /// allow_missing: search even if the document lacks annotation that patterns use.
    /// with_alignments: add to each match a list of the elements, by position, that matched its
    ///     tokens.
    ///
    /// Matches are sorted by their ends; those of greedy keys come last.
    ///
    /// Raises ValueError: E195 for an object that is neither Doc nor Span, E155 for missing
    /// annotation, E125 for a comparison that returns neither True nor False, match-limit for more
    /// than ten million matches or a billion steps. Warns (W036) without patterns.
    #[pyo3(signature = (doclike, *, as_spans=false, allow_missing=false, with_alignments=false))]
    // stub: (doclike: Doc | Span) -> list[Any]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        doclike: &Bound<'py, PyAny>,
        as_spans: bool,
        allow_missing: bool,
        with_alignments: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        Self::require_patterns(slf)?;
        let given = SearchInput::one(doclike)?;
        Self::prepare(slf, &given, allow_missing)?;
        if !with_alignments || as_spans {
            let first = given.read(slf.py())?.1.start;
            let found = Self::found(slf, &given)?;
            return Self::finish(slf, given.doc(slf.py()), first, &found, as_spans);
        }
        let found = Self::aligned(slf, &given)?;
        if slf.get().calls_back.load(Ordering::Relaxed) {
            nested(slf.py(), || slf.call_method1("_call_back", (given.doc(slf.py()), &found)))?;
        }
        Ok(found)
    }

    /// Finds all matches in many documents or spans, as positions in their documents, on many
    /// threads. No callback is called.
    ///
    /// n_threads: 0 for one thread per core, 1 for the caller's thread only. Patterns with
    ///     extension attributes or users' comparisons are evaluated by Python, on the caller's
    ///     thread.
    /// allow_missing: as for a call.
    ///
    /// Raises ValueError as a call does, with the number of the document unless Python is needed.
    #[pyo3(signature = (docs, n_threads=0, *, allow_missing=false))]
    // stub: (docs: Iterable[Doc | Span])
    fn match_all(
        slf: &Bound<'_, Self>,
        docs: &Bound<'_, PyAny>,
        n_threads: isize,
        allow_missing: bool,
    ) -> PyResult<PyMatches> {
        let vocab = slf.getattr("vocab")?.cast_into::<PyVocab>()?.unbind();
        let docs = items::read(docs, Ok)?;
        let docs = docs.iter().map(SearchInput::one).collect::<PyResult<Vec<_>>>()?;
        let (found, _) = Self::find_all(slf, &docs, n_threads, allow_missing)?;
        Ok(PyMatches::new(found, vocab, docs.len(), false))
    }

    /// Returns for each document the result of a call, searched on many threads.
    #[pyo3(signature = (docs, n_threads, as_spans))]
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    // stub: (docs: Sequence[Doc | Span]) -> list[list[Any]]
    fn _match_batch<'py>(
        slf: &Bound<'py, Self>,
        docs: Items<Bound<'py, PyAny>>,
        n_threads: isize,
        as_spans: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let docs = docs.iter().map(SearchInput::one).collect::<PyResult<Vec<_>>>()?;
        let (matches, firsts) = Self::find_all(slf, &docs, n_threads, false)?;
        py.check_signals()?;
        let results = PyList::empty(py);
        for (number, (given, first)) in docs.iter().zip(firsts).enumerate() {
            let own = matches.of_doc(number).filter_map(|at| matches.get(at));
            let found = own.map(|found| {
                let (start, end) = (found.start as usize, found.end as usize);
                (found.key.get(), start - first, end - first)
            });
            let found: Vec<MatchTuple> = found.collect();
            results.append(Self::finish(slf, given.doc(py), first, &found, as_spans)?)?;
        }
        Ok(results)
    }
}

impl PyTokenMatcher {
    fn require_patterns(slf: &Bound<'_, Self>) -> PyResult<()> {
        if slf.get().matcher().is_empty() {
            slf.call_method0("_require_patterns")?;
        }
        Ok(())
    }

    /// The matches in documents and spans, without the GIL unless patterns need Python; and the
    /// position of the first token of each.
    fn find_all(
        slf: &Bound<'_, Self>,
        docs: &[SearchInput<'_, '_>],
        n_threads: isize,
        allow_missing: bool,
    ) -> PyResult<(Matches, Vec<usize>)> {
        let (py, threads) = (slf.py(), thread_count(n_threads)?);
        Self::require_patterns(slf)?;
        for given in docs {
            Self::prepare(slf, given, allow_missing)?;
        }
        let matcher = Arc::clone(&slf.get().matcher());
        if matcher.asks() {
            let (mut all, mut firsts) = (Matches::default(), Vec::with_capacity(docs.len()));
            for (doc, given) in (0..).zip(docs) {
                let first = given.read(py)?.1.start;
                firsts.push(first);
                for (key, start, end) in Self::found(slf, given)? {
                    let [start, end] = [start, end].map(|at| u32::try_from(first + at));
                    let (start, end) = (start.unwrap_or(u32::MAX), end.unwrap_or(u32::MAX));
                    all.push(DocMatch { key: StrId::new(key), start, end, doc }).or_raise()?;
                }
            }
            return Ok((all, firsts));
        }
        let reading = docs.iter().map(|given| given.read(py)).collect::<PyResult<Vec<_>>>()?;
        let docs: Vec<(&Doc, Range<usize>)> =
            reading.iter().map(|(doc, tokens)| (&**doc, tokens.clone())).collect();
        // The threads that search, of which this is one, register with the fork gate.
        let found = gil::waiting(py, || matcher.find_all(&docs, threads)).or_raise()?;
        Ok((found, docs.iter().map(|(_, tokens)| tokens.start).collect()))
    }
}
