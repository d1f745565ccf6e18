//! Named entities by transitions: each move tags the first token of the buffer with its position in
//! an entity (begin, in, last, unit, out), spaCy's `BiluoPushDown`.
//!
//! | file | contents |
//! | --- | --- |
//! | `moves` | preconditions and effects of moves |
//! | `classes` | the system with its classes, and the tags that name them |
//! | `gold` | the gold entities of a document |
//! | `costs` | the cost of a move against them |
//!
//! Entities that a document has before it is parsed are kept; `TokenFacts` holds them.

mod classes;
mod costs;
mod gold;
mod moves;
#[cfg(test)]
mod tests;

use lexpool_error::Result;

use self::moves::View;
use super::{Actions, ClassIx, INVALID_COST, ParseState, Transition, TransitionSystem};

pub use classes::BiluoPushDown;
pub use gold::BiluoGold;
pub use moves::BiluoMove;

impl TransitionSystem for BiluoPushDown {
    type Gold = BiluoGold;

    fn actions(&self) -> &Actions {
        &self.actions
    }

    fn actions_mut(&mut self) -> &mut Actions {
        &mut self.actions
    }

    fn is_valid(&self, state: &ParseState, class: ClassIx) -> bool {
        let view = View::of(state);
        self.known(class).is_some_and(|(action, label)| view.allows(action, label))
    }

    /// At the end of the buffer every move fails, also those that are valid there as in spaCy.
    fn apply(&self, state: &mut ParseState, class: ClassIx) -> Result<()> {
        let Transition { action, label } = self.transition(class)?;
        match BiluoMove::from_number(action.into()) {
            Some(action) => moves::apply(state, action, label),
            None => Ok(()),
        }
    }

    /// At the end of the buffer there is nothing to compare: every move costs [`INVALID_COST`].
    #[expect(clippy::cast_precision_loss, reason = "costs are small")]
    fn cost_of_valid(&self, state: &ParseState, gold: &BiluoGold, class: ClassIx) -> Result<f32> {
        gold.check(state)?;
        let Transition { action, label } = self.transition(class)?;
        let action = BiluoMove::from_number(action.into());
        Ok(match (state.b(0), action) {
            (Some(first), Some(action)) => gold.cost(state, first, action, label) as f32,
            _ => INVALID_COST,
        })
    }

    fn valid(&self, state: &ParseState, valid: &mut [bool]) -> Result<()> {
        self.check_row(valid.len())?;
        let view = View::of(state);
        for (class, valid) in self.actions.classes().zip(valid) {
            *valid = self.known(class).is_some_and(|(action, label)| view.allows(action, label));
        }
        Ok(())
    }

    fn best(&self, state: &ParseState, scores: &[f32]) -> Option<ClassIx> {
        let view = View::of(state);
        let mut best: Option<(ClassIx, f32)> = None;
        for (class, &score) in self.actions.classes().zip(scores) {
            let is_higher = best.is_none_or(|(_, highest)| score > highest);
            let allowed =
                || self.known(class).is_some_and(|(action, label)| view.allows(action, label));
            if is_higher && allowed() {
                best = Some((class, score));
            }
        }
        best.map(|(class, _)| class)
    }
}
