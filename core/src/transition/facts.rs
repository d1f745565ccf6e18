//! The facts that a parse of a document starts from.

use std::sync::Arc;

use lexpool_parse::transition::TokenFacts;
use lexpool_structs::AttrId;

use crate::strings::StrId;
use crate::tokens::Doc;

/// Reads the facts of a document's tokens as they are now. Cost: one pass over its tokens.
///
/// ```
/// use lexpool::tokens::Doc;
/// use lexpool::transition::token_facts;
/// use lexpool::vocab::{Getters, Vocab};
///
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = Doc::from_words(&vocab, &[("Go", false), ("\n", false)])?;
/// let facts = token_facts(&doc);
/// assert_eq!((facts[0].is_space, facts[1].is_space), (false, true));
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn token_facts(doc: &Doc) -> Arc<[TokenFacts]> {
    doc.iter()
        .map(|token| TokenFacts {
            ent_type: StrId::new(token.entity_record().map_or(0, |record| record.ent_type)),
            sent_start: token.record().sent_start(),
            ent_iob: token.record().ent_iob(),
            is_space: token.attr(AttrId::IS_SPACE) != 0,
        })
        .collect()
}
