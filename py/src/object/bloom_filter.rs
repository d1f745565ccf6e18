//! `lexpool.lookups.BloomFilter`, and the keys of lookup tables.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool::bloom::BloomFilter;
use lexpool::strings::StrId;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple, PyType};

use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::items;
use crate::runtime::python_side;
use crate::runtime::text::with_utf8;

/// BloomFilter(size=1024, hash_funcs=23, seed=0)
///
/// A Bloom filter of ids: a set whose membership test has false positives, but no false negatives.
///
/// size: the number of bits, rounded down to a multiple of eight, at least eight.
/// hash_funcs: the number of bits of each id.
/// seed: written by `to_bytes`, without further effect.
///
/// Raises ValueError (bloom-size) for more than 2**32 - 32 bits, or 65536 for an id.
#[pyclass(name = "BloomFilter", module = "lexpool.lookups", frozen)]
struct PyBloomFilter(Mutex<BloomFilter>);

class!(PyBloomFilter);

impl PyBloomFilter {
    /// Locked for a moment only, and never while Python code runs.
    fn filter(&self) -> MutexGuard<'_, BloomFilter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<BloomFilter> for PyBloomFilter {
    fn from(filter: BloomFilter) -> PyBloomFilter {
        PyBloomFilter(Mutex::new(filter))
    }
}

#[pymethods]
impl PyBloomFilter {
    #[new]
    #[pyo3(signature = (size=1024, hash_funcs=23, seed=0))]
    fn py_new(size: u64, hash_funcs: u64, seed: u32) -> PyResult<PyBloomFilter> {
        BloomFilter::new(size, hash_funcs, seed).or_raise().map(PyBloomFilter::from)
    }

    /// Returns a filter with this rate of false positives for this number of members.
    ///
    /// Raises ValueError (bloom-size) for less than one member, too many members, or a rate that is
    /// not between 0 and 1.
    #[classmethod]
    #[pyo3(signature = (members, error_rate=1e-4))]
    fn from_error_rate(
        _cls: &Bound<'_, PyType>,
        members: f64,
        error_rate: f64,
    ) -> PyResult<PyBloomFilter> {
        BloomFilter::for_members(members, error_rate).or_raise().map(PyBloomFilter::from)
    }

    /// Adds an id. Raises TypeError or OverflowError for another object.
    // stub: (item: SupportsIndex)
    fn add(&self, item: u64) {
        self.filter().add(item);
    }

    /// Adds ids. Raises TypeError or OverflowError for another object, after adding those before
    /// it.
    // stub: (items: Iterable[SupportsIndex])
    fn update(&self, items: &Bound<'_, PyAny>) -> PyResult<()> {
        items::iterate(items)?.try_for_each(|item| {
            let item = item?.extract()?;
            self.filter().add(item);
            Ok(())
        })
    }

    // stub: (item: SupportsIndex)
    fn __contains__(&self, item: u64) -> bool {
        self.filter().contains(item)
    }

    /// Returns the filter in preshed's format: three 8-byte words and a byte for each bit. Raises
    /// MemoryError if the system refuses the memory.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.filter().to_bytes().or_raise()?;
        crate::runtime::array::bytes(py, &bytes)
    }

    /// Replaces this filter by a written one, and returns it.
    ///
    /// Raises ValueError (bloom-bytes, bloom-size) for other data; then the filter is unchanged.
    fn from_bytes<'py>(
        slf: &Bound<'py, PyBloomFilter>,
        byte_string: &Bound<'py, PyBytes>,
    ) -> PyResult<Bound<'py, PyBloomFilter>> {
        let filter = BloomFilter::from_bytes(byte_string.as_bytes()).or_raise()?;
        *slf.get().filter() = filter;
        Ok(slf.clone())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = python_side::UNPICKLE_BLOOM.get(py)?;
        (restore, (self.to_bytes(py)?,)).into_pyobject(py)
    }
}

/// Returns the key of an object in a lookup table: the id of a string, or an id itself.
///
/// Raises TypeError for other types, OverflowError for an integer that cannot be an id.
#[pyfunction]
// stub: (key: object)
fn table_key(key: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(string) = key.cast::<PyString>() {
        return with_utf8(string, |text| Ok(StrId::of(text).get()));
    }
    key.extract().map_err(|error: PyErr| {
        if !error.is_instance_of::<PyTypeError>(key.py()) {
            return error;
        }
        let class = key.get_type();
        PyTypeError::new_err(format!("expected a string or its id as a key, not {class}"))
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyBloomFilter>(module)?;
    module.add_function(wrap_pyfunction!(table_key, module)?)
}
