//! Sets of live NFA states: those from which the rest of the text can be matched.
//!
//! A walk through the NFA that enters live states only, the first choice first, follows the path
//! that a backtracker would accept in the end, without ever turning back.

use ahash::AHashMap;

use crate::nfa::{Nfa, State, StateId};
use crate::stamp_set::StampSet;

/// The index of a live set.
pub(crate) type LiveSetId = u32;

/// The live NFA states at a position, as a bit set.
#[derive(Debug)]
pub(crate) struct LiveSet {
    words: Box<[u64]>,
    /// The state, consuming or accepting, that the preferred match from the start state of the
    /// pattern goes to first; `None` if a match does not start at the position.
    pub(crate) first: Option<StateId>,
    /// The same for the preferred non-empty match.
    pub(crate) first_nonempty: Option<StateId>,
}

impl LiveSet {
    pub(crate) fn contains(&self, state: StateId) -> bool {
        contains(&self.words, state)
    }
}

fn contains(words: &[u64], state: StateId) -> bool {
    words[state as usize / 64] & (1 << (state % 64)) != 0
}

/// The live sets that a reverse DFA has met, each stored once.
#[derive(Debug, Default)]
pub(crate) struct LiveSets {
    sets: Vec<LiveSet>,
    ids: AHashMap<Box<[u64]>, LiveSetId>,
    visited: StampSet,
    stack: Vec<StateId>,
}

impl LiveSets {
    pub(crate) fn get(&self, id: LiveSetId) -> &LiveSet {
        &self.sets[id as usize]
    }

    /// Returns the memory of all sets over an NFA of `states` states.
    pub(crate) fn bytes(&self, states: usize) -> usize {
        self.sets.len() * states / 8
    }

    /// Returns the id of the set of `states`, stored if it is new.
    pub(crate) fn intern(&mut self, nfa: &Nfa, states: &[StateId]) -> LiveSetId {
        let mut words = vec![0_u64; nfa.states.len().div_ceil(64)];
        for &state in states {
            words[state as usize / 64] |= 1 << (state % 64);
        }
        let words: Box<[u64]> = words.into();
        if let Some(&id) = self.ids.get(&words) {
            return id;
        }
        let mut first =
            |nonempty| walk(nfa, &mut self.visited, &mut self.stack, &words, nfa.start, nonempty);
        let (first, first_nonempty) = (first(false), first(true));
        let id = LiveSetId::try_from(self.sets.len()).expect("MAX_TABLE_BYTES bounds the sets");
        self.sets.push(LiveSet { words: words.clone(), first, first_nonempty });
        self.ids.insert(words, id);
        id
    }

    /// Returns the first live state, consuming or accepting, that is reached from `start` without
    /// consuming a character, in order of preference.
    pub(crate) fn first_from(
        &mut self,
        nfa: &Nfa,
        id: LiveSetId,
        start: StateId,
    ) -> Option<StateId> {
        let words = &self.sets[id as usize].words;
        walk(nfa, &mut self.visited, &mut self.stack, words, start, false)
    }
}

/// The walk of [`LiveSets::first_from`]; with `nonempty`, an accepting state does not end it.
fn walk(
    nfa: &Nfa,
    visited: &mut StampSet,
    stack: &mut Vec<StateId>,
    live: &[u64],
    start: StateId,
    nonempty: bool,
) -> Option<StateId> {
    visited.clear(nfa.states.len());
    stack.clear();
    stack.push(start);
    while let Some(id) = stack.pop() {
        let state = nfa.states[id as usize];
        let repeats = state.repeats(visited);
        if !contains(live, id) || (!repeats && !visited.insert(id)) {
            continue;
        }
        match state {
            State::Accept if nonempty => {}
            State::Consume { .. } | State::Accept => return Some(id),
            State::Split { first, second } => stack.extend([second, first]),
            State::Loop { again, leave, .. } => stack.push(if repeats { again } else { leave }),
            State::Assert { next, .. } => stack.push(next),
        }
    }
    None
}
