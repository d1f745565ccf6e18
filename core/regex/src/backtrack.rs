//! A backtracker under a step budget, for patterns that are not regular.
//!
//! Back-references, conditionals and atomic groups run here. The backtracker is that of
//! `fancy-regex`; this module bounds its work.

use std::sync::OnceLock;

use fancy_regex::{Regex, RegexBuilder, RuntimeError};

use crate::ast::ParsedPattern;
use crate::printer::print;

/// The backtracking steps that one search may take.
pub(crate) const MAX_STEPS: usize = 1_000_000;

/// The step limits of the attempts of one search. `fancy-regex` does not report the steps that a
/// search took, so a search begins with a small limit and is repeated with greater ones: the limits
/// that it reached tell its cost to a factor of four.
const ATTEMPT_LIMITS: [usize; 7] = [1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, MAX_STEPS];

/// The part of a budget that does not depend on the length of the text.
const BASE_STEPS: usize = 4 * MAX_STEPS;

/// The steps per byte of text: four searches of the least cost. A tokenizer searches twice for each
/// affix that it splits off, and asks as often whether the rest is one token.
const STEPS_PER_BYTE: usize = 4 * ATTEMPT_LIMITS[0];

/// The steps that a series of searches may still take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepBudget {
    total: usize,
    left: usize,
}

impl StepBudget {
    /// Returns the budget for all searches in a text of `bytes` bytes.
    pub(crate) fn for_text(bytes: usize) -> StepBudget {
        let total = bytes.saturating_mul(STEPS_PER_BYTE).saturating_add(BASE_STEPS);
        StepBudget { total, left: total }
    }

    fn spend(&mut self, steps: usize) -> Result<(), StepLimitExceeded> {
        let limit = self.total;
        self.left = self.left.checked_sub(steps).ok_or(StepLimitExceeded { limit })?;
        Ok(())
    }
}

/// The error of a search that exceeds [`MAX_STEPS`] or the memory of the backtracker, or of
/// searches that together exceed their [`StepBudget`].
#[derive(Debug)]
pub(crate) struct StepLimitExceeded {
    pub(crate) limit: usize,
}

/// A pattern on the backtracker.
#[derive(Debug)]
pub(crate) struct Backtracker {
    regex: LimitedRegex,
    /// Finds only matches that do not end where the search started. Compiled when it is first
    /// needed, for `find_all` after an empty match; `None` if that exceeds a limit.
    nonempty: OnceLock<Option<LimitedRegex>>,
}

impl Backtracker {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// The message of `fancy-regex` if it rejects the pattern.
    pub(crate) fn new(pattern: &ParsedPattern) -> Result<Backtracker, String> {
        Ok(Backtracker { regex: LimitedRegex::new(print(pattern))?, nonempty: OnceLock::new() })
    }

    fn nonempty(&self) -> Result<&LimitedRegex, StepLimitExceeded> {
        let compile = || LimitedRegex::new(format!("(?:{})(?!\\G)", self.regex.pattern)).ok();
        let compiled = self.nonempty.get_or_init(compile).as_ref();
        compiled.ok_or(StepLimitExceeded { limit: MAX_STEPS })
    }

    pub(crate) fn search(
        &self,
        text: &str,
        budget: &mut StepBudget,
    ) -> Result<Option<(usize, usize)>, StepLimitExceeded> {
        self.regex.find(text, 0, budget)
    }

    pub(crate) fn is_match(
        &self,
        text: &str,
        budget: &mut StepBudget,
    ) -> Result<bool, StepLimitExceeded> {
        // The leftmost match starts at 0 if any match does.
        Ok(self.search(text, budget)?.is_some_and(|(start, _)| start == 0))
    }

    pub(crate) fn find_all(
        &self,
        text: &str,
        matches: &mut Vec<(usize, usize)>,
        budget: &mut StepBudget,
    ) -> Result<(), StepLimitExceeded> {
        let mut from = 0;
        let mut regex = &self.regex;
        while let Some((start, end)) = regex.find(text, from, budget)? {
            matches.push((start, end));
            from = end;
            regex = if start == end { self.nonempty()? } else { &self.regex };
        }
        Ok(())
    }
}

/// A pattern compiled for each of the [`ATTEMPT_LIMITS`] when it is first needed. For the first
/// limit, which every search needs, it is compiled at once, so that errors are known.
#[derive(Debug)]
struct LimitedRegex {
    pattern: String,
    attempts: [OnceLock<Regex>; ATTEMPT_LIMITS.len()],
}

impl LimitedRegex {
    fn new(pattern: String) -> Result<LimitedRegex, String> {
        let attempts = [const { OnceLock::new() }; ATTEMPT_LIMITS.len()];
        let first = compile(&pattern, ATTEMPT_LIMITS[0]).map_err(|error| error.to_string())?;
        attempts[0].get_or_init(|| first);
        Ok(LimitedRegex { pattern, attempts })
    }

    fn find(
        &self,
        text: &str,
        from: usize,
        budget: &mut StepBudget,
    ) -> Result<Option<(usize, usize)>, StepLimitExceeded> {
        // A lower bound of the steps that the search takes: the limit of the last failed attempt.
        let mut at_least = ATTEMPT_LIMITS[0];
        for (regex, limit) in self.attempts.iter().zip(ATTEMPT_LIMITS) {
            let regex = regex.get_or_init(|| {
                compile(&self.pattern, limit).expect("the pattern was compiled with another limit")
            });
            match regex.find_from_pos(text, from) {
                Ok(found) => {
                    budget.spend(at_least)?;
                    return Ok(found.map(|found| (found.start(), found.end())));
                }
                Err(fancy_regex::Error::RuntimeError(
                    RuntimeError::BacktrackLimitExceeded | RuntimeError::StackOverflow,
                )) => budget.spend(limit)?,
                Err(_) => return Ok(None),
            }
            at_least = limit;
        }
        Err(StepLimitExceeded { limit: MAX_STEPS })
    }
}

fn compile(pattern: &str, limit: usize) -> Result<Regex, fancy_regex::Error> {
    RegexBuilder::new(pattern).backtrack_limit(limit).build()
}
