//! Scorers of parse states by a network.

use std::sync::Arc;

use lexpool::Result;
use lexpool::trained::StateScorer;
use lexpool::transition::Scorer;
use pyo3::prelude::*;

use crate::runtime::classes::class;

/// The scores of a network for the states of some documents: the scorer of `TransitionSystem.parse`
/// and `beam_parse`, which calls it without the GIL.
#[pyclass(name = "StateScorer", module = "lexpool._core", frozen)]
pub(crate) struct PyStateScorer(Arc<StateScorer>);

class!(PyStateScorer);

impl PyStateScorer {
    pub(super) fn new(scorer: StateScorer) -> PyStateScorer {
        PyStateScorer(Arc::new(scorer))
    }

    /// Returns the scorer.
    pub(crate) fn scorer(&self) -> SharedScorer {
        SharedScorer(Arc::clone(&self.0))
    }
}

#[pymethods]
impl PyStateScorer {
    /// The number of features of a state.
    #[getter]
    fn n_features(&self) -> usize {
        self.0.features()
    }
}

/// A scorer that Python code holds too.
pub(crate) struct SharedScorer(Arc<StateScorer>);

impl Scorer for SharedScorer {
    fn features(&self) -> usize {
        self.0.features()
    }

    fn score(&self, features: &[i32], scores: &mut Vec<f32>) -> Result<()> {
        self.0.score(features, scores)
    }
}
