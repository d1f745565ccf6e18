//! Dependency trees by arc-eager moves (Nivre 2003), non-monotonic (Honnibal and Johnson 2015).
//!
//! Shift pushes a word, left and right arcs attach the top of the stack and the first of the buffer
//! to each other, reduce takes a word away, and break starts a sentence. Two moves take back what
//! was decided before: a word that is reduced without a head returns to the buffer, once, and a
//! left arc replaces the head that its child had.

mod classes;
mod costs;
mod gold;
mod labels;
mod moves;

pub use classes::{ArcEager, BREAK, LEFT, REDUCE, RIGHT, SHIFT};
pub use gold::ArcEagerGold;
pub use labels::LabelCounts;

use super::{Actions, ClassIx, ParseState, TransitionSystem};
use lexpool_error::Result;

impl TransitionSystem for ArcEager {
    type Gold = ArcEagerGold;

    fn actions(&self) -> &Actions {
        &self.actions
    }

    fn actions_mut(&mut self) -> &mut Actions {
        &mut self.actions
    }

    fn is_valid(&self, state: &ParseState, class: ClassIx) -> bool {
        let transition = self.actions.get(class);
        transition.is_some_and(|transition| self.allows(state, transition))
    }

    #[inline]
    fn apply(&self, state: &mut ParseState, class: ClassIx) -> Result<()> {
        let transition = self.transition(class)?;
        moves::apply(state, transition.action, transition.label)
    }

    fn cost_of_valid(
        &self,
        state: &ParseState,
        gold: &ArcEagerGold,
        class: ClassIx,
    ) -> Result<f32> {
        let transition = self.transition(class)?;
        gold.check(state)?;
        Ok(costs::cost_of(state, gold, transition))
    }

    fn valid(&self, state: &ParseState, valid: &mut [bool]) -> Result<()> {
        self.check_row(valid.len())?;
        let by_move = moves::valid_moves(state);
        for run in self.actions.runs() {
            valid[run.classes.clone()].fill(by_move[usize::from(run.action)]);
        }
        for &(transition, class) in self.actions.special() {
            valid[class.get() as usize] = self.allows(state, transition);
        }
        Ok(())
    }

    fn best(&self, state: &ParseState, scores: &[f32]) -> Option<ClassIx> {
        let by_move = moves::valid_moves(state);
        let mut best: Option<(ClassIx, f32)> = None;
        for run in self.actions.runs().iter().filter(|run| by_move[usize::from(run.action)]) {
            for (at, &score) in run.classes.clone().zip(scores.get(run.classes.clone())?) {
                if best.is_none_or(|(_, highest)| score > highest) {
                    let class = ClassIx::at(at);
                    let is_like_others = self.actions.special().is_empty();
                    if is_like_others || self.is_valid(state, class) {
                        best = Some((class, score));
                    }
                }
            }
        }
        best.map(|(class, _)| class)
    }

    fn costs(
        &self,
        state: &ParseState,
        gold: &ArcEagerGold,
        valid: &mut [bool],
        costs: &mut [f32],
    ) -> Result<()> {
        self.write_costs(state, gold, valid, costs).map(|_| ())
    }

    fn oracle(
        &self,
        state: &ParseState,
        gold: &ArcEagerGold,
        valid: &mut [bool],
        costs: &mut [f32],
    ) -> Result<Option<ClassIx>> {
        self.write_costs(state, gold, valid, costs).map(Some)
    }

    /// The first class of the least cost, be it above zero.
    fn oracle_choice(&self, valid: &[bool], costs: &[f32]) -> Option<ClassIx> {
        costs::first_least(valid, costs)
    }
}
