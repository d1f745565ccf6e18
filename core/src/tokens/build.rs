//! A document put together from words whose lexemes are known.

use lexpool_pool::RecordBuffer;
use lexpool_structs::TokenC;

use super::Doc;
use super::doc::check_size;
use crate::vocab::{LexIx, VocabSnapshot};
use crate::{Error, Result};

/// Words so far, and the text that they make.
#[derive(Default)]
pub(crate) struct Builder {
    tokens: Vec<TokenC>,
    text: String,
    chars: usize,
}

impl Builder {
    pub(crate) fn with_capacity(words: usize, bytes: usize) -> Builder {
        Builder { tokens: Vec::with_capacity(words), text: String::with_capacity(bytes), chars: 0 }
    }

    /// Puts a word of that many characters after the others. `lex` is its lexeme, in the snapshot that
    /// the document will have.
    pub(crate) fn push(&mut self, lex: LexIx, word: &str, chars: usize, space: bool) -> Result<()> {
        debug_assert_eq!(word.chars().count(), chars);
        if chars == 0 {
            let text =
                format!("word {} is empty; a token has at least one character", self.tokens.len());
            return Err(Error::value("E031", text));
        }
        let (idx, byte) = check_size(self.chars, self.text.len())?;
        self.tokens.push(TokenC { lex: lex.to_raw(), idx, byte, facts: 0 }.with_spacy(space));
        self.text.push_str(word);
        self.chars += chars;
        if space {
            self.text.push(' ');
            self.chars += 1;
        }
        Ok(())
    }

    /// The document. Its first token starts a sentence, of the others nothing is known.
    pub(crate) fn finish(mut self, snapshot: VocabSnapshot) -> Result<Doc> {
        check_size(self.chars, self.text.len())?;
        if let Some(first) = self.tokens.first_mut() {
            first.set_sent_start(1);
        }
        let buffer = RecordBuffer::adopt(self.tokens, self.text.into_bytes())?;
        Ok(Doc::from_buffer(snapshot, buffer, None))
    }
}
