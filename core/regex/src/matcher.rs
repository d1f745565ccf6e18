//! Searching with a pattern.

use std::fmt;

use crate::backtrack::{StepBudget, StepLimitExceeded};
use crate::error::LimitError;
use crate::lazy_dfa::{LazyDfa, LookMatcher, MatchKind};
use crate::pattern::{Engine, Pattern};
use crate::reverse_dfa::{ReverseLazyDfa, TableFull};
use crate::transitions::MAX_TABLE_BYTES;

/// A pattern with the DFA states that one thread has built so far (`Cache` in `regex-automata`).
///
/// All offsets are in bytes. A look-behind does not see beyond the start of the text.
pub struct Matcher {
    pattern: Pattern,
    looks: LookMatcher,
    /// The budget of a series of searches; if it is `None`, each search has its own.
    budget: Option<StepBudget>,
    /// Finds the end of the preferred match from the start of the text.
    preferred: Option<LazyDfa>,
    /// Finds the earliest end of any match from the start of the text.
    earliest: Option<LazyDfa>,
    reverse: Option<ReverseLazyDfa>,
}

impl Pattern {
    /// Creates a matcher, which a thread reuses for all its searches.
    pub fn matcher(&self) -> Matcher {
        Matcher {
            pattern: self.clone(),
            looks: LookMatcher::default(),
            budget: None,
            preferred: None,
            earliest: None,
            reverse: None,
        }
    }
}

impl Matcher {
    /// Returns the pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Begins a series of searches in one text of `bytes` bytes and its parts. Until the next call
    /// they share a step budget that is linear in `bytes`, so that the cost of the text is bounded
    /// however many they are. Without a call each search has such a budget of its own.
    ///
    /// Only a pattern on the backtracker has a step budget.
    pub fn begin_budget(&mut self, bytes: usize) {
        if matches!(self.pattern.engine(), Engine::Backtracker { .. }) {
            self.budget = Some(StepBudget::for_text(bytes));
        }
    }

    /// Returns start and end of the match that Python's `re.search` finds.
    ///
    /// Reads only as much of the text as can match if every alternative begins with `^` or every
    /// alternative ends with `$`, otherwise all of it.
    ///
    /// # Errors
    ///
    /// [`LimitError`] if the search exceeds its budget. A pattern whose alternatives begin with
    /// `^`, on the automata, cannot exceed one.
    pub fn search(&mut self, text: &str) -> Result<Option<(usize, usize)>, LimitError> {
        let nfa = match self.pattern.engine() {
            Engine::LazyDfa { nfa, .. } => nfa,
            Engine::Backtracker { backtracker, .. } => {
                let mut own_budget = StepBudget::for_text(text.len());
                let budget = self.budget.as_mut().unwrap_or(&mut own_budget);
                return Ok(backtracker.search(text, budget)?);
            }
        };
        if nfa.anchored_start {
            let dfa =
                self.preferred.get_or_insert_with(|| LazyDfa::new(nfa, MatchKind::LeftmostFirst));
            let end = dfa.find_end(nfa, &mut self.looks, text, nfa.start, 0);
            return Ok(end.map(|end| (0, end)));
        }
        let dfa = self.reverse.get_or_insert_with(|| ReverseLazyDfa::new(nfa));
        Ok(dfa.search(nfa, &mut self.looks, text)?)
    }

    /// Adds to `matches` all matches that Python's `re.finditer` finds, in order.
    ///
    /// # Errors
    ///
    /// [`LimitError`] if the search exceeds its budget; `matches` may contain matches found before.
    pub fn find_all(
        &mut self,
        text: &str,
        matches: &mut Vec<(usize, usize)>,
    ) -> Result<(), LimitError> {
        match self.pattern.engine() {
            Engine::LazyDfa { nfa, .. } => {
                let dfa = self.reverse.get_or_insert_with(|| ReverseLazyDfa::new(nfa));
                Ok(dfa.find_all(nfa, &mut self.looks, text, matches)?)
            }
            Engine::Backtracker { backtracker, .. } => {
                let mut own_budget = StepBudget::for_text(text.len());
                let budget = self.budget.as_mut().unwrap_or(&mut own_budget);
                Ok(backtracker.find_all(text, matches, budget)?)
            }
        }
    }

    /// Returns `true` if Python's `re.match` finds a match, which starts at the start of the text.
    ///
    /// # Errors
    ///
    /// [`LimitError`] if the search exceeds its budget, on the backtracker only.
    pub fn matches_at_start(&mut self, text: &str) -> Result<bool, LimitError> {
        match self.pattern.engine() {
            Engine::LazyDfa { nfa, required_bytes } => {
                if !contains_any(text.as_bytes(), required_bytes) {
                    return Ok(false);
                }
                let dfa =
                    self.earliest.get_or_insert_with(|| LazyDfa::new(nfa, MatchKind::Earliest));
                Ok(dfa.find_end(nfa, &mut self.looks, text, nfa.start, 0).is_some())
            }
            Engine::Backtracker { backtracker, .. } => {
                let mut own_budget = StepBudget::for_text(text.len());
                let budget = self.budget.as_mut().unwrap_or(&mut own_budget);
                Ok(backtracker.is_match(text, budget)?)
            }
        }
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}

/// Returns `true` if the text contains one of the bytes, or if `bytes` is empty.
fn contains_any(text: &[u8], bytes: &[u8]) -> bool {
    match *bytes {
        [] => true,
        [a] => memchr::memchr(a, text).is_some(),
        [a, b] => memchr::memchr2(a, b, text).is_some(),
        [a, b, c, ..] => memchr::memchr3(a, b, c, text).is_some(),
    }
}

impl From<StepLimitExceeded> for LimitError {
    fn from(error: StepLimitExceeded) -> LimitError {
        LimitError { limit: error.limit, unit: "backtracking steps" }
    }
}

impl From<TableFull> for LimitError {
    fn from(TableFull: TableFull) -> LimitError {
        LimitError { limit: MAX_TABLE_BYTES, unit: "bytes of DFA states" }
    }
}
