//! The engines behind `lexpool.matcher`, and `PhraseMatcher` but for its streams.

mod dependency;
mod many;
mod matches;
mod phrases;
mod searched;
mod tokens;

use std::ops::Range;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::doc::PyDoc;
use crate::gil::detached;
use crate::span::PySpan;

/// From how many tokens on a search lets go of the GIL; a shorter one takes less than that costs.
const MANY_TOKENS: usize = 256;

/// What a matcher is called with: a document and all of its tokens, or those of a span.
fn searched<'py>(doclike: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyDoc>, Range<usize>)> {
    let py = doclike.py();
    if let Ok(doc) = doclike.cast::<PyDoc>() {
        let len = doc.get().read(py)?.len();
        return Ok((doc.clone(), 0..len));
    }
    if let Ok(span) = doclike.cast::<PySpan>() {
        let (_, tokens) = span.get().read(py)?;
        return Ok((span.get().owner(py).clone(), tokens));
    }
    let text = format!("[E195] a Doc or a Span is searched, not {}", doclike.get_type().name()?);
    Err(PyValueError::new_err(text))
}

/// Searches with the GIL or, where it is worth the while, without.
fn search<T: Send>(
    py: Python<'_>,
    tokens: Range<usize>,
    doc: &lexpool::tokens::Doc,
    find: impl FnOnce(&lexpool::tokens::Doc, Range<usize>) -> T + Send,
) -> T {
    if tokens.len() < MANY_TOKENS { find(doc, tokens) } else { detached(py, || find(doc, tokens)) }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<tokens::PyTokenMatcher>()?;
    module.add_class::<dependency::PyTreeMatcher>()?;
    module.add("TREE_OPERATORS", dependency::operators(module.py())?)?;
    module.add_class::<phrases::PyPhraseMatcher>()?;
    matches::register(module)?;
    module.add_function(wrap_pyfunction!(tokens::runs_on_automata, module)?)
}
