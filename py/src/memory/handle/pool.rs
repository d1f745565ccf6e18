//! `lexpool.Pool`: memory for authors of native code, freed at once.
//!
//! Unsafe code: hands out addresses in an arena, and copies between allocations.
//!
//! Invariants:
//! - **M1** Every address in `allocations` is that of an allocation of the arena, of the given
//!   size, zeroed when it was made, aligned to 16 bytes, and valid until the pool is dropped.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool::pool::Pool;
use lexpool::structs::{Record, RecordInfo, SpacyTokenC, records};
use pyo3::exceptions::{PyKeyError, PyMemoryError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::record_handle::Handle;
use crate::runtime::classes::{self, class};
use crate::runtime::free_list;

/// Memory in an arena: `pool.alloc(n, size)` returns the address of `n * size` zeroed bytes.
///
/// All of it is freed together with the pool; `free` only forgets an address. Objects passed to
/// `own` live as long as the pool. The methods are those of `cymem.Pool`.
#[pyclass(name = "Pool", module = "lexpool", frozen, weakref)]
pub(crate) struct PyPool(Mutex<PoolState>);

class!(PyPool);

struct PoolState {
    arena: Pool,
    /// The allocations by address.
    allocations: BTreeMap<usize, Allocation>,
    owned: Vec<Py<PyAny>>,
}

#[derive(Clone, Copy)]
struct Allocation {
    bytes: usize,
    info: Option<&'static RecordInfo>,
}

/// A type with the alignment of all allocations.
type AlignmentUnit = u128;

impl PyPool {
    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, bytes: usize, info: Option<&'static RecordInfo>) -> PyResult<usize> {
        let mut state = self.state();
        let units = bytes.max(1).div_ceil(size_of::<AlignmentUnit>());
        let allocation = state.arena.alloc_zeroed::<AlignmentUnit>(units);
        let address = allocation.map(|units| units.as_mut_ptr() as usize);
        let address = address.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        state.allocations.insert(address, Allocation { bytes, info });
        Ok(address)
    }
}

fn size_of_all(number: usize, size: usize) -> PyResult<usize> {
    let bytes = number.checked_mul(size).filter(|bytes| isize::try_from(*bytes).is_ok());
    bytes.ok_or_else(|| {
        PyMemoryError::new_err(format!("{number} times {size} bytes exceed the address space"))
    })
}

#[pymethods]
impl PyPool {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A locked pool is in use, hence reachable, and has nothing to collect.
        let Ok(state) = self.0.try_lock() else { return Ok(()) };
        state.owned.iter().try_for_each(|owned| visit.call(owned))
    }

    fn __clear__(&self) {
        let owned = std::mem::take(&mut self.state().owned);
        drop(owned);
    }

    /// Pool()
    #[new]
    fn py_new() -> PyPool {
        let (arena, allocations) = (Pool::new(), BTreeMap::new());
        PyPool(Mutex::new(PoolState { arena, allocations, owned: Vec::new() }))
    }

    /// Returns the address of `number * elem_size` zeroed bytes, a multiple of 16.
    ///
    /// Raises MemoryError; OverflowError for negative numbers.
    #[pyo3(signature = (number, elem_size=1))]
    fn alloc(&self, number: usize, elem_size: usize) -> PyResult<usize> {
        self.take(size_of_all(number, elem_size)?, None)
    }

    /// Allocates `n` zeroed records and returns a writable handle on them.
    ///
    /// record: a record's layout or its name, such as `lexpool.structs.TokenC` or "TokenC".
    ///
    /// Raises ValueError for an unknown name, MemoryError.
    // stub: (record: Record | str)
    fn alloc_records<'py>(
        slf: &Bound<'py, PyPool>,
        record: &Bound<'py, PyAny>,
        n: usize,
    ) -> PyResult<Bound<'py, Handle>> {
        let name = match record.extract::<String>() {
            Ok(name) => name,
            Err(_) => record.getattr("name")?.extract()?,
        };
        let mut all = records().iter().copied().chain([&SpacyTokenC::INFO]);
        let info = all.find(|info| info.name == name).ok_or_else(|| {
            let names = records().iter().map(|info| info.name).collect::<Vec<_>>().join(", ");
            PyValueError::new_err(format!("unknown record {name:?}; expected one of {names}"))
        })?;
        let address = slf.get().take(size_of_all(n, info.size)?, Some(info))?;
        handle(slf, info, address, n)
    }

    /// Moves an allocation to a new address, cut or filled up with zeros; the old address is
    /// forgotten.
    ///
    /// Raises KeyError for an address that the pool did not allocate.
    fn realloc(&self, address: usize, new_size: usize) -> PyResult<usize> {
        let before = self.allocation(address)?;
        let new_address = self.take(size_of_all(new_size, 1)?, before.info)?;
        // SAFETY: M1: both are different allocations of this arena, of at least `bytes` bytes.
        unsafe {
            let bytes = before.bytes.min(new_size);
            std::ptr::copy_nonoverlapping(address as *const u8, new_address as *mut u8, bytes);
        }
        self.state().allocations.remove(&address);
        Ok(new_address)
    }

    /// Forgets an allocation. Its memory is freed with the pool.
    ///
    /// Raises KeyError for an address that the pool did not allocate.
    fn free(&self, address: usize) -> PyResult<()> {
        self.allocation(address)?;
        self.state().allocations.remove(&address);
        Ok(())
    }

    /// Keeps an object alive for as long as the pool, and returns it.
    // stub: (obj: _T) -> _T
    fn own(&self, obj: Py<PyAny>, py: Python<'_>) -> Py<PyAny> {
        let object = obj.clone_ref(py);
        self.state().owned.push(obj);
        object
    }

    /// The number of bytes of all allocations.
    #[getter]
    fn size(&self) -> usize {
        self.state().allocations.values().map(|allocation| allocation.bytes).sum()
    }

    /// The number of bytes of each allocation, by its address.
    #[getter]
    // stub: -> dict[int, int]
    fn addresses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sizes: Vec<_> = self
            .state()
            .allocations
            .iter()
            .map(|(at, allocation)| (*at, allocation.bytes))
            .collect();
        let dict = PyDict::new(py);
        sizes.into_iter().try_for_each(|(at, bytes)| dict.set_item(at, bytes))?;
        Ok(dict)
    }

    /// The number of bytes that the arena has reserved, including unused ones.
    #[getter]
    fn reserved(&self) -> usize {
        self.state().arena.stats().reserved_bytes
    }

    /// Handles on the allocations of records, in the order of their addresses.
    #[getter]
    fn c<'py>(slf: &Bound<'py, PyPool>) -> PyResult<Vec<Bound<'py, Handle>>> {
        let allocations: Vec<_> = slf
            .get()
            .state()
            .allocations
            .iter()
            .map(|(at, allocation)| (*at, *allocation))
            .collect();
        let rows = allocations.into_iter().filter_map(|(at, allocation)| {
            let info = allocation.info?;
            Some(handle(slf, info, at, allocation.bytes / info.size))
        });
        rows.collect()
    }

    fn __repr__(&self) -> String {
        let state = self.state();
        format!("<Pool of {} allocations>", state.allocations.len())
    }
}

impl PyPool {
    fn allocation(&self, address: usize) -> PyResult<Allocation> {
        self.state().allocations.get(&address).copied().ok_or_else(|| {
            PyKeyError::new_err(format!("the pool has no allocation at {address:#x}"))
        })
    }
}

fn handle<'py>(
    pool: &Bound<'py, PyPool>,
    info: &'static RecordInfo,
    address: usize,
    n: usize,
) -> PyResult<Bound<'py, Handle>> {
    let owner = pool.clone().into_any().unbind();
    // SAFETY: M1, H1: an allocation of the pool's arena, which the handle keeps alive; nothing else
    // in lexpool accesses it.
    let handle = unsafe { Handle::new(owner, info, address as *const _, n).writable() };
    free_list::make(pool.py(), handle)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyPool>(module)
}
