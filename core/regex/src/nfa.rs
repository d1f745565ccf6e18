//! The nondeterministic finite automaton of a pattern, which all DFAs are built from.
//!
//! Choices are ordered: the first branch of a [`State::Split`] is the one that a backtracker tries
//! first, as in Pike's VM. A look-around of one character is an assertion on the symbol before or
//! after a position; a wider one is a part of the NFA with its own start state, which
//! [`LookMatcher`](crate::lazy_dfa::LookMatcher) runs where a transition depends on it.

use crate::alphabet::{Alphabet, Symbol, SymbolSet};
use crate::look_set::LookSet;
use crate::stamp_set::StampSet;

/// The index of an NFA state.
pub(crate) type StateId = u32;

/// The index of an assertion.
pub(crate) type AssertionId = u32;

/// A state of the NFA. Only [`State::Consume`] consumes a character; the others are epsilon
/// transitions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    /// Consumes one character of a set.
    Consume {
        set: u32,
        next: StateId,
    },
    /// A choice, in order of preference.
    Split {
        first: StateId,
        second: StateId,
    },
    /// The end of an iteration whose body can match the empty string. If it did, then `opened`, the
    /// start of the iteration, was visited at the same position, and the repetition goes on to
    /// `leave`, as in Python. Otherwise it goes on to another iteration, `again`.
    Loop {
        opened: StateId,
        again: StateId,
        leave: StateId,
    },
    /// Goes on if an assertion holds at the position.
    Assert {
        assertion: AssertionId,
        next: StateId,
    },
    Accept,
}

impl State {
    /// Returns `true` if this ends an iteration that consumed a character, given the states
    /// `visited` at the position. Such a state is not marked as visited: it may occur once more at
    /// the position, at the end of an empty iteration.
    pub(crate) fn repeats(self, visited: &StampSet) -> bool {
        matches!(self, State::Loop { opened, .. } if !visited.contains(opened))
    }

    /// Returns the states that follow this one.
    pub(crate) fn targets(self) -> impl Iterator<Item = StateId> {
        let targets = match self {
            State::Consume { next, .. } | State::Assert { next, .. } => [Some(next), None],
            State::Split { first, second } | State::Loop { again: first, leave: second, .. } => {
                [Some(first), Some(second)]
            }
            State::Accept => [None, None],
        };
        targets.into_iter().flatten()
    }
}

/// A condition on a position.
#[derive(Debug)]
pub(crate) enum Assertion {
    /// The symbol before the position belongs to a set.
    Before(SymbolSet),
    /// The symbol after the position belongs to a set.
    After(SymbolSet),
    /// A wide look-around matches, or does not match if `negate` is set.
    Look { look: u32, negate: bool },
}

/// A look-around that is wider than one character.
#[derive(Debug)]
pub(crate) struct LookAround {
    pub(crate) start: StateId,
    /// The number of characters to step back before the match must start; `None` in a look-ahead.
    pub(crate) behind: Option<u32>,
    /// The symbols that a match can have next to the position, if they are known. Any other symbol
    /// there decides the look-around without a run.
    pub(crate) adjacent: Option<SymbolSet>,
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Nfa {
    pub(crate) alphabet: Alphabet,
    pub(crate) states: Vec<State>,
    pub(crate) sets: Vec<SymbolSet>,
    pub(crate) assertions: Vec<Assertion>,
    /// The wide look-arounds, inner ones before those that contain them.
    pub(crate) looks: Vec<LookAround>,
    pub(crate) start: StateId,
    pub(crate) accept: StateId,
    /// Every match starts at the start of the text.
    pub(crate) anchored_start: bool,
    /// Every match ends at the end of the text or before its final newline.
    pub(crate) anchored_end: bool,
    /// For each symbol, the representative of the symbols that no [`Assertion::Before`] separates
    /// from it: the least of them.
    pub(crate) before_class: Vec<Symbol>,
    /// The same for [`Assertion::After`].
    pub(crate) after_class: Vec<Symbol>,
}

impl Nfa {
    /// Returns `true` if an assertion holds between two symbols, given the wide look-arounds that
    /// match at the position.
    pub(crate) fn holds(
        &self,
        assertion: AssertionId,
        before: Symbol,
        after: Symbol,
        matching: LookSet,
    ) -> bool {
        match &self.assertions[assertion as usize] {
            Assertion::Before(set) => set.contains(before),
            Assertion::After(set) => set.contains(after),
            Assertion::Look { look, negate } => matching.contains(*look) != *negate,
        }
    }

    /// Returns `true` if the symbol after a position does not decide a look-around there.
    pub(crate) fn must_run_before(&self, look: u32, after: Symbol) -> bool {
        let look = &self.looks[look as usize];
        look.behind.is_some() || look.can_be_adjacent(after)
    }

    /// Returns `true` if the symbol before a position does not decide a look-around there.
    pub(crate) fn must_run_after(&self, look: u32, before: Symbol) -> bool {
        let look = &self.looks[look as usize];
        look.behind.is_none() || look.can_be_adjacent(before)
    }
}

impl LookAround {
    fn can_be_adjacent(&self, symbol: Symbol) -> bool {
        self.adjacent.as_ref().is_none_or(|set| set.contains(symbol))
    }
}
