//! Vector tables as bytes and as a folder.

use std::path::PathBuf;

use lexpool::vectors::{VectorParts, Vectors};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::PyVectorTable;
use crate::runtime::buffer_protocol::bytes_of;
use crate::runtime::error::OrRaise;
use crate::runtime::gil;

#[pymethods]
impl PyVectorTable {
    /// Returns the vectors as a MessagePack message.
    ///
    /// strings (str | None): the strings of the keys as JSON.
    /// keys, table (bool): False to leave them out.
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        strings: Option<&str>,
        keys: bool,
        table: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let parts = VectorParts { keys, table, old_keys: false };
        let bytes =
            gil::detached(py, || self.read_detached().to_bytes(strings, parts)).or_raise()?;
        crate::runtime::array::bytes(py, &bytes)
    }

    /// Loads the result of `to_bytes`. Its strings are passed to `strings` before anything is
    /// changed.
    ///
    /// Raises ValueError for other bytes; then the table is unchanged.
    // stub: (data: Buffer, strings: Callable[[str], Any] | None)
    fn load_bytes(
        &self,
        data: &Bound<'_, PyAny>,
        strings: Option<&Bound<'_, PyAny>>,
        keys: bool,
        table: bool,
    ) -> PyResult<()> {
        let py = data.py();
        let parts = VectorParts { keys, table, old_keys: false };
        let bytes = bytes_of(data)?;
        let bytes = bytes.as_ref();
        let loaded = gil::detached(py, || Vectors::read_bytes(bytes, parts)).or_raise()?;
        if let (Some(take), Some(json)) = (strings, loaded.strings()) {
            take.call1((json,))?;
        }
        self.replace(py, |vectors| {
            vectors.apply(loaded);
            Ok(())
        })
    }

    /// Writes the vectors into a folder.
    // stub: (path: str | PathLike[str])
    fn to_folder(&self, path: &Bound<'_, PyAny>, keys: bool, table: bool) -> PyResult<()> {
        let (py, path) = (path.py(), path.extract::<PathBuf>()?);
        let parts = VectorParts { keys, table, old_keys: false };
        gil::detached(py, || self.read_detached().to_folder(&path, parts)).or_raise()
    }

    /// Loads the files of a folder that exist.
    ///
    /// Raises ValueError for files with other data, OSError for unreadable files; then the table is
    /// unchanged.
    // stub: (path: str | PathLike[str])
    fn load_folder(
        &self,
        path: &Bound<'_, PyAny>,
        keys: bool,
        table: bool,
        old_keys: bool,
    ) -> PyResult<()> {
        let (py, path) = (path.py(), path.extract::<PathBuf>()?);
        let parts = VectorParts { keys, table, old_keys };
        let loaded = gil::detached(py, || Vectors::read_folder(&path, parts)).or_raise()?;
        self.replace(py, |vectors| {
            vectors.apply(loaded);
            Ok(())
        })
    }
}
