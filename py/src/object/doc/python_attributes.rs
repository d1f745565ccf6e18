//! Python attributes of a document: user data, hooks, categories.
//!
//! A new document has none; the dictionary is created on first access.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::object::doc::PyDoc;
use crate::object::doc::token_details::add_details;
use crate::runtime::once_cell::OnceCell;
use crate::runtime::python_side;

const USER_DATA: &str = "user_data";

/// Python attributes of a document, by name.
#[derive(Default)]
pub(crate) struct PythonAttributes(OnceCell<Py<PyDict>>);

impl PythonAttributes {
    /// The attribute, if it exists.
    pub(crate) fn get<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.0.get() {
            Some(extras) => extras.bind(py).get_item(name),
            None => Ok(None),
        }
    }

    pub(crate) fn set(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.dict(py).set_item(name, value)
    }

    /// The attribute; creates it if necessary.
    pub(crate) fn get_or<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(found) = self.get(py, name)? {
            return Ok(found);
        }
        // Another thread may have set it first.
        self.dict(py).call_method1("setdefault", (name, make()?))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.get().map_or(Ok(()), |extras| visit.call(extras))
    }

    fn dict<'a, 'py>(&'a self, py: Python<'py>) -> &'a Bound<'py, PyDict> {
        match self.0.get() {
            Some(extras) => extras.bind(py),
            None => self.0.set(py, PyDict::new(py).unbind()).bind(py),
        }
    }
}

impl PyDoc {
    /// A user's function that replaces a property, if one is set.
    pub(crate) fn hook<'py>(
        &self,
        py: Python<'py>,
        hooks: &str,
        name: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.python_attributes.get(py, hooks)? {
            Some(hooks) if hooks.contains(name)? => Ok(Some(hooks.get_item(name)?)),
            _ => Ok(None),
        }
    }

    fn dict_named<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.python_attributes.get_or(py, name, || {
            let dict = PyDict::new(py);
            if let (USER_DATA, Some(segmenter)) = (name, &self.segmenter) {
                let text = self.read(py)?.text().to_owned();
                add_details(&dict, &**segmenter, &text)?;
            }
            Ok(dict.into_any())
        })
    }

    /// The user data; `None` for a document whose user data were never used.
    pub(crate) fn user_data_if_any<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.segmenter {
            Some(_) => self.dict_named(py, USER_DATA).map(Some),
            None => self.python_attributes.get(py, USER_DATA),
        }
    }
}

macro_rules! dicts {
    ($($get:ident $set:ident $name:literal $doc:literal;)*) => {
        #[pymethods]
        impl PyDoc {
            $(
                #[doc = $doc]
                #[getter]
                fn $get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    self.dict_named(py, $name)
                }

                #[setter]
                fn $set(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
                    self.python_attributes.set(py, $name, value)
                }
            )*
        }
    };
}

// stub: Doc.user_data: dict[Any, Any] = dict[Any, Any]
// stub: Doc.cats: dict[Any, float] = dict[Any, float]
// stub: Doc.user_hooks: dict[str, Callable[..., Any]] = dict[str, Callable[..., Any]]
// stub: Doc.user_token_hooks: dict[str, Callable[..., Any]] = dict[str, Callable[..., Any]]
// stub: Doc.user_span_hooks: dict[str, Callable[..., Any]] = dict[str, Callable[..., Any]]
dicts! {
    user_data set_user_data "user_data" "A dict for the user's own data; extension attributes \
                                         are stored here, too.";
    cats set_cats "cats" "A dict from the label of a category to its score.";
    user_hooks set_user_hooks "user_hooks" "Functions that replace properties of the document, \
                                            by name.";
    user_token_hooks set_user_token_hooks "user_token_hooks" "Functions that replace properties of \
                                                              its tokens, by name.";
    user_span_hooks set_user_span_hooks "user_span_hooks" "Functions that replace properties of \
                                                           its spans, by name.";
}

#[pymethods]
impl PyDoc {
    /// The sentiment of the text, as set by a component; 0.0 by default.
    #[getter]
    // stub: -> float
    fn sentiment<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.python_attributes.get_or(py, "sentiment", || Ok(0.0_f64.into_pyobject(py)?.into_any()))
    }

    #[setter]
    fn set_sentiment(&self, py: Python<'_>, value: f64) -> PyResult<()> {
        self.python_attributes.set(py, "sentiment", value.into_pyobject(py)?.as_any())
    }

    /// The function that finds noun chunks: takes a document, yields (start, end, label). By
    /// default that of the vocab; None for a language without rules.
    #[getter]
    // stub: -> Callable[[Doc], Iterable[tuple[int, int, _Id]]] | None
    pub(crate) fn noun_chunks_iterator<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let of_vocab = || self.py_vocab().bind(py).getattr("get_noun_chunks");
        self.python_attributes.get_or(py, "noun_chunks_iterator", of_vocab)
    }

    #[setter]
    // stub: (value: Callable[[Doc], Iterable[tuple[int, int, _Id]]] | None)
    fn set_noun_chunks_iterator(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.python_attributes.set(py, "noun_chunks_iterator", value)
    }

    /// An object that a pipeline passes along with the document.
    #[getter]
    // stub: -> Any
    fn _context<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.python_attributes.get_or(py, "_context", || Ok(py.None().into_bound(py)))
    }

    #[setter(_context)]
    // stub: (value: Any)
    fn set_context(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.python_attributes.set(py, "_context", value)
    }

    /// Named groups of spans: a dict from name to SpanGroup.
    #[getter]
    // stub: -> SpanGroups
    pub(crate) fn spans<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        slf.get()
            .python_attributes
            .get_or(py, "spans", || python_side::SPAN_GROUPS.call(py, (slf,)))
    }
}
