//! The interface of transition systems: validity, effect and cost of moves.

use super::{Actions, ClassIx, ParseState};
use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// Cost of an invalid move.
pub const INVALID_COST: f32 = 9000.0;

/// A transition system: its moves, their validity, effects and costs.
///
/// A mask and a row of costs have one place for each class, in the order of
/// [`actions`](TransitionSystem::actions).
pub trait TransitionSystem: Send + Sync {
    /// A gold annotation, made once for a document and asked at each of its states.
    type Gold: Send + Sync;

    /// The classes.
    fn actions(&self) -> &Actions;

    /// The classes, to add to. Those of another kind do not belong here.
    fn actions_mut(&mut self) -> &mut Actions;

    /// Returns whether a state allows a class. An unknown class is never allowed.
    fn is_valid(&self, state: &ParseState, class: ClassIx) -> bool;

    /// Applies a class, whether or not the state allows it.
    ///
    /// # Errors
    ///
    /// `transition-class` if there is no such class. `state-buffer` and `state-stack` if the
    /// buffer or stack lacks a token that the move takes; the state is then unchanged.
    fn apply(&self, state: &mut ParseState, class: ClassIx) -> Result<()>;

    /// Returns the cost of a class in a state that allows it: how much worse the best parse that
    /// can be reached gets, in arcs or entities.
    ///
    /// # Errors
    ///
    /// `transition-gold` if the gold annotation is of another number of tokens.
    fn cost_of_valid(&self, state: &ParseState, gold: &Self::Gold, class: ClassIx) -> Result<f32>;

    /// Writes for each class whether a state allows it.
    ///
    /// # Errors
    ///
    /// `transition-row` if the mask is of another length than there are classes.
    fn valid(&self, state: &ParseState, valid: &mut [bool]) -> Result<()> {
        self.check_row(valid.len())?;
        for (class, valid) in self.actions().classes().zip(valid) {
            *valid = self.is_valid(state, class);
        }
        Ok(())
    }

    /// Returns the cost of a class; [`INVALID_COST`] if the state does not allow it.
    ///
    /// # Errors
    ///
    /// As for [`cost_of_valid`](TransitionSystem::cost_of_valid).
    fn cost(&self, state: &ParseState, gold: &Self::Gold, class: ClassIx) -> Result<f32> {
        if self.is_valid(state, class) {
            return self.cost_of_valid(state, gold, class);
        }
        Ok(INVALID_COST)
    }

    /// Writes for each class whether a state allows it, and its cost.
    ///
    /// # Errors
    ///
    /// `transition-row` for a row of another length than there are classes, and as for
    /// [`cost_of_valid`](TransitionSystem::cost_of_valid). Some systems guarantee a class without
    /// cost, and fail with `E1031` otherwise.
    fn costs(
        &self,
        state: &ParseState,
        gold: &Self::Gold,
        valid: &mut [bool],
        costs: &mut [f32],
    ) -> Result<()> {
        self.check_row(costs.len())?;
        self.valid(state, valid)?;
        for ((class, valid), cost) in self.actions().classes().zip(valid).zip(costs) {
            *cost = if *valid { self.cost_of_valid(state, gold, class)? } else { INVALID_COST };
        }
        Ok(())
    }

    /// Returns the valid class of the highest score, the first of several: spaCy's
    /// `arg_max_if_valid`. `None` if there is no valid class. `scores` has one number a class, and
    /// none is NaN.
    fn best(&self, state: &ParseState, scores: &[f32]) -> Option<ClassIx> {
        let mut best: Option<(ClassIx, f32)> = None;
        for (class, &score) in self.actions().classes().zip(scores) {
            if best.is_none_or(|(_, highest)| score > highest) && self.is_valid(state, class) {
                best = Some((class, score));
            }
        }
        best.map(|(class, _)| class)
    }

    /// Returns the class that an oracle takes, from the costs that
    /// [`costs`](TransitionSystem::costs) wrote: the first that is valid and costs nothing.
    fn oracle_choice(&self, valid: &[bool], costs: &[f32]) -> Option<ClassIx> {
        let free = |(valid, cost): (&bool, &f32)| *valid && *cost <= 0.0;
        valid.iter().zip(costs).position(free).map(ClassIx::at)
    }

    /// The class that an oracle takes in a state, with all costs written on the way.
    ///
    /// # Errors
    ///
    /// As for [`costs`](TransitionSystem::costs).
    fn oracle(
        &self,
        state: &ParseState,
        gold: &Self::Gold,
        valid: &mut [bool],
        costs: &mut [f32],
    ) -> Result<Option<ClassIx>> {
        self.costs(state, gold, valid, costs)?;
        Ok(self.oracle_choice(valid, costs))
    }

    /// Checks the length of a row of scores, costs or flags.
    ///
    /// # Errors
    ///
    /// `transition-row` if a row is of another length than there are classes.
    fn check_row(&self, len: usize) -> Result<()> {
        let classes = self.actions().len();
        if len == classes {
            return Ok(());
        }
        let text = format!("a row of {len} places for {classes} classes");
        Err(Error::value(codes::TRANSITION_ROW, text))
    }

    /// Returns the transition of a class.
    ///
    /// # Errors
    ///
    /// `transition-class` if there is no such class.
    fn transition(&self, class: ClassIx) -> Result<super::Transition> {
        self.actions().get(class).ok_or_else(|| {
            let (class, classes) = (class.get(), self.actions().len());
            let text = format!("no class {class} among {classes}");
            Error::new(lexpool_error::ErrorKind::Index, codes::TRANSITION_CLASS, text)
        })
    }
}
