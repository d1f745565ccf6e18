//! `lexpool.structs`: the layout of the records, as reflection.

use lexpool::structs::{Record, RecordInfo, SpacyTokenC, emit, records};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::runtime::classes::{self, class};

/// The layout of a record: its size and fields, as C, NumPy and Arrow see them.
#[pyclass(name = "Record", module = "lexpool.structs", frozen)]
struct PyRecord {
    info: &'static RecordInfo,
}

class!(PyRecord);

/// A field of a record.
#[pyclass(name = "Field", module = "lexpool.structs", frozen, get_all)]
struct PyField {
    /// The name.
    name: &'static str,
    /// The type as in C, such as "uint32_t".
    ctype: &'static str,
    /// Bytes from the start of the record.
    offset: usize,
    /// The size in bytes.
    size: usize,
    /// The meaning of the field.
    doc: &'static str,
}

class!(PyField);

#[pymethods]
impl PyField {
    fn __repr__(&self) -> String {
        format!("<Field {} {} at {}>", self.ctype, self.name, self.offset)
    }
}

#[pymethods]
impl PyRecord {
    /// The name, such as "TokenC".
    #[getter]
    fn name(&self) -> &'static str {
        self.info.name
    }

    /// The size in bytes.
    #[getter]
    fn size(&self) -> usize {
        self.info.size
    }

    /// The alignment in bytes.
    #[getter]
    fn align(&self) -> usize {
        self.info.align
    }

    /// The format string of the buffer protocol, which `numpy.dtype` understands by way of a view.
    #[getter]
    fn format(&self) -> String {
        emit::buffer_format(self.info)
    }

    /// The fields, in order.
    #[getter]
    fn fields(&self) -> Vec<PyField> {
        let field = |field: &lexpool::structs::Field| PyField {
            name: field.name,
            ctype: field.kind.c(),
            offset: field.offset,
            size: field.kind.size(),
            doc: field.doc,
        };
        self.info.fields.iter().map(field).collect()
    }

    /// The purpose of the record.
    #[getter]
    fn doc(&self) -> &'static str {
        self.info.doc
    }

    fn __str__(&self) -> String {
        emit::layout_table(self.info)
    }

    fn __repr__(&self) -> String {
        format!("<Record {} of {} bytes>", self.info.name, self.info.size)
    }
}

/// The records' layouts, in the order of the C header.
#[pyfunction]
// stub: -> list[Record]
fn record_layouts(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let layouts = records().iter().map(|info| Py::new(py, PyRecord { info }));
    PyList::new(py, layouts.collect::<PyResult<Vec<_>>>()?)
}

/// The layout of spaCy's own record of a token, which `Handle.as_spacy` exports.
#[pyfunction]
fn spacy_record_layout(py: Python<'_>) -> PyResult<Py<PyRecord>> {
    Py::new(py, PyRecord { info: &SpacyTokenC::INFO })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyRecord>(module)?;
    classes::add::<PyField>(module)?;
    module.add_function(wrap_pyfunction!(spacy_record_layout, module)?)?;
    module.add_function(wrap_pyfunction!(record_layouts, module)?)
}
