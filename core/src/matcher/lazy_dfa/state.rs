//! States and transitions of the lazy DFA.

use std::ops::Range;
use std::sync::Arc;

use super::condition_index::ConditionIndex;
use crate::matcher::nfa::NfaState;

/// The number of a DFA state: of an ordered list of NFA states.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StateId(pub(super) u32);

impl StateId {
    /// The dead state: the empty list of NFA states.
    pub(super) const DEAD: StateId = StateId(0);
}

/// The number of a transition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct TransitionId(pub(super) u32);

impl TransitionId {
    /// The transition to the dead state, without matches.
    pub(super) const DEAD: TransitionId = TransitionId(0);
    /// A transition that has not been built yet.
    pub(super) const UNKNOWN: TransitionId = TransitionId(u32::MAX);
}

/// A DFA state.
pub(super) struct DfaState {
    pub(super) nfa_states: Arc<[NfaState]>,
    /// The NFA states by the conditions that can change them.
    pub(super) index: ConditionIndex,
    /// `true` if one of the NFA states belongs to an ambiguous pattern.
    pub(super) is_ambiguous: bool,
    /// The matches that end after the last token, once they have been computed.
    pub(super) matches_at_end: Option<Arc<[MatchEnd]>>,
}

/// The effect of a token class on a DFA state.
pub(super) struct Transition {
    /// The NFA states that keep their places.
    pub(super) kept: StateId,
    /// The NFA states that branch off behind all others.
    pub(super) branched: StateId,
    /// The position of the first of the matches that end in the DFA's list of them.
    first_match: u32,
    /// Twice their number, plus one if a start may have two DFA states with equal NFA states after
    /// the transition.
    count_and_split: u32,
}

impl Transition {
    /// The transition to the dead state, without matches.
    pub(super) const DEAD: Transition = Transition {
        kept: StateId::DEAD,
        branched: StateId::DEAD,
        first_match: 0,
        count_and_split: 0,
    };

    /// Returns a transition with a range of the DFA's list of matches: those that end, in order,
    /// each once.
    pub(super) fn new(
        kept: StateId,
        branched: StateId,
        matches: Range<u32>,
        may_split: bool,
    ) -> Transition {
        let count_and_split = 2 * (matches.end - matches.start) + u32::from(may_split);
        Transition { kept, branched, first_match: matches.start, count_and_split }
    }

    /// Returns whether a start may have two DFA states with equal NFA states after the transition.
    #[inline]
    pub(super) fn may_split(&self) -> bool {
        self.count_and_split % 2 != 0
    }

    /// Returns whether no match ends with the transition.
    #[inline]
    pub(super) fn is_without_matches(&self) -> bool {
        self.count_and_split < 2
    }

    /// Returns the range of the matches in the DFA's list of them.
    #[inline]
    pub(super) fn matches(&self) -> Range<usize> {
        let first = self.first_match as usize;
        first..first + self.count_and_split as usize / 2
    }
}

/// The end of a match.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct MatchEnd {
    pub(super) pattern: u32,
    /// The position of the key in the program.
    pub(super) key: u32,
    /// `true` if the match includes the token, `false` if it ends before it.
    pub(super) with_token: bool,
}

/// The transitions from the start state at a token class.
///
/// The patterns that few words can start are apart from the others: together they would make one
/// DFA state for each such word, with all other patterns in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct StartTransitions {
    /// The transition of the patterns that are indexed by a condition required at their start.
    pub(super) indexed: TransitionId,
    /// The transition of all other patterns.
    pub(super) unindexed: TransitionId,
    /// The state that is kept if the two have no other effect, which is the most frequent case;
    /// else the dead state.
    pub(super) only_kept: StateId,
}

impl StartTransitions {
    /// No pattern starts at the class.
    pub(super) const DEAD: StartTransitions = StartTransitions {
        indexed: TransitionId::DEAD,
        unindexed: TransitionId::DEAD,
        only_kept: StateId::DEAD,
    };
    /// The transitions have not been built yet.
    pub(super) const UNKNOWN: StartTransitions = StartTransitions {
        indexed: TransitionId::UNKNOWN,
        unindexed: TransitionId::UNKNOWN,
        only_kept: StateId::DEAD,
    };
}
