//! Noun chunks by the rules of a language.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::object::doc::PyDoc;
use crate::object::span::PySpan;
use crate::runtime::error::OrRaise;
use crate::runtime::python_side;

/// Returns the noun chunks of an English document or span, each as start, end and the id of the
/// label "NP".
///
/// doclike (Doc | Span): parsed, with parts of speech.
///
/// Raises ValueError (E029) if it is not parsed.
#[pyfunction]
// stub: (doclike: Doc | Span)
fn english_noun_chunks(doclike: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, usize, u64)>> {
    let py = doclike.py();
    let (doc, range) = if let Ok(doc) = doclike.cast::<PyDoc>() {
        let doc = doc.get().read(py)?;
        let all = 0..doc.len();
        (doc, all)
    } else if let Ok(span) = doclike.cast::<PySpan>() {
        span.get().read(py)?
    } else {
        let kind = doclike.get_type();
        return Err(PyTypeError::new_err(format!("expected a Doc or a Span, not {kind}")));
    };
    let span = doc.span(range.start, range.end).or_raise()?;
    let chunks = span.english_noun_chunks().or_raise()?;
    let label = doc.snapshot().add("NP").or_raise()?.get();
    Ok(chunks.into_iter().map(|chunk| (chunk.start, chunk.end, label)).collect())
}

/// The noun chunk function of a language, for `Vocab.get_noun_chunks`.
pub(crate) fn of_language<'py>(py: Python<'py>, lang: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    if lang != "en" {
        return Ok(None);
    }
    // The module's own function object can be pickled by reference.
    python_side::ENGLISH_NOUN_CHUNKS.get(py).map(Some)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(english_noun_chunks, module)?)
}
