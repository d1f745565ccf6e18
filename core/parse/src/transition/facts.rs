//! Facts about a token that moves depend on.

use lexpool_structs::StrId;

/// Annotation that a token has before it is parsed, as far as moves respect it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenFacts {
    /// The type of the preset entity that the token belongs to.
    pub ent_type: StrId,
    /// Sentence start: 1 the token starts one, -1 it does not, 0 unknown.
    pub sent_start: i8,
    /// Position in a preset entity: 0 unknown, 1 inside, 2 outside, 3 begins one, or is blocked if
    /// the type is empty.
    pub ent_iob: u8,
    /// True for a whitespace token.
    pub is_space: bool,
}
