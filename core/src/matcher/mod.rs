//! Search for token patterns, phrases and dependency patterns in documents.
//!
//! - [`Matcher`] finds all matches of token patterns. A [`Pattern`] is a sequence of elements, each
//!   with conditions ([`Test`]) on a token and an operator such as `+`. Overlapping matches of a
//!   key can be reduced to the first or the longest ones ([`Greedy`]).
//! - [`PhraseMatcher`] finds fixed sequences of one attribute's ids, any number of them at once, by
//!   a radix trie (`phrases`).
//! - [`DependencyMatcher`] finds tokens whose places in the dependency tree fit a pattern of linked
//!   nodes (`dependency`).
//! - [`Rule`] and [`Ruler`] read and run pattern files of spaCy's `EntityRuler` (`rules`).
//!
//! All token patterns of a matcher run together:
//!
//! | module | contents |
//! |---|---|
//! | `pattern`, `nfa` | a pattern as a chain of NFA steps; the transition function of that NFA |
//! | `program` | all patterns of a matcher, compiled; which of them can start at a token |
//! | `conditions`, `text_tests` | the distinct conditions of all patterns, by number |
//! | `token_classes`, `lexeme_cache` | a token's class: the set of conditions that it fulfils |
//! | `lazy_dfa` | a DFA over token classes, built lazily by subset construction |
//! | `pike_vm` | the slower simulation of the NFA, for alignments and for questions to the caller |
//! | `token_matcher` | [`Matcher`], which chooses between the two |

mod builder;
mod conditions;
mod dependency;
mod greedy;
mod idle;
mod keyed_list;
mod lazy_dfa;
mod levenshtein;
mod lexeme_cache;
mod limits;
mod matches;
mod nfa;
mod pattern;
mod phrases;
mod pike_vm;
mod program;
mod rules;
mod test;
mod text_tests;
mod token_classes;
mod token_match;
mod token_matcher;

pub use builder::MatcherBuilder;
pub use dependency::{
    DependencyMatch, DependencyMatcher, DependencyMatches, DependencyPattern, Link, WideNode,
};
pub use greedy::Greedy;
pub use levenshtein::{is_similar, is_similar_with, levenshtein, levenshtein_with};
pub use matches::{DocMatch, Matches, Sink, find_many};
pub use pattern::Pattern;
pub use phrases::{PhraseList, PhraseMatch, PhraseMatcher};
pub(crate) use rules::compile;
pub use rules::{PatternError, PatternErrors, Rule, RuleMatch, RulePattern, Ruler, TokenPattern};
pub use test::{Comparison, IdSet, Number, Relation, Test, TextTest};
pub use token_match::{Match, Question};
pub use token_matcher::Matcher;
