//! What moves ask of a token.

use std::sync::Arc;

use lexpool_structs::AttrId;

use crate::strings::StrId;
use crate::tokens::Doc;

/// What a document says of a token before it is parsed, as far as moves respect it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenFacts {
    /// The type of the preset entity that the token belongs to.
    pub ent_type: StrId,
    /// Whether a sentence starts here: 1 it does, -1 it does not, 0 unknown.
    pub sent_start: i8,
    /// The place in a preset entity: 0 unknown, 1 inside, 2 outside, 3 begins one, or is blocked
    /// where there is no type.
    pub ent_iob: u8,
    /// Whether the token is whitespace.
    pub is_space: bool,
}

impl TokenFacts {
    /// Takes the facts of a document as it is now. Cost: one pass over its tokens.
    ///
    /// ```
    /// use lexpool::tokens::Doc;
    /// use lexpool::transition::TokenFacts;
    /// use lexpool::vocab::{Getters, Vocab};
    /// let vocab = Vocab::new(Getters::native("en"))?;
    /// let doc = Doc::from_words(&vocab, &[("Go", false), ("\n", false)])?;
    /// let facts = TokenFacts::of(&doc);
    /// assert_eq!((facts[0].is_space, facts[1].is_space), (false, true));
    /// # Ok::<(), lexpool::Error>(())
    /// ```
    pub fn of(doc: &Doc) -> Arc<[TokenFacts]> {
        doc.iter()
            .map(|token| TokenFacts {
                ent_type: StrId::new(token.entity_record().map_or(0, |record| record.ent_type)),
                sent_start: token.record().sent_start(),
                ent_iob: token.record().ent_iob(),
                is_space: token.attr(AttrId::IS_SPACE) != 0,
            })
            .collect()
    }
}
