//! One document from several.

use std::sync::Arc;

use lexpool_structs::AttrId;

use super::{Doc, to_array};
use crate::{Error, Result};

/// Several documents, one after another, and where each begins.
pub struct Joined {
    /// The new document.
    pub doc: Doc,
    /// For each document given, the character offset of its start in the new one.
    pub offsets: Vec<usize>,
}

impl Doc {
    /// A document of the tokens of several, with copies of some of their attributes.
    ///
    /// With `ensure_whitespace` a space is put after each document but the last, where its last
    /// token neither is a space nor has one. None for no documents.
    ///
    /// # Errors
    ///
    /// `E999` unless all share one vocab; `E025` when the text grows too long.
    pub fn join(
        docs: &[&Doc],
        ensure_whitespace: bool,
        attrs: &[AttrId],
    ) -> Result<Option<Joined>> {
        let Some((first, rest)) = docs.split_first() else { return Ok(None) };
        if rest.iter().any(|doc| !Arc::ptr_eq(doc.vocab(), first.vocab())) {
            let text = "the documents have different vocabs; those of one vocab can be joined";
            return Err(Error::value("E999", text));
        }
        let mut words: Vec<(&str, bool)> = Vec::new();
        let mut offsets = Vec::with_capacity(docs.len());
        let mut rows = Vec::new();
        let mut chars = 0;
        for (at, doc) in docs.iter().enumerate() {
            offsets.push(chars);
            words.extend(doc.iter().map(|token| (token.text(), token.record().spacy())));
            rows.extend(to_array(doc, attrs));
            chars += doc.char_bounds(doc.len(), doc.len()).0;
            let last = doc.iter().next_back().filter(|_| ensure_whitespace && at < rest.len());
            if let Some(last) = last {
                let has_space = last.record().spacy() || last.lex().attr(AttrId::IS_SPACE) != 0;
                if let (false, Some(word)) = (has_space, words.last_mut()) {
                    word.1 = true;
                    chars += 1;
                }
            }
        }
        let spaces: Vec<bool> = words.iter().map(|(_, space)| *space).collect();
        let mut doc = Doc::from_words(first.vocab(), &words)?;
        doc.from_array(attrs, &rows)?;
        // The rows may say otherwise of the spaces that were put in.
        doc.set_spaces(&spaces)?;
        Ok(Some(Joined { doc, offsets }))
    }
}
