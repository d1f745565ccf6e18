//! Phrases as sequences of ids, read from texts.

use lexpool_structs::{AttrId, TokenC};

use super::search::AttrSource;
use crate::Result;
use crate::tokenizer::{ScannedText, Tokenizer};
use crate::vocab::{LexIx, VocabSnapshot};

/// Phrases as sequences of ids, in one array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhraseList {
    ids: Vec<u64>,
    ends: Vec<usize>,
}

impl PhraseList {
    /// Splits texts by a tokenizer and reads an attribute of their tokens.
    ///
    /// Cost: documents are made only for an attribute that lexemes do not have, and for norms that
    /// a segmenter may set.
    ///
    /// # Errors
    ///
    /// As for [`Tokenizer::tokenize`], with the number of the text.
    pub fn of_texts<S: AsRef<str>>(
        attr: AttrId,
        tokenizer: &Tokenizer,
        texts: &[S],
    ) -> Result<PhraseList> {
        let mut phrases = PhraseList::default();
        let source = AttrSource::of(attr);
        if source.needs_docs(tokenizer) {
            for (text, number) in texts.iter().zip(0..) {
                let doc = tokenizer.tokenize(text.as_ref());
                let doc = doc.map_err(|error| error.context(format_args!("text {number}")))?;
                phrases.push(doc.iter().map(|token| token.attr(attr)))?;
            }
            return Ok(phrases);
        }
        tokenizer.scan(texts.iter().map(AsRef::as_ref).enumerate(), &mut |scanned| {
            let ScannedText { snapshot, tokens, .. } = scanned;
            phrases.push(tokens.iter().map(|token| id_of(snapshot, token, attr, source)))
        })?;
        Ok(phrases)
    }

    /// Appends a phrase.
    ///
    /// # Errors
    ///
    /// `out-of-memory`; nothing is appended then.
    pub fn push(&mut self, phrase: impl ExactSizeIterator<Item = u64>) -> Result<()> {
        self.ids.try_reserve(phrase.len())?;
        self.ends.try_reserve(1)?;
        self.ids.extend(phrase);
        self.ends.push(self.ids.len());
        Ok(())
    }

    /// Returns the phrases in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let phrase = &self.ids[start..*end];
            start = *end;
            phrase
        })
    }
}

/// Returns the attribute of a token that a tokenizer has just produced, for a source other than
/// [`AttrSource::Doc`].
fn id_of(snapshot: &VocabSnapshot, token: &TokenC, attr: AttrId, source: AttrSource) -> u64 {
    if source == AttrSource::Norm {
        if let Some(norm) = snapshot.norm(token.norm_ix()) {
            return norm.get();
        }
    }
    snapshot.cell(LexIx::from_raw(token.lex)).map_or(0, |cell| cell.attr(attr))
}
