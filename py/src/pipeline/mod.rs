//! Components of pipelines, as Python holds them.

mod rulers;
mod sentencizer;

use std::sync::Arc;

use lexpool::pipeline::{Component, Groups};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::doc::PyDoc;
use crate::error::OrRaise;
use crate::gil::detached;
use crate::span_group::PySpanGroup;

/// A component that runs without the GIL, on whichever thread a pipeline has.
///
/// Called with a document, it annotates it.
#[pyclass(name = "NativeComponent", module = "lexpool._core", frozen)]
pub(crate) struct PyComponent(pub(crate) Arc<dyn Component>);

#[pymethods]
impl PyComponent {
    /// Annotate a document, and return it.
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        doc: Bound<'py, PyDoc>,
    ) -> PyResult<Bound<'py, PyDoc>> {
        let mut groups = given_groups(&doc, &*self.0)?;
        let mut writing = doc.get().write(py)?;
        let (inner, component) = (&mut *writing, &*self.0);
        detached(py, || component.apply(inner, &mut groups)).or_raise()?;
        drop(writing);
        set_groups(&doc, &groups)?;
        Ok(doc)
    }
}

/// The group of a document's that a component reads, if there is one.
fn given_groups(doc: &Bound<'_, PyDoc>, component: &dyn Component) -> PyResult<Groups> {
    let mut groups = Groups::new();
    if let Some(name) = component.group() {
        let spans = PyDoc::spans(doc)?;
        if spans.contains(name)? {
            let group = spans.get_item(name)?.cast_into::<PySpanGroup>()?;
            groups.insert(name.to_owned(), group.get().spans_of(doc)?);
        }
    }
    Ok(groups)
}

/// Gives a document the groups that a component has left.
fn set_groups(doc: &Bound<'_, PyDoc>, groups: &Groups) -> PyResult<()> {
    for (name, spans) in groups {
        let key = PyString::new(doc.py(), name);
        let own = PyDoc::spans(doc)?;
        // One that only grows keeps its attributes, and is still the one that others hold.
        if own.contains(&key)? {
            let group = own.get_item(&key)?.cast_into::<PySpanGroup>()?;
            if group.get().extend_to(doc, spans)? {
                continue;
            }
        }
        let group = PySpanGroup::of_records(doc, key.clone(), spans)?;
        PyDoc::spans(doc)?.set_item(key, group)?;
    }
    Ok(())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<sentencizer::PySentenceMarks>()?;
    module.add_class::<rulers::PyRuleNames>()?;
    module.add_function(wrap_pyfunction!(rulers::entity_order, module)?)?;
    module.add_class::<PyComponent>()
}
