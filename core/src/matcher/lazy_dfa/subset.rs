//! Subset construction: the NFA states that a list of NFA states moves to.

use ahash::AHashSet;

use super::state::MatchEnd;
use crate::matcher::nfa::{NfaState, StepVisitor, advance};
use crate::matcher::program::Program;

/// Collects the NFA states and matches that one token leads to.
#[derive(Default)]
pub(super) struct SubsetBuilder {
    /// The NFA state that takes the token, with the key of its pattern.
    from: NfaState,
    key: u32,
    is_ambiguous: bool,
    /// States that keep their places, each with whether its pattern is ambiguous.
    kept: Vec<(NfaState, bool)>,
    /// States that branch off behind the others, in the same form.
    branched: Vec<(NfaState, bool)>,
    matches: Vec<MatchEnd>,
    /// States of ambiguous patterns that have been entered.
    entered: AHashSet<NfaState>,
    steps: u64,
}

/// The result of moving a list of NFA states over one token.
pub(super) struct Subset {
    pub(super) kept: Vec<NfaState>,
    pub(super) branched: Vec<NfaState>,
    pub(super) matches: Vec<MatchEnd>,
    /// The number of NFA steps taken.
    pub(super) steps: u64,
}

impl Subset {
    /// Moves NFA states over a token that fulfils the given conditions.
    ///
    /// `is_start`: the states are starts of patterns, so no match can end before the token.
    pub(super) fn after(
        program: &Program,
        fulfilled: &[u32],
        states: impl Iterator<Item = NfaState>,
        is_start: bool,
    ) -> Subset {
        let mut builder = SubsetBuilder::default();
        for state in states {
            let pattern = &program.patterns[state.pattern as usize];
            builder.from = state;
            builder.key = pattern.key;
            builder.is_ambiguous = pattern.is_ambiguous;
            let fits = |element| Ok(program.passes(pattern, element, fulfilled));
            advance(&pattern.steps, state.step, fits, &mut builder).expect("`fits` does not fail");
        }
        let SubsetBuilder { mut kept, mut branched, mut matches, steps, .. } = builder;
        if is_start {
            matches.retain(|end| end.with_token);
        }
        // The first of equal states stays; kept states come before those that branch off.
        let mut seen = AHashSet::new();
        let mut is_first = |state: &(NfaState, bool)| !state.1 || seen.insert(state.0);
        kept.retain(&mut is_first);
        branched.retain(&mut is_first);
        let mut seen = AHashSet::new();
        matches.retain(|end| seen.insert((end.key, end.with_token)));
        let states = |list: Vec<(NfaState, bool)>| list.into_iter().map(|(state, _)| state);
        let (kept, branched) = (states(kept).collect(), states(branched).collect());
        Subset { kept, branched, matches, steps }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.branched.is_empty() && self.matches.is_empty()
    }
}

impl StepVisitor for SubsetBuilder {
    fn enter(&mut self, step: u32) -> bool {
        self.steps += 1;
        !self.is_ambiguous || self.entered.insert(NfaState { step, ..self.from })
    }

    fn test(&mut self, _element: u32) {}

    fn accept(&mut self, with_token: bool) {
        self.matches.push(MatchEnd { pattern: self.from.pattern, key: self.key, with_token });
    }

    fn keep(&mut self, step: u32) {
        self.kept.push((NfaState { step, ..self.from }, self.is_ambiguous));
    }

    fn branch(&mut self, step: u32) {
        self.branched.push((NfaState { step, ..self.from }, self.is_ambiguous));
    }
}
