//! Index by condition: which NFA states of a DFA state a token can change.
//!
//! Most conditions that a token fulfils concern only a few of the patterns that are under way.

use crate::matcher::nfa::NfaState;
use crate::matcher::program::Program;

/// Fills up short lists of conditions.
const NO_CONDITION: u32 = u32::MAX;
/// The first entry of a short list that would be too long.
pub(super) const TOO_MANY: u32 = u32::MAX - 1;

/// The NFA states of a DFA state, by the conditions that a token must fulfil to change them.
pub(super) struct ConditionIndex {
    /// Positions of NFA states that any token may change.
    pub(super) unconditional: Box<[u32]>,
    /// Sorted pairs of a condition and the position of an NFA state that a token with the condition
    /// can change.
    by_condition: Box<[(u32, u32)]>,
    /// All conditions that the NFA states test, sorted, each once.
    pub(super) tested: Box<[u32]>,
}

impl ConditionIndex {
    /// Builds the index of a list of NFA states, and adds the number of entries to `entries`.
    pub(super) fn new(program: &Program, states: &[NfaState], entries: &mut u64) -> ConditionIndex {
        let (mut unconditional, mut by_condition, mut tested) =
            (Vec::new(), Vec::new(), Vec::new());
        let mut required = Vec::new();
        for (position, state) in (0..).zip(states) {
            let pattern = &program.patterns[state.pattern as usize];
            match program.required_conditions(pattern, state.step, false, &mut required) {
                Some(()) => {
                    by_condition.extend(required.iter().map(|condition| (*condition, position)));
                }
                None => unconditional.push(position),
            }
            program.tested_conditions(pattern, state.step, &mut tested);
        }
        *entries += (by_condition.len() + tested.len()) as u64;
        by_condition.sort_unstable();
        by_condition.dedup();
        tested.sort_unstable();
        tested.dedup();
        ConditionIndex {
            unconditional: unconditional.into(),
            by_condition: by_condition.into(),
            tested: tested.into(),
        }
    }

    /// Returns the size in words of 32 bits.
    pub(super) fn words(&self) -> usize {
        self.unconditional.len() + 2 * self.by_condition.len() + self.tested.len()
    }

    /// Returns the tested conditions if there are at most four, and else a list that begins with
    /// [`TOO_MANY`].
    pub(super) fn short_list(&self) -> [u32; 4] {
        let mut list = [NO_CONDITION; 4];
        if self.tested.len() > list.len() {
            return [TOO_MANY; 4];
        }
        list[..self.tested.len()].copy_from_slice(&self.tested);
        list
    }

    /// Writes the sorted positions of the NFA states that a token with the given conditions can
    /// change.
    pub(super) fn affected(&self, fulfilled: &[u32], positions: &mut Vec<u32>) {
        positions.clear();
        positions.extend_from_slice(&self.unconditional);
        for condition in fulfilled {
            let first = self.by_condition.partition_point(|(required, _)| required < condition);
            let rest = self.by_condition[first..].iter();
            let entries = rest.take_while(|(required, _)| required == condition);
            positions.extend(entries.map(|(_, position)| *position));
        }
        positions.sort_unstable();
        positions.dedup();
    }
}
