//! A reverse lazy DFA that reads from the end of the text and finds all starts of matches.
//!
//! Reading backward, a DFA state is the set of NFA states from which the rest of the text can be
//! matched to an accepting end, the live set. One pass so marks every position at which some match
//! starts. The DFA states that the pass went through are stored by position, and the end of a match
//! is found by walking forward over live NFA states, the first live choice first: the match that
//! Python prefers, without backtracking, and all matches of a text in time linear in it.
//!
//! This is the two-pass algorithm of Frisch and Cardelli, "Greedy Regular Expression Matching"
//! (ICALP 2004), with the first pass on a lazy DFA. `regex-automata` uses its reverse DFA for the
//! start of one match; here one pass serves all matches of a text.

use ahash::AHashMap;

use crate::alphabet::{EDGE, LAST_NEWLINE, Symbol};
use crate::lazy_dfa::LookMatcher;
use crate::live_set::{LiveSetId, LiveSets};
use crate::look_set::LookSet;
use crate::nfa::{Assertion, AssertionId, Nfa, State, StateId};
use crate::reverse_edges::ReverseEdges;
use crate::stamp_set::StampSet;
use crate::transitions::{DEAD, DfaStateId, MAX_TABLE_BYTES, Transition, TransitionTable};

/// The error of a search that fills the transition table. The table cannot be cleared within one
/// text, because the forward walk refers to the states of the whole pass.
#[derive(Debug)]
pub(crate) struct TableFull;

/// The key of a DFA state: the class of the symbol to the right, for assertions, and the NFA states
/// known to be live, sorted. The live set is their closure under reversed epsilon transitions.
type LiveSeeds = (Symbol, Box<[StateId]>);

/// The number of positions up to which buffers are reused for the next text.
const MAX_REUSED: usize = 1 << 16;

#[derive(Debug)]
pub(crate) struct ReverseLazyDfa {
    table: TransitionTable<LiveSeeds>,
    /// The state at the end of a text.
    start: DfaStateId,
    reverse_edges: ReverseEdges,
    live_sets: LiveSets,
    /// For each transition in the table, the live set at the position that it leaves.
    live_set_ids: Vec<LiveSetId>,
    /// The conditional transitions, by the look-arounds that match.
    conditional: AHashMap<(DfaStateId, Symbol, LookSet), (Transition, LiveSetId)>,
    /// The states of the last pass, by distance in bytes from the end of the text.
    states_from_end: Vec<DfaStateId>,
    /// The starts of matches that the last pass found, the leftmost last.
    starts: Vec<usize>,
    visited: StampSet,
}

impl ReverseLazyDfa {
    pub(crate) fn new(nfa: &Nfa) -> ReverseLazyDfa {
        let mut table = TransitionTable::new(nfa.alphabet.len(), (0, [].into()));
        let right = nfa.after_class[usize::from(EDGE)];
        let start = table.intern((right, [nfa.accept].into()), size_of::<StateId>());
        ReverseLazyDfa {
            live_set_ids: vec![0; table.len()],
            table,
            start,
            reverse_edges: ReverseEdges::new(nfa),
            live_sets: LiveSets::default(),
            conditional: AHashMap::new(),
            states_from_end: Vec::new(),
            starts: Vec::new(),
            visited: StampSet::default(),
        }
    }

    /// Returns the leftmost match, as Python's `re.search` finds it.
    pub(crate) fn search(
        &mut self,
        nfa: &Nfa,
        looks: &mut LookMatcher,
        text: &str,
    ) -> Result<Option<(usize, usize)>, TableFull> {
        self.find_starts(nfa, looks, text)?;
        let Some(&start) = self.starts.last() else { return Ok(None) };
        let end = if nfa.anchored_end && !text.ends_with('\n') {
            Some(text.len())
        } else {
            self.find_end(nfa, looks, text, start, false)?
        };
        self.shrink();
        Ok(end.map(|end| (start, end)))
    }

    /// Adds all matches to `matches`, as Python's `re.finditer` finds them.
    pub(crate) fn find_all(
        &mut self,
        nfa: &Nfa,
        looks: &mut LookMatcher,
        text: &str,
        matches: &mut Vec<(usize, usize)>,
    ) -> Result<(), TableFull> {
        self.find_starts(nfa, looks, text)?;
        let mut last_end = 0;
        let mut empty_at = None;
        while let Some(&start) = self.starts.last() {
            // An empty match may be followed by another from the same position, which then must
            // not be empty.
            let end = if start < last_end {
                None
            } else {
                self.find_end(nfa, looks, text, start, empty_at == Some(start))?
            };
            match end {
                None => drop(self.starts.pop()),
                Some(end) => {
                    matches.push((start, end));
                    last_end = end;
                    if start == end {
                        empty_at = Some(start);
                    }
                }
            }
        }
        self.shrink();
        Ok(())
    }

    /// Frees the buffers of a long text.
    fn shrink(&mut self) {
        if self.states_from_end.len() > MAX_REUSED {
            self.states_from_end = Vec::new();
            self.starts = Vec::new();
        }
    }

    /// Reads the text from its end, and fills `states_from_end` and `starts`.
    fn find_starts(
        &mut self,
        nfa: &Nfa,
        looks: &mut LookMatcher,
        text: &str,
    ) -> Result<(), TableFull> {
        if self.table.is_full() {
            *self = ReverseLazyDfa::new(nfa);
        }
        self.starts.clear();
        let mut at = text.len();
        let mut state = self.start;
        loop {
            // Grown with the pass, so that a suffix rule costs the length of the suffix, not of the
            // text.
            let distance = text.len() - at;
            if self.states_from_end.len() <= distance {
                self.states_from_end.resize(distance + 1, DEAD);
            }
            self.states_from_end[distance] = state;
            let (symbol, width) = nfa.alphabet.before(text, at);
            let mut transition = self.table.get(state, symbol);
            if !transition.is_known() {
                transition = self.resolve(nfa, looks, text, at, state, symbol)?.0;
            }
            if transition.is_match() {
                self.starts.push(at);
            }
            state = transition.target();
            if state == DEAD {
                return Ok(());
            }
            at -= width;
        }
    }

    /// Returns the end of the preferred match from a start that the last pass found; with
    /// `nonempty`, of the preferred non-empty match.
    fn find_end(
        &mut self,
        nfa: &Nfa,
        looks: &mut LookMatcher,
        text: &str,
        start: usize,
        nonempty: bool,
    ) -> Result<Option<usize>, TableFull> {
        let mut at = start;
        let live_set = self.live_set_at(nfa, looks, text, at)?;
        let live_set = self.live_sets.get(live_set);
        let mut state = if nonempty { live_set.first_nonempty } else { live_set.first };
        while let Some(id) = state {
            let State::Consume { next, .. } = nfa.states[id as usize] else {
                return Ok(Some(at));
            };
            at += nfa.alphabet.after(text, at).1;
            let live_set = self.live_set_at(nfa, looks, text, at)?;
            state = self.live_sets.first_from(nfa, live_set, next);
        }
        Ok(None)
    }

    /// Returns the live set at a position of the last pass.
    fn live_set_at(
        &mut self,
        nfa: &Nfa,
        looks: &mut LookMatcher,
        text: &str,
        at: usize,
    ) -> Result<LiveSetId, TableFull> {
        let state = self.states_from_end[text.len() - at];
        let (symbol, _) = nfa.alphabet.before(text, at);
        if self.table.get(state, symbol).is_known() {
            return Ok(self.live_set_ids[state as usize + usize::from(symbol)]);
        }
        self.resolve(nfa, looks, text, at, state, symbol).map(|(_, live_set)| live_set)
    }

    /// Computes a transition that is missing in the table or depends on look-arounds, and the live
    /// set at the position that it leaves.
    #[cold]
    fn resolve(
        &mut self,
        nfa: &Nfa,
        looks: &mut LookMatcher,
        text: &str,
        at: usize,
        state: DfaStateId,
        symbol: Symbol,
    ) -> Result<(Transition, LiveSetId), TableFull> {
        if self.table.get(state, symbol) == Transition::UNKNOWN {
            let conditions = self.conditions(nfa, state, symbol);
            if conditions.is_empty() {
                let (transition, live_set) = self.build(nfa, state, symbol, LookSet::default())?;
                self.table.set(state, symbol, transition);
                self.live_set_ids[state as usize + usize::from(symbol)] = live_set;
                return Ok((transition, live_set));
            }
            self.table.set_conditional(state, symbol, conditions);
        }
        let conditions = self.table.conditions(state, symbol);
        let matching = looks.matching(nfa, text, conditions, at);
        if let Some(&known) = self.conditional.get(&(state, symbol, matching)) {
            return Ok(known);
        }
        let built = self.build(nfa, state, symbol, matching)?;
        self.conditional.insert((state, symbol, matching), built);
        Ok(built)
    }

    /// Returns the look-arounds that a transition depends on.
    fn conditions(&mut self, nfa: &Nfa, state: DfaStateId, symbol: Symbol) -> LookSet {
        let mut conditions = LookSet::default();
        self.closure(nfa, state, |assertion, right| match &nfa.assertions[assertion as usize] {
            Assertion::Look { look, .. } => {
                if nfa.must_run_after(*look, symbol) {
                    conditions.insert(*look);
                }
                true
            }
            _ => nfa.holds(assertion, symbol, right, LookSet::default()),
        });
        conditions
    }

    /// Returns the live NFA states of a DFA state. `holds` evaluates an assertion, given the symbol
    /// on the right.
    fn closure(
        &mut self,
        nfa: &Nfa,
        state: DfaStateId,
        mut holds: impl FnMut(AssertionId, Symbol) -> bool,
    ) -> Vec<StateId> {
        let (right, seeds) = self.table.key(state);
        self.visited.clear(nfa.states.len());
        let mut live: Vec<StateId> = seeds.to_vec();
        for &seed in &live {
            self.visited.insert(seed);
        }
        let mut ix = 0;
        while let Some(&target) = live.get(ix) {
            ix += 1;
            for &source in self.reverse_edges.sources(target) {
                let passes = match nfa.states[source as usize] {
                    State::Split { .. } | State::Loop { .. } => true,
                    State::Assert { assertion, .. } => holds(assertion, *right),
                    State::Consume { .. } | State::Accept => false,
                };
                if passes && self.visited.insert(source) {
                    live.push(source);
                }
            }
        }
        live
    }

    /// Builds a transition, given the look-arounds that match, and the live set at the position
    /// that it leaves.
    fn build(
        &mut self,
        nfa: &Nfa,
        state: DfaStateId,
        symbol: Symbol,
        matching: LookSet,
    ) -> Result<(Transition, LiveSetId), TableFull> {
        if self.table.is_full() || self.live_sets.bytes(nfa.states.len()) > MAX_TABLE_BYTES {
            return Err(TableFull);
        }
        let live = self
            .closure(nfa, state, |assertion, right| nfa.holds(assertion, symbol, right, matching));

        let mut seeds = Vec::new();
        for &target in &live {
            for &source in self.reverse_edges.sources(target) {
                if let State::Consume { set, .. } = nfa.states[source as usize] {
                    if nfa.sets[set as usize].contains(symbol) {
                        seeds.push(source);
                    }
                }
            }
        }
        // Another match may end before the symbol, unless matches end at the end of the text.
        if symbol != EDGE && (!nfa.anchored_end || symbol == LAST_NEWLINE) {
            seeds.push(nfa.accept);
        }
        seeds.sort_unstable();

        let live_set = self.live_sets.intern(nfa, &live);
        let is_match = self.live_sets.get(live_set).contains(nfa.start);
        let target = if seeds.is_empty() {
            DEAD
        } else {
            self.intern((nfa.after_class[usize::from(symbol)], seeds.into()))
        };
        Ok((Transition::new(target, is_match), live_set))
    }

    fn intern(&mut self, seeds: LiveSeeds) -> DfaStateId {
        let bytes = size_of_val(&*seeds.1);
        let state = self.table.intern(seeds, bytes);
        self.live_set_ids.resize(self.table.len(), 0);
        state
    }
}
