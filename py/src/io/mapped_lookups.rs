//! Files of look-up tables for Python: `lexpool.lookups` wraps them.

use std::path::PathBuf;

use lexpool::lookups::{MappedLookups, MappedTable, ValueKind};
use lexpool::strings::StrId;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::msgpack::unpackb;
use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::gil::detached;

/// A file of look-up tables that is memory-mapped.
///
/// path: the file, which `lexpool lookups build` wrote.
/// verify: verify the whole file, not only its header and manifest.
///
/// Raises ValueError (container-kind, container-version, container-truncated, container-checksum,
/// container-table, lookups-manifest, lookups-table) for another or a damaged file; OSError.
#[pyclass(name = "MappedLookups", module = "lexpool._core", frozen)]
pub(crate) struct PyMappedLookups(MappedLookups);

class!(PyMappedLookups);

#[pymethods]
impl PyMappedLookups {
    #[new]
    #[pyo3(signature = (path, *, verify=false))]
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    fn py_new(py: Python<'_>, path: PathBuf, verify: bool) -> PyResult<PyMappedLookups> {
        let lookups = MappedLookups::open(&path).or_raise()?;
        if verify {
            detached(py, || lookups.verify()).or_raise()?;
        }
        Ok(PyMappedLookups(lookups))
    }

    /// The code of the language.
    #[getter]
    fn lang(&self) -> &str {
        self.0.lang()
    }

    /// The tables, in the order of the file.
    #[getter]
    // stub: -> list[MappedTable]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let tables = self.0.tables().iter().map(|table| PyMappedTable(table.clone()));
        PyList::new(py, tables.map(|table| Py::new(py, table)).collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns whether each table was built from the present file of its origin in a folder, and
    /// the folder has no other tables of the language.
    // stub: (folder: PathLike[str] | str)
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 gives them")]
    fn is_current(&self, py: Python<'_>, folder: PathBuf) -> bool {
        detached(py, || self.0.is_current(&folder))
    }
}

/// A table of a file of look-up tables, which it keeps open.
#[pyclass(name = "MappedTable", module = "lexpool._core", frozen)]
pub(crate) struct PyMappedTable(pub(crate) MappedTable);

class!(PyMappedTable);

#[pymethods]
impl PyMappedTable {
    /// The name of the table.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// True if all values are strings, numbers, booleans or None, which have no parts.
    #[getter]
    fn is_scalar(&self) -> bool {
        self.0.values_kind() != ValueKind::Any
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Returns the value of a word's id, or a default. Raises ValueError (lookups-table) if the
    /// table is damaged.
    #[pyo3(signature = (id, default=None))]
    // stub: (default: Any) -> Any
    fn get<'py>(
        &self,
        py: Python<'py>,
        id: u64,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.0.message(StrId::new(id)).or_raise()? {
            Some(message) => unpackb(py, message, true).map(Some),
            None => Ok(default),
        }
    }

    /// Returns whether the table has a word's id.
    fn contains(&self, id: u64) -> bool {
        self.0.contains(StrId::new(id))
    }

    /// Returns the pairs of ids and values, in the order of the table. Raises ValueError
    /// (lookups-table) if the table is damaged.
    // stub: -> list[tuple[int, Any]]
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let items = PyList::empty(py);
        for entry in self.0.iter() {
            let (word, message) = entry.or_raise()?;
            items.append((word.get(), unpackb(py, message, true)?))?;
        }
        Ok(items)
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyMappedLookups>(module)?;
    classes::add::<PyMappedTable>(module)
}
