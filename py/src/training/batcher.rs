//! Batches of examples by their lengths.

use std::sync::{Mutex, PoisonError};

use lexpool_training::{Batcher, read_batcher};
use pyo3::prelude::*;

use crate::io::json::Setting;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;

/// Cuts examples into batches; the sizes go on from epoch to epoch.
///
/// settings: the section of a batcher such as spacy.batch_by_words.v1.
///
/// Raises ValueError: training-config for wrong settings, training-unsupported for another batcher.
#[pyclass(name = "Batcher", module = "lexpool._core", frozen)]
pub(super) struct PyBatcher(Mutex<Batcher>);

class!(PyBatcher);

#[pymethods]
impl PyBatcher {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
    fn py_new(settings: Setting) -> PyResult<PyBatcher> {
        read_batcher(&settings.0).map(|batcher| PyBatcher(Mutex::new(batcher))).or_raise()
    }

    /// Returns the batches of an epoch as lists of positions.
    ///
    /// lengths: the number of tokens of each example, in the order of the epoch.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn batches(&self, lengths: Items<usize>) -> Vec<Vec<usize>> {
        let mut batcher = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        batcher.batches(&lengths).collect()
    }
}
