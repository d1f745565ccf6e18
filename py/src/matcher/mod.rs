//! Engines of `lexpool.matcher`, and `PhraseMatcher` except for its streams.

mod batches;
mod dependency;
mod levenshtein;
mod matches;
mod pattern;
mod phrases;
mod search_input;
mod tokens;

use std::ops::Range;

use pyo3::prelude::*;

use crate::runtime::classes;
use crate::runtime::gil::detached;

pub(crate) use phrases::PyPhraseMatcher;
pub(crate) use tokens::PyTokenMatcher;

/// Number of tokens from which a search releases the GIL; a shorter search takes less time than
/// that.
const MANY_TOKENS: usize = 256;

/// Searches without the GIL if that pays off.
fn search<T: Send>(
    py: Python<'_>,
    tokens: Range<usize>,
    doc: &lexpool::tokens::Doc,
    find: impl FnOnce(&lexpool::tokens::Doc, Range<usize>) -> T + Send,
) -> T {
    if tokens.len() < MANY_TOKENS { find(doc, tokens) } else { detached(py, || find(doc, tokens)) }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    levenshtein::register(module)?;
    classes::add::<tokens::PyTokenMatcher>(module)?;
    classes::add::<dependency::PyTreeMatcher>(module)?;
    module.add("TREE_OPERATORS", dependency::operators(module.py())?)?;
    classes::add::<phrases::PyPhraseMatcher>(module)?;
    matches::register(module)?;
    module.add_function(wrap_pyfunction!(pattern::is_searchable, module)?)
}
