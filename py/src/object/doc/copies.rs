//! Documents made from documents: copies, and several joined into one.

use lexpool::structs::AttrId;
use lexpool::tokens::{ARRAY_ATTRS, Doc, JoinedDocs};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::object::doc::PyDoc;
use crate::object::vocab::attr_of;
use crate::runtime::error::OrRaise;
use crate::runtime::items::{self, Items};
use crate::runtime::python_side;

#[pymethods]
impl PyDoc {
    /// Returns a copy of the document with its user data; vocab and hooks are shared.
    // stub: -> Self
    fn copy<'py>(slf: &Bound<'py, PyDoc>) -> PyResult<Bound<'py, PyDoc>> {
        let py = slf.py();
        let this = slf.get();
        this.sync_tensor(py)?;
        let doc = this.read(py)?.try_clone().or_raise()?;
        let has_native_tensor = doc.tensor().is_some();
        let copy = PyDoc::new(doc, this.py_vocab().clone_ref(py));
        let copy = Bound::new(py, copy.with_segmenter(this.segmenter.clone()))?;
        let deep = py.import("copy")?.getattr("deepcopy")?;
        if let (Some(tensor), false) = (this.tensor_if_set(py)?, has_native_tensor) {
            copy.get().put_tensor(&deep.call1((tensor,))?)?;
        }
        for name in ["cats", "user_data", "_vector", "_vector_norm"] {
            if let Some(mut value) = this.python_attributes.get(py, name)? {
                // Copying item by item runs Python code, during which another thread may add items.
                if value.is_instance_of::<PyDict>() {
                    value = value.call_method0("copy")?;
                }
                copy.get().python_attributes.set(py, name, &deep.call1((value,))?)?;
            }
        }
        for name in ["user_hooks", "user_token_hooks", "user_span_hooks"] {
            if let Some(hooks) = this.python_attributes.get(py, name)? {
                let hooks = py.get_type::<PyDict>().call1((hooks,))?;
                copy.get().python_attributes.set(py, name, &hooks)?;
            }
        }
        for name in ["sentiment", "noun_chunks_iterator"] {
            if let Some(value) = this.python_attributes.get(py, name)? {
                copy.get().python_attributes.set(py, name, &value)?;
            }
        }
        if let Some(spans) = this.python_attributes.get(py, "spans")? {
            let spans = spans.call_method1("copy", (&copy,))?;
            copy.get().python_attributes.set(py, "spans", &spans)?;
        }
        Ok(copy)
    }

    /// Joins documents of one vocab into a new one; None for an empty list.
    ///
    /// ensure_whitespace (bool): insert a space between documents if none is there.
    /// attrs: the attributes to keep, by name or number; by default all.
    /// exclude: which of "spans", "tensor" and "user_data" to leave out.
    ///
    /// Raises ValueError: E999 for different vocabs, E873 if a span of a group cannot be placed.
    #[staticmethod]
    #[pyo3(signature = (docs, ensure_whitespace=true, attrs=None, *, exclude=None))]
    // stub: (docs: Iterable[Doc], attrs: Iterable[_Attr] | None, exclude: Iterable[str] | None)
    fn from_docs<'py>(
        py: Python<'py>,
        docs: &Bound<'py, PyAny>,
        ensure_whitespace: bool,
        attrs: Option<&Bound<'py, PyAny>>,
        exclude: Option<Items<String>>,
    ) -> PyResult<Option<Bound<'py, PyDoc>>> {
        let docs = items::read(docs, |doc| match doc.cast_into::<PyDoc>() {
            Ok(doc) => Ok(doc),
            Err(error) => {
                Err(PyTypeError::new_err(format!("expected documents to join, not {error}")))
            }
        })?;
        let mut attr_ids = match attrs {
            None => ARRAY_ATTRS.to_vec(),
            // Unknown attribute names are ignored.
            Some(attrs) => {
                let attrs = items::read(attrs, |attr| Ok(attr_of(&attr).ok()))?;
                attrs.into_iter().flatten().collect()
            }
        };
        attr_ids.sort_unstable();
        attr_ids.dedup();
        if !attr_ids.contains(&AttrId::SPACY) {
            attr_ids.push(AttrId::SPACY);
        }
        let Some(first) = docs.first() else { return Ok(None) };
        docs.iter().try_for_each(|doc| doc.get().sync_tensor(py))?;
        let mut exclude = exclude.unwrap_or_default().into_vec();
        let joined = {
            let read = docs.iter().map(|doc| doc.get().read(py)).collect::<PyResult<Vec<_>>>()?;
            let inner: Vec<&Doc> = read.iter().map(|doc| &**doc).collect();
            JoinedDocs::new(&inner, ensure_whitespace, &attr_ids).or_raise()?
        };
        let Some(mut joined) = joined else { return Ok(None) };
        if exclude.iter().any(|part| part == "tensor") {
            joined.doc.set_tensor(None).or_raise()?;
        } else if joined.doc.tensor().is_some() {
            exclude.push("tensor".to_owned());
        }
        let vocab = first.get().py_vocab().clone_ref(py);
        let joined_doc = Bound::new(py, PyDoc::new(joined.doc, vocab))?;
        let args = (&joined_doc, docs, joined.offsets, exclude);
        python_side::CARRY_OVER.call(py, args)?;
        Ok(Some(joined_doc))
    }
}
