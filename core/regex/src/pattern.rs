//! Compiled patterns.

use std::fmt;
use std::sync::Arc;

use crate::ast::ParsedPattern;
use crate::backtrack::Backtracker;
use crate::compiler;
use crate::error::PatternError;
use crate::nfa::Nfa;
use crate::parse::parse;

/// The most characters of a pattern that backtracks: four times as many as the longest of spaCy's
/// languages has. A tokenizer searches its special cases when it is loaded, a thousand and more.
const MAX_BACKTRACKED: usize = 1 << 17;

/// A compiled pattern. Cloning is cheap, and all threads can share one; each searches with a
/// [`Matcher`](crate::Matcher) of its own.
///
/// ```
/// use lexpool_regex::{Pattern, flags};
///
/// let number = Pattern::new(r"\d+$", flags::UNICODE)?;
/// assert_eq!(number.matcher().search("room 101")?, Some((5, 8)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Pattern(Arc<Compiled>);

struct Compiled {
    source: String,
    flags: u32,
    engine: Engine,
}

/// A pattern in the form in which it runs.
#[expect(clippy::large_enum_variant, reason = "nearly every pattern has the large one")]
pub(crate) enum Engine {
    LazyDfa {
        nfa: Nfa,
        /// The bytes of which every match contains one; empty if they are unknown.
        required_bytes: Vec<u8>,
    },
    Backtracker {
        backtracker: Backtracker,
        /// The part of the pattern that automata cannot run.
        reason: String,
    },
}

/// The engine that a pattern runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineReport {
    /// Lazy DFAs, in time linear in the text.
    LazyDfa {
        /// The number of equivalence classes of characters, two special symbols included.
        symbols: usize,
        /// The number of NFA states.
        nfa_states: usize,
        /// The number of assertions about the surroundings of a position.
        assertions: usize,
        /// The number of look-arounds wider than one character.
        look_arounds: usize,
        /// Every match starts at the start of the text, so a search reads no more than a match.
        anchored_start: bool,
        /// Every match ends at the end of the text, so a search reads no more than a match.
        anchored_end: bool,
    },
    /// A backtracker, under a step budget.
    Backtracker {
        /// The part of the pattern that automata cannot run, as a noun phrase.
        reason: String,
    },
}

impl Pattern {
    /// Compiles a pattern under [`flags`](crate::flags) of Python's `re`. The cost is about that of
    /// parsing: DFA states are built later, as texts reach them.
    ///
    /// # Errors
    ///
    /// [`PatternError`] if Python rejects the pattern, if it contains `\N{...}`, or if it exceeds a
    /// limit.
    pub fn new(source: &str, flags: u32) -> Result<Pattern, PatternError> {
        let parsed = parse(source, flags)?;
        let engine = match compiler::compile(&parsed) {
            Ok(nfa) => {
                let required = parsed.root.required_bytes(&parsed.sets);
                Engine::LazyDfa { nfa, required_bytes: required.unwrap_or_default() }
            }
            Err(reason) => match backtracker(source, &parsed) {
                Ok(backtracker) => Engine::Backtracker { backtracker, reason },
                Err(error) => {
                    let message = format!(
                        "the backtracker, which the pattern needs ({reason}), rejects it: {error}"
                    );
                    return Err(PatternError { offset: 0, message });
                }
            },
        };
        Ok(Pattern(Arc::new(Compiled { source: source.into(), flags, engine })))
    }

    /// Returns the source that the pattern was compiled from.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Returns the flags that the pattern was compiled with.
    pub fn flags(&self) -> u32 {
        self.0.flags
    }

    /// Describes the engine that the pattern runs on.
    pub fn report(&self) -> EngineReport {
        match &self.0.engine {
            Engine::Backtracker { reason, .. } => {
                EngineReport::Backtracker { reason: reason.clone() }
            }
            Engine::LazyDfa { nfa, .. } => EngineReport::LazyDfa {
                symbols: nfa.alphabet.len(),
                nfa_states: nfa.states.len(),
                assertions: nfa.assertions.len(),
                look_arounds: nfa.looks.len(),
                anchored_start: nfa.anchored_start,
                anchored_end: nfa.anchored_end,
            },
        }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }
}

/// Compiles a pattern for the backtracker, whose searches take time linear in the pattern at least.
fn backtracker(source: &str, parsed: &ParsedPattern) -> Result<Backtracker, String> {
    let length = source.chars().count();
    if length > MAX_BACKTRACKED && parsed.root.needs_backtracking() {
        return Err(format!(
            "it has {length} characters; expected at most {MAX_BACKTRACKED} of a pattern with \
             look-arounds, back-references, conditionals or atomic groups"
        ));
    }
    Backtracker::new(parsed)
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern")
            .field("source", &self.source())
            .field("flags", &self.flags())
            .field("report", &self.report())
            .finish()
    }
}
