//! Oracle: follows classes of least cost from a state to the end of the parse.

use super::{ClassIx, ParseState, TransitionSystem};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

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
    state: &mut ParseState,
    gold: &S::Gold,
) -> Result<Vec<ClassIx>> {
    Oracle::new(system).sequence(state, gold)
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

    /// Returns the class to apply in a state before the final one.
    ///
    /// # Errors
    ///
    /// `E024` if every class costs something, `E1031` if the system guarantees a free one.
    pub fn next(&mut self, state: &ParseState, gold: &S::Gold) -> Result<ClassIx> {
        let choice = self.system.oracle(state, gold, &mut self.valid, &mut self.costs)?;
        choice.ok_or_else(|| no_move(self.system.actions().len()))
    }

    /// The sequence from a state to the end of its parse; see [`sequence`].
    ///
    /// # Errors
    ///
    /// As for [`sequence`].
    pub fn sequence(&mut self, state: &mut ParseState, gold: &S::Gold) -> Result<Vec<ClassIx>> {
        match self.sequence_and_error(state, gold) {
            (sequence, None) => Ok(sequence),
            (_, Some(error)) => Err(error),
        }
    }

    /// Returns the sequence up to the first state without a class that is free of cost, which is
    /// not an error here, as in spaCy's arc-eager oracle.
    ///
    /// # Errors
    ///
    /// As for [`sequence`], without `E024` and `E1031`.
    pub fn partial_sequence(
        &mut self,
        state: &mut ParseState,
        gold: &S::Gold,
    ) -> Result<Vec<ClassIx>> {
        match self.sequence_and_error(state, gold) {
            (_, Some(error)) if !matches!(error.code(), "E024" | "E1031") => Err(error),
            (sequence, _) => Ok(sequence),
        }
    }

    /// The sequence to where an error ended it, if one did, and that error.
    pub fn sequence_and_error(
        &mut self,
        state: &mut ParseState,
        gold: &S::Gold,
    ) -> (Vec<ClassIx>, Option<Error>) {
        let mut sequence = Vec::new();
        while !state.is_final() {
            let step = self.next(state, gold).and_then(|class| {
                self.system.apply(state, class)?;
                sequence.push(class);
                check_length(sequence.len(), state)
            });
            if let Err(error) = step {
                let error = error.context(format_args!("step {}", sequence.len()));
                return (sequence, Some(error));
            }
        }
        (sequence, None)
    }

    /// Returns the validity and the cost of each class as of the last [`next`](Oracle::next).
    pub fn row(&self) -> (&[bool], &[f32]) {
        (&self.valid, &self.costs)
    }
}

/// Checks that a sequence of transitions is one that ends.
///
/// # Errors
///
/// `transition-endless` if a sequence is longer than 8 steps per token plus 8. A valid arc-eager
/// sequence has at most 7 per word: one removal, at most one sentence start, at most two returns to
/// the buffer (one of them after a left arc), and at most three pushes.
pub(super) fn check_length(steps: usize, state: &ParseState) -> Result<()> {
    if steps <= state.len().saturating_mul(8).saturating_add(8) {
        return Ok(());
    }
    let text = format!("{steps} steps have not come to the end of {} tokens", state.len());
    Err(Error::value(codes::TRANSITION_ENDLESS, text))
}

#[cold]
fn no_move(classes: usize) -> Error {
    let text = format!(
        "no class of {classes} is valid and free of cost; classes may be missing, or the gold \
         annotation cannot be reached"
    );
    Error::value(codes::E024, text)
}
