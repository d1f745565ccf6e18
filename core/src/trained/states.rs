//! Networks that score the states of a parse, with the vectors that they read.

use std::sync::Arc;

use lexpool_nn::{StateNetwork, TokenProducts};

use super::doc_tokens::VectorSource;
use super::encoder::with_sources;
use crate::Result;
use crate::tokens::Doc;
use crate::transition::Scorer;

/// A network that scores the states of a parse, with the word vectors that it reads.
#[derive(Clone)]
pub struct StateModel {
    network: Arc<StateNetwork>,
    vectors: Option<Arc<dyn VectorSource>>,
}

/// The scorer of some documents, whose tokens are numbered one after another.
pub struct StateScorer {
    network: Arc<StateNetwork>,
    products: TokenProducts,
    /// The number of classes of the transition system: at least that of the network.
    n_classes: usize,
    rectify: bool,
}

impl StateModel {
    pub(super) fn new(network: StateNetwork, vectors: Option<Arc<dyn VectorSource>>) -> StateModel {
        StateModel { network: Arc::new(network), vectors }
    }

    /// Returns the number of classes that the network scores.
    pub fn n_classes(&self) -> usize {
        self.network.n_scores()
    }

    /// Returns the number of features of a state.
    pub fn n_features(&self) -> usize {
        self.network.n_features()
    }

    /// Returns the scorer of documents. Cost: one pass over their tokens of the network that makes
    /// their vectors.
    ///
    /// Classes of the system beyond those of the network, which were added for labels of a
    /// document, have the lowest score of a state. With `rectify`, negative outputs of hidden
    /// layers with one piece become 0, as in spaCy's beams.
    ///
    /// # Errors
    ///
    /// `model-vectors`, `model-tensor` for vectors that do not fit the network.
    pub fn scorer<'d>(
        &self,
        docs: impl IntoIterator<Item = &'d Doc>,
        n_classes: usize,
        rectify: bool,
    ) -> Result<StateScorer> {
        let docs: Vec<&Doc> = docs.into_iter().collect();
        let products =
            with_sources(&docs, self.vectors.as_deref(), |sources| self.network.prepare(sources))?;
        Ok(StateScorer { network: Arc::clone(&self.network), products, n_classes, rectify })
    }
}

impl Scorer for StateScorer {
    fn features(&self) -> usize {
        self.network.n_features()
    }

    fn score(&self, features: &[i32], scores: &mut Vec<f32>) -> Result<()> {
        scores.clear();
        let n_known = self.network.n_scores();
        if self.n_classes == n_known {
            return self.network.score(&self.products, features, self.rectify, scores);
        }
        let mut known = Vec::new();
        self.network.score(&self.products, features, self.rectify, &mut known)?;
        for row in known.chunks_exact(n_known) {
            scores.extend_from_slice(row);
            let lowest = row.iter().copied().fold(f32::INFINITY, f32::min);
            scores.resize(scores.len() + self.n_classes.saturating_sub(n_known), lowest);
        }
        Ok(())
    }
}
