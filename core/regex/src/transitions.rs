//! The transition table of a lazy DFA: the states that searches have reached, and their
//! transitions.
//!
//! A DFA state is identified by a key `K`, in essence a set of NFA states. A row of transitions is
//! allocated when a state is first reached, and each transition is computed when it is first taken.

use std::hash::Hash;

use ahash::AHashMap;

use crate::alphabet::Symbol;
use crate::look_set::LookSet;

/// A DFA state, as the offset of its row: a multiple of the number of symbols, as the premultiplied
/// state identifiers of `regex-automata`.
pub(crate) type DfaStateId = u32;

/// The state from which a match cannot be reached.
pub(crate) const DEAD: DfaStateId = 0;

/// The memory of a table. When it is exceeded, a forward DFA is cleared and built again; a reverse
/// DFA, whose search refers back to the states it passed, ends with an error.
pub(crate) const MAX_TABLE_BYTES: usize = if cfg!(test) { 64 << 10 } else { 64 << 20 };

/// An estimate of the memory of a state beside its row and its key.
const STATE_OVERHEAD: usize = 64;

/// A transition: its target, and one bit that says whether a match ends (in a reverse DFA: starts)
/// at the position it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transition(u32);

impl Transition {
    /// The mark of a transition that has not been computed.
    pub(crate) const UNKNOWN: Transition = Transition(u32::MAX);
    /// The mark of a transition that depends on look-arounds, which must be run at each position.
    pub(crate) const CONDITIONAL: Transition = Transition(u32::MAX - 1);

    pub(crate) fn new(target: DfaStateId, is_match: bool) -> Transition {
        Transition(target << 1 | u32::from(is_match))
    }

    /// Returns `false` for the two marks.
    #[inline]
    pub(crate) fn is_known(self) -> bool {
        self.0 < Transition::CONDITIONAL.0
    }

    #[inline]
    pub(crate) fn target(self) -> DfaStateId {
        self.0 >> 1
    }

    #[inline]
    pub(crate) fn is_match(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The states of a lazy DFA by key, and their transitions by symbol.
#[derive(Debug)]
pub(crate) struct TransitionTable<K> {
    symbols: usize,
    /// One row of `symbols` transitions per state.
    transitions: Vec<Transition>,
    /// The keys of the states, in the order of the rows.
    keys: Vec<K>,
    states: AHashMap<K, DfaStateId>,
    /// The look-arounds that each conditional transition depends on.
    conditions: AHashMap<(DfaStateId, Symbol), LookSet>,
    bytes: usize,
}

impl<K: Clone + Eq + Hash> TransitionTable<K> {
    /// Creates a table with the dead state alone, whose key is `dead`.
    pub(crate) fn new(symbols: usize, dead: K) -> TransitionTable<K> {
        TransitionTable {
            symbols,
            transitions: vec![Transition::new(DEAD, false); symbols],
            keys: vec![dead.clone()],
            states: AHashMap::from_iter([(dead, DEAD)]),
            conditions: AHashMap::new(),
            bytes: 0,
        }
    }

    #[inline]
    pub(crate) fn get(&self, state: DfaStateId, symbol: Symbol) -> Transition {
        self.transitions[state as usize + usize::from(symbol)]
    }

    pub(crate) fn set(&mut self, state: DfaStateId, symbol: Symbol, transition: Transition) {
        self.transitions[state as usize + usize::from(symbol)] = transition;
    }

    /// Marks a transition as dependent on `looks`.
    pub(crate) fn set_conditional(&mut self, state: DfaStateId, symbol: Symbol, looks: LookSet) {
        self.set(state, symbol, Transition::CONDITIONAL);
        self.conditions.insert((state, symbol), looks);
    }

    /// Returns the look-arounds that a transition depends on.
    pub(crate) fn conditions(&self, state: DfaStateId, symbol: Symbol) -> LookSet {
        self.conditions.get(&(state, symbol)).copied().unwrap_or_default()
    }

    pub(crate) fn key(&self, state: DfaStateId) -> &K {
        &self.keys[state as usize / self.symbols]
    }

    /// Returns the state with a key, created if it is new; `key_bytes` is the heap size of the key.
    pub(crate) fn intern(&mut self, key: K, key_bytes: usize) -> DfaStateId {
        if let Some(&state) = self.states.get(&key) {
            return state;
        }
        let state = DfaStateId::try_from(self.transitions.len());
        let state = state.expect("MAX_TABLE_BYTES bounds the table");
        self.transitions.resize(self.transitions.len() + self.symbols, Transition::UNKNOWN);
        self.keys.push(key.clone());
        self.states.insert(key, state);
        self.bytes += self.symbols * size_of::<Transition>() + 2 * key_bytes + STATE_OVERHEAD;
        state
    }

    /// Returns the number of transitions of all states.
    pub(crate) fn len(&self) -> usize {
        self.transitions.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= MAX_TABLE_BYTES
    }
}
