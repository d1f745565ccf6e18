//! Search for dependency patterns: tokens whose places in the dependency tree fit linked nodes.
//!
//! A [`DependencyPattern`] (`pattern`) has nodes, each with a token pattern, and a [`Link`] from
//! each node to an earlier one. The token patterns of all nodes are searched at once by a token
//! matcher (`node_table`). The tokens found are grouped by tree (`trees`) and joined (`search`): a
//! bottom-up semi-join pass removes candidates without a partner, as in the algorithm of Yannakakis
//! (1981) for acyclic joins, so that the enumeration of matches never reaches a dead end.
#![forbid(unsafe_code)]

mod compiled;
mod dependency_match;
mod dependency_matcher;
mod node_table;
mod pattern;
mod search;
mod trees;

pub use dependency_match::{DependencyMatch, DependencyMatches, WideNode};
pub use dependency_matcher::DependencyMatcher;
pub use pattern::{DependencyPattern, Link};
