//! Building a document from words.

use std::sync::Arc;

use lexpool_pool::RecordBuffer;
use lexpool_structs::TokenC;

use super::doc::{Doc, check_size};
use crate::codes;
use crate::fallible;
use crate::vocab::{LexIx, Vocab, VocabSnapshot};
use crate::{Error, Result};

/// Appends words to a text and to the records of its tokens.
#[derive(Default)]
pub(crate) struct DocBuilder {
    tokens: Vec<TokenC>,
    text: String,
    chars: usize,
}

impl DocBuilder {
    pub(crate) fn with_capacity(words: usize, bytes: usize) -> Result<DocBuilder> {
        Ok(DocBuilder { tokens: fallible::list(words)?, text: fallible::text(bytes)?, chars: 0 })
    }

    /// Appends a word of `chars` characters. `lex` is its lexeme in the snapshot that the document
    /// will have.
    pub(crate) fn push(&mut self, lex: LexIx, word: &str, chars: usize, space: bool) -> Result<()> {
        debug_assert_eq!(word.chars().count(), chars);
        if chars == 0 {
            let text =
                format!("word {} is empty; a token has at least one character", self.tokens.len());
            return Err(Error::value(codes::E031, text));
        }
        let (idx, byte) = check_size(self.chars, self.text.len())?;
        let token = TokenC { lex: lex.to_raw(), idx, byte, facts: 0 }.with_spacy(space);
        self.text.try_reserve(word.len() + 1)?;
        fallible::push(&mut self.tokens, token)?;
        self.text.push_str(word);
        self.chars += chars;
        if space {
            self.text.push(' ');
            self.chars += 1;
        }
        Ok(())
    }

    /// Returns the document. Its first token starts a sentence; of the others nothing is known.
    pub(crate) fn finish(mut self, snapshot: impl Into<Arc<VocabSnapshot>>) -> Result<Doc> {
        check_size(self.chars, self.text.len())?;
        if let Some(first) = self.tokens.first_mut() {
            first.set_sent_start(1);
        }
        let buffer = RecordBuffer::from_vecs(self.tokens, self.text.into_bytes())?;
        Ok(Doc::from_buffer(snapshot, buffer, None))
    }
}

impl Doc {
    /// Creates a document from words, each with whether a space follows it.
    ///
    /// # Errors
    ///
    /// `E031` if a word is empty; `E025` if the text has more than [`MAX_CHARS`](super::MAX_CHARS)
    /// characters or 4 GiB; `pool-out-of-memory`.
    pub fn from_words<S: AsRef<str>>(vocab: &Arc<Vocab>, words: &[(S, bool)]) -> Result<Doc> {
        let words = words.iter().map(|(word, space)| Ok((word.as_ref(), *space)));
        Doc::try_from_words(vocab, words)
    }

    /// Creates a document from words that are made one by one, each with whether a space follows
    /// it.
    ///
    /// # Errors
    ///
    /// The first one of `words`, and those of [`from_words`](Doc::from_words).
    pub fn try_from_words<S: AsRef<str>, E: From<Error>>(
        vocab: &Arc<Vocab>,
        words: impl Iterator<Item = std::result::Result<(S, bool), E>>,
    ) -> std::result::Result<Doc, E> {
        /// Bytes of an average word with its space.
        const WORD: usize = 6;
        let snapshot = vocab.snapshot();
        let count = words.size_hint().0;
        let mut doc = DocBuilder::with_capacity(count, count * WORD)?;
        for word in words {
            let (word, space) = word?;
            let word = word.as_ref();
            doc.push(snapshot.enter(word)?, word, word.chars().count(), space)?;
        }
        Ok(doc.finish(snapshot)?)
    }
}
