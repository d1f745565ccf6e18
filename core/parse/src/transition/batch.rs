//! Many states at once: stepped together, on one thread or on several.
//!
//! States are divided into shares by their order alone, and each share is stepped until all of its
//! states are final: one call of the scorer per step, with a row for each remaining state. So the
//! scorer's inputs and the results are the same on any number of threads.
//!
//! Apart from the model, the time of a step is work per class: with a hundred labels a row has
//! hundreds of costs or scores, but a state has five moves. So validity and cost are computed once
//! per move and filled into its run of classes (`Run`), and the minimum is tracked meanwhile,
//! without a search. The rest is, for costs, the fill and a break's sum over the stack, which skips
//! words without an arc into the buffer; for scores, one pass for the maximum.

use rayon::prelude::*;

use super::features::check_feature_count;
use super::oracle::{Oracle, check_length};
use super::{ClassIx, ParseState, TransitionSystem};
use lexpool_error::codes;
use lexpool_error::{Error, Result};
use lexpool_threads as threads;

/// A model: from the features of states to a score for each class.
pub trait Scorer: Sync {
    /// The number of features of a state: one of [`FEATURE_COUNTS`](super::FEATURE_COUNTS).
    fn features(&self) -> usize;

    /// Writes a row of scores for each row of features. `scores` comes with as many zeros as it has
    /// to have numbers: a row of all classes for each state.
    ///
    /// # Errors
    ///
    /// Whatever stands in the way; it ends the parse.
    fn score(&self, features: &[i32], scores: &mut Vec<f32>) -> Result<()>;
}

/// A function as a [`Scorer`], with the number of features that it takes.
///
/// ```
/// use lexpool_parse::transition::{Batching, FnScorer, ParseState, TokenFacts, ArcEager, TransitionSystem, batch};
/// let mut moves = ArcEager::new();
/// for (action, label) in [(0, ""), (1, ""), (2, "left"), (4, "ROOT")] {
///     moves.actions_mut().add(action, label)?;
/// }
/// // Attach each word to the next one wherever that is allowed.
/// let scorer = FnScorer::new(2, |_features: &[i32], scores: &mut Vec<f32>| {
///     for row in scores.chunks_exact_mut(4) {
///         row.copy_from_slice(&[0.0, 1.0, 2.0, -1.0]);
///     }
///     Ok(())
/// });
/// let facts: Vec<_> = vec![TokenFacts::default(); 3];
/// let mut states = vec![ParseState::new(facts.into(), 0)?];
/// batch::parse(&moves, &mut states, &scorer, Batching::default())?;
/// assert_eq!((states[0].h(0), states[0].h(1), states[0].h(2)), (Some(1), Some(2), None));
/// # Ok::<(), lexpool_error::Error>(())
/// ```
pub struct FnScorer<F> {
    features: usize,
    score: F,
}

impl<F: Fn(&[i32], &mut Vec<f32>) -> Result<()> + Sync> FnScorer<F> {
    /// A scorer of so many features a state.
    pub fn new(features: usize, score: F) -> FnScorer<F> {
        FnScorer { features, score }
    }
}

impl<F: Fn(&[i32], &mut Vec<f32>) -> Result<()> + Sync> Scorer for FnScorer<F> {
    fn features(&self) -> usize {
        self.features
    }

    fn score(&self, features: &[i32], scores: &mut Vec<f32>) -> Result<()> {
        (self.score)(features, scores)
    }
}

/// Options of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batching {
    /// Number of threads; 0 for one a core, 1 for the calling thread. There are never more
    /// than shares of states, nor than four a core.
    pub threads: usize,
    /// Number of states that are stepped together: the maximum number of rows in a call of the
    /// scorer.
    pub states: usize,
}

impl Default for Batching {
    fn default() -> Batching {
        Batching { threads: 1, states: 128 }
    }
}

/// Steps all states until they are final, each by the valid class of the highest score: spaCy's
/// `greedy_parse`. Gives the number of steps that were made, added up over states.
///
/// A state that allows no class is [made final](ParseState::force_final) as it is, as in spaCy,
/// which counts as a step. That happens where the moves lack a label that a document brings along,
/// such as that of a preset entity; Python's `get_doc_labels` names those to add.
///
/// # Errors
///
/// The first, in the order of states, with the state and its step: `transition-scores` for another
/// number of scores than was requested, `transition-nan` for a score of NaN, `state-features` for
/// an unsupported number of features, those of the scorer, and `threads` if no thread can be
/// started. After an error, states remain at the step they had reached.
pub fn parse<S: TransitionSystem>(
    system: &S,
    states: &mut [ParseState],
    scorer: &dyn Scorer,
    batching: Batching,
) -> Result<usize> {
    check_feature_count(scorer.features())?;
    let shares = in_shares(states, batching, |first, states| {
        let share = Share::new(system, scorer);
        share.parse(first, states)
    })?;
    Ok(shares.into_iter().sum())
}

/// Steps all states until they are final, each by classes that are chosen from the state itself.
///
/// `chooser` makes what chooses, once a share of states, so that it may have memory of its own; it
/// is given the position of the state and the state. Gives the number of steps.
///
/// # Errors
///
/// As for [`parse`]: what the choice fails with, and `E170` for a class that the state does not
/// allow.
pub fn parse_by<S: TransitionSystem, C: FnMut(usize, &ParseState) -> Result<ClassIx>>(
    system: &S,
    states: &mut [ParseState],
    batching: Batching,
    chooser: impl Fn() -> C + Sync,
) -> Result<usize> {
    let shares = in_shares(states, batching, |first, states| {
        let mut choose = chooser();
        let mut all = 0;
        for (at, state) in (first..).zip(states) {
            let mut steps = 0;
            while !state.is_final() {
                let step = choose(at, state).and_then(|class| {
                    if !system.is_valid(state, class) {
                        return Err(invalid(system, class));
                    }
                    system.apply(state, class)?;
                    check_length(steps, state)
                });
                step.map_err(|error| placed(error, at, steps))?;
                steps += 1;
            }
            all += steps;
        }
        Ok(all)
    })?;
    Ok(shares.into_iter().sum())
}

/// The oracle's sequence for each state with its gold annotation; see
/// [`oracle::sequence`](super::oracle::sequence).
///
/// # Errors
///
/// `transition-gold` for another number of annotations than of states, and as for [`parse_by`].
pub fn oracle_sequences<S: TransitionSystem>(
    system: &S,
    states: &mut [ParseState],
    golds: &[S::Gold],
    batching: Batching,
) -> Result<Vec<Vec<ClassIx>>> {
    sequences_by(system, states, golds, batching, Oracle::sequence)
}

/// The sequences of [`oracle_sequences`], where one that finds no class to take ends there: spaCy's
/// arc-eager oracle; see [`Oracle::partial_sequence`].
///
/// # Errors
///
/// As for [`oracle_sequences`], without `E024` and `E1031`.
pub fn partial_oracle_sequences<S: TransitionSystem>(
    system: &S,
    states: &mut [ParseState],
    golds: &[S::Gold],
    batching: Batching,
) -> Result<Vec<Vec<ClassIx>>> {
    sequences_by(system, states, golds, batching, Oracle::partial_sequence)
}

fn sequences_by<'s, S: TransitionSystem>(
    system: &'s S,
    states: &mut [ParseState],
    golds: &[S::Gold],
    batching: Batching,
    ask: impl Fn(&mut Oracle<'s, S>, &mut ParseState, &S::Gold) -> Result<Vec<ClassIx>> + Sync,
) -> Result<Vec<Vec<ClassIx>>> {
    if states.len() != golds.len() {
        let text = format!("{} states and {} gold annotations", states.len(), golds.len());
        return Err(Error::value(codes::TRANSITION_GOLD, text));
    }
    let shares = in_shares(states, batching, |first, states| {
        let mut oracle = Oracle::new(system);
        let mut sequences = Vec::with_capacity(states.len());
        for (at, state) in (first..).zip(states) {
            let sequence = ask(&mut oracle, state, &golds[at]);
            sequences.push(sequence.map_err(|error| error.context(format_args!("state {at}")))?);
        }
        Ok(sequences)
    })?;
    Ok(shares.into_iter().flatten().collect())
}

/// Does some work for each share of items, and gives the results in order.
///
/// # Errors
///
/// The first in the order of items; `threads` when none can be started.
pub(super) fn in_shares<I: Send, T: Send>(
    items: &mut [I],
    batching: Batching,
    work: impl Fn(usize, &mut [I]) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let size = batching.states.max(1);
    // Without `ForkGuard`: stepping takes no lock that a fork had to wait for, and what scorers and
    // choosers take is theirs to guard. A function of Python's among them may itself fork.
    let share = |(number, items): (usize, &mut [I])| work(number * size, items);
    if threads::alone(batching.threads) || items.len() <= size {
        return items.chunks_mut(size).enumerate().map(share).collect();
    }
    let shares = items.par_chunks_mut(size).enumerate().with_max_len(1);
    let done: Vec<Result<T>> = threads::on_pool(batching.threads, |_| shares.map(share).collect())?;
    done.into_iter().collect()
}

/// Buffers of one share of the states.
struct Share<'a, S> {
    system: &'a S,
    scorer: &'a dyn Scorer,
    rows: Rows,
}

/// The features of some states and their scores, in memory that is used again at each step.
pub(super) struct Rows {
    features: Vec<i32>,
    scores: Vec<f32>,
    width: usize,
    classes: usize,
}

impl<'a, S: TransitionSystem> Share<'a, S> {
    fn new(system: &'a S, scorer: &'a dyn Scorer) -> Share<'a, S> {
        Share { system, scorer, rows: Rows::new(scorer.features(), system.actions().len()) }
    }

    fn parse(mut self, first: usize, states: &mut [ParseState]) -> Result<usize> {
        let mut open: Vec<usize> = (0..states.len()).filter(|&i| !states[i].is_final()).collect();
        let (mut all, mut step) = (0, 0);
        while !open.is_empty() {
            self.rows.begin();
            for &i in &open {
                self.rows.add(&states[i]);
            }
            let place = |row: usize| first + open.get(row).copied().unwrap_or(0);
            let scored = self.rows.score(self.scorer);
            scored.map_err(|(row, error)| placed(error, place(row), step))?;
            for (row, &i) in open.iter().enumerate() {
                let done =
                    self.step(&mut states[i], row).and_then(|()| check_length(step, &states[i]));
                done.map_err(|error| placed(error, first + i, step))?;
            }
            all += open.len();
            step += 1;
            open.retain(|&i| !states[i].is_final());
        }
        Ok(all)
    }

    #[inline]
    fn step(&self, state: &mut ParseState, row: usize) -> Result<()> {
        if let Some(class) = self.system.best(state, self.rows.row(row)) {
            return self.system.apply(state, class);
        }
        state.force_final();
        Ok(())
    }
}

impl Rows {
    pub(super) fn new(width: usize, classes: usize) -> Rows {
        Rows { features: Vec::new(), scores: Vec::new(), width, classes }
    }

    /// Forgets all rows.
    pub(super) fn begin(&mut self) {
        self.features.clear();
    }

    /// Adds the features of a state.
    #[inline]
    pub(super) fn add(&mut self, state: &ParseState) {
        let at = self.features.len();
        self.features.resize(at + self.width, -1);
        state.write_context(&mut self.features[at..]);
    }

    /// Scores all rows, and validates the scores.
    ///
    /// # Errors
    ///
    /// With the row: the scorer's, `transition-scores`, `transition-nan`.
    pub(super) fn score(&mut self, scorer: &dyn Scorer) -> Result<(), (usize, Error)> {
        let (rows, classes) = (self.features.len() / self.width.max(1), self.classes);
        self.scores.clear();
        self.scores.resize(rows * classes, 0.0);
        scorer.score(&self.features, &mut self.scores).map_err(|error| (0, error))?;
        if self.scores.len() != rows * classes {
            let count = self.scores.len();
            let text = format!("{count} scores for {rows} states and {classes} classes");
            return Err((0, Error::value(codes::TRANSITION_SCORES, text)));
        }
        // One pass without a branch, which finds no position.
        if self.scores.iter().fold(false, |has_nan, score| has_nan | score.is_nan()) {
            let at = self.scores.iter().position(|score| score.is_nan()).unwrap_or(0);
            let (row, class) = (at / classes, at % classes);
            let text = format!("the score of class {class} is not a number");
            return Err((row, Error::value(codes::TRANSITION_NAN, text)));
        }
        Ok(())
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.features.len() / self.width
    }

    /// The scores of some rows.
    pub(super) fn between(&self, start: usize, end: usize) -> &[f32] {
        &self.scores[start * self.classes..end * self.classes]
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[f32] {
        &self.scores[row * self.classes..][..self.classes]
    }
}

/// An error with the state and the step at which it was met.
#[cold]
pub(super) fn placed(error: Error, state: usize, step: usize) -> Error {
    error.context(format_args!("state {state}, step {step}"))
}

#[cold]
fn invalid<S: TransitionSystem>(system: &S, class: ClassIx) -> Error {
    let name = system.actions().name(class);
    let text =
        format!("cannot apply class {} ({name:?}): the state does not allow it", class.get());
    Error::value(codes::E170, text)
}
