//! Gold annotation for the oracles of transition systems.

use lexpool::strings::StrId;
use lexpool::transition::{ArcEagerGold, BiluoGold};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::runtime::classes::class;

/// The annotation that a parse should reach; created once, and queried in any state.
#[pyclass(name = "Gold", module = "lexpool._core", frozen)]
pub(crate) struct PyGold(pub(super) Gold);

class!(PyGold);

/// Gold annotation by transition system.
pub(super) enum Gold {
    ArcEager(ArcEagerGold),
    Biluo(BiluoGold),
}

#[pymethods]
impl PyGold {
    /// The number of tokens.
    fn __len__(&self) -> usize {
        match &self.0 {
            Gold::ArcEager(gold) => gold.len(),
            Gold::Biluo(gold) => gold.len(),
        }
    }

    /// Returns the heads and the ids of labels, each None if unknown; empty for entities.
    fn tree(&self) -> Vec<(Option<usize>, Option<u64>)> {
        let Gold::ArcEager(gold) = &self.0 else { return Vec::new() };
        let label = |token| gold.label(token).map(StrId::get);
        (0..gold.len()).map(|token| (gold.head(token), label(token))).collect()
    }

    /// Returns True if the tree has this arc, or if it is unknown.
    fn holds(&self, child: usize, head: usize, label: u64) -> bool {
        match &self.0 {
            Gold::ArcEager(gold) => gold.holds(child, head, StrId::new(label)),
            Gold::Biluo(_) => false,
        }
    }
}

#[cold]
pub(super) fn other_gold(expected: &str) -> PyErr {
    PyTypeError::new_err(format!("[E909] these moves need a {expected}, not another gold"))
}
