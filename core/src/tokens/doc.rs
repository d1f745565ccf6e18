//! The document: a text, its tokens, and what holds both.
//!
//! Holds unsafe code: the bytes of the text, which came from a `str`, are read as one unchecked.

use std::fmt;
use std::sync::Arc;

use lexpool_pool::RecordBuffer;
use lexpool_structs::TokenC;

use super::facets::AnnotationColumns;
use super::retired::{Pin, Pins};
use super::{Builder, ForeignText, Span, Token, TokenIx};
use crate::vocab::{Vocab, VocabSnapshot};
use crate::{Error, ErrorKind, Result};

/// The most characters that a text may have, as in spaCy.
pub const MAX_CHARS: usize = (1 << 30) - 1;

/// A tokenized text.
///
/// A fresh document costs 16 bytes a token, and its text unless that is borrowed; annotation lies
/// in arrays that its first write makes. Tokens tile the text: each begins where the one before it,
/// with its trailing space, has ended. So the text of any token or span is a slice of the document's
/// own text, whatever the string store says.
///
/// ```
/// use lexpool::tokens::Doc;
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = Doc::from_words(&vocab, &[("Hello", false), (",", true), ("world", false)])?;
/// assert_eq!(doc.text(), "Hello, world");
/// assert_eq!(doc.token(2).unwrap().idx(), 7);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct Doc {
    snapshot: VocabSnapshot,
    pub(super) buffer: RecordBuffer<TokenC>,
    pub(super) foreign: Option<ForeignText>,
    /// As long as the tokens, each of them; heads and edges point into the document.
    pub(super) facets: Option<Box<AnnotationColumns>>,
    pub(super) generation: u32,
    /// The pins of those who look at the arrays by address.
    pub(super) pins: Pins,
    has_unknown_spaces: bool,
}

impl Doc {
    /// A document without text.
    pub fn empty(vocab: &Arc<Vocab>) -> Doc {
        Doc::from_buffer(vocab.snapshot(), RecordBuffer::default(), None)
    }

    /// A document from words, each with whether a space follows it.
    ///
    /// # Errors
    ///
    /// `E031` for an empty word; when the text grows over [`MAX_CHARS`] characters or 4 GiB; when
    /// memory runs out.
    pub fn from_words<S: AsRef<str>>(vocab: &Arc<Vocab>, words: &[(S, bool)]) -> Result<Doc> {
        let snapshot = vocab.snapshot();
        let bytes = words.iter().map(|(word, space)| word.as_ref().len() + usize::from(*space));
        let mut doc = Builder::with_capacity(words.len(), bytes.sum());
        for (word, space) in words {
            let word = word.as_ref();
            doc.push(snapshot.enter(word)?, word, word.chars().count(), *space)?;
        }
        doc.finish(snapshot)
    }

    /// Puts together what a tokenizer has made; the tokens must tile the text.
    pub(crate) fn from_buffer(
        snapshot: VocabSnapshot,
        buffer: RecordBuffer<TokenC>,
        foreign: Option<ForeignText>,
    ) -> Doc {
        debug_assert!(std::str::from_utf8(buffer.bytes()).is_ok());
        Doc {
            snapshot,
            buffer,
            foreign,
            facets: None,
            generation: 0,
            pins: Pins::default(),
            has_unknown_spaces: false,
        }
    }

    /// A copy with memory of its own.
    ///
    /// # Errors
    ///
    /// When memory runs out.
    pub fn try_clone(&self) -> Result<Doc> {
        let buffer = RecordBuffer::adopt(self.tokens().to_vec(), self.text().as_bytes().to_vec())?;
        let mut copy = Doc::from_buffer(self.snapshot.clone(), buffer, None);
        copy.facets = self.facets_copied()?;
        copy.has_unknown_spaces = self.has_unknown_spaces;
        Ok(copy)
    }

    /// The vocab, with the zone in which the document was made.
    pub fn snapshot(&self) -> &VocabSnapshot {
        &self.snapshot
    }

    /// The vocab.
    pub fn vocab(&self) -> &Arc<Vocab> {
        self.snapshot.vocab()
    }

    /// The text, trailing spaces included. Cost: none.
    pub fn text(&self) -> &str {
        match &self.foreign {
            Some(foreign) => foreign.as_str(),
            // SAFETY: `from_buffer` is given the bytes of a `str` or none.
            None => unsafe { std::str::from_utf8_unchecked(self.buffer.bytes()) },
        }
    }

    /// The owner of the text, if the document has borrowed it.
    pub fn foreign_text(&self) -> Option<&ForeignText> {
        self.foreign.as_ref()
    }

    /// The records, contiguous and at an address that stays for as long as the document lives.
    pub fn tokens(&self) -> &[TokenC] {
        self.buffer.records()
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens().len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.tokens().is_empty()
    }

    /// Whether nobody said which words are followed by spaces.
    pub fn has_unknown_spaces(&self) -> bool {
        self.has_unknown_spaces
    }

    /// The same document, marked as of unknown spacing.
    #[must_use]
    pub fn with_unknown_spaces(mut self) -> Doc {
        self.has_unknown_spaces = true;
        self
    }

    /// Says whether nobody knows which words are followed by spaces.
    pub fn set_unknown_spaces(&mut self, unknown: bool) {
        self.has_unknown_spaces = unknown;
    }

    /// A number that changes when tokens are merged or split. A position found before means another
    /// token afterwards.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Holds the arrays of this moment where they are while the document lives, also those that an edit
    /// replaces: for who gives out addresses.
    pub fn pin(&self) -> Pin {
        self.pins.pin()
    }

    /// The token at a position, or none beyond the end.
    pub fn token(&self, i: usize) -> Option<Token<'_>> {
        (i < self.len()).then(|| Token::new(self, TokenIx::new(i)))
    }

    /// All tokens in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Token<'_>> + DoubleEndedIterator {
        (0..self.len()).map(|i| Token::new(self, TokenIx::new(i)))
    }

    /// The tokens from `start` to before `end`.
    ///
    /// # Errors
    ///
    /// `E035` unless `start <= end <= len`.
    pub fn span(&self, start: usize, end: usize) -> Result<Span<'_>> {
        if start > end || end > self.len() {
            let len = self.len();
            let text = format!("no span {start}..{end} in a document of {len} tokens");
            return Err(Error::new(ErrorKind::Index, "E035", text));
        }
        Ok(Span::new(self, TokenIx::new(start), TokenIx::new(end)))
    }

    /// The character offsets of the tokens from `start` to before `end`; both those of the start if
    /// there are none.
    pub(super) fn char_bounds(&self, start: usize, end: usize) -> (usize, usize) {
        let from =
            match self.tokens().get(start) {
                Some(token) => token.idx as usize,
                None => self.tokens().len().checked_sub(1).map_or(0, |last| {
                    self.end_char(last) + usize::from(self.tokens()[last].spacy())
                }),
            };
        (from, if end > start { self.end_char(end - 1) } else { from })
    }

    /// Where a token's own text ends, in bytes.
    pub(super) fn end_byte(&self, i: usize) -> usize {
        let next = self.tokens().get(i + 1).map_or(self.text().len(), |next| next.byte as usize);
        next - usize::from(self.tokens()[i].spacy())
    }

    /// Where a token's own text ends, in characters. Cost: none, but for the last token the
    /// length of its text.
    pub(super) fn end_char(&self, i: usize) -> usize {
        let token = &self.tokens()[i];
        if let Some(next) = self.tokens().get(i + 1) {
            return next.idx as usize - usize::from(token.spacy());
        }
        let own = &self.text()[token.byte as usize..self.end_byte(i)];
        token.idx as usize + own.chars().count()
    }
}

/// The offsets of the next token as a record holds them.
pub(super) fn check_size(chars: usize, bytes: usize) -> Result<(u32, u32)> {
    match (u32::try_from(chars), u32::try_from(bytes)) {
        (Ok(idx), Ok(byte)) if chars <= MAX_CHARS => Ok((idx, byte)),
        _ => Err(text_too_long(chars)),
    }
}

pub(crate) fn text_too_long(chars: usize) -> Error {
    let text = format!(
        "the text has {chars} characters or more; the most is {MAX_CHARS} characters and 4 GiB of \
         UTF-8; cut it into parts, for example at paragraphs"
    );
    Error::value("E025", text)
}

impl fmt::Debug for Doc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|token| token.text().to_owned())).finish()
    }
}

impl fmt::Display for Doc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
