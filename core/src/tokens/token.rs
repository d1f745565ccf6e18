//! Tokens: views of single records of a document.

use std::fmt;

use lexpool_structs::{AttrId, EntityC, SyntaxC, TagC, TokenC};

use super::doc::Doc;
use crate::strings::StrId;
use crate::vocab::{LexIx, LexemeCell};

/// The position of a token in its document, or the position after the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct TokenIx(u32);

impl TokenIx {
    /// Converts a position. A document has fewer than 2^30 tokens, as it has fewer characters.
    pub(crate) fn new(i: usize) -> TokenIx {
        TokenIx(u32::try_from(i).expect("a token's position is within a document"))
    }

    /// Returns the position as a number.
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

impl Doc {
    /// Returns the token at a position, or `None` beyond the end.
    pub fn token(&self, i: usize) -> Option<Token<'_>> {
        (i < self.len()).then(|| Token::new(self, TokenIx::new(i)))
    }

    /// Returns all tokens in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Token<'_>> + DoubleEndedIterator {
        (0..self.len()).map(|i| Token::new(self, TokenIx::new(i)))
    }
}

/// A token of a document: a reference to the document and a position, cheap to copy.
///
/// ```
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let doc = Tokenizer::blank("en")?.tokenize("She isn't here.")?;
/// let token = doc.token(2).unwrap();
/// assert_eq!((token.text(), token.idx(), token.i()), ("n't", 6, 2));
/// assert_eq!((token.text_with_ws(), token.text_of(AttrId::NORM)), ("n't ", "not"));
/// assert_eq!(doc.iter().filter(|token| token.attr(AttrId::IS_PUNCT) == 1).count(), 1);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Token<'a> {
    doc: &'a Doc,
    ix: TokenIx,
}

impl<'a> Token<'a> {
    pub(crate) fn new(doc: &'a Doc, ix: TokenIx) -> Token<'a> {
        debug_assert!(ix.get() < doc.len());
        Token { doc, ix }
    }

    /// Returns the document.
    pub fn doc(&self) -> &'a Doc {
        self.doc
    }

    /// Returns the position in the document.
    pub fn i(&self) -> usize {
        self.ix.get()
    }

    /// Returns the record.
    pub fn record(&self) -> &'a TokenC {
        &self.doc.tokens()[self.i()]
    }

    /// Returns the token's tag record, or `None` if the document has no tags.
    pub fn tag_record(&self) -> Option<&'a TagC> {
        self.doc.tag_records().map(|tags| &tags[self.i()])
    }

    /// Returns the token's syntax record, or `None` if the document has no tree.
    pub fn syntax_record(&self) -> Option<&'a SyntaxC> {
        self.doc.syntax_records().map(|syntax| &syntax[self.i()])
    }

    /// Returns the token's entity record, or `None` if the document has no entities.
    pub fn entity_record(&self) -> Option<&'a EntityC> {
        self.doc.entity_records().map(|entities| &entities[self.i()])
    }

    /// Returns the character offset of the token in the text.
    pub fn idx(&self) -> usize {
        self.record().idx as usize
    }

    /// Returns the character offset of the token's end, its trailing space not included.
    pub fn end_char(&self) -> usize {
        self.doc.end_char(self.i())
    }

    /// Returns the token's text, a slice of the document's text.
    pub fn text(&self) -> &'a str {
        &self.doc.text()[self.record().byte as usize..self.doc.end_byte(self.i())]
    }

    /// Returns the text with the space that follows, if any.
    pub fn text_with_ws(&self) -> &'a str {
        let end = self.doc.end_byte(self.i()) + usize::from(self.record().spacy());
        &self.doc.text()[self.record().byte as usize..end]
    }

    /// Returns `" "` if a space follows, else `""`.
    pub fn whitespace(&self) -> &'static str {
        if self.record().spacy() { " " } else { "" }
    }

    /// Returns the number of characters.
    pub fn len(&self) -> usize {
        self.end_char() - self.idx()
    }

    /// Returns `false`: a token has at least one character.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Returns the index of the token's lexeme.
    pub fn lex_ix(&self) -> LexIx {
        LexIx::from_raw(self.record().lex)
    }

    /// Returns the token's lexeme.
    pub fn lex(&self) -> &'a LexemeCell {
        let cell = self.doc.snapshot().cell(self.lex_ix());
        cell.expect("a document keeps the vocab and the zone of its tokens alive")
    }

    /// Returns the norm of the token: the one that was set or that a special case gave, else its
    /// lexeme's.
    pub fn norm(&self) -> StrId {
        if let Some(set) = self.tag_record().map(|record| record.norm).filter(|norm| *norm != 0) {
            return StrId::new(set);
        }
        let token_norm = self.doc.snapshot().norm(self.record().norm_ix());
        token_norm.unwrap_or_else(|| StrId::new(self.lex().attr(AttrId::NORM)))
    }

    /// Returns the string of an attribute whose value is a string id; empty if it is unset.
    pub fn text_of(&self, attr: AttrId) -> &'a str {
        if attr == AttrId::ORTH {
            return self.text();
        }
        self.doc.snapshot().string(StrId::new(self.attr(attr))).unwrap_or_default()
    }
}

impl fmt::Debug for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:?}", self.i(), self.text())
    }
}
