//! What an oracle does: from a state to the end of the parse, always a class of least cost.

use super::{ClassIx, State, TransitionSystem};
use crate::{Error, Result};

/// A class for each step until the state is final: spaCy's `get_oracle_sequence_from_state`.
///
/// Each is the first in the order of classes that the system's
/// [`oracle_choice`](TransitionSystem::oracle_choice) takes. Cost: all costs at each step.
///
/// # Errors
///
/// `E024` where no class is to be taken, `E1031` where the system promises one; each says at which
/// step. The state is where the sequence ended.
pub fn sequence<S: TransitionSystem>(
    system: &S,
    state: &mut State,
    gold: &S::Gold,
) -> Result<Vec<ClassIx>> {
    let mut oracle = Oracle::new(system);
    let mut sequence = Vec::new();
    while !state.is_final() {
        let at_step = |error: Error| error.context(format_args!("step {}", sequence.len()));
        let class = oracle.next(state, gold).map_err(at_step)?;
        system.apply(state, class).map_err(at_step)?;
        sequence.push(class);
        check_length(sequence.len(), state)?;
    }
    Ok(sequence)
}

/// An oracle with the memory for one row of costs.
pub struct Oracle<'a, S> {
    system: &'a S,
    valid: Vec<bool>,
    costs: Vec<f32>,
}

impl<'a, S: TransitionSystem> Oracle<'a, S> {
    /// An oracle of a system.
    pub fn new(system: &'a S) -> Oracle<'a, S> {
        let classes = system.actions().len();
        Oracle { system, valid: vec![false; classes], costs: vec![0.0; classes] }
    }

    /// The class to take in a state that is not final.
    ///
    /// # Errors
    ///
    /// `E024` where there is none, `E1031` where the system promises one.
    pub fn next(&mut self, state: &State, gold: &S::Gold) -> Result<ClassIx> {
        self.system.costs(state, gold, &mut self.valid, &mut self.costs)?;
        let choice = self.system.oracle_choice(&self.valid, &self.costs);
        choice.ok_or_else(|| no_move(self.system.actions().len()))
    }

    /// What [`next`](Oracle::next) saw last: which classes were valid, and what each costs.
    pub fn row(&self) -> (&[bool], &[f32]) {
        (&self.valid, &self.costs)
    }
}

/// # Errors
///
/// `transition-endless` when a sequence is longer than any that ends: a word is shifted at most twice
/// and taken away once, and starts at most one sentence.
pub(super) fn check_length(steps: usize, state: &State) -> Result<()> {
    if steps <= state.len().saturating_mul(8).saturating_add(8) {
        return Ok(());
    }
    let text = format!("{steps} steps have not come to the end of {} tokens", state.len());
    Err(Error::value("transition-endless", text))
}

#[cold]
fn no_move(classes: usize) -> Error {
    let text = format!(
        "no class of {classes} is valid and free of cost; classes may be missing, or the gold \
         annotation cannot be reached"
    );
    Error::value("E024", text)
}
