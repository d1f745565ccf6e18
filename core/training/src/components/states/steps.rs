//! Steps of states through a network, with the losses of their scores.

use lexpool::Result;
use lexpool::transition::{ParseState, log_loss};
use lexpool_nn::learn::Dropout;
use lexpool_nn::learn::states::{StateForward, StateTape};

use super::gold::GoldSystem;

/// A sequence of moves that is learned from: a state to begin at, with the gold annotation of its
/// document.
pub(super) struct Sequence<'g, G> {
    pub(super) state: ParseState,
    pub(super) gold: &'g G,
    /// The number among the sequences of the update.
    pub(super) number: usize,
}

/// The network and the settings that all sequences of an update share.
pub(super) struct Steps<'a, S> {
    pub(super) system: &'a S,
    pub(super) forward: &'a StateForward<'a>,
    pub(super) dropout: Dropout<'a>,
    /// Classes that no gold move has used since they were added.
    pub(super) is_unseen: &'a [bool],
    /// The number of the last step; `None` to step all states to their ends.
    pub(super) last_step: Option<usize>,
    /// More than a sequence has steps.
    pub(super) stride: usize,
}

/// The states of some sequences with the gradients of their scores.
pub(super) struct Outcome {
    pub(super) tape: StateTape,
    pub(super) loss: f64,
    /// The classes that cost nothing in some state.
    pub(super) is_free: Vec<bool>,
}

impl<S: GoldSystem> Steps<'_, S> {
    /// Steps sequences together: each state makes the valid move of the highest score, whether or
    /// not it is right.
    pub(super) fn run(&self, sequences: Vec<Sequence<'_, S::Gold>>) -> Result<Outcome> {
        let n_classes = self.system.actions().len();
        let n_features = self.forward.sizes().features;
        let mut outcome =
            Outcome { tape: StateTape::default(), loss: 0.0, is_free: vec![false; n_classes] };
        let (mut valid, mut costs) = (vec![false; n_classes], vec![0.0; n_classes]);
        let (mut gradient, mut exponentials) = (vec![0.0; n_classes], Vec::new());
        let (mut features, mut places, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        let mut open = sequences;
        for step in 0.. {
            features.clear();
            places.clear();
            for sequence in &open {
                let first = features.len();
                features.resize(first + n_features, -1);
                sequence.state.context_tokens(&mut features[first..])?;
                places.push(sequence.number * self.stride + step);
            }
            let dropout = &self.dropout;
            self.forward.score(&features, &places, dropout, &mut outcome.tape, &mut scores)?;
            self.lower_unseen(&mut scores);
            for (sequence, scores) in open.iter_mut().zip(scores.chunks_exact(n_classes)) {
                let state = &mut sequence.state;
                self.system.costs(state, sequence.gold, &mut valid, &mut costs)?;
                for (is_free, cost) in outcome.is_free.iter_mut().zip(&costs) {
                    *is_free |= *cost <= 0.0;
                }
                log_loss(scores, &valid, &costs, &mut gradient, &mut exponentials);
                outcome.loss += gradient.iter().map(|d| f64::from(*d) * f64::from(*d)).sum::<f64>();
                self.mask_unseen(&mut gradient);
                outcome.tape.add_gradients(&gradient);
                match self.system.best(state, scores) {
                    Some(class) => self.system.apply(state, class)?,
                    None => state.force_final(),
                }
            }
            open.retain(|sequence| !sequence.state.is_final());
            if open.is_empty() || self.last_step.is_some_and(|last| step >= last) {
                break;
            }
        }
        Ok(outcome)
    }

    /// Gives unseen classes the lowest score of their state, or of all states where dropout has a
    /// sequence of numbers, as in spaCy.
    pub(super) fn lower_unseen(&self, scores: &mut [f32]) {
        if !self.is_unseen.contains(&true) {
            return;
        }
        let n_rows = if self.dropout.is_by_counter() { 1 } else { usize::MAX };
        let n_classes = self.is_unseen.len();
        for rows in scores.chunks_mut(n_classes.saturating_mul(n_rows)) {
            let lowest = rows.iter().copied().fold(f32::INFINITY, f32::min);
            for (score, is_unseen) in rows.iter_mut().zip(self.is_unseen.iter().cycle()) {
                *score = if *is_unseen { lowest } else { *score };
            }
        }
    }

    /// Sets the gradients of unseen classes to 0.
    pub(super) fn mask_unseen(&self, gradients: &mut [f32]) {
        for (gradient, is_unseen) in gradients.iter_mut().zip(self.is_unseen.iter().cycle()) {
            *gradient = if *is_unseen { 0.0 } else { *gradient };
        }
    }
}
