//! Regular expressions in the syntax of Python's `re`, with Python's matches, in time linear in the text.
//!
//! ```
//! use lexpool_regex::{Pattern, Role};
//!
//! let hyphens = Pattern::new(r"(?<=[a-z])-(?=[a-z])", 32, Role::Infix)?;
//! let mut matcher = hyphens.matcher();
//! let mut matches = Vec::new();
//! matcher.find_all("mother-in-law", &mut matches)?;
//! assert_eq!(matches, [(6, 7), (9, 10)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | type | purpose |
//! | --- | --- |
//! | [`Pattern`] | a compiled expression; cheap to clone, shared by threads |
//! | [`Matcher`] | a pattern with the DFA states that one worker has built: `search`, `find_all`, `is_match` |
//! | [`Role`] | the search that a pattern is compiled for |
//! | [`Report`] | the engine that a pattern runs on, and its size |
//! | [`PatternError`] | a pattern that Python's `re` rejects, or that exceeds a limit |
//! | [`LimitError`] | a search that exceeded its step or memory budget |
//!
//! # Compared with the `regex` crate
//!
//! The syntax and the choice among matches are those of Python 3.11's `re.compile`, `re.search`, `re.finditer`
//! and `re.match`: leftmost, then the first alternative, as a backtracker prefers; `$` matches before a final
//! newline; `\d`, `\s`, `\w` and case folding follow Python's tables for one pinned version of Unicode
//! (`lexpool-chars`). Look-around of bounded width is supported on the automata. Back-references, conditionals
//! and atomic groups are supported by backtracking. Captures are parsed, but their positions are not reported.
//! `\N{...}` is rejected, because it needs the table of Unicode names.
//!
//! One difference from Python remains. When the body of a repetition can match the empty string in several
//! ways, or contains another such repetition, Python's backtracking may prefer a shorter match than the automata
//! do.
//!
//! # Implementation
//!
//! - `parse` reads the syntax into a tree (`syntax`); `charset` and `casing` compute the sets of characters.
//! - `alphabet` divides Unicode into the equivalence classes that the pattern distinguishes ("symbols"; byte
//!   classes in `regex-automata`).
//! - `graph` compiles the tree to an NFA in Thompson's construction. Look-arounds of one character are assertions
//!   on two adjacent symbols; `looks` runs wider ones.
//! - `forward` is a lazy DFA from a given start: a DFA state is a priority list of NFA states, as in a Pike VM, and
//!   is built by subset construction when a text first reaches it. `backward` is a reverse lazy DFA that marks all
//!   starts of matches in one pass from the end of the text.
//! - `fallback` hands a pattern that is not regular to `fancy-regex`, a backtracker, with a step budget.
//!
//! # Limits
//!
//! On the automata a search takes time linear in the text. The tables of a lazy DFA are bounded: a full forward DFA
//! is cleared and built again, a full reverse DFA ends the search with [`LimitError`]. On the fallback a search ends
//! with [`LimitError`] after a million steps. [`Pattern::new`] rejects a pattern that exceeds 262,144 NFA states
//! or 200 nested groups.
//!
//! # References
//!
//! - Ken Thompson, "Regular Expression Search Algorithm", Communications of the ACM 11(6), 1968.
//! - Russ Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009, which describes Rob Pike's VM.
//! - `regex-automata` of the Rust project, the model for the lazy DFA, its reverse and its cache limits.
//! - Python's documentation of `re`, and `Lib/re/_parser.py` of CPython 3.11.

#![forbid(unsafe_code)]

mod alphabet;
mod backward;
mod casing;
mod charset;
mod fallback;
mod forward;
mod graph;
mod looks;
mod parse;
mod rows;
mod syntax;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use backward::Backward;
use fallback::{Allowance, Fallback, OutOfSteps};
use forward::{Forward, Goal};
use graph::Graph;
use looks::Looks;

/// What a tokenizer asks of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The length of what to cut off at the left: [`Matcher::search`].
    Prefix,
    /// The length of what to cut off at the right: [`Matcher::search`].
    Suffix,
    /// All places to cut at: [`Matcher::find_all`].
    Infix,
    /// Whether to leave a text in one piece: [`Matcher::is_match`].
    Whole,
}

/// A compiled pattern. Cloning it is cheap, and all threads can share one.
///
/// ```
/// use lexpool_regex::{Pattern, Role};
///
/// let hyphens = Pattern::new(r"(?<=[a-z])-(?=[a-z])", 32, Role::Infix)?;
/// let mut found = Vec::new();
/// hyphens.matcher().find_all("mother-in-law", &mut found)?;
/// assert_eq!(found, [(6, 7), (9, 10)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Pattern(Arc<Compiled>);

struct Compiled {
    source: String,
    flags: u32,
    role: Role,
    engine: Engine,
}

#[expect(clippy::large_enum_variant, reason = "the large one is nearly every pattern")]
enum Engine {
    Automata {
        graph: Graph,
        /// Every match contains one of these bytes, if there are any.
        needed: Vec<u8>,
    },
    Backtracking {
        fallback: Fallback,
        why: String,
    },
}

/// How a pattern runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Report {
    /// On automata, in time linear in the text.
    Automaton {
        /// How many kinds of character the pattern tells apart.
        symbols: usize,
        /// How many steps its graph has.
        steps: usize,
        /// How many of them ask about the surroundings of a place.
        checks: usize,
        /// How many look-arounds are wider than one character.
        looks: usize,
        /// Whether a search reads only as much of the text as can match.
        anchored: bool,
    },
    /// By backtracking, under a step limit.
    Fallback {
        /// What in the pattern no automaton can do.
        why: String,
    },
}

/// A pattern that Python's `re` would not accept, or that is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Where in the source, in characters.
    pub offset: usize,
    /// What was found there, and what was expected.
    pub message: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad pattern at character {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for PatternError {}

/// A chunk on which a pattern took more work than it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitError {
    /// What the pattern is for.
    pub role: Role,
    /// The limit that was reached.
    pub limit: usize,
    /// What the limit counts.
    pub unit: &'static str,
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitError { role, limit, unit } = self;
        write!(f, "the {role:?} pattern reached its limit of {limit} {unit} on this text")
    }
}

impl std::error::Error for LimitError {}

impl Pattern {
    /// Compiles a pattern of Python's `re`. The cost is about that of reading
    /// its source: automata are built later, as texts need them.
    ///
    /// `flags` are Python's (I = 2, M = 8, S = 16, U = 32, X = 64, A = 256).
    ///
    /// # Errors
    ///
    /// If Python would not compile the pattern, if it names characters by
    /// `\N{...}`, or if it is too large.
    pub fn new(source: &str, flags: u32, role: Role) -> Result<Pattern, PatternError> {
        let parsed = parse::parse(source, flags)?;
        let engine = match Graph::new(&parsed) {
            Ok(graph) => {
                let needed = parsed.root.needed_bytes(&parsed.sets).unwrap_or_default();
                Engine::Automata { graph, needed }
            }
            Err(why) => match Fallback::new(&parsed) {
                Ok(fallback) => Engine::Backtracking { fallback, why },
                Err(error) => {
                    let message = format!("{why}; and for backtracking: {error}");
                    return Err(PatternError { offset: 0, message });
                }
            },
        };
        Ok(Pattern(Arc::new(Compiled { source: source.into(), flags, role, engine })))
    }

    /// The pattern as it was given.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The flags as they were given.
    pub fn flags(&self) -> u32 {
        self.0.flags
    }

    /// What the pattern is for.
    pub fn role(&self) -> Role {
        self.0.role
    }

    /// How the pattern runs.
    pub fn report(&self) -> Report {
        match &self.0.engine {
            Engine::Backtracking { why, .. } => Report::Fallback { why: why.clone() },
            Engine::Automata { graph, .. } => Report::Automaton {
                symbols: graph.alphabet.len(),
                steps: graph.steps.len(),
                checks: graph.checks.len(),
                looks: graph.looks.len(),
                anchored: match self.0.role {
                    Role::Prefix | Role::Whole => graph.starts_at_edge,
                    Role::Suffix => graph.ends_at_edge,
                    Role::Infix => graph.starts_at_edge || graph.ends_at_edge,
                },
            },
        }
    }

    /// What one worker needs to run the pattern.
    pub fn matcher(&self) -> Matcher {
        Matcher {
            pattern: self.clone(),
            looks: Looks::default(),
            allowance: None,
            ends: None,
            any: None,
            starts: None,
        }
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pattern")
            .field("source", &self.source())
            .field("flags", &self.flags())
            .field("role", &self.role())
            .field("report", &self.report())
            .finish()
    }
}

/// A pattern with the automata that one worker has built so far.
///
/// All offsets are in bytes. A look-behind sees nothing before the text given.
pub struct Matcher {
    pattern: Pattern,
    looks: Looks,
    /// The steps left to the searches of a chunk that was begun; without one, each call has its own.
    allowance: Option<Allowance>,
    ends: Option<Forward>,
    any: Option<Forward>,
    starts: Option<Backward>,
}

impl Matcher {
    /// The pattern that is run.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Begins a chunk of so many bytes: until the next one, all searches together may take a number of steps
    /// that is linear in it, however many there are. Without this, those of each call may.
    ///
    /// Concerns only a pattern on the fallback.
    pub fn begin(&mut self, bytes: usize) {
        if matches!(self.pattern.0.engine, Engine::Backtracking { .. }) {
            self.allowance = Some(Allowance::of(bytes));
        }
    }

    /// The start and end of the match that Python's `re.search` finds.
    ///
    /// Reads only as much of the text as can match if every branch begins with
    /// `^` or every branch ends with `$`, otherwise all of it.
    ///
    /// # Errors
    ///
    /// If a limit is reached, which no text can cause for a pattern that
    /// begins with `^` and needs no fallback.
    pub fn search(&mut self, text: &str) -> Result<Option<(usize, usize)>, LimitError> {
        let Compiled { engine, role, .. } = &*self.pattern.0;
        let graph = match engine {
            Engine::Automata { graph, .. } => graph,
            Engine::Backtracking { fallback, .. } => {
                let mut own = Allowance::of(text.len());
                let allowance = self.allowance.as_mut().unwrap_or(&mut own);
                let found = fallback.search(text, allowance);
                return found.map_err(|error| out_of_steps(*role, &error));
            }
        };
        if graph.starts_at_edge {
            let ends = self.ends.get_or_insert_with(|| Forward::new(graph, Goal::End));
            let end = ends.run(graph, &mut self.looks, text, graph.entry, 0);
            return Ok(end.map(|end| (0, end)));
        }
        let starts = self.starts.get_or_insert_with(|| Backward::new(graph));
        starts.search(graph, &mut self.looks, text).map_err(|_| overgrown(*role))
    }

    /// Adds to `out` all matches that Python's `re.finditer` finds, in order.
    ///
    /// # Errors
    ///
    /// If a limit is reached. What was found until then may be in `out`.
    pub fn find_all(
        &mut self,
        text: &str,
        out: &mut Vec<(usize, usize)>,
    ) -> Result<(), LimitError> {
        let Compiled { engine, role, .. } = &*self.pattern.0;
        match engine {
            Engine::Automata { graph, .. } => {
                let starts = self.starts.get_or_insert_with(|| Backward::new(graph));
                let found = starts.find_all(graph, &mut self.looks, text, out);
                found.map_err(|_| overgrown(*role))
            }
            Engine::Backtracking { fallback, .. } => {
                let mut own = Allowance::of(text.len());
                let allowance = self.allowance.as_mut().unwrap_or(&mut own);
                let found = fallback.find_all(text, out, allowance);
                found.map_err(|error| out_of_steps(*role, &error))
            }
        }
    }

    /// Whether Python's `re.match` finds a match at the start of the text.
    ///
    /// # Errors
    ///
    /// If a limit is reached, which happens only to a pattern on the fallback.
    pub fn is_match(&mut self, text: &str) -> Result<bool, LimitError> {
        let Compiled { engine, role, .. } = &*self.pattern.0;
        match engine {
            Engine::Automata { graph, needed } => {
                if !has_needed(text.as_bytes(), needed) {
                    return Ok(false);
                }
                let any = self.any.get_or_insert_with(|| Forward::new(graph, Goal::Any));
                Ok(any.run(graph, &mut self.looks, text, graph.entry, 0).is_some())
            }
            Engine::Backtracking { fallback, .. } => {
                let mut own = Allowance::of(text.len());
                let allowance = self.allowance.as_mut().unwrap_or(&mut own);
                let found = fallback.is_match(text, allowance);
                found.map_err(|error| out_of_steps(*role, &error))
            }
        }
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}

fn has_needed(text: &[u8], needed: &[u8]) -> bool {
    match *needed {
        [] => true,
        [a] => memchr::memchr(a, text).is_some(),
        [a, b] => memchr::memchr2(a, b, text).is_some(),
        [a, b, c, ..] => memchr::memchr3(a, b, c, text).is_some(),
    }
}

fn out_of_steps(role: Role, error: &OutOfSteps) -> LimitError {
    LimitError { role, limit: error.limit, unit: "backtracking steps" }
}

fn overgrown(role: Role) -> LimitError {
    LimitError { role, limit: rows::MOST_BYTES, unit: "bytes of automaton" }
}
