//! The engine behind `lexpool.matcher.Matcher`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::matcher::{
    Comparison, Greedy, IdSet, Match, Matcher, Number, Pattern, Question, Relation, Test, TextTest,
};
use lexpool::strings::StrId;
use lexpool::structs::AttrId;
use lexpool::tokenizer::pattern::{self, Report, Role};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::search;
use crate::doc::PyDoc;
use crate::error::{OrRaise, from_py};

/// An element as Python gives it: its operator, and its conditions.
type Element<'py> = (String, Vec<Bound<'py, PyTuple>>);

/// Patterns of tokens under keys, compiled.
#[pyclass(name = "TokenMatcher", module = "lexpool._core", frozen)]
pub(super) struct PyTokenMatcher(Mutex<Arc<Matcher>>);

impl PyTokenMatcher {
    /// Held for a moment, and never while Python code runs.
    fn matcher(&self) -> MutexGuard<'_, Arc<Matcher>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyTokenMatcher {
    #[new]
    fn py_new() -> PyTokenMatcher {
        PyTokenMatcher(Mutex::default())
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
    fn add(&self, key: u64, patterns: Vec<Vec<Element<'_>>>, greedy: Option<&str>) -> PyResult<()> {
        let greedy = match greedy {
            Some("FIRST") => Some(Greedy::First),
            Some("LONGEST") => Some(Greedy::Longest),
            _ => None,
        };
        let compiled = patterns.iter().map(|elements| {
            let mut pattern = Pattern::default();
            for (operator, tests) in elements {
                let tests = tests.iter().map(test_of).collect::<PyResult<_>>()?;
                pattern.push(tests, operator).or_raise()?;
            }
            Ok(pattern)
        });
        let compiled = compiled.collect::<PyResult<_>>()?;
        Arc::make_mut(&mut *self.matcher()).add(StrId::new(key), compiled, greedy).or_raise()
    }

    /// Remove all patterns of a key.
    fn remove(&self, key: u64) {
        Arc::make_mut(&mut *self.matcher()).remove(StrId::new(key));
    }

    /// The matches among the tokens from `start` to before `end`, counted from `start`: tuples of
    /// key, start and end, and with alignments a list of the elements that took the tokens.
    ///
    /// ask: a function of a question's number, the position of a token in the document, and a string
    ///     or None. It is only called if a pattern asks; the document cannot be changed meanwhile.
    #[pyo3(signature = (doc, start, end, ask, with_alignments=false))]
    fn find<'py>(
        &self,
        doc: &Bound<'py, PyDoc>,
        start: usize,
        end: usize,
        ask: &Bound<'py, PyAny>,
        with_alignments: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = doc.py();
        let matcher = Arc::clone(&self.matcher());
        let doc = doc.get().read(py)?;
        let found = if matcher.asks() {
            let mut ask = |Question { number, token, text }: Question<'_>| {
                let said = ask.call1((number, token, text)).and_then(|said| said.extract());
                said.map_err(|raised| from_py(py, raised, "asking whether a token matches"))
            };
            matcher.find(&doc, start..end, with_alignments, &mut ask)
        } else {
            search(py, start..end, &doc, |doc, tokens| {
                matcher.find(doc, tokens, with_alignments, &mut |_| Ok(false))
            })
        };
        let found = found.or_raise()?.into_iter().map(|found| {
            let Match { key, tokens, alignment } = found;
            let (key, start, end) = (key.get(), tokens.start, tokens.end);
            if with_alignments {
                (key, start, end, alignment).into_pyobject(py)
            } else {
                (key, start, end).into_pyobject(py)
            }
        });
        PyList::new(py, found.collect::<PyResult<Vec<_>>>()?)
    }
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
