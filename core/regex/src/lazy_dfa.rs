//! A lazy DFA that reads forward from a given start and finds the end of the match.
//!
//! A DFA state is a priority list of NFA states, in the order in which a backtracker would try
//! them, so the first that accepts decides, as in Python. States and transitions are built by
//! subset construction when a text first reaches them; after that a character costs one table
//! look-up. See Cox, "Regular Expression Matching: the Virtual Machine Approach", for the priority
//! list (Pike's VM), and `hybrid::dfa` of `regex-automata` for the lazy construction.
//!
//! Wide look-arounds run on lazy DFAs too. A transition that depends on them is resolved at each
//! position by [`LookMatcher`].

use ahash::AHashMap;

use crate::alphabet::Symbol;
use crate::look_set::LookSet;
use crate::nfa::{Assertion, Nfa, State, StateId};
use crate::stamp_set::StampSet;
use crate::transitions::{DEAD, DfaStateId, Transition, TransitionTable};

/// The match that a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchKind {
    /// The match that the order of choices prefers, as a backtracker finds it.
    LeftmostFirst,
    /// Any match; the search stops at the earliest end.
    Earliest,
}

/// The key of a DFA state: the class of the symbol to the left, for assertions, and the NFA states,
/// in order of preference.
type PriorityList = (Symbol, Box<[StateId]>);

#[derive(Debug)]
pub(crate) struct LazyDfa {
    kind: MatchKind,
    table: TransitionTable<PriorityList>,
    /// The DFA states that searches started in, by NFA start state and class of the symbol to the
    /// left: one for a pattern, a few for its look-arounds.
    start_states: Vec<(StateId, Symbol, DfaStateId)>,
    /// The conditional transitions, by the look-arounds that match.
    conditional: AHashMap<(DfaStateId, Symbol, LookSet), Transition>,
    /// The NFA states visited by the construction of a transition.
    visited: StampSet,
    /// The NFA states that the transition leads to.
    reached: StampSet,
    stack: Vec<StateId>,
}

impl LazyDfa {
    pub(crate) fn new(nfa: &Nfa, kind: MatchKind) -> LazyDfa {
        LazyDfa {
            kind,
            table: TransitionTable::new(nfa.alphabet.len(), (0, [].into())),
            start_states: Vec::new(),
            conditional: AHashMap::new(),
            visited: StampSet::default(),
            reached: StampSet::default(),
            stack: Vec::new(),
        }
    }

    /// Returns the end of the match that starts in NFA state `start` at byte `at`.
    pub(crate) fn find_end(
        &mut self,
        nfa: &Nfa,
        looks: &mut LookMatcher,
        text: &str,
        start: StateId,
        mut at: usize,
    ) -> Option<usize> {
        let left = nfa.alphabet.before(text, at).0;
        let left = nfa.before_class[usize::from(left)];
        let mut state = self.start_state(start, left);
        let mut end = None;
        loop {
            let (symbol, width) = nfa.alphabet.after(text, at);
            let mut transition = self.table.get(state, symbol);
            if !transition.is_known() {
                transition = self.resolve(nfa, looks, text, at, state, symbol);
            }
            if transition.is_match() {
                end = Some(at);
                if self.kind == MatchKind::Earliest {
                    return end;
                }
            }
            state = transition.target();
            if state == DEAD {
                return end;
            }
            at += width;
        }
    }

    fn start_state(&mut self, start: StateId, left: Symbol) -> DfaStateId {
        let entry = self.start_states.iter().find(|entry| (entry.0, entry.1) == (start, left));
        if let Some(&(_, _, state)) = entry {
            return state;
        }
        let state = self.table.intern((left, [start].into()), size_of::<StateId>());
        self.start_states.push((start, left, state));
        state
    }

    /// Computes a transition that is missing in the table or depends on look-arounds.
    #[cold]
    fn resolve(
        &mut self,
        nfa: &Nfa,
        looks: &mut LookMatcher,
        text: &str,
        at: usize,
        mut state: DfaStateId,
        symbol: Symbol,
    ) -> Transition {
        if self.table.is_full() {
            // The search goes on from this state and does not refer to earlier ones.
            let list = self.table.key(state).clone();
            *self = LazyDfa::new(nfa, self.kind);
            let bytes = size_of_val(&*list.1);
            state = self.table.intern(list, bytes);
        }
        if self.table.get(state, symbol) == Transition::UNKNOWN {
            let (_, conditions) = self.build(nfa, state, symbol, None);
            if conditions.is_empty() {
                let (transition, _) = self.build(nfa, state, symbol, Some(LookSet::default()));
                self.table.set(state, symbol, transition);
                return transition;
            }
            self.table.set_conditional(state, symbol, conditions);
        }
        let conditions = self.table.conditions(state, symbol);
        let matching = looks.matching(nfa, text, conditions, at);
        if let Some(&transition) = self.conditional.get(&(state, symbol, matching)) {
            return transition;
        }
        let (transition, _) = self.build(nfa, state, symbol, Some(matching));
        self.conditional.insert((state, symbol, matching), transition);
        transition
    }

    /// Builds the transition of a state on a symbol, given the look-arounds that match. With `None`
    /// every wide look-around is assumed to hold, and the second result is the set of those that
    /// the transition depends on.
    fn build(
        &mut self,
        nfa: &Nfa,
        state: DfaStateId,
        symbol: Symbol,
        matching: Option<LookSet>,
    ) -> (Transition, LookSet) {
        let (left, list) = self.table.key(state).clone();
        self.visited.clear(nfa.states.len());
        self.reached.clear(nfa.states.len());
        self.stack.clear();
        self.stack.extend(list.iter().rev());
        let mut next_list = Vec::new();
        let mut conditions = LookSet::default();
        let mut is_match = false;
        while let Some(id) = self.stack.pop() {
            let nfa_state = nfa.states[id as usize];
            let repeats = nfa_state.repeats(&self.visited);
            if !repeats && !self.visited.insert(id) {
                continue;
            }
            match nfa_state {
                State::Consume { set, next } => {
                    if nfa.sets[set as usize].contains(symbol) && self.reached.insert(next) {
                        next_list.push(next);
                    }
                }
                State::Split { first, second } => self.stack.extend([second, first]),
                State::Loop { again, leave, .. } => {
                    self.stack.push(if repeats { again } else { leave });
                }
                State::Assert { assertion, next } => {
                    let holds = match (&nfa.assertions[assertion as usize], matching) {
                        (Assertion::Look { look, .. }, None) => {
                            if nfa.must_run_before(*look, symbol) {
                                conditions.insert(*look);
                            }
                            true
                        }
                        (_, matching) => {
                            nfa.holds(assertion, left, symbol, matching.unwrap_or_default())
                        }
                    };
                    if holds {
                        self.stack.push(next);
                    }
                }
                // The states of lower preference cannot change the match any more.
                State::Accept if matching.is_some() => {
                    is_match = true;
                    break;
                }
                State::Accept => {}
            }
        }
        if matching.is_none() {
            return (Transition::UNKNOWN, conditions);
        }
        if is_match && self.kind == MatchKind::Earliest {
            return (Transition::new(DEAD, true), conditions);
        }
        if self.kind == MatchKind::Earliest {
            // Without preferences a sorted list makes equal sets one state.
            next_list.sort_unstable();
        }
        let target = if next_list.is_empty() {
            DEAD
        } else {
            let left = nfa.before_class[usize::from(symbol)];
            let bytes = size_of_val(next_list.as_slice());
            self.table.intern((left, next_list.into()), bytes)
        };
        (Transition::new(target, is_match), conditions)
    }
}

/// The engine that runs wide look-arounds, a lazy DFA. Their width is bounded, so running them at
/// every position of a text still takes time linear in the text.
#[derive(Debug, Default)]
pub(crate) struct LookMatcher {
    /// `None` before the first use, and while it runs: a look-around within a look-around runs on
    /// a DFA of its own.
    dfa: Option<Box<LazyDfa>>,
}

impl LookMatcher {
    /// Returns the look-arounds of `looks` that match at byte `at`.
    pub(crate) fn matching(&mut self, nfa: &Nfa, text: &str, looks: LookSet, at: usize) -> LookSet {
        let mut matching = LookSet::default();
        for look in looks.iter() {
            if self.matches(nfa, text, look, at) {
                matching.insert(look);
            }
        }
        matching
    }

    fn matches(&mut self, nfa: &Nfa, text: &str, look: u32, at: usize) -> bool {
        let look = &nfa.looks[look as usize];
        let mut start = at;
        for _ in 0..look.behind.unwrap_or(0) {
            let (_, width) = nfa.alphabet.before(text, start);
            if width == 0 {
                return false;
            }
            start -= width;
        }
        let dfa = self.dfa.take();
        let mut dfa = dfa.unwrap_or_else(|| Box::new(LazyDfa::new(nfa, MatchKind::Earliest)));
        let end = dfa.find_end(nfa, self, text, look.start, start);
        self.dfa = Some(dfa);
        end.is_some()
    }
}
