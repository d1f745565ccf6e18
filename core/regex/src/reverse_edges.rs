//! The transitions of an NFA in reverse: for each state, the states that lead to it.
//!
//! Stored as a compressed adjacency list (CSR): one array of sources, and the offset of each
//! state's first source.

use crate::nfa::{Nfa, StateId};

#[derive(Debug)]
pub(crate) struct ReverseEdges {
    /// The offset of each state's sources, and the end of the last.
    offsets: Vec<u32>,
    sources: Vec<StateId>,
}

impl ReverseEdges {
    pub(crate) fn new(nfa: &Nfa) -> ReverseEdges {
        let mut offsets = vec![0_u32; nfa.states.len() + 1];
        for target in nfa.states.iter().flat_map(|state| state.targets()) {
            offsets[target as usize + 1] += 1;
        }
        for ix in 1..offsets.len() {
            offsets[ix] += offsets[ix - 1];
        }
        let mut next_free = offsets.clone();
        let mut sources = vec![0; offsets[nfa.states.len()] as usize];
        for (state, source) in nfa.states.iter().zip(0..) {
            for target in state.targets() {
                let free = &mut next_free[target as usize];
                sources[*free as usize] = source;
                *free += 1;
            }
        }
        ReverseEdges { offsets, sources }
    }

    /// Returns the states with a transition to `state`.
    pub(crate) fn sources(&self, state: StateId) -> &[StateId] {
        let state = state as usize;
        &self.sources[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }
}
