//! Matches of dependency patterns.

use std::ops::Range;

use crate::strings::StrId;

/// A match of a dependency pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependencyMatch {
    /// The key under which the pattern was added.
    pub key: StrId,
    /// The token of each node, in the order of the nodes.
    pub tokens: Vec<usize>,
}

/// The result of [`DependencyMatcher::find`](super::DependencyMatcher::find).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyMatches {
    /// The matches, sorted by the order in which keys were first added, then by pattern, by tree
    /// and by the tokens of the nodes.
    pub matches: Vec<DependencyMatch>,
    /// The nodes that matched several consecutive tokens, each with its first such match.
    pub wide: Vec<WideNode>,
}

/// A node that matched several consecutive tokens, of which the first stands for the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WideNode {
    /// The key of the pattern.
    pub key: StrId,
    /// The position of the pattern among those of the key.
    pub pattern: usize,
    /// The position of the node in the pattern.
    pub node: usize,
    /// The matched tokens.
    pub tokens: Range<usize>,
}
