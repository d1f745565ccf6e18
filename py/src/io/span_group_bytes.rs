//! `SpanGroup.to_bytes` and `SpanGroup.from_bytes`.

use lexpool::formats::span_group::{Bounds, SpanGroup as PackedGroup};
use lexpool::tokens::SpanGroup;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::io::msgpack::{packb, unpackb};
use crate::object::span_group::PySpanGroup;
use crate::runtime::array;
use crate::runtime::error::OrRaise;
use crate::runtime::text::with_utf8;

#[pymethods]
impl PySpanGroup {
    /// Returns the group as bytes: a MessagePack map, as spaCy writes it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let spans = self.with(&self.doc(py)?, |_, group| group.spans().to_vec())?;
        let attrs = packb(&self.attrs(py))?;
        let bytes = with_utf8(&self.name(py), |name| {
            PackedGroup { name, attrs: &attrs, spans }.to_bytes().or_raise()
        })?;
        array::bytes(py, &bytes)
    }

    /// Loads the result of `to_bytes`, replacing name, attributes and spans. Returns the group.
    ///
    /// Raises ValueError (msgpack-..., span-group) for other bytes, or for spans outside of the
    /// document; the group is then unchanged.
    fn from_bytes<'py>(
        slf: &Bound<'py, PySpanGroup>,
        bytes_data: &[u8],
    ) -> PyResult<Bound<'py, PySpanGroup>> {
        let (py, this) = (slf.py(), slf.get());
        let doc = this.doc(py)?;
        let bounds = {
            let doc = doc.get().read(py)?;
            Bounds { tokens: doc.len(), chars: doc.text().chars().count() }
        };
        let packed = PackedGroup::from_bytes(bytes_data, bounds).or_raise()?;
        let attrs = unpackb(py, packed.attrs, true)?.cast_into::<PyDict>()?;
        this.with(&doc, |doc, group| {
            let mut loaded = SpanGroup::new(doc);
            loaded.extend(doc, &packed.spans)?;
            *group = loaded;
            Ok(())
        })?
        .or_raise()?;
        this.set_name(PyString::new(py, packed.name));
        this.set_attrs(attrs);
        Ok(slf.clone())
    }
}
