//! A token: a view on one record of a document.

use std::fmt;

use lexpool_structs::{AttrId, TokenC};

use super::Doc;
use crate::strings::StrId;
use crate::vocab::{LexIx, LexemeCell};

/// The position of a token in its document, or of the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct TokenIx(u32);

impl TokenIx {
    /// A document never has more tokens than characters, hence fewer than 2^30.
    pub(crate) fn new(i: usize) -> TokenIx {
        TokenIx(u32::try_from(i).expect("a token's position is within a document"))
    }

    /// The number.
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// A token of a document. Copying it costs nothing; it borrows the document.
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

    /// The document.
    pub fn doc(&self) -> &'a Doc {
        self.doc
    }

    /// The position in the document.
    pub fn i(&self) -> usize {
        self.ix.get()
    }

    /// The record.
    pub fn record(&self) -> &'a TokenC {
        &self.doc.tokens()[self.i()]
    }

    /// The character offset of the token in the text.
    pub fn idx(&self) -> usize {
        self.record().idx as usize
    }

    /// The character offset of the token's end, its trailing space not included.
    pub fn end_char(&self) -> usize {
        self.doc.end_char(self.i())
    }

    /// The token's text, cut from the document's own.
    pub fn text(&self) -> &'a str {
        &self.doc.text()[self.record().byte as usize..self.doc.end_byte(self.i())]
    }

    /// The text with the space that follows, if any.
    pub fn text_with_ws(&self) -> &'a str {
        let end = self.doc.end_byte(self.i()) + usize::from(self.record().spacy());
        &self.doc.text()[self.record().byte as usize..end]
    }

    /// `" "` if a space follows, else `""`.
    pub fn whitespace(&self) -> &'static str {
        if self.record().spacy() { " " } else { "" }
    }

    /// How many characters the token has.
    pub fn len(&self) -> usize {
        self.end_char() - self.idx()
    }

    /// Never; a token has at least one character. Here because there is a `len`.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The position of the token's lexeme.
    pub fn lex_ix(&self) -> LexIx {
        LexIx::from_raw(self.record().lex)
    }

    /// The token's lexeme.
    pub fn lex(&self) -> &'a LexemeCell {
        let cell = self.doc.snapshot().cell(self.lex_ix());
        cell.expect("a document holds the vocab and the zone of its tokens")
    }

    /// The norm of the token: its own if one was set or a special case gave one, else its lexeme's.
    pub fn norm(&self) -> StrId {
        if let Some(set) = self.tag_record().map(|record| record.norm).filter(|norm| *norm != 0) {
            return StrId::new(set);
        }
        let own = self.doc.snapshot().norm(self.record().norm_ix());
        own.unwrap_or_else(|| StrId::new(self.lex().attr(AttrId::NORM)))
    }

    /// An attribute whose number is a string's id, as that string; empty if it is unset.
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
