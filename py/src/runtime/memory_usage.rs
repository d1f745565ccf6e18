//! How much memory something holds, under the name that spaCy's objects have for it.

use lexpool::pool::Stats;
use pyo3::prelude::*;

use crate::runtime::classes::class;

/// The memory behind an object, as it was when it was asked for.
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
    /// The bytes that hold something.
    #[getter]
    fn size(&self) -> usize {
        self.stats.used_bytes
    }

    fn __repr__(&self) -> String {
        format!("<Memory of {} bytes>", self.stats.used_bytes)
    }
}
