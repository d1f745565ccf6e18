//! Costs of moves against gold entities: how much of what is right a move makes unreachable.

use lexpool_structs::StrId;

use super::gold::{BiluoGold, Negative, Tag};
use super::moves::BiluoMove;
use crate::transition::ParseState;

impl BiluoGold {
    /// The cost of a move that the state allows: how much of what is right it makes unreachable.
    ///
    /// `first` is the first token of the buffer.
    #[inline]
    pub(super) fn cost(
        &self,
        state: &ParseState,
        first: usize,
        action: BiluoMove,
        label: StrId,
    ) -> u32 {
        let gold = self.tag(first);
        let cost = match action {
            BiluoMove::Missing => 0,
            BiluoMove::Begin | BiluoMove::Unit if gold.action == action => {
                u32::from(gold.label != label)
            }
            BiluoMove::Begin | BiluoMove::Unit => u32::from(gold.action != BiluoMove::Missing),
            BiluoMove::In => self.cost_of_in(state, gold),
            BiluoMove::Last => {
                // Ending a correct open entity early loses it; ending a wrong one loses nothing.
                u32::from(gold.action == BiluoMove::In && !self.open_is_wrong(state))
            }
            BiluoMove::Out => u32::from(matches!(gold.action, BiluoMove::Begin | BiluoMove::Unit)),
        };
        cost + u32::from(self.makes_negative(state, first, action, label))
    }

    fn cost_of_in(&self, state: &ParseState, gold: Tag) -> u32 {
        let next = state.b(1).map_or(BiluoMove::Out, |next| self.tag(next).action);
        let ends_well = matches!(next, BiluoMove::Out | BiluoMove::Missing);
        match gold.action {
            BiluoMove::Missing | BiluoMove::Begin | BiluoMove::In => 0,
            BiluoMove::Last => u32::from(!(ends_well && self.open_is_wrong(state))),
            BiluoMove::Out => u32::from(!ends_well),
            BiluoMove::Unit => u32::from(next != BiluoMove::Out),
        }
    }

    /// Returns whether the gold entity at the start of the open one is missing or has another
    /// label.
    fn open_is_wrong(&self, state: &ParseState) -> bool {
        if !state.entity_is_open() {
            return false;
        }
        let label = state.last_ent().map_or(StrId::EMPTY, |ent| StrId::new(ent.label));
        state.e().is_some_and(|start| {
            let gold = self.tag(start);
            !matches!(gold.action, BiluoMove::Begin | BiluoMove::Unit) || gold.label != label
        })
    }

    /// Returns whether a move closes a forbidden entity, or opens one that can only become
    /// forbidden.
    fn makes_negative(
        &self,
        state: &ParseState,
        first: usize,
        action: BiluoMove,
        label: StrId,
    ) -> bool {
        let is_here = |negative: &Negative| negative.label == label;
        match action {
            // Only the span over the last two tokens is certain at its first token.
            BiluoMove::Begin => {
                state.buffer_length() < 3 && self.negatives_from(first).any(is_here)
            }
            BiluoMove::Last => state.e().is_some_and(|start| {
                self.negatives_to(first)
                    .any(|negative| negative.first == start && is_here(negative))
            }),
            BiluoMove::Unit => self
                .negatives_from(first)
                .any(|negative| negative.last == first && is_here(negative)),
            BiluoMove::Missing | BiluoMove::In | BiluoMove::Out => false,
        }
    }
}
