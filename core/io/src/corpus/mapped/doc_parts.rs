//! The parts of one document in the memory of a batch.

use lexpool_structs::{EntityC, SyntaxC, TagC, TokenC};

/// Text, tokens and annotation of one document, borrowed from a batch.
pub(super) struct DocParts<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [TokenC],
    pub(super) tags: Option<&'a [TagC]>,
    pub(super) syntax: Option<&'a [SyntaxC]>,
    pub(super) entities: Option<&'a [EntityC]>,
}
