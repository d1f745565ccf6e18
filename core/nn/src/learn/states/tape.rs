//! Values of the forward pass that the backward pass reads, by state.

use lexpool_error::Result;

use super::layers::StateSizes;
use crate::learn::workers::Workers;

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
    pub(super) scale: f32,
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

    /// Joins the states of tapes.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    pub(super) fn joined(
        tapes: &[StateTape],
        sizes: StateSizes,
        workers: Workers,
    ) -> Result<StateTape> {
        let layers = || StateTape {
            features: concat(tapes, |tape| &tape.features),
            winners: concat(tapes, |tape| &tape.winners),
            hidden: concat(tapes, |tape| &tape.hidden),
            gradients: Vec::new(),
            scale: tapes.iter().fold(0.0, |most, tape| most.max(tape.scale)),
        };
        let gradients = || {
            let n_states = tapes.iter().map(|tape| tape.len(sizes)).sum::<usize>();
            let mut all = Vec::with_capacity(n_states * sizes.classes);
            let mut end = 0;
            for tape in tapes {
                all.extend_from_slice(&tape.gradients);
                end += tape.len(sizes) * sizes.classes;
                all.resize(end, 0.0);
            }
            all
        };
        let (layers, gradients) = workers.both(layers, gradients)?;
        Ok(StateTape { gradients, ..layers })
    }
}

/// Joins an array of all tapes.
fn concat<T: Clone>(tapes: &[StateTape], array: impl Fn(&StateTape) -> &Vec<T>) -> Vec<T> {
    let arrays: Vec<&[T]> = tapes.iter().map(|tape| array(tape).as_slice()).collect();
    arrays.concat()
}
