//! Updates of the network of a parser towards the scores of a copy that was kept of it.

use lexpool::Result;
use lexpool::transition::{ParseState, token_facts};
use lexpool_nn::learn::states::{StateForward, StateTape, backward};
use lexpool_nn::learn::{Dropout, Gradients, TrainableNetwork};

use super::super::update::UpdateBatch;
use super::gold::GoldSystem;
use super::learner::Learner;

impl<S: GoldSystem> Learner<S> {
    /// Adds the gradients by which the network comes to score the states of a batch as `tutor`
    /// does, and returns the loss: the sum of their squares by the number of scores. spaCy's
    /// `Parser.rehearse`.
    pub(super) fn rehearse(
        &self,
        network: &TrainableNetwork,
        tutor: &TrainableNetwork,
        gradients: &mut Gradients,
        batch: &mut UpdateBatch<'_>,
    ) -> Result<f64> {
        let mut first = 0;
        let mut states = Vec::with_capacity(batch.examples.len());
        for doc in batch.docs() {
            if !doc.is_empty() {
                states.push(ParseState::new(token_facts(doc), first)?);
            }
            first += doc.len();
        }
        if states.is_empty() {
            return Ok(0.0);
        }
        let (rows, tape) = batch.forward(network, None)?;
        let (tutor_rows, _) = batch.forward(tutor, None)?;
        let (layers, tutor_layers) = (network.state_layers()?, tutor.state_layers()?);
        let workers = batch.workers;
        let forward = StateForward::new(&layers, network.parameters(), rows.numbers(), workers)?;
        let targets =
            StateForward::new(&tutor_layers, tutor.parameters(), tutor_rows.numbers(), workers)?;
        let n_classes = self.system.actions().len();
        let (mut loss, mut n_scores) = (0.0, 0);
        let (mut features, mut scores, mut aims) = (Vec::new(), Vec::new(), Vec::new());
        let mut states_tape = StateTape::default();
        while !states.is_empty() {
            features.clear();
            for state in &states {
                let start = features.len();
                features.resize(start + forward.sizes().features, -1);
                state.context_tokens(&mut features[start..])?;
            }
            let places: Vec<usize> = (0..states.len()).collect();
            let none = Dropout::NONE;
            targets.score(&features, &places, &none, &mut StateTape::default(), &mut aims)?;
            forward.score(&features, &places, &none, &mut states_tape, &mut scores)?;
            #[expect(clippy::cast_precision_loss, reason = "a number of states")]
            let n = states.len() as f32;
            let pairs = scores.iter().zip(&aims);
            let d: Vec<f32> = pairs.map(|(score, aim)| (score - aim) / n).collect();
            loss += d.iter().map(|d| f64::from(*d) * f64::from(*d)).sum::<f64>();
            n_scores += d.len();
            states_tape.add_gradients(&d);
            for (state, scores) in states.iter_mut().zip(scores.chunks_exact(n_classes)) {
                match self.system.best(state, scores) {
                    Some(class) => self.system.apply(state, class)?,
                    None => state.force_final(),
                }
            }
            states.retain(|state| !state.is_final());
        }
        let d_rows =
            backward(&layers, network.parameters(), &forward, &[states_tape], gradients, workers)?;
        drop(forward);
        batch.backward(network, tape, d_rows, gradients)?;
        #[expect(clippy::cast_precision_loss, reason = "a number of scores")]
        let n_scores = n_scores as f64;
        Ok(loss / n_scores)
    }
}
