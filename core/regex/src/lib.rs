//! Regular expressions in the syntax of Python's `re`, with Python's matches, in time linear in the
//! text.
//!
//! ```
//! use lexpool_regex::{Pattern, flags};
//!
//! let hyphen = Pattern::new(r"(?<=[a-z])-(?=[a-z])", flags::UNICODE)?;
//! let mut matcher = hyphen.matcher();
//! let mut matches = Vec::new();
//! matcher.find_all("mother-in-law", &mut matches)?;
//! assert_eq!(matches, [(6, 7), (9, 10)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | type | purpose |
//! | --- | --- |
//! | [`Pattern`] | a compiled expression; cheap to clone, shared by threads |
//! | [`Matcher`] | a pattern with the DFA states that one thread has built: `search`, `find_all` |
//! | [`flags`] | Python's flags |
//! | [`EngineReport`] | the engine that a pattern runs on, and its size |
//! | [`PatternError`] | a pattern that Python's `re` rejects, or that exceeds a limit |
//! | [`LimitError`] | a search that exceeded its budget of steps or memory |
//!
//! # Syntax and semantics
//!
//! The syntax and the choice among matches are those of Python 3.11's `re.compile`, `re.search`,
//! `re.finditer` and `re.match`: leftmost, then the first alternative, as a backtracker prefers;
//! `$` matches before a final newline; `\d`, `\s`, `\w` and case folding follow Python's tables for
//! one pinned version of Unicode (`lexpool-chars`). Look-around of bounded width runs on the
//! automata. Back-references, conditionals and atomic groups run on a backtracker. Captures are
//! parsed, but their positions are not reported. `\N{...}` is rejected, because it needs the table
//! of Unicode names.
//!
//! One difference from Python remains. If the body of a repetition can match the empty string in
//! several ways, or contains another such repetition, Python's backtracking may prefer a shorter
//! match than the automata do.
//!
//! # Implementation
//!
//! - `parse` reads the syntax into a tree (`ast`); `charset` and `case_folding` compute the sets of
//!   characters.
//! - `alphabet` divides Unicode into the equivalence classes that the pattern distinguishes (byte
//!   classes in `regex-automata`).
//! - `compiler` compiles the tree to an NFA (`nfa`) by Thompson's construction. Look-arounds of one
//!   character become assertions on two adjacent symbols; wider ones (`look_set`) run on a DFA of
//!   their own.
//! - `lazy_dfa` reads forward from a given start. A DFA state is a priority list of NFA states, as
//!   in Pike's VM, and is built by subset construction when a text first reaches it; `transitions`
//!   is its table.
//! - `reverse_dfa` finds all starts of matches in one pass from the end of the text, and the ends
//!   by a walk over live NFA states (`live_set`).
//! - `backtrack` runs a pattern that is not regular on `fancy-regex` (printed by `printer`), under
//!   a step budget.
//!
//! # Limits
//!
//! On the automata a search takes time linear in the text. The table of a lazy DFA is bounded: a
//! full forward DFA is cleared and built again; a full reverse DFA ends the search with
//! [`LimitError`]. On the backtracker a search ends with [`LimitError`] after a million steps.
//! [`Pattern::new`] rejects more than 200 nested groups, and any pattern that exceeds both the
//! limit of 262,144 NFA states and the limits of the backtracker, one of which is 131,072
//! characters of a pattern with look-arounds, back-references or atomic groups.
//!
//! # References
//!
//! - Ken Thompson, "Regular Expression Search Algorithm", Communications of the ACM 11(6), 1968.
//! - Russ Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009, on Rob Pike's VM.
//! - Alain Frisch and Luca Cardelli, "Greedy Regular Expression Matching", ICALP 2004, for the two
//!   passes.
//! - The crate `regex-automata`, the model of the lazy DFA, its reverse and the limits of its
//!   tables.
//! - Python's documentation of `re`, and `Lib/re/_parser.py` of CPython 3.11.

#![forbid(unsafe_code)]

mod alphabet;
mod ast;
mod backtrack;
mod case_folding;
mod charset;
mod compiler;
mod error;
pub mod flags;
mod lazy_dfa;
mod live_set;
mod look_set;
mod matcher;
mod nfa;
mod parse;
mod pattern;
mod printer;
mod reverse_dfa;
mod reverse_edges;
mod stamp_set;
#[cfg(test)]
mod tests;
mod transitions;

pub use error::{LimitError, PatternError};
pub use matcher::Matcher;
pub use pattern::{EngineReport, Pattern};
