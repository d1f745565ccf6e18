//! The lazy DFA: all states and transitions that texts have led to so far.

use std::sync::Arc;

use ahash::{AHashMap, AHashSet};

use super::bloom_filter::BloomFilter;
use super::condition_index::{ConditionIndex, TOO_MANY};
use super::recent_transitions::RecentTransitions;
use super::state::{DfaState, MatchEnd, StartTransitions, StateId, Transition, TransitionId};
use super::subset::Subset;
use super::transition_table::{TransitionTable, mix};
use crate::matcher::nfa::{self, NfaState};
use crate::matcher::program::Program;
use crate::matcher::token_classes::{TokenClass, TokenClasses};

/// The size in words of 32 bits beyond which all states and transitions are dropped. Small in
/// tests, so that they drop often.
const MAX_WORDS: usize = if cfg!(test) { 1 << 9 } else { 1 << 23 };

/// The part of a program's DFA that has been built.
pub(super) struct LazyDfa {
    states: Vec<DfaState>,
    ids: AHashMap<Arc<[NfaState]>, StateId>,
    transitions: Vec<Transition>,
    /// The matches of all transitions, one list after another.
    ends: Vec<MatchEnd>,
    /// Transitions by a hash of the state and of those conditions that the token fulfils and the
    /// state tests. Classes that differ only in other conditions share a transition.
    table: TransitionTable,
    recent: RecentTransitions,
    /// The transitions from the start state, by class.
    starts: Vec<StartTransitions>,
    /// Results of [`LazyDfa::difference_and_union`].
    differences: AHashMap<(StateId, StateId), (StateId, StateId)>,
    /// The pairs of a state and a condition that it tests.
    tested: BloomFilter,
    /// The conditions that each state tests, if there are at most four.
    short_lists: Vec<[u32; 4]>,
    words: usize,
    /// The number of NFA steps taken for the construction since [`LazyDfa::take_steps`].
    steps: u64,
    scratch: Vec<u32>,
}

impl Default for LazyDfa {
    fn default() -> LazyDfa {
        let mut dfa = LazyDfa {
            states: Vec::new(),
            ids: AHashMap::new(),
            transitions: Vec::new(),
            ends: Vec::new(),
            table: TransitionTable::default(),
            recent: RecentTransitions::default(),
            starts: Vec::new(),
            differences: AHashMap::new(),
            tested: BloomFilter::default(),
            short_lists: Vec::new(),
            words: 0,
            steps: 0,
            scratch: Vec::new(),
        };
        dfa.transitions.push(Transition::DEAD);
        dfa.intern(&Program::default(), &[]);
        dfa
    }
}

impl LazyDfa {
    /// Returns whether the DFA has outgrown its memory bound and should be replaced by an empty
    /// one, into which [`LazyDfa::import`] copies the states in use.
    pub(super) fn is_full(&self) -> bool {
        self.words > MAX_WORDS
    }

    /// Copies a state from another DFA of the same program.
    pub(super) fn import(&mut self, program: &Program, other: &LazyDfa, id: StateId) -> StateId {
        let nfa_states = &other.states[id.0 as usize].nfa_states;
        self.steps += nfa_states.len() as u64;
        self.intern(program, nfa_states)
    }

    /// Returns whether another thread with the same start may reach an NFA state of this DFA state.
    pub(super) fn is_ambiguous(&self, id: StateId) -> bool {
        self.states[id.0 as usize].is_ambiguous
    }

    /// Returns the number of NFA steps that the construction has taken since the last call.
    pub(super) fn take_steps(&mut self) -> u64 {
        std::mem::take(&mut self.steps)
    }

    /// Returns whether the DFA already knows that no pattern starts at a class.
    #[inline]
    pub(super) fn is_dead_start(&self, class: TokenClass) -> bool {
        self.starts.get(class.0 as usize) == Some(&StartTransitions::DEAD)
    }

    /// Returns the transitions from the start state at a class.
    #[inline]
    pub(super) fn start(
        &mut self,
        program: &Program,
        classes: &TokenClasses,
        class: TokenClass,
    ) -> StartTransitions {
        match self.starts.get(class.0 as usize) {
            Some(known) if known.indexed != TransitionId::UNKNOWN => *known,
            _ => self.build_start(program, classes, class),
        }
    }

    #[inline]
    pub(super) fn get(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.0 as usize]
    }

    /// Returns the matches that end with a transition, in order, each once.
    #[inline]
    pub(super) fn matches(&self, transition: &Transition) -> &[MatchEnd] {
        &self.ends[transition.matches()]
    }

    /// Returns the transition from a state at a class.
    #[inline]
    pub(super) fn step(
        &mut self,
        program: &Program,
        classes: &TokenClasses,
        state: StateId,
        class: TokenClass,
    ) -> TransitionId {
        if let Some(known) = self.recent.get(state, class) {
            return known;
        }
        let fulfilled = classes.fulfilled(class);
        let mut signature = 0;
        let mut is_concerned = false;
        let mut add = |condition| {
            is_concerned = true;
            signature = mix(signature, condition);
        };
        match (classes.filter(class), self.short_lists[state.0 as usize]) {
            (None, _) => {
                let fulfilled = fulfilled.iter().copied();
                fulfilled.filter(|own| self.tested.may_contain(state, *own)).for_each(add);
            }
            // The token fulfils many conditions and the state tests few: look up those few.
            (Some(filter), [first, ..]) if first != TOO_MANY => {
                for own in self.short_lists[state.0 as usize] {
                    let may_hold = filter[own as usize / 64 % 16] >> (own % 64) & 1 != 0;
                    if may_hold && fulfilled.binary_search(&own).is_ok() {
                        add(own);
                    }
                }
            }
            (Some(_), _) => {
                add(u32::MAX);
                add(class.0);
            }
        }
        let is_dead = !is_concerned && self.states[state.0 as usize].index.unconditional.is_empty();
        let transition = if is_dead {
            TransitionId::DEAD
        } else {
            match self.table.get(mix(signature, state.0)) {
                Some(transition) => transition,
                None => self.build(program, fulfilled, state, signature),
            }
        };
        self.recent.set(state, class, transition);
        transition
    }

    /// Returns the matches of a state that end after the last token, in order, each once.
    pub(super) fn matches_at_end(&mut self, program: &Program, id: StateId) -> Arc<[MatchEnd]> {
        let state = &mut self.states[id.0 as usize];
        let known = state.matches_at_end.get_or_insert_with(|| {
            let mut seen = AHashSet::new();
            let ends = state.nfa_states.iter().filter_map(|NfaState { pattern: number, step }| {
                let pattern = &program.patterns[*number as usize];
                let end = MatchEnd { pattern: *number, key: pattern.key, with_token: false };
                nfa::accepted_at_end(&pattern.steps, *step).map(|_| end)
            });
            ends.filter(|end| seen.insert(end.key)).collect()
        });
        Arc::clone(known)
    }

    /// Returns the state of the NFA states that are in `id` and not in `other`, and the state of
    /// those that are in either.
    pub(super) fn difference_and_union(
        &mut self,
        program: &Program,
        id: StateId,
        other: StateId,
    ) -> (StateId, StateId) {
        if let Some(known) = self.differences.get(&(id, other)) {
            return *known;
        }
        let others = Arc::clone(&self.states[other.0 as usize].nfa_states);
        let excluded: AHashSet<NfaState> = others.iter().copied().collect();
        let own = self.states[id.0 as usize].nfa_states.iter().copied();
        let difference: Vec<NfaState> = own.filter(|state| !excluded.contains(state)).collect();
        self.steps += (others.len() + difference.len()) as u64;
        let union = [&others[..], &difference].concat();
        let known = (self.intern(program, &difference), self.intern(program, &union));
        self.differences.insert((id, other), known);
        self.words += 8;
        known
    }

    #[cold]
    fn build_start(
        &mut self,
        program: &Program,
        classes: &TokenClasses,
        class: TokenClass,
    ) -> StartTransitions {
        let mut patterns = std::mem::take(&mut self.scratch);
        let fulfilled = classes.fulfilled(class);
        let start = |pattern: &u32| NfaState { pattern: *pattern, step: 0 };
        program.indexed_starts(fulfilled, &mut patterns);
        let indexed = self.insert(program, fulfilled, patterns.iter().map(start), true);
        // The dead state has no transitions, so its keys in the table are free for the start state.
        let mut signature = 1;
        for &condition in fulfilled.iter().filter(|own| program.is_tested_by_unindexed(**own)) {
            signature = mix(signature, condition);
        }
        let signature = mix(signature, StateId::DEAD.0);
        let unindexed = if let Some(known) = self.table.get(signature) {
            known
        } else {
            let states = program.unindexed_starts().iter().map(start);
            let unindexed = self.insert(program, fulfilled, states, true);
            self.table.insert(signature, unindexed);
            unindexed
        };
        self.scratch = patterns;
        let position = class.0 as usize;
        if self.starts.len() <= position {
            self.words += 2 * (position + 1 - self.starts.len());
            self.starts.resize(position + 1, StartTransitions::UNKNOWN);
        }
        let next = self.get(indexed);
        let is_all = unindexed == TransitionId::DEAD
            && next.branched == StateId::DEAD
            && next.is_without_matches();
        let only_kept = if is_all { next.kept } else { StateId::DEAD };
        self.starts[position] = StartTransitions { indexed, unindexed, only_kept };
        self.starts[position]
    }

    #[cold]
    fn build(
        &mut self,
        program: &Program,
        fulfilled: &[u32],
        id: StateId,
        signature: u64,
    ) -> TransitionId {
        let mut positions = std::mem::take(&mut self.scratch);
        let DfaState { nfa_states, index, .. } = &self.states[id.0 as usize];
        index.affected(fulfilled, &mut positions);
        let nfa_states = Arc::clone(nfa_states);
        let affected = positions.iter().map(|position| nfa_states[*position as usize]);
        let transition = self.insert(program, fulfilled, affected, false);
        self.scratch = positions;
        self.table.insert(mix(signature, id.0), transition);
        self.words += 12;
        transition
    }

    /// Builds the transition of NFA states at a token that fulfils the given conditions.
    fn insert(
        &mut self,
        program: &Program,
        fulfilled: &[u32],
        states: impl Iterator<Item = NfaState>,
        is_start: bool,
    ) -> TransitionId {
        let subset = Subset::after(program, fulfilled, states, is_start);
        self.steps += subset.steps;
        if subset.is_empty() {
            return TransitionId::DEAD;
        }
        let kept = self.intern(program, &subset.kept);
        let branched = self.intern(program, &subset.branched);
        self.words += 12 + 3 * subset.matches.len();
        let may_split = self.is_ambiguous(kept) && self.is_ambiguous(branched);
        let first = number(self.ends.len());
        self.ends.extend_from_slice(&subset.matches);
        let matches = first..number(self.ends.len());
        self.transitions.push(Transition::new(kept, branched, matches, may_split));
        TransitionId(number(self.transitions.len() - 1))
    }

    /// Returns the DFA state of a list of NFA states, which is made if it is new.
    fn intern(&mut self, program: &Program, nfa_states: &[NfaState]) -> StateId {
        if let Some(id) = self.ids.get(nfa_states) {
            return *id;
        }
        let id = StateId(number(self.states.len()));
        let nfa_states: Arc<[NfaState]> = nfa_states.into();
        let is_ambiguous =
            nfa_states.iter().any(|state| program.patterns[state.pattern as usize].is_ambiguous);
        let mut entries = 0;
        let index = ConditionIndex::new(program, &nfa_states, &mut entries);
        self.steps += entries / 4;
        self.words += 2 * nfa_states.len() + index.words() + 32;
        self.states.push(DfaState {
            nfa_states: Arc::clone(&nfa_states),
            index,
            is_ambiguous,
            matches_at_end: None,
        });
        self.tested.add(id, &self.states);
        self.short_lists.push(self.states[id.0 as usize].index.short_list());
        self.ids.insert(nfa_states, id);
        id
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("the memory bound is far below 2^32")
}
