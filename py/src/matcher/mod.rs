//! Engines of `lexpool.matcher`, and `PhraseMatcher` except for its streams.

mod batches;
mod dependency;
mod levenshtein;
mod matches;
mod pattern;
mod phrases;
mod search;
mod search_input;
mod tokens;

use pyo3::prelude::*;

use crate::runtime::classes;

pub(crate) use phrases::PyPhraseMatcher;
pub(crate) use tokens::PyTokenMatcher;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    levenshtein::register(module)?;
    classes::add::<tokens::PyTokenMatcher>(module)?;
    classes::add::<dependency::PyTreeMatcher>(module)?;
    module.add("TREE_OPERATORS", dependency::operators(module.py())?)?;
    classes::add::<phrases::PyPhraseMatcher>(module)?;
    matches::register(module)?;
    module.add_function(wrap_pyfunction!(pattern::is_searchable, module)?)
}
