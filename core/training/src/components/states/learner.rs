//! Updates of the network of a parser from examples.

use lexpool::transition::{BeamUpdate, ParseState, pieces, token_facts};
use lexpool::{Error, Result};
use lexpool_nn::learn::states::{StateForward, StateTape, backward};
use lexpool_nn::learn::{Gradients, TrainableNetwork, Workers};

use super::super::update::UpdateBatch;
use super::gold::GoldSystem;
use super::steps::{Outcome, Sequence, Steps};
use crate::corpora::example::Example;

/// The rate of dropout of the hidden layer, whatever the rate of the training is.
const HIDDEN_RATE: f64 = 0.1;
/// The number of the decision between a beam and a greedy update among the layers of a component.
const DECISION: u32 = u32::MAX - 1;

/// The settings of updates.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UpdateSettings {
    /// Documents of more tokens are cut into pieces of about so many moves; 0 to leave them whole.
    pub(super) cut_size: usize,
    pub(super) beam_width: usize,
    pub(super) beam_density: f64,
    /// The probability of an update by beams, if they have a width of more than 1.
    pub(super) beam_update_prob: f64,
    /// The name of the span group with wrong entities.
    pub(super) incorrect_spans_key: Option<String>,
}

impl UpdateSettings {
    /// Returns the most states of a document that an update scores side by side.
    pub(super) fn n_paths(&self) -> usize {
        // A beam of predictions and one of gold moves.
        if self.beam_width >= 2 && self.beam_update_prob > 0.0 { 2 * self.beam_width } else { 1 }
    }
}

/// A transition system that learns, with what is known of its classes.
pub(super) struct Learner<S> {
    pub(super) system: S,
    pub(super) settings: UpdateSettings,
    /// Classes that were added to weights and that no gold move has used since.
    pub(super) is_unseen: Vec<bool>,
}

/// A document with annotation to learn from.
struct GoldDocument<'e, G> {
    example: &'e Example,
    state: ParseState,
    gold: G,
}

impl<S: GoldSystem> Learner<S> {
    fn spans_key(&self) -> Option<&str> {
        self.settings.incorrect_spans_key.as_deref()
    }

    /// Returns whether an example has annotation.
    ///
    /// # Errors
    ///
    /// Those of annotation that no sequence of moves gives, with the place of the reference.
    pub(super) fn learns_from(&self, example: &Example) -> Result<bool> {
        let key = self.spans_key();
        if !S::has_gold(example, key, None) {
            return Ok(false);
        }
        let gold = self.system.gold(example, key);
        gold.map(|_| true).map_err(|error| error.context(&example.reference().place))
    }

    /// Adds the gradients of a batch, and returns its loss: spaCy's `Parser.update`.
    ///
    /// Nothing is learned where no example has annotation, nor where no document has a token.
    pub(super) fn update(
        &mut self,
        network: &TrainableNetwork,
        gradients: &mut Gradients,
        batch: &mut UpdateBatch<'_>,
    ) -> Result<f64> {
        let key = self.spans_key().map(str::to_owned);
        if !batch.examples.iter().any(|example| S::has_gold(example, key.as_deref(), None)) {
            return Ok(0.0);
        }
        let settings = &self.settings;
        let by_beams =
            settings.beam_width >= 2 && batch.dropout.number(DECISION) < settings.beam_update_prob;
        let cut_size = if by_beams { 0 } else { settings.cut_size };
        let max_moves = if cut_size == 0 { 0 } else { random_length(cut_size, batch) };
        let documents = self.gold_documents(batch)?;
        let mut sequences = Vec::new();
        if !by_beams {
            sequences = self.sequences(&documents, max_moves, batch.workers)?;
            if sequences.is_empty() {
                return Ok(0.0);
            }
        }
        let (rows, tape) = batch.forward(network, None)?;
        let layers = network.state_layers()?;
        let workers = batch.workers;
        let forward = StateForward::new(&layers, network.parameters(), rows.numbers(), workers)?;
        let longest = documents.iter().map(|document| document.state.len()).max().unwrap_or(0);
        let steps = Steps {
            system: &self.system,
            forward: &forward,
            dropout: batch.dropout.with_rate(HIDDEN_RATE),
            is_unseen: &self.is_unseen,
            last_step: (max_moves > 0).then_some(max_moves),
            // No sequence of moves is longer than 8 for each token and 8 more.
            stride: if max_moves > 0 { max_moves + 1 } else { 8 * longest + 9 },
        };
        let (tapes, loss, is_free) = if by_beams {
            let (tapes, loss) = self.run_beams(&steps, &documents)?;
            (tapes, loss, Vec::new())
        } else if steps.dropout.is_by_counter() {
            // Each sequence alone, so that the order of states does not depend on threads.
            let moves = |sequence: &Sequence<'_, S::Gold>| {
                let moves = 2 * sequence.state.buffer_length();
                if max_moves > 0 { moves.min(max_moves) } else { moves }
            };
            let run = |sequence| steps.run(vec![sequence]);
            let outcomes = workers.map_by_size(sequences, moves, run)?;
            joined(outcomes.into_iter().collect::<Result<_>>()?)
        } else {
            joined(vec![steps.run(sequences)?])
        };
        let d_rows = if tapes.is_empty() {
            vec![0.0; rows.numbers().len()]
        } else {
            backward(&layers, network.parameters(), &forward, &tapes, gradients, workers)?
        };
        drop(forward);
        batch.backward(network, tape, d_rows, gradients)?;
        for (is_unseen, is_free) in self.is_unseen.iter_mut().zip(is_free) {
            *is_unseen &= !is_free;
        }
        Ok(loss)
    }

    /// Returns the documents of a batch that have annotation and tokens.
    fn gold_documents<'e>(
        &self,
        batch: &UpdateBatch<'e>,
    ) -> Result<Vec<GoldDocument<'e, S::Gold>>> {
        let mut offset = 0;
        let mut with_offsets = Vec::with_capacity(batch.examples.len());
        for example in batch.examples.iter().copied() {
            with_offsets.push((example, offset));
            offset += example.predicted().len();
        }
        let document = |(example, first): (&'e Example, usize)| {
            let doc = example.predicted();
            if !S::has_gold(example, self.spans_key(), None) || doc.is_empty() {
                return Ok(None);
            }
            let state = ParseState::new(token_facts(doc), first)?;
            let gold = self.system.gold(example, self.spans_key());
            let gold = gold.map_err(|error| error.context(&example.reference().place))?;
            Ok(Some(GoldDocument { example, state, gold }))
        };
        let documents = batch.workers.map(with_offsets, document)?;
        documents.into_iter().filter_map(Result::transpose).collect()
    }

    /// Returns the sequences to learn from: documents that are short enough, then the pieces of the
    /// others, each of which begins where an oracle gets by so many moves.
    fn sequences<'d>(
        &self,
        documents: &'d [GoldDocument<'_, S::Gold>],
        max_moves: usize,
        workers: Workers,
    ) -> Result<Vec<Sequence<'d, S::Gold>>> {
        let is_short = |document: &&GoldDocument<'_, S::Gold>| {
            max_moves == 0 || document.state.len() < max_moves
        };
        let whole = documents.iter().filter(is_short);
        let mut states: Vec<(ParseState, &S::Gold)> =
            whole.map(|document| (document.state.clone(), &document.gold)).collect();
        let long = documents.iter().filter(|document| !is_short(document)).collect();
        let cut = |document: &'d GoldDocument<'_, S::Gold>| {
            let GoldDocument { example, state, gold } = document;
            let oracle = self.system.oracle_sequence(state, gold);
            let oracle = oracle.map_err(|error| error.context(&example.reference().place))?;
            let has_gold = |start, end| S::has_gold(example, self.spans_key(), Some((start, end)));
            let pieces = pieces(&self.system, state, &oracle, max_moves, has_gold)?;
            Ok::<_, Error>((pieces, gold))
        };
        for cut in workers.map(long, cut)? {
            let (pieces, gold) = cut?;
            states.extend(pieces.into_iter().map(|piece| (piece, gold)));
        }
        let numbered = states.into_iter().enumerate();
        Ok(numbered.map(|(number, (state, gold))| Sequence { state, gold, number }).collect())
    }

    /// Follows two beams of each document to their ends. Returns a tape for each step up to the
    /// last violation, and the loss: the sum of the means of the squares of each step's gradients.
    #[expect(clippy::cast_precision_loss, reason = "a mean, as NumPy divides")]
    fn run_beams(
        &self,
        steps: &Steps<'_, S>,
        documents: &[GoldDocument<'_, S::Gold>],
    ) -> Result<(Vec<StateTape>, f64)> {
        let UpdateSettings { beam_width, beam_density, .. } = &self.settings;
        #[expect(clippy::cast_possible_truncation, reason = "as spaCy keeps it")]
        let density = *beam_density as f32;
        let states: Vec<ParseState> =
            documents.iter().map(|document| document.state.clone()).collect();
        let golds: Vec<&S::Gold> = documents.iter().map(|document| &document.gold).collect();
        let mut update = BeamUpdate::new(&states, *beam_width, density)?;
        let (mut tapes, mut scores) = (Vec::new(), Vec::new());
        let (mut features, mut n_scored) = (Vec::new(), 0);
        loop {
            let open = update.states();
            if open.is_empty() {
                break;
            }
            features.clear();
            for state in &open {
                let first = features.len();
                features.resize(first + steps.forward.sizes().features, -1);
                state.context_tokens(&mut features[first..])?;
            }
            let places: Vec<usize> = (n_scored..n_scored + open.len()).collect();
            n_scored += open.len();
            let mut tape = StateTape::default();
            steps.forward.score(&features, &places, &steps.dropout, &mut tape, &mut scores)?;
            steps.lower_unseen(&mut scores);
            update.advance(&self.system, &golds, &scores)?;
            tapes.push(tape);
        }
        let all = update.gradients(self.system.actions().len());
        tapes.truncate(all.len());
        let mut loss = 0.0;
        for (tape, mut gradients) in tapes.iter_mut().zip(all) {
            let squares = gradients.iter().map(|d| f64::from(*d) * f64::from(*d)).sum::<f64>();
            loss += squares / gradients.len().max(1) as f64;
            steps.mask_unseen(&mut gradients);
            tape.add_gradients(&gradients);
        }
        Ok((tapes, loss))
    }
}

/// Draws the length of pieces, once for a batch: from half of the setting to twice as much.
#[expect(clippy::cast_precision_loss, reason = "a number of moves")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is rounded down")]
fn random_length(cut_size: usize, batch: &mut UpdateBatch<'_>) -> usize {
    let length = batch.random.uniform((cut_size / 2) as f64, (cut_size * 2) as f64) as usize;
    // Pieces without moves would never end.
    length.max(1)
}

/// Returns the tapes of some outcomes, the sum of their losses, and the classes that cost nothing
/// in some state of any.
fn joined(outcomes: Vec<Outcome>) -> (Vec<StateTape>, f64, Vec<bool>) {
    let mut joined: (Vec<StateTape>, f64, Vec<bool>) = (Vec::new(), 0.0, Vec::new());
    for outcome in outcomes {
        joined.2.resize(outcome.is_free.len(), false);
        joined.2.iter_mut().zip(outcome.is_free).for_each(|(all, own)| *all |= own);
        joined.1 += outcome.loss;
        joined.0.push(outcome.tape);
    }
    joined
}
