//! A compiled rule, and its run: on automata, on a backtracker, or by a function of the caller.
//!
//! The matches of a function are validated here, so that all users can rely on ranges that lie in
//! the text, between characters and in order. A function runs without any lock; it may call Python.

use std::fmt;
use std::sync::Arc;

use super::pattern::{EngineReport, LimitError, Matcher, Pattern};
use super::rule_set::{PatternSource, RuleFn, RuleName, RuleSource};
use crate::codes;
use crate::{Error, Result};

/// A compiled rule, shared by all workers.
#[derive(Clone)]
pub(super) enum CompiledRule {
    Pattern { name: RuleName, pattern: Pattern },
    Function { name: RuleName, find: Arc<RuleFn>, reason: Arc<str> },
}

/// The engine that a rule runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleEngine {
    /// A pattern, on `lexpool-regex`.
    Pattern(EngineReport),
    /// A function of the caller.
    Function {
        /// The reason for which the rule is not a pattern.
        reason: String,
    },
}

impl CompiledRule {
    /// Compiles a rule.
    ///
    /// # Errors
    ///
    /// `rule-syntax` if the pattern is invalid.
    pub(super) fn compile(name: RuleName, source: &RuleSource) -> Result<CompiledRule> {
        match source {
            RuleSource::Pattern(source) => {
                let pattern = source.compile(name)?;
                Ok(CompiledRule::Pattern { name, pattern })
            }
            RuleSource::Function { find, reason } => Ok(CompiledRule::Function {
                name,
                find: Arc::clone(find),
                reason: reason.as_str().into(),
            }),
        }
    }

    /// Returns the pattern, or `None` if the rule is a function.
    pub(super) fn source(&self) -> Option<PatternSource> {
        match self {
            CompiledRule::Pattern { pattern, .. } => {
                let (source, flags) = (pattern.source().to_owned(), pattern.flags());
                Some(PatternSource { source, flags })
            }
            CompiledRule::Function { .. } => None,
        }
    }

    /// Describes the engine that the rule runs on.
    pub(super) fn engine(&self) -> RuleEngine {
        match self {
            CompiledRule::Pattern { pattern, .. } => RuleEngine::Pattern(pattern.report()),
            CompiledRule::Function { reason, .. } => {
                RuleEngine::Function { reason: reason.to_string() }
            }
        }
    }

    /// Creates a matcher, which one worker reuses.
    pub(super) fn matcher(&self) -> RuleMatcher {
        match self {
            CompiledRule::Pattern { name, pattern } => RuleMatcher {
                name: *name,
                engine: MatchEngine::Pattern(Box::new(pattern.matcher())),
            },
            CompiledRule::Function { name, find, .. } => RuleMatcher {
                name: *name,
                engine: MatchEngine::Function(Arc::clone(find), Vec::new()),
            },
        }
    }
}

/// A rule with the engine that it runs on, see [`Tokenizer::report`](super::Tokenizer::report).
#[derive(Clone, Debug)]
pub struct RuleReport {
    /// The name of the rule.
    pub name: RuleName,
    /// The engine.
    pub engine: RuleEngine,
}

impl fmt::Display for RuleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.engine {
            RuleEngine::Function { reason } => {
                write!(f, "function, called for each string: {reason}")
            }
            RuleEngine::Pattern(EngineReport::Backtracker { reason }) => {
                write!(f, "backtracking, under a step limit: {reason}")
            }
            RuleEngine::Pattern(_) => f.write_str("automata, in time linear in the text"),
        }
    }
}

/// A rule with the DFA states that one worker has built for it.
pub(super) struct RuleMatcher {
    name: RuleName,
    engine: MatchEngine,
}

enum MatchEngine {
    Pattern(Box<Matcher>),
    /// A function, and a buffer for its matches.
    Function(Arc<RuleFn>, Vec<(usize, usize)>),
}

impl RuleMatcher {
    /// Begins a chunk of `bytes` bytes: its searches share a step budget.
    pub(super) fn begin_budget(&mut self, bytes: usize) {
        if let MatchEngine::Pattern(matcher) = &mut self.engine {
            matcher.begin_budget(bytes);
        }
    }

    /// Returns the first match, as a byte range.
    pub(super) fn search(&mut self, text: &str) -> Result<Option<(usize, usize)>> {
        match &mut self.engine {
            MatchEngine::Pattern(matcher) => {
                matcher.search(text).map_err(|error| limit_error(self.name, error))
            }
            MatchEngine::Function(find, found) => {
                found.clear();
                find(text, found)?;
                validate(self.name, text, &found[..found.len().min(1)])?;
                Ok(found.first().copied())
            }
        }
    }

    /// Adds all matches to `out`, in order and without overlaps.
    pub(super) fn find_all(&mut self, text: &str, out: &mut Vec<(usize, usize)>) -> Result<()> {
        match &mut self.engine {
            MatchEngine::Pattern(matcher) => {
                matcher.find_all(text, out).map_err(|error| limit_error(self.name, error))
            }
            MatchEngine::Function(find, _) => {
                find(text, out)?;
                validate(self.name, text, out)
            }
        }
    }

    /// Returns `true` if the rule matches at the start of the text.
    pub(super) fn matches_at_start(&mut self, text: &str) -> Result<bool> {
        match &mut self.engine {
            MatchEngine::Pattern(matcher) => {
                matcher.matches_at_start(text).map_err(|error| limit_error(self.name, error))
            }
            MatchEngine::Function(find, found) => {
                found.clear();
                find(text, found)?;
                Ok(!found.is_empty())
            }
        }
    }
}

fn limit_error(name: RuleName, error: LimitError) -> Error {
    Error::value(codes::RULE_LIMIT, format!("{name}: {error}"))
}

/// Validates the matches of a function: ranges of the text, in order and without overlaps.
fn validate(name: RuleName, text: &str, matches: &[(usize, usize)]) -> Result<()> {
    let mut from = 0;
    for &(start, end) in matches {
        if start < from || text.get(start..end).is_none() {
            let message = format!(
                "{name}: the function returned a match from byte {start} to {end} of {text:?}; \
                 matches must lie in the text, in order and without overlaps"
            );
            return Err(Error::value(codes::RULE_MATCH, message));
        }
        from = end;
    }
    Ok(())
}
