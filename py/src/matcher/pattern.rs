//! Patterns in the form that Python classes pass: operators, and conditions as tuples.

use lexpool::matcher::{Comparison, IdSet, Number, Pattern, Relation, Test, TextTest};
use lexpool::structs::AttrId;
use lexpool::tokenizer::pattern::{self, flags};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;

/// An element from Python: its operator, and its conditions.
pub(super) type Element<'py> = (String, Items<Bound<'py, PyTuple>>);

/// Converts a pattern.
pub(super) fn pattern_of(elements: &[Element<'_>]) -> PyResult<Pattern> {
    let mut pattern = Pattern::default();
    for (operator, tests) in elements {
        let tests = tests.iter().map(test_of).collect::<PyResult<_>>()?;
        pattern.push(tests, operator).or_raise()?;
    }
    Ok(pattern)
}

/// Converts a condition.
fn test_of(given: &Bound<'_, PyTuple>) -> PyResult<Test> {
    let kind = given.get_item(0)?.extract::<String>()?;
    // -1 stands for no attribute, and is passed only with kinds that need none.
    let number = u32::try_from(given.get_item(1)?.extract::<i64>()?).unwrap_or_default();
    let attr = AttrId::new(number);
    let value = given.get_item(2)?;
    let ids = || Ok::<IdSet, PyErr>(value.extract::<Items<u64>>()?.into_iter().collect());
    let texts = || Ok::<_, PyErr>(value.extract::<Items<_>>()?.into_vec());
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
        "REGEX" => Test::Text(attr, TextTest::Regex(texts()?)),
        "NOT_REGEX" => Test::NotText(attr, TextTest::Regex(texts()?)),
        "FUZZY" | "NOT_FUZZY" => {
            let most = given.get_item(3)?.extract::<i64>()?;
            let similar = TextTest::Similar(texts()?, usize::try_from(most).ok());
            if kind == "FUZZY" { Test::Text(attr, similar) } else { Test::NotText(attr, similar) }
        }
        "ASK" => Test::Ask(value.extract()?),
        "ASK_TEXT" => Test::AskText(attr, value.extract()?),
        _ => {
            let text = format!("[E154] {kind:?} is not a kind of condition");
            return Err(PyValueError::new_err(text));
        }
    })
}

/// A number to compare with; an integer that does not fit becomes one beyond all values of tokens.
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

/// Returns True if an expression of Python's `re` is searched for natively: in time linear in the
/// text, or else under a limit of steps.
#[pyfunction]
pub(super) fn is_searchable(source: &str) -> bool {
    // As `re.compile` does for a string.
    pattern::Pattern::new(source, flags::UNICODE).is_ok()
}
