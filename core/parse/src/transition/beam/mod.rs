//! Beam search: follows the best few partial parses in parallel.
//!
//! Equal to thinc's `Beam`, with which spaCy parses and trains, in these details too: of equal
//! scores the later state and class come first; a finished parse gains its average score at each
//! step; and a slot whose finished parse fell out still counts as finished for the parse that takes
//! it.

mod candidates;
mod update;

use std::sync::Arc;

use super::batch::{Batching, Rows, Scorer, in_shares, placed};
use super::features::check_feature_count;
use super::oracle::check_length;
use super::{ClassIx, ParseState, TransitionSystem};
use candidates::{Candidate, Candidates, weight};
use lexpool_error::{Error, Result, codes, limits};

pub use update::BeamUpdate;

/// The best parses of one document so far.
///
/// Cost: a step copies the state and the classes of each parse, so that a whole search takes time
/// quadratic in the number of tokens, and memory linear in it.
///
/// ```
/// use lexpool_parse::transition::{ArcEager, Beam, ParseState, TokenFacts, TransitionSystem};
/// let mut moves = ArcEager::new();
/// for (action, label) in [(0, ""), (1, ""), (2, "left"), (3, "right"), (4, "ROOT")] {
///     moves.actions_mut().add(action, label)?;
/// }
/// let facts: Vec<_> = vec![TokenFacts::default(); 2];
/// let mut beam = Beam::new(&ParseState::new(facts.into(), 0)?, 4, 0.0)?;
/// while !beam.is_done() {
///     let scores = [0.0, 0.5, 2.0, 1.0, -1.0].repeat(beam.open_states().count());
///     beam.advance(&moves, &scores)?;
/// }
/// assert_eq!(beam.state(0).and_then(|best| best.h(0)), Some(1));
/// assert!(beam.probs()[0] > beam.probs()[1]);
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Beam {
    /// The parses, the best first; those from `size` on are spare memory.
    slots: Vec<BeamParse>,
    /// The parses of the step before, whose memory the next step reuses.
    others: Vec<BeamParse>,
    size: usize,
    width: usize,
    density: f32,
    steps: u32,
    is_done: bool,
}

/// A parse in the beam.
#[derive(Clone, Debug)]
struct BeamParse {
    state: ParseState,
    history: Vec<ClassIx>,
    /// The place of the parse that it goes on from in the beam before the last step.
    parent: usize,
    /// The class of the last step; `None` for a parse that had ended before.
    last_class: Option<ClassIx>,
    score: f32,
    loss: f32,
    is_done: bool,
}

impl BeamParse {
    fn new(state: ParseState) -> BeamParse {
        BeamParse {
            state,
            history: Vec::new(),
            parent: 0,
            last_class: None,
            score: 0.0,
            loss: 0.0,
            is_done: false,
        }
    }
}

/// Gold annotation that a beam compares with while it advances.
#[derive(Debug)]
pub struct Guide<'a, G> {
    /// The annotation, whose costs add up to the loss of each parse.
    pub gold: &'a G,
    /// True to follow only classes of least cost, as an oracle does.
    pub follows: bool,
}

// Derived ones would ask the annotation itself to be `Copy`.
impl<G> Clone for Guide<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Guide<'_, G> {}

impl Beam {
    /// A beam that begins with the first state of the tokens that a state is of.
    ///
    /// `width` is how many parses there are at most; one of less than `density` times the
    /// probability of the best one is dropped.
    ///
    /// # Errors
    ///
    /// `beam-width` for a width of 0 or above [`BEAM_WIDTH`](limits::BEAM_WIDTH), `beam-density`
    /// for a density outside of 0 to 1.
    pub fn new(state: &ParseState, width: usize, density: f32) -> Result<Beam> {
        if width == 0 {
            return Err(Error::value(codes::BEAM_WIDTH, "a beam of width 0; the least is 1"));
        }
        limits::BEAM_WIDTH.check(width, "the width of a beam")?;
        if !(0.0..=1.0).contains(&density) {
            let text = format!("a beam of the density {density}; it is a part, from 0 to 1");
            return Err(Error::value(codes::BEAM_DENSITY, text));
        }
        let state = ParseState::new(Arc::clone(state.facts()), state.offset())?;
        let is_done = state.is_final();
        let slots = vec![BeamParse { is_done, ..BeamParse::new(state) }];
        Ok(Beam { slots, others: Vec::new(), size: 1, width, density, steps: 0, is_done })
    }

    /// The number of parses.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Never: there is always a parse.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Returns whether all parses are finished.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// The state of a parse.
    pub fn state(&self, i: usize) -> Option<&ParseState> {
        self.parses().get(i).map(|parse| &parse.state)
    }

    /// The states that are not final, in order: those that scores are needed for.
    pub fn open_states(&self) -> impl Iterator<Item = &ParseState> {
        self.parses().iter().map(|parse| &parse.state).filter(|state| !state.is_final())
    }

    /// The classes that led to a parse.
    pub fn history(&self, i: usize) -> &[ClassIx] {
        self.parses().get(i).map_or(&[], |parse| &parse.history)
    }

    /// The score of each parse.
    pub fn scores(&self) -> Vec<f32> {
        self.parses().iter().map(|parse| parse.score).collect()
    }

    /// Returns the cost of each parse so far; 0 without gold annotation.
    pub fn losses(&self) -> Vec<f32> {
        self.parses().iter().map(|parse| parse.loss).collect()
    }

    /// The score of the best parse.
    pub fn score(&self) -> f32 {
        self.parses().first().map_or(0.0, |parse| parse.score)
    }

    /// Returns the cost of the best parse.
    pub fn loss(&self) -> f32 {
        self.parses().first().map_or(0.0, |parse| parse.loss)
    }

    /// The probability of each parse among those of the beam.
    pub fn probs(&self) -> Vec<f64> {
        softmax(&self.scores())
    }

    /// The parses whose states are final, with their probabilities: what `get_beam_parses` is made
    /// of.
    pub fn final_parses(&self) -> impl Iterator<Item = (f64, &ParseState)> {
        let parses = self.probs().into_iter().zip(self.parses().iter().map(|parse| &parse.state));
        parses.filter(|(_, state)| state.is_final())
    }

    /// Goes one step on, by a row of scores for each of the [`open_states`](Beam::open_states). A
    /// beam that is done stays as it is.
    ///
    /// # Errors
    ///
    /// `transition-scores` for another number of scores, `transition-nan` for one that is no
    /// number, `beam-empty` where no class of any parse is valid, `out-of-memory` if the system
    /// refuses memory for the parses. The beam is unchanged then.
    pub fn advance<S: TransitionSystem>(&mut self, system: &S, scores: &[f32]) -> Result<()> {
        self.advance_guided(system, scores, None)
    }

    /// Goes one step on as [`advance`](Beam::advance) does, and adds up costs by a guide.
    ///
    /// # Errors
    ///
    /// As for [`advance`](Beam::advance), and those of the system's costs.
    pub fn advance_guided<S: TransitionSystem>(
        &mut self,
        system: &S,
        scores: &[f32],
        guide: Option<Guide<'_, S::Gold>>,
    ) -> Result<()> {
        if self.is_done {
            return Ok(());
        }
        let classes = system.actions().len();
        let open = self.open_states().count();
        if scores.len() != open * classes {
            let count = scores.len();
            let text = format!("{count} scores for {open} states and {classes} classes");
            return Err(Error::value(codes::TRANSITION_SCORES, text));
        }
        if scores.iter().any(|score| score.is_nan()) {
            return Err(Error::value(codes::TRANSITION_NAN, "a score is not a number"));
        }
        let (entries, costs) = self.entries(system, scores, guide)?;
        self.follow(system, &entries, &costs)
    }

    fn parses(&self) -> &[BeamParse] {
        &self.slots[..self.size]
    }

    /// The best candidates to go on, the best first, and what each class costs in each state, where
    /// that is asked.
    fn entries<S: TransitionSystem>(
        &self,
        system: &S,
        scores: &[f32],
        guide: Option<Guide<'_, S::Gold>>,
    ) -> Result<(Vec<Candidate>, Vec<f32>)> {
        let classes = system.actions().len();
        let mut candidates =
            Candidates::new(if self.density == 0.0 { self.width } else { usize::MAX });
        let mut all_costs = Vec::new();
        if guide.is_some() {
            all_costs.try_reserve_exact(self.size * classes)?;
            all_costs.resize(self.size * classes, 0.0);
        }
        let mut valid = vec![false; classes];
        let mut rows = scores.chunks_exact(classes.max(1));
        for (i, parse) in self.parses().iter().enumerate() {
            let first = i * classes;
            let row = if parse.state.is_final() { None } else { rows.next() };
            candidates.reserve(classes.max(1))?;
            if parse.is_done {
                // So a finished parse keeps up with those that go on.
                let average =
                    if parse.history.is_empty() { 0.0 } else { parse.score / self.count() };
                candidates.add((parse.score + average, first));
                continue;
            }
            let Some(row) = row else { continue };
            match guide {
                None => system.valid(&parse.state, &mut valid)?,
                Some(guide) => {
                    let costs = &mut all_costs[first..first + classes];
                    system.costs(&parse.state, guide.gold, &mut valid, costs)?;
                    if guide.follows {
                        keep_least(&mut valid, costs);
                    }
                }
            }
            for ((at, score), _) in (first..).zip(row).zip(&valid).filter(|(_, valid)| **valid) {
                candidates.add((parse.score + score, at));
            }
        }
        let entries = candidates.best(self.width, self.density);
        if entries.is_empty() {
            let text = format!("none of {} parses can go on", self.size);
            return Err(Error::value(codes::BEAM_EMPTY, text));
        }
        Ok((entries, all_costs))
    }

    #[expect(clippy::cast_precision_loss, reason = "as thinc divides")]
    fn count(&self) -> f32 {
        self.steps as f32
    }

    /// Makes the parses of these candidates the beam.
    fn follow<S: TransitionSystem>(
        &mut self,
        system: &S,
        entries: &[Candidate],
        costs: &[f32],
    ) -> Result<()> {
        let classes = system.actions().len();
        // If a move fails, the parses of the beam are unchanged; the spare ones are undefined.
        self.others.try_reserve(entries.len().saturating_sub(self.others.len()))?;
        while self.others.len() < entries.len() {
            let state = self.slots[0].state.try_clone()?;
            self.others.push(BeamParse::new(state));
        }
        for (parse, &(score, candidate)) in self.others.iter_mut().zip(entries) {
            let parent = &self.slots[candidate / classes];
            parse.history.clear();
            // One more than the parent has, for the class of this step.
            parse.history.try_reserve(parent.history.len() + 1)?;
            parse.history.extend_from_slice(&parent.history);
            (parse.parent, parse.last_class) = (candidate / classes, None);
            parse.score = score;
            if parent.is_done {
                continue;
            }
            let class = ClassIx::at(candidate % classes);
            parse.state.try_clone_from(&parent.state)?;
            system.apply(&mut parse.state, class)?;
            parse.loss = parent.loss + costs.get(candidate).copied().unwrap_or(0.0);
            parse.history.push(class);
            parse.last_class = Some(class);
        }
        for (parse, &(_, candidate)) in self.others.iter_mut().zip(entries) {
            let parent = &mut self.slots[candidate / classes];
            if parent.is_done {
                // A finished parse is swapped with the spare one, which is then not finished.
                std::mem::swap(&mut parse.state, &mut parent.state);
                (parse.is_done, parent.is_done) = (true, false);
                parse.loss = parent.loss;
            }
        }
        std::mem::swap(&mut self.slots, &mut self.others);
        self.size = entries.len();
        self.steps = self.steps.saturating_add(1);
        for parse in &mut self.slots[..self.size] {
            parse.is_done = parse.is_done || parse.state.is_final();
        }
        self.is_done = self.parses().iter().all(|parse| parse.is_done);
        Ok(())
    }
}

/// Parses documents by beams, many of them scored together; `states` say what of.
///
/// # Errors
///
/// As for [`batch::parse`](super::batch::parse), and for [`Beam::new`] and [`Beam::advance`].
pub fn parse<S: TransitionSystem>(
    system: &S,
    states: &[ParseState],
    scorer: &dyn Scorer,
    width: usize,
    density: f32,
    batching: Batching,
) -> Result<Vec<Beam>> {
    check_feature_count(scorer.features())?;
    let beams = states.iter().map(|state| Beam::new(state, width, density));
    let mut beams: Vec<Beam> = beams.collect::<Result<_>>()?;
    in_shares(&mut beams, batching, |first, beams| {
        let mut rows = Rows::new(scorer.features(), system.actions().len());
        let mut step = 0;
        while beams.iter().any(|beam| !beam.is_done) {
            rows.begin();
            let mut ends = Vec::new();
            for (i, beam) in beams.iter().enumerate().filter(|(_, beam)| !beam.is_done) {
                beam.open_states().for_each(|state| rows.add(state));
                ends.push((i, rows.len()));
            }
            rows.score(scorer).map_err(|(row, error)| {
                let of_row = ends.iter().find(|(_, end)| row < *end);
                placed(error, first + of_row.map_or(0, |(i, _)| *i), step)
            })?;
            let mut start = 0;
            for (i, end) in ends {
                let advanced = beams[i].advance(system, rows.between(start, end));
                let checked = advanced.and_then(|()| check_length(step, &beams[i].slots[0].state));
                checked.map_err(|error| placed(error, first + i, step))?;
                start = end;
            }
            step += 1;
        }
        Ok(())
    })?;
    Ok(beams)
}

/// Lets only classes of least cost be valid; a cost above zero is never least.
fn keep_least(valid: &mut [bool], costs: &[f32]) {
    let valid_costs = valid.iter().zip(costs).filter(|(valid, _)| **valid);
    let least = valid_costs.fold(0.0_f32, |least, (_, cost)| least.min(*cost));
    for (valid, cost) in valid.iter_mut().zip(costs) {
        *valid = *valid && *cost <= least;
    }
}

/// Scores as probabilities that add up to 1; of nothing, nothing. Where the highest is infinite,
/// those that are as high share equally.
pub(super) fn softmax(scores: &[f32]) -> Vec<f64> {
    let max = scores.iter().fold(f64::NEG_INFINITY, |max, score| max.max(f64::from(*score)));
    let weights: Vec<f64> = scores.iter().map(|score| weight(*score, max)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}
