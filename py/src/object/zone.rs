//! Memory zones as context managers.

use std::sync::{Arc, Mutex, PoisonError};

use lexpool::strings::StringStore;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::object::vocab::PyVocab;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;

/// The memory zone of a vocab, or of a separate string store, for the time of a `with` block.
///
/// `with vocab.memory_zone(mem) as mem:` binds what was passed as `mem`, or this zone.
#[pyclass(name = "MemoryZone", module = "lexpool.vocab", frozen)]
pub(crate) struct PyZone {
    owner: ZoneOwner,
    mem: Option<Py<PyAny>>,
    /// The zone of the vectors object; `None` between blocks.
    vectors: Mutex<Option<Py<PyAny>>>,
}

class!(PyZone);

enum ZoneOwner {
    Strings(Arc<StringStore>),
    Vocab(Py<PyVocab>),
}

impl PyZone {
    pub(crate) fn of_strings(store: &Arc<StringStore>, mem: Option<Py<PyAny>>) -> PyZone {
        PyZone { owner: ZoneOwner::Strings(Arc::clone(store)), mem, vectors: Mutex::default() }
    }

    pub(crate) fn of_vocab(vocab: Py<PyVocab>, mem: Option<Py<PyAny>>) -> PyZone {
        PyZone { owner: ZoneOwner::Vocab(vocab), mem, vectors: Mutex::default() }
    }

    fn close(&self) -> PyResult<()> {
        match &self.owner {
            ZoneOwner::Strings(store) => store.close_zone().or_raise(),
            ZoneOwner::Vocab(vocab) => vocab.get().vocab().close_zone().or_raise(),
        }
    }

    /// Opens the zone of the vectors, if they have one.
    fn open_vectors(&self, py: Python<'_>) -> PyResult<()> {
        let ZoneOwner::Vocab(vocab) = &self.owner else { return Ok(()) };
        let Some(vectors) = vocab.get().vectors_if_any(py) else { return Ok(()) };
        let Some(open) = vectors.getattr_opt("memory_zone")? else { return Ok(()) };
        let zone = open.call1((self.mem.as_ref(),))?;
        zone.call_method0("__enter__")?;
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        let old = vectors.replace(zone.unbind());
        drop(vectors);
        drop(old);
        Ok(())
    }
}

#[pymethods]
impl PyZone {
    // stub: -> Any
    fn __enter__(slf: &Bound<'_, PyZone>) -> PyResult<Py<PyAny>> {
        let zone = slf.get();
        match &zone.owner {
            ZoneOwner::Strings(store) => store.open_zone().or_raise()?,
            ZoneOwner::Vocab(vocab) => vocab.get().vocab().open_zone().or_raise()?,
        }
        if let Err(error) = zone.open_vectors(slf.py()) {
            zone.close()?;
            return Err(error);
        }
        Ok(match &zone.mem {
            Some(mem) => mem.clone_ref(slf.py()),
            None => slf.clone().into_any().unbind(),
        })
    }

    #[pyo3(signature = (*error))]
    // stub: (*error: object)
    fn __exit__(&self, error: &Bound<'_, PyTuple>) -> PyResult<()> {
        let vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner).take();
        let closed = self.close();
        if let Some(zone) = vectors {
            zone.bind(error.py()).call_method1("__exit__", error)?;
        }
        closed
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let ZoneOwner::Vocab(vocab) = &self.owner {
            visit.call(vocab)?;
        }
        visit.call(&self.mem)?;
        // A locked zone is in use, hence reachable, and has nothing to collect.
        self.vectors.try_lock().map_or(Ok(()), |vectors| visit.call(&*vectors))
    }

    fn __clear__(&self) {
        let vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(vectors);
    }
}
