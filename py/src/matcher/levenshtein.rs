//! Levenshtein distance for Python.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::runtime::gil::unlocked;
use crate::runtime::op_calls;
use crate::runtime::text::with_utf8;

/// Returns the number of insertions, deletions and replacements of characters that turn `a` into
/// `b`.
///
/// k: an upper bound; a larger distance is returned as k + 1, in less time. None or a negative
///     number for no bound.
#[pyfunction]
#[pyo3(signature = (a, b, k=None))]
fn levenshtein(
    a: &Bound<'_, PyString>,
    b: &Bound<'_, PyString>,
    k: Option<i64>,
) -> PyResult<usize> {
    let (py, bound) = (a.py(), k.and_then(|k| usize::try_from(k).ok()));
    let distance =
        |a: &str, b: &str| unlocked(py, a.len() + b.len(), || op_calls::edit_distance(a, b, bound));
    with_utf8(a, |a| with_utf8(b, |b| distance(a, b)))
}

/// Returns True if a text is at most `fuzzy` edits away from a pattern. A negative `fuzzy` means at
/// most two edits or 30 percent of the pattern's length, whichever is more.
#[pyfunction]
#[pyo3(signature = (input_text, pattern_text, fuzzy=-1))]
fn levenshtein_compare(
    input_text: &Bound<'_, PyString>,
    pattern_text: &Bound<'_, PyString>,
    fuzzy: i64,
) -> PyResult<bool> {
    let (py, most) = (input_text.py(), usize::try_from(fuzzy).ok());
    let compare = |text: &str, pattern: &str| {
        unlocked(py, text.len() + pattern.len(), || op_calls::is_similar(text, pattern, most))
    };
    with_utf8(input_text, |text| with_utf8(pattern_text, |pattern| compare(text, pattern)))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(levenshtein, module)?)?;
    module.add_function(wrap_pyfunction!(levenshtein_compare, module)?)
}
