//! Memory usage of an object, under the attribute `mem` that spaCy's objects have.

use lexpool::pool::Stats;
use pyo3::prelude::*;

use crate::runtime::classes::class;

/// The memory of an object at the time of the request.
#[pyclass(name = "Memory", module = "lexpool", frozen)]
pub(crate) struct PyMemoryUsage {
    stats: Stats,
}

class!(PyMemoryUsage);

impl PyMemoryUsage {
    pub(crate) fn of(stats: Stats) -> PyMemoryUsage {
        PyMemoryUsage { stats }
    }
}

#[pymethods]
impl PyMemoryUsage {
    /// The number of bytes in use.
    #[getter]
    fn size(&self) -> usize {
        self.stats.used_bytes
    }

    fn __repr__(&self) -> String {
        format!("<Memory of {} bytes>", self.stats.used_bytes)
    }
}
