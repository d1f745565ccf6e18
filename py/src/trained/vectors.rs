//! Word vectors of a Python vocab, as networks read them.

use lexpool::Result;
use lexpool::trained::VectorSource;
use lexpool::vectors::Vectors;
use pyo3::prelude::*;

use crate::object::vectors::PyVectorTable;

/// A table of vectors, which Python code may change between documents.
pub(crate) struct TableVectors(pub(crate) Py<PyVectorTable>);

impl VectorSource for TableVectors {
    fn read(&self, function: &mut dyn FnMut(&Vectors) -> Result<()>) -> Result<()> {
        function(&self.0.get().read_detached())
    }
}
