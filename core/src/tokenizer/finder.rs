//! Rules as they run: an automaton, a backtracking engine, or a function of the user's.
//!
//! What a function gives is checked here, so that the rest can rely on ranges that lie in the text,
//! between characters and in order. A function runs with no lock held; it may call into Python.

use std::sync::Arc;

use super::pattern::{EngineReport, LimitError, Matcher, Pattern};
use super::rules::{PatternSource, RuleFn, RuleName, RuleSource};
use crate::{Error, Result};

/// A compiled rule, shared by all workers.
#[derive(Clone)]
pub(super) enum Rule {
    Pattern { name: RuleName, pattern: Pattern },
    Function { name: RuleName, find: Arc<RuleFn>, reason: Arc<str> },
}

/// How a rule runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleEngine {
    /// A pattern, in lexpool.
    Pattern(EngineReport),
    /// A function outside of lexpool.
    Function {
        /// Why it is no pattern.
        reason: String,
    },
}

impl Rule {
    /// Compiles a rule.
    ///
    /// # Errors
    ///
    /// `rule-syntax` for a pattern that does not compile.
    pub(super) fn compile(name: RuleName, source: &RuleSource) -> Result<Rule> {
        match source {
            RuleSource::Pattern(source) => {
                let pattern = source.compile(name)?;
                Ok(Rule::Pattern { name, pattern })
            }
            RuleSource::Function { find, reason } => {
                Ok(Rule::Function { name, find: Arc::clone(find), reason: reason.as_str().into() })
            }
        }
    }

    pub(super) fn source(&self) -> Option<PatternSource> {
        match self {
            Rule::Pattern { pattern, .. } => {
                let (source, flags) = (pattern.source().to_owned(), pattern.flags());
                Some(PatternSource { source, flags })
            }
            Rule::Function { .. } => None,
        }
    }

    pub(super) fn engine(&self) -> RuleEngine {
        match self {
            Rule::Pattern { pattern, .. } => RuleEngine::Pattern(pattern.report()),
            Rule::Function { reason, .. } => RuleEngine::Function { reason: reason.to_string() },
        }
    }

    /// What one worker needs to run the rule.
    pub(super) fn finder(&self) -> Finder {
        match self {
            Rule::Pattern { name, pattern } => {
                Finder { name: *name, run: Run::Matcher(Box::new(pattern.matcher())) }
            }
            Rule::Function { name, find, .. } => {
                Finder { name: *name, run: Run::Function(Arc::clone(find), Vec::new()) }
            }
        }
    }
}

/// A rule with what one worker has built for it.
pub(super) struct Finder {
    name: RuleName,
    run: Run,
}

enum Run {
    Matcher(Box<Matcher>),
    /// With room for its matches.
    Function(Arc<RuleFn>, Vec<(usize, usize)>),
}

impl Finder {
    /// Begins a chunk of so many bytes, for whose searches together there is a limit.
    pub(super) fn begin(&mut self, bytes: usize) {
        if let Run::Matcher(matcher) = &mut self.run {
            matcher.begin_budget(bytes);
        }
    }

    /// The first match, as a byte range.
    pub(super) fn search(&mut self, text: &str) -> Result<Option<(usize, usize)>> {
        match &mut self.run {
            Run::Matcher(matcher) => matcher.search(text).map_err(|error| limit(self.name, error)),
            Run::Function(find, found) => {
                found.clear();
                find(text, found)?;
                check(self.name, text, &found[..found.len().min(1)])?;
                Ok(found.first().copied())
            }
        }
    }

    /// Adds all matches to `out`, in order and without overlaps.
    pub(super) fn find_all(&mut self, text: &str, out: &mut Vec<(usize, usize)>) -> Result<()> {
        match &mut self.run {
            Run::Matcher(matcher) => {
                matcher.find_all(text, out).map_err(|error| limit(self.name, error))
            }
            Run::Function(find, _) => {
                find(text, out)?;
                check(self.name, text, out)
            }
        }
    }

    /// Whether the rule holds for a text.
    pub(super) fn is_match(&mut self, text: &str) -> Result<bool> {
        match &mut self.run {
            Run::Matcher(matcher) => {
                matcher.matches_at_start(text).map_err(|error| limit(self.name, error))
            }
            Run::Function(find, found) => {
                found.clear();
                find(text, found)?;
                Ok(!found.is_empty())
            }
        }
    }
}

fn limit(name: RuleName, error: LimitError) -> Error {
    Error::value("rule-limit", format!("{name}: {error}"))
}

/// Refuses ranges that are no parts of the text, or out of order.
fn check(name: RuleName, text: &str, found: &[(usize, usize)]) -> Result<()> {
    let mut from = 0;
    for &(start, end) in found {
        if start < from || text.get(start..end).is_none() {
            let message = format!(
                "{name}: its function gave a match from byte {start} to {end} of {text:?}; matches \
                 lie in the text, in order and without overlaps"
            );
            return Err(Error::value("rule-match", message));
        }
        from = end;
    }
    Ok(())
}
