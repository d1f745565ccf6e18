//! The engine behind `lexpool.matcher.Matcher`.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::matcher::{
    Comparison, Greedy, IdSet, Match, Matcher, Number, Pattern, Question, Relation, Test, TextTest,
};
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokenizer::pattern::{self, Report, Role};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::{search, searched};
use crate::doc::PyDoc;
use crate::error::{OrRaise, from_py};
use crate::span::PySpan;

/// An element as Python gives it: its operator, and its conditions.
pub(super) type Element<'py> = (String, Vec<Bound<'py, PyTuple>>);

/// Patterns of tokens under keys, compiled; `lexpool.matcher.Matcher` is made of it.
///
/// Its own part is what a call needs at once. The rest is Python's: `_require_patterns()`,
/// `_require_annotation(doc)`, `_answerer(doc)` and `_call_back(doc, found)`, each called only where
/// there is something to do.
#[pyclass(name = "TokenMatcher", module = "lexpool._core", frozen, subclass, weakref)]
pub(super) struct PyTokenMatcher {
    matcher: Mutex<Arc<Matcher>>,
    /// Whether patterns ask for annotation that a document may not have.
    wants_annotation: AtomicBool,
    calls_back: AtomicBool,
}

impl PyTokenMatcher {
    /// Held for a moment, and never while Python code runs.
    fn matcher(&self) -> MutexGuard<'_, Arc<Matcher>> {
        self.matcher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a call finds, before callbacks.
    fn found<'py>(
        slf: &Bound<'py, Self>,
        doc: &Bound<'py, PyDoc>,
        tokens: Range<usize>,
        with_alignments: bool,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let py = slf.py();
        let matcher = Arc::clone(&slf.get().matcher());
        let answerer =
            if matcher.asks() { Some(slf.call_method1("_answerer", (doc,))?) } else { None };
        let doc = doc.get().read(py)?;
        let mut ask = |Question { number, token, text }: Question<'_>| {
            let Some(answerer) = &answerer else { return Ok(false) };
            let said = answerer.call1((number, token, text)).and_then(|said| said.extract());
            said.map_err(|raised| from_py(py, raised, "asking whether a token matches"))
        };
        if with_alignments {
            let found = if answerer.is_some() {
                matcher.find(&doc, tokens, true, &mut ask)
            } else {
                search(py, tokens, &doc, |doc, tokens| {
                    matcher.find(doc, tokens, true, &mut |_| Ok(false))
                })
            };
            let found = found.or_raise()?.into_iter().map(|found| {
                let Match { key, tokens, alignment } = found;
                (key.get(), tokens.start, tokens.end, alignment).into_pyobject(py)
            });
            return found.collect();
        }
        let mut found = Vec::new();
        let mut keep = |key: StrId, tokens: Range<usize>| found.push((key, tokens));
        let done = if answerer.is_some() {
            matcher.find_each(&doc, tokens, &mut ask, &mut keep)
        } else {
            search(py, tokens, &doc, |doc, tokens| {
                matcher.find_each(doc, tokens, &mut |_| Ok(false), &mut keep)
            })
        };
        done.or_raise()?;
        let tuples = found
            .into_iter()
            .map(|(key, tokens)| (key.get(), tokens.start, tokens.end).into_pyobject(py));
        tuples.collect()
    }
}

#[pymethods]
impl PyTokenMatcher {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn py_new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> PyTokenMatcher {
        PyTokenMatcher {
            matcher: Mutex::default(),
            wants_annotation: AtomicBool::new(false),
            calls_back: AtomicBool::new(false),
        }
    }

    /// Add patterns under a key, and set which of its matches are kept: "FIRST", "LONGEST", or None
    /// for all.
    ///
    /// A pattern is a list of elements, each an operator and a list of conditions, which are tuples
    /// of a kind, an attribute's number (-1 for none) and values.
    ///
    /// Raises ValueError: E011 an operator that is none, E154 a condition that is none; then nothing
    /// is added.
    #[pyo3(signature = (key, patterns, greedy=None))]
    #[expect(clippy::needless_pass_by_value, reason = "made from Python lists for this call")]
    fn _compile(
        &self,
        key: u64,
        patterns: Vec<Vec<Element<'_>>>,
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

    /// Forget all patterns of a key.
    fn _forget(&self, key: u64) {
        Arc::make_mut(&mut *self.matcher()).remove(StrId::new(key));
    }

    /// Say what a call has to ask Python for: annotation of the document, callbacks.
    fn _note(&self, wants_annotation: bool, calls_back: bool) {
        self.wants_annotation.store(wants_annotation, Ordering::Relaxed);
        self.calls_back.store(calls_back, Ordering::Relaxed);
    }

    /// All matches: tuples of the key's id, start and end, for a span counted from its start.
    ///
    /// as_spans: give spans that have the key as label.
    /// allow_missing: search also if patterns ask for annotation that the document has not.
    /// with_alignments: with each match a list of the elements, by position, that took its tokens.
    ///
    /// They come in the order in which they end; those of keys that are greedy come last.
    ///
    /// ValueError: E195 for what is neither document nor span, E155 for missing annotation, E125 for
    /// a comparison that gives neither True nor False, match-limit for more than ten million matches
    /// or a billion steps. Warns (W036) if there are no patterns.
    #[pyo3(signature = (doclike, *, as_spans=false, allow_missing=false, with_alignments=false))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        doclike: &Bound<'py, PyAny>,
        as_spans: bool,
        allow_missing: bool,
        with_alignments: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, own) = (slf.py(), slf.get());
        if own.matcher().is_empty() {
            slf.call_method0("_require_patterns")?;
        }
        let (doc, tokens) = searched(doclike)?;
        if own.wants_annotation.load(Ordering::Relaxed) && !allow_missing {
            slf.call_method1("_require_annotation", (&doc,))?;
        }
        let first = tokens.start;
        let found = Self::found(slf, &doc, tokens, with_alignments && !as_spans)?;
        let found = PyList::new(py, found)?;
        if own.calls_back.load(Ordering::Relaxed) {
            slf.call_method1("_call_back", (&doc, &found))?;
        }
        if !as_spans {
            return Ok(found);
        }
        let spans = found.iter().map(|found| {
            let (key, start, end) = found.extract::<(Bound<'_, PyAny>, usize, usize)>()?;
            PySpan::labelled(&doc, first + start..first + end, Some(&key), None, None)
        });
        PyList::new(py, spans.collect::<PyResult<Vec<_>>>()?)
    }
}

/// Reads a pattern.
pub(super) fn pattern_of(elements: &[Element<'_>]) -> PyResult<Pattern> {
    let mut pattern = Pattern::default();
    for (operator, tests) in elements {
        let tests = tests.iter().map(test_of).collect::<PyResult<_>>()?;
        pattern.push(tests, operator).or_raise()?;
    }
    Ok(pattern)
}

/// Reads a condition.
fn test_of(given: &Bound<'_, PyTuple>) -> PyResult<Test> {
    let kind = given.get_item(0)?.extract::<String>()?;
    // -1 where there is no attribute, which no kind that has one is given.
    let number = u32::try_from(given.get_item(1)?.extract::<i64>()?).unwrap_or_default();
    let attr = AttrId::new(number);
    let value = given.get_item(2)?;
    let ids = || Ok::<IdSet, PyErr>(value.extract::<Vec<u64>>()?.into_iter().collect());
    let compare = |comparison| Ok::<_, PyErr>(Test::Compare(attr, comparison, number_of(&value)?));
    Ok(match kind.as_str() {
        "IS" => Test::Is(attr, value.extract()?),
        "IN" => Test::Among(attr, ids()?),
        "NOT_IN" => Test::NotAmong(attr, ids()?),
        "IS_SUBSET" => Test::Relation(attr, Relation::Subset, ids()?),
        "IS_SUPERSET" => Test::Relation(attr, Relation::Superset, ids()?),
        "INTERSECTS" => Test::Relation(attr, Relation::Intersects, ids()?),
        "==" => compare(Comparison::Equal)?,
        "!=" => compare(Comparison::NotEqual)?,
        ">=" => compare(Comparison::AtLeast)?,
        "<=" => compare(Comparison::AtMost)?,
        ">" => compare(Comparison::Above)?,
        "<" => compare(Comparison::Below)?,
        "REGEX" => Test::Text(attr, TextTest::Found(value.extract()?)),
        "NOT_REGEX" => Test::NotText(attr, TextTest::Found(value.extract()?)),
        "FUZZY" | "NOT_FUZZY" => {
            let most = given.get_item(3)?.extract::<i64>()?;
            let similar = TextTest::Similar(value.extract()?, usize::try_from(most).ok());
            if kind == "FUZZY" { Test::Text(attr, similar) } else { Test::NotText(attr, similar) }
        }
        "ASK" => Test::Ask(value.extract()?),
        "ASK_TEXT" => Test::AskText(attr, value.extract()?),
        _ => {
            let text = format!("[E154] {kind:?} is no kind of condition");
            return Err(PyValueError::new_err(text));
        }
    })
}

/// A number to compare with; whole ones that do not fit are beyond all that a token can have.
fn number_of(value: &Bound<'_, PyAny>) -> PyResult<Number> {
    if let Ok(whole) = value.extract::<i128>() {
        return Ok(Number::Int(whole));
    }
    match value.extract::<f64>() {
        Ok(float) => Ok(Number::Float(float)),
        Err(_) if value.lt(0)? => Ok(Number::Int(i128::MIN)),
        Err(_) => Ok(Number::Int(i128::MAX)),
    }
}

/// Whether an expression of Python's `re` runs here, in time linear in the text.
#[pyfunction]
pub(super) fn runs_on_automata(source: &str) -> bool {
    /// `re.UNICODE`, which every expression in a string has.
    const UNICODE: u32 = 32;
    let pattern = pattern::Pattern::new(source, UNICODE, Role::Infix);
    pattern.is_ok_and(|pattern| matches!(pattern.report(), Report::Automaton { .. }))
}
