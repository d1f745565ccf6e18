//! Values of the forward pass that the backward pass reads, by state.

use super::layers::StateSizes;

/// The mark of an output that was dropped, or that a rectifier has set to 0: no gradient reaches
/// it.
pub(super) const SILENT: u8 = 0x80;

/// The values that were computed for the states of some steps, a row each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateTape {
    /// The positions of the features' tokens; -1 for a missing one.
    pub(super) features: Vec<i32>,
    /// The number of the largest piece of each output, with [`SILENT`].
    pub(super) winners: Vec<u8>,
    /// The outputs of the hidden layer, after dropout.
    pub(super) hidden: Vec<f32>,
    /// The gradients of the scores.
    pub(super) gradients: Vec<f32>,
    /// The factor of outputs that were not dropped; 0 before the first states.
    pub(super) kept: f32,
}

impl StateTape {
    /// Returns the number of states.
    pub fn len(&self, sizes: StateSizes) -> usize {
        self.features.len() / sizes.features
    }

    /// Returns whether the tape is empty.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Appends the gradients of the scores of the states that were scored last. A state whose
    /// gradients are left out at the end has none.
    pub fn add_gradients(&mut self, gradients: &[f32]) {
        self.gradients.extend_from_slice(gradients);
    }

    /// Returns the gradients of all states so far.
    pub fn gradients(&self) -> &[f32] {
        &self.gradients
    }

    /// Appends the states of another tape.
    pub(super) fn append(&mut self, other: &StateTape, sizes: StateSizes) {
        self.features.extend_from_slice(&other.features);
        self.winners.extend_from_slice(&other.winners);
        self.hidden.extend_from_slice(&other.hidden);
        self.gradients.extend_from_slice(&other.gradients);
        self.gradients.resize(self.len(sizes) * sizes.classes, 0.0);
        self.kept = self.kept.max(other.kept);
    }
}
