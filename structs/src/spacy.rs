//! spaCy's own layout of a token, for code that is compiled against it.

use crate::record::record;

record! {
    /// A token as spaCy 3.8 lays it out (`TokenC` in `spacy/structs.pxd`), on machines with
    /// addresses of 64 bits.
    pub struct SpacyTokenC: 120 bytes {
        /// Address of the word's `LexemeC`.
        lex: u64 @ 0,
        /// Key of the morphological analysis.
        morph: u64 @ 8,
        /// Universal part of speech, by its symbol number.
        pos: u32 @ 16,
        /// 1 when a space follows.
        spacy: i32 @ 20,
        /// String id of the tag.
        tag: u64 @ 24,
        /// Offset of the first character in the text.
        idx: i32 @ 32,
        /// Zero.
        pad0: u32 @ 36,
        /// String id of the lemma.
        lemma: u64 @ 40,
        /// String id of the norm set on the token; 0 leaves it to the lexeme.
        norm: u64 @ 48,
        /// The head's position minus this token's; 0 for a root.
        head: i32 @ 56,
        /// Zero.
        pad1: u32 @ 60,
        /// String id of the relation to the head.
        dep: u64 @ 64,
        /// Number of children to the left.
        l_kids: u32 @ 72,
        /// Number of children to the right.
        r_kids: u32 @ 76,
        /// Position of the leftmost token of the subtree.
        l_edge: u32 @ 80,
        /// Position of the rightmost token of the subtree.
        r_edge: u32 @ 84,
        /// 1 where a sentence starts, -1 where none does, 0 unknown.
        sent_start: i32 @ 88,
        /// Place in an entity: 0 unset, 1 inside, 2 outside, 3 begins one.
        ent_iob: i32 @ 92,
        /// String id of the entity's type.
        ent_type: u64 @ 96,
        /// String id in the knowledge base.
        ent_kb_id: u64 @ 104,
        /// String id of the entity itself.
        ent_id: u64 @ 112,
    }
}
