//! Compiled dependency patterns, whose nodes are numbers of a [`NodeTable`](super::node_table).

use super::pattern::Link;
use crate::strings::StrId;

/// A dependency pattern whose nodes are numbers.
pub(super) struct CompiledPattern {
    pub(super) key: StrId,
    /// The number of the first node.
    pub(super) anchor: u32,
    pub(super) links: Vec<CompiledLink>,
}

/// A node after the anchor, with its link to an earlier node.
pub(super) struct CompiledLink {
    /// The position of the earlier node in the pattern.
    pub(super) left: usize,
    pub(super) link: Link,
    /// The number of the node.
    pub(super) node: u32,
}

impl CompiledPattern {
    /// Returns the numbers of all nodes, in the order of the pattern.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.anchor).chain(self.links.iter().map(|link| link.node))
    }
}
