//! A tree with lifted arcs.

use crate::strings::StrId;

/// A token whose arc was lifted, its own label, and that of the head it was lifted from.
pub(super) struct LiftedToken {
    pub(super) token: usize,
    pub(super) label: StrId,
    pub(super) head_label: StrId,
}

/// A tree as a document has it.
#[derive(Clone, Debug)]
pub(super) struct LiftedTree {
    /// The head of each token; its own position for a root.
    pub(super) heads: Vec<usize>,
    pub(super) labels: Vec<StrId>,
    /// The first and the last token below each, itself included. A token outside of the edges of
    /// its head is not found from there.
    pub(super) edges: Vec<(usize, usize)>,
    /// Tokens that are not looked at, nor what is below them.
    pub(super) is_space: Vec<bool>,
}
