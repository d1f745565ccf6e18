//! The records of the annotation columns: three arrays beside the tokens, each allocated by its
//! first write.
//!
//! Zeros stand for unknown values, except that a token without a tree is its own subtree: both
//! edges of its [`SyntaxC`] are its own position. The code that allocates the array sets them.

use crate::record::record;

record! {
    /// The word-level annotation of one token.
    pub struct TagC: 40 bytes {
        /// String id of the fine-grained tag.
        tag: u64 @ 0,
        /// String id of the lemma.
        lemma: u64 @ 8,
        /// String id of the norm set on this token; 0 leaves the choice to the lexeme.
        norm: u64 @ 16,
        /// Key of the morphological analysis.
        morph: u64 @ 24,
        /// Universal part of speech, by its symbol number; 0 when unset.
        pos: u32 @ 32,
        /// Every bit is reserved and zero.
        flags: u32 @ 36,
    }
}

record! {
    /// The place of one token in the dependency tree. All token positions are in the same document.
    pub struct SyntaxC: 32 bytes {
        /// String id of the relation to the head.
        dep: u64 @ 0,
        /// The head's position minus this token's; 0 for a root.
        head: i32 @ 8,
        /// Number of children to the left.
        l_kids: u32 @ 12,
        /// Number of children to the right.
        r_kids: u32 @ 16,
        /// Position of the leftmost token of the subtree.
        l_edge: u32 @ 20,
        /// Position of the rightmost token of the subtree.
        r_edge: u32 @ 24,
        /// Every bit is reserved and zero.
        flags: u32 @ 28,
    }
}

record! {
    /// The entity that one token belongs to; whether it begins one stands in the token's facts.
    pub struct EntityC: 24 bytes {
        /// String id of the entity's type.
        ent_type: u64 @ 0,
        /// String id in the knowledge base.
        ent_kb_id: u64 @ 8,
        /// String id of the entity itself, as a rule gave it.
        ent_id: u64 @ 16,
    }
}
