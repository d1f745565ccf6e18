//! `lexpool.tokens.SpanGroup`.

use std::sync::{Mutex, PoisonError};

use lexpool::structs::SpanC;
use lexpool::tokens::{Doc, SpanGroup};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyWeakrefMethods, PyWeakrefReference};

use crate::object::doc::PyDoc;
use crate::object::span::PySpan;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::op_calls;

/// Spans of one document, with a name and attributes.
///
/// The group refers to the document weakly, so that a document can own its groups. Spans are stored
/// by value: changing a span that was taken out does not change the group. After tokens were merged
/// or split the spans find their tokens again by their characters; a span that then ends inside of
/// a token is extended to its end.
#[pyclass(name = "SpanGroup", module = "lexpool.tokens", frozen, weakref, sequence)]
pub(crate) struct PySpanGroup {
    doc: Py<PyWeakrefReference>,
    // Locked for a few Rust operations only, never while Python runs.
    group: Mutex<SpanGroup>,
    metadata: Mutex<GroupMetadata>,
}

class!(PySpanGroup);

struct GroupMetadata {
    name: Py<PyString>,
    attrs: Py<PyDict>,
}

impl PySpanGroup {
    fn made(
        doc: &Bound<'_, PyDoc>,
        group: SpanGroup,
        name: Bound<'_, PyString>,
        attrs: Bound<'_, PyDict>,
    ) -> PyResult<PySpanGroup> {
        Ok(PySpanGroup {
            doc: PyWeakrefReference::new(doc)?.unbind(),
            group: Mutex::new(group),
            metadata: Mutex::new(GroupMetadata { name: name.unbind(), attrs: attrs.unbind() }),
        })
    }

    /// A group that a component has made for the document.
    pub(crate) fn of_component(
        doc: &Bound<'_, PyDoc>,
        name: Bound<'_, PyString>,
        spans: &[SpanC],
    ) -> PyResult<PySpanGroup> {
        let read = doc.get().read(doc.py())?;
        let mut group = SpanGroup::new(&read);
        // The component may be a user's, and its group of another document.
        group.extend(&read, spans).or_raise()?;
        PySpanGroup::made(doc, group, name, PyDict::new(doc.py()))
    }

    /// Returns whether the group is of this document.
    pub(crate) fn is_of(&self, doc: &Bound<'_, PyDoc>) -> bool {
        self.doc.bind(doc.py()).upgrade().is_some_and(|own| own.is(doc))
    }

    /// A copy of the group for a component.
    pub(crate) fn group_of(&self, doc: &Bound<'_, PyDoc>) -> PyResult<SpanGroup> {
        self.with(doc, |_, group| group.clone())
    }

    /// Appends the spans that follow those of the group, if `spans` begins with them; otherwise
    /// returns false.
    pub(crate) fn extend_to(&self, doc: &Bound<'_, PyDoc>, spans: &[SpanC]) -> PyResult<bool> {
        self.with(doc, |doc, group| {
            let Some(new) = spans.strip_prefix(group.spans()) else { return Ok(false) };
            group.extend(doc, new).map(|()| true)
        })?
        .or_raise()
    }

    /// Calls `ask` with the group, updated to the document's present tokens.
    pub(crate) fn with<T>(
        &self,
        doc: &Bound<'_, PyDoc>,
        ask: impl FnOnce(&Doc, &mut SpanGroup) -> T,
    ) -> PyResult<T> {
        let read = doc.get().read(doc.py())?;
        let mut group = self.group.lock().unwrap_or_else(PoisonError::into_inner);
        group.follow(&read);
        Ok(ask(&read, &mut group))
    }

    /// The records of the spans of an iterable or of another group, which must be of this document.
    fn records(doc: &Bound<'_, PyDoc>, spans: &Bound<'_, PyAny>) -> PyResult<Vec<SpanC>> {
        let py = doc.py();
        if let Ok(other) = spans.cast::<PySpanGroup>() {
            let other = other.get();
            if !other.doc(py)?.is(doc) {
                return Err(foreign("span group"));
            }
            return other.with(doc, |_, group| group.spans().to_vec());
        }
        let record = |span: Bound<'_, PyAny>| {
            let span = span.cast::<PySpan>()?.get();
            if !span.owner(py).is(doc) {
                return Err(foreign("span"));
            }
            span.record(py)
        };
        // All spans come first: an iterator of the user's may merge or split tokens.
        let spans = items::read(spans, Ok)?;
        spans.into_iter().map(record).collect()
    }

    fn append_all(&self, py: Python<'_>, spans: &Bound<'_, PyAny>) -> PyResult<()> {
        let doc = self.doc(py)?;
        let attrs = match spans.cast::<PySpanGroup>() {
            Ok(other) => Some(deep_copy(&other.get().attrs(py))?),
            Err(_) => None,
        };
        let records = PySpanGroup::records(&doc, spans)?;
        self.with(&doc, |doc, group| group.extend(doc, &records))?.or_raise()?;
        if let Some(attrs) = attrs {
            let group_attrs = self.attrs(py);
            for (key, value) in attrs.iter() {
                if !group_attrs.contains(&key)? {
                    group_attrs.set_item(key, value)?;
                }
            }
        }
        Ok(())
    }
}

#[pymethods]
impl PySpanGroup {
    /// SpanGroup(doc, *, name="", attrs={}, spans=[])
    ///
    /// name (str): the group's name.
    /// attrs (dict): attributes of the group, of types that JSON has.
    /// spans: spans of the document.
    ///
    /// Raises ValueError (E855) for a span of another document.
    #[new]
    #[pyo3(signature = (doc, *, name=None, attrs=None, spans=None))]
    // stub: (attrs: Mapping[str, Any] | None, spans: Iterable[Span] | None)
    fn py_new(
        doc: &Bound<'_, PyDoc>,
        name: Option<Bound<'_, PyString>>,
        attrs: Option<&Bound<'_, PyAny>>,
        spans: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySpanGroup> {
        let py = doc.py();
        let attrs = match attrs {
            Some(attrs) => py.get_type::<PyDict>().call1((attrs,))?.cast_into()?,
            None => PyDict::new(py),
        };
        let records = spans.map_or(Ok(Vec::new()), |spans| PySpanGroup::records(doc, spans))?;
        let name = name.unwrap_or_else(|| PyString::new(py, ""));
        let read = doc.get().read(py)?;
        let mut group = SpanGroup::new(&read);
        group.extend(&read, &records).or_raise()?;
        PySpanGroup::made(doc, group, name, attrs)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.doc)?;
        // A thread that has the lock also refers to the objects, so they are not garbage.
        match self.metadata.try_lock() {
            Ok(metadata) => {
                visit.call(&metadata.name)?;
                visit.call(&metadata.attrs)
            }
            Err(_) => Ok(()),
        }
    }

    /// The document. Raises RuntimeError (E865) if it no longer exists.
    #[getter]
    pub(crate) fn doc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDoc>> {
        let doc = self.doc.bind(py).upgrade_as::<PyDoc>()?;
        doc.ok_or_else(|| {
            let text = "[E865] the document of this span group no longer exists; keep a \
                        reference to it";
            PyRuntimeError::new_err(text)
        })
    }

    /// The name of the group.
    #[getter]
    pub(crate) fn name<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        let metadata = self.metadata.lock().unwrap_or_else(PoisonError::into_inner);
        metadata.name.bind(py).clone()
    }

    #[setter]
    pub(crate) fn set_name(&self, name: Bound<'_, PyString>) {
        let mut name = name.unbind();
        let mut metadata = self.metadata.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut metadata.name, &mut name);
        // The old name is dropped after the lock is released.
        drop(metadata);
    }

    /// The attributes of the group: a dict.
    #[getter]
    // stub: -> dict[str, Any]
    pub(crate) fn attrs<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        let metadata = self.metadata.lock().unwrap_or_else(PoisonError::into_inner);
        metadata.attrs.bind(py).clone()
    }

    #[setter]
    // stub: (value: dict[str, Any])
    pub(crate) fn set_attrs(&self, attrs: Bound<'_, PyDict>) {
        let mut attrs = attrs.unbind();
        let mut metadata = self.metadata.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut metadata.attrs, &mut attrs);
        // The old dict is dropped after the lock is released, since its destructor can run any
        // code.
        drop(metadata);
    }

    /// True if two of the spans share a token.
    #[getter]
    fn has_overlap(&self, py: Python<'_>) -> PyResult<bool> {
        // The op may be overridden by a Python function, so the group is not locked meanwhile.
        let spans = self.with(&self.doc(py)?, |_, group| group.spans().to_vec())?;
        op_calls::spans_overlap(&spans)
    }

    fn __len__(&self) -> usize {
        self.group.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn __getitem__(&self, py: Python<'_>, i: isize) -> PyResult<PySpan> {
        let doc = self.doc(py)?;
        let record = self.with(&doc, |_, group| {
            let at = group.position(i)?;
            Ok(group.spans()[at])
        })?;
        Ok(PySpan::from_record(&doc, &*doc.get().read(py)?, record.or_raise()?))
    }

    fn __setitem__(&self, i: isize, span: &Bound<'_, PySpan>) -> PyResult<()> {
        let doc = self.doc(span.py())?;
        if !span.get().owner(span.py()).is(&doc) {
            return Err(foreign("span"));
        }
        let record = span.get().record(span.py())?;
        self.with(&doc, |doc, group| group.set(doc, i, record))?.or_raise()
    }

    fn __delitem__(&self, i: isize) -> PyResult<()> {
        let mut group = self.group.lock().unwrap_or_else(PoisonError::into_inner);
        group.remove(i).map(drop).or_raise()
    }

    /// Iterates over the present spans; spans appended meanwhile are not included.
    // stub: -> Iterator[Span]
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyIterator::from_object(self.list(py)?.as_any())
    }

    /// Iterates over the present spans from the last to the first.
    // stub: -> Iterator[Span]
    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let spans = self.list(py)?;
        spans.reverse()?;
        PyIterator::from_object(&spans)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.list(py)?.repr()
    }

    /// Appends a span of the document. Raises ValueError (E855) for a span of another one.
    fn append(&self, span: &Bound<'_, PySpan>) -> PyResult<()> {
        self.append_all(span.py(), PyList::new(span.py(), [span])?.as_any())
    }

    /// Appends spans, or all of another group of the same document. That group's attributes are
    /// added if this group has none of the same name.
    ///
    /// Raises ValueError (E855) for spans of another document; nothing is appended then.
    // stub: (spans_or_span_group: Iterable[Span])
    fn extend(&self, py: Python<'_>, spans_or_span_group: &Bound<'_, PyAny>) -> PyResult<()> {
        self.append_all(py, spans_or_span_group)
    }

    // stub: def SpanGroup.__radd__(self, other: SpanGroup, /) -> SpanGroup

    // stub: (other: SpanGroup) -> SpanGroup
    fn __add__<'py>(
        slf: &Bound<'py, PySpanGroup>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !other.is_instance_of::<PySpanGroup>() {
            return Ok(slf.py().NotImplemented().into_bound(slf.py()));
        }
        Ok(PySpanGroup::_concat(slf, other, false)?.into_any())
    }

    // stub: (other: Iterable[Span]) -> Self
    fn __iadd__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        self.append_all(py, other)
    }

    /// The group with further spans appended; a new group unless `inplace`.
    #[pyo3(signature = (other, *, inplace=false))]
    // stub: (other: Iterable[Span])
    fn _concat<'py>(
        slf: &Bound<'py, PySpanGroup>,
        other: &Bound<'py, PyAny>,
        inplace: bool,
    ) -> PyResult<Bound<'py, PySpanGroup>> {
        let py = slf.py();
        let joined = if inplace { slf.clone() } else { Bound::new(py, slf.get().copy(py, None)?)? };
        joined.get().append_all(py, other)?;
        Ok(joined)
    }

    /// Returns a copy, for the same document or, by character offsets, for another.
    ///
    /// Raises ValueError (E1052) if a span does not begin and end with tokens of the other
    /// document.
    #[pyo3(signature = (doc=None))]
    fn copy(&self, py: Python<'_>, doc: Option<&Bound<'_, PyDoc>>) -> PyResult<PySpanGroup> {
        let group_doc = self.doc(py)?;
        let target = doc.unwrap_or(&group_doc);
        let attrs = deep_copy(&self.attrs(py))?;
        let group = if target.is(&group_doc) {
            self.with(&group_doc, |_, group| group.clone())?
        } else {
            let other = target.get().read(py)?;
            self.with(&group_doc, |doc, group| group.copied_to(doc, &other))?.or_raise()?
        };
        PySpanGroup::made(target, group, self.name(py), attrs)
    }
}

impl PySpanGroup {
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let doc = self.doc(py)?;
        let records = self.with(&doc, |_, group| group.spans().to_vec())?;
        let read = doc.get().read(py)?;
        let spans = records.into_iter().map(|span| PySpan::from_record(&doc, &read, span));
        PyList::new(py, spans.collect::<Vec<_>>())
    }
}

fn deep_copy<'py>(attrs: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let copy = attrs.py().import("copy")?.getattr("deepcopy")?.call1((attrs,))?;
    Ok(copy.cast_into()?)
}

fn foreign(what: &str) -> PyErr {
    let text = format!("[E855] the {what} belongs to another document than this group");
    PyValueError::new_err(text)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PySpanGroup>(module)
}
