//! Native components, and the data that they exchange with Python documents.

use std::sync::Arc;

use lexpool::pipeline::{Component, Groups, Notes, SpanScores};
use lexpool_ops::OpComponent;
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PyString};

use crate::object::doc::PyDoc;
use crate::object::span_group::PySpanGroup;
use crate::ops;
use crate::runtime::array::array;
use crate::runtime::classes::class;
use crate::runtime::error::{OrRaise, warn};
use crate::runtime::gil::detached;

/// A component that runs without the GIL, on any thread of a pipeline.
///
/// Call it with a document to annotate that document.
#[pyclass(name = "NativeComponent", module = "lexpool._core", frozen)]
pub(crate) struct PyComponent {
    pub(super) component: Arc<dyn Component>,
    /// True if it replaces a Python component only for documents that the tokenizer has just made:
    /// it ignores a document's hooks, and tensors that only Python can read.
    pub(super) of_texts: bool,
}

class!(PyComponent);

impl PyComponent {
    pub(super) fn new(component: impl Component + 'static) -> PyComponent {
        PyComponent::of(Arc::new(component))
    }

    /// Returns the component for Python.
    pub(crate) fn of(component: Arc<dyn Component>) -> PyComponent {
        PyComponent { component, of_texts: false }
    }
}

#[pymethods]
impl PyComponent {
    /// Returns a component that calls an op with each document. A result other than None is stored
    /// in `doc.user_data` under the key.
    ///
    /// Raises KeyError for an unknown op, TypeError for an op that does not take a document alone.
    #[staticmethod]
    fn of_op(op: &str, key: &str) -> PyResult<PyComponent> {
        Ok(PyComponent::new(OpComponent::new(op, key).or_raise()?))
    }

    /// Annotates a document, and returns it.
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        doc: Bound<'py, PyDoc>,
    ) -> PyResult<Bound<'py, PyDoc>> {
        let (mut groups, mut notes) = (Groups::new(), Notes::new());
        given_groups(&doc, &*self.component, &mut groups)?;
        doc.get().sync_tensor(py)?;
        let mut writing = doc.get().write(py)?;
        let (inner, component) = (&mut *writing, &*self.component);
        detached(py, || component.apply_noting(inner, &mut groups, &mut notes)).or_raise()?;
        drop(writing);
        set_groups(&doc, &groups)?;
        set_notes(&doc, notes)?;
        if let Some(text) = component.take_warning() {
            warn(py, &text)?;
        }
        Ok(doc)
    }
}

/// Adds the span group that a component reads, if the document has it.
pub(super) fn given_groups(
    doc: &Bound<'_, PyDoc>,
    component: &dyn Component,
    groups: &mut Groups,
) -> PyResult<()> {
    let Some(name) = component.group() else { return Ok(()) };
    let spans = PyDoc::spans(doc)?;
    if spans.contains(name)? {
        let group = spans.get_item(name)?.cast_into::<PySpanGroup>()?;
        groups.insert(name.to_owned(), group.get().group_of(doc)?);
    }
    Ok(())
}

/// Sets the span groups that a component has produced on a document.
pub(super) fn set_groups(doc: &Bound<'_, PyDoc>, groups: &Groups) -> PyResult<()> {
    for (name, left) in groups {
        let (key, spans) = (PyString::new(doc.py(), name), left.spans());
        let doc_groups = PyDoc::spans(doc)?;
        // A group that only grows keeps its attributes and its identity.
        if doc_groups.contains(&key)? {
            let group = doc_groups.get_item(&key)?.cast_into::<PySpanGroup>()?;
            if group.get().extend_to(doc, spans)? {
                continue;
            }
        }
        let group = PySpanGroup::of_component(doc, key.clone(), spans)?;
        PyDoc::spans(doc)?.set_item(key, group)?;
    }
    Ok(())
}

/// Sets the notes of components on a document: in `user_data`, in `cats`, and in the attributes of
/// the span groups, which must be set before.
pub(super) fn set_notes(doc: &Bound<'_, PyDoc>, notes: Notes) -> PyResult<()> {
    let Notes { user_data, cats, span_scores } = notes;
    for (key, value) in user_data {
        let value = ops::owned_to_python(doc.py(), value)?;
        doc.getattr("user_data")?.set_item(&*key, value)?;
    }
    if !cats.is_empty() {
        let doc_cats = doc.getattr("cats")?;
        for (label, score) in cats {
            doc_cats.set_item(&*label, score)?;
        }
    }
    for scores in span_scores {
        let group = PyDoc::spans(doc)?.get_item(&scores.group)?;
        group.getattr("attrs")?.set_item("scores", score_array(doc.py(), &scores)?)?;
    }
    Ok(())
}

/// The scores of spans as spaCy stores them; a list if NumPy is not installed.
fn score_array<'py>(py: Python<'py>, of_group: &SpanScores) -> PyResult<Bound<'py, PyAny>> {
    let SpanScores { scores, is_column, .. } = of_group;
    let is_column = *is_column && !scores.is_empty();
    let shape = if is_column { &[scores.len(), 1][..] } else { &[scores.len()] };
    let array = array(py, scores, shape)?;
    if array.is_instance_of::<PyMemoryView>() {
        return array.call_method0("tolist");
    }
    // spaCy makes the array of a list, and that of an empty list has NumPy's default type.
    if scores.is_empty() { array.call_method1("astype", ("float64",)) } else { Ok(array) }
}
