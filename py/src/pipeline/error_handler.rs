//! Error handling of components: what a failed document's error handler decides.

use pyo3::exceptions::{PyBaseException, PyException, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::plan::Plan;
use crate::object::doc::PyDoc;
use crate::runtime::user_calls::CallUser;

/// Maximum number of characters of a text in a note.
const NOTE_CHARS: usize = 60;

/// An exception that a stream stores until its turn. It is visited by the collector, since its
/// traceback may lead to the stream.
pub(super) struct ComponentError(Py<PyBaseException>);

impl ComponentError {
    pub(super) fn new(py: Python<'_>, error: PyErr) -> ComponentError {
        ComponentError(error.into_value(py))
    }

    pub(super) fn error(self, py: Python<'_>) -> PyErr {
        PyErr::from_value(self.0.into_bound(py).into_any())
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

/// A document for which a component failed.
pub(super) struct FailedDoc<'a, 'py> {
    pub(super) name: &'a Bound<'py, PyString>,
    pub(super) component: &'a Bound<'py, PyAny>,
    pub(super) doc: &'a Bound<'py, PyDoc>,
    pub(super) position: usize,
}

/// Calls the component's error handler, or the pipeline's.
///
/// # Errors
///
/// The exception of the handler, with a note of component, position and text; without a handler the
/// error itself. Exceptions that are not an `Exception`, such as `KeyboardInterrupt`, bypass all
/// handlers.
pub(super) fn handle(plan: &Plan, failed: &FailedDoc<'_, '_>, error: PyErr) -> PyResult<()> {
    let py = failed.doc.py();
    if !error.is_instance_of::<PyException>(py) {
        return Err(error);
    }
    handler(plan, failed.component)
        .and_then(|handler| {
            let Some(handler) = handler else { return Err(error.clone_ref(py)) };
            let docs = PyList::new(py, [failed.doc])?;
            handler.call_user((failed.name, failed.component, docs, error.value(py))).map(drop)
        })
        .inspect_err(|raised| {
            let subject = format!("document {}", failed.position);
            note(raised, failed.name, &subject, Some(failed.doc));
        })
}

fn handler<'py>(plan: &Plan, component: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    match component.getattr_opt("get_error_handler")? {
        Some(get) => get.call0().map(Some),
        None => Ok(plan.default_handler.as_ref().map(|own| own.bind(component.py()).clone())),
    }
}

/// Adds a note to an exception that says which component raised it for which document. Best effort:
/// failing to add the note is ignored.
pub(super) fn note(
    error: &PyErr,
    name: &Bound<'_, PyString>,
    place: &str,
    doc: Option<&Bound<'_, PyDoc>>,
) {
    let py = name.py();
    let beginning = doc.and_then(|doc| {
        let doc = doc.get().read(py).ok()?;
        let text: String = doc.text().chars().take(NOTE_CHARS).collect();
        let more = if text.len() < doc.text().len() { "..." } else { "" };
        Some(format!(": {text:?}{more}"))
    });
    let beginning = beginning.unwrap_or_default();
    let text = format!("raised by the component '{name}', {place} of the stream{beginning}");
    let _ = error.value(py).call_method1("add_note", (text,));
}

/// The result of a component, which must be a document.
pub(super) fn as_doc<'py>(
    name: &Bound<'_, PyString>,
    given: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDoc>> {
    given.cast_into::<PyDoc>().map_err(|refused| {
        let item = refused.into_inner();
        let class = item.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
        PyValueError::new_err(format!(
            "[E005] the component '{name}' returned {class} instead of a Doc; end it with \
             'return doc'"
        ))
    })
}
