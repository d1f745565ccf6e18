//! Figures as Python's dictionaries.

use lexpool_training::scoring::{Rates, Score, Scores, Summation};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns a dictionary of figures; `label` makes the keys of its tables.
pub(super) fn dict_of<'py, L>(
    py: Python<'py>,
    scores: Scores<L>,
    label: impl Fn(L) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let figures = PyDict::new(py);
    for (name, score) in scores {
        match score {
            Score::Missing => figures.set_item(name, py.None())?,
            Score::Number(number) => figures.set_item(name, number)?,
            Score::Text(text) => figures.set_item(name, text)?,
            Score::Rates(rows) => {
                let table = PyDict::new(py);
                for (own, rates) in rows {
                    table.set_item(label(own)?, dict_of_rates(py, rates)?)?;
                }
                figures.set_item(name, table)?;
            }
            Score::Numbers(rows) => {
                let table = PyDict::new(py);
                for (own, number) in rows {
                    table.set_item(label(own)?, number)?;
                }
                figures.set_item(name, table)?;
            }
        }
    }
    Ok(figures)
}

/// Returns a dictionary of figures by labels that are strings.
pub(super) fn dict_by_name(py: Python<'_>, scores: Scores) -> PyResult<Bound<'_, PyDict>> {
    dict_of(py, scores, |label| label.into_pyobject(py).map(Bound::into_any).map_err(Into::into))
}

/// Returns precision, recall and F-score under "p", "r" and "f".
pub(super) fn dict_of_rates(py: Python<'_>, rates: Rates) -> PyResult<Bound<'_, PyDict>> {
    let figures = PyDict::new(py);
    for (name, value) in rates.named() {
        figures.set_item(name, value)?;
    }
    Ok(figures)
}

/// Returns the way in which `sum` adds floats in this Python.
pub(super) fn summation(py: Python<'_>) -> Summation {
    if py.version_info() >= (3, 12) { Summation::Compensated } else { Summation::Plain }
}
