//! The tokens of one text, with or without a document.

use lexpool_structs::{AttrId, TagC, TokenC};

use lexpool::strings::StrId;
use lexpool::tokenizer::ScannedText;
use lexpool::tokens::Doc;
use lexpool::vocab::{LexIx, LexemeCell, LexemeField, VocabSnapshot};

/// The tokens of a row.
#[derive(Clone, Copy)]
pub(super) struct RowTokens<'a> {
    text: &'a str,
    snapshot: &'a VocabSnapshot,
    pub(super) tokens: &'a [TokenC],
    /// Records of annotation, whose norms replace those of words.
    tags: Option<&'a [TagC]>,
    /// The document, if there is one.
    pub(super) doc: Option<&'a Doc>,
}

impl<'a> RowTokens<'a> {
    pub(super) fn of_text(scanned: &ScannedText<'a>) -> RowTokens<'a> {
        let ScannedText { text, snapshot, tokens, .. } = *scanned;
        RowTokens { text, snapshot, tokens, tags: None, doc: None }
    }

    pub(super) fn of_doc(doc: &'a Doc) -> RowTokens<'a> {
        RowTokens {
            text: doc.text(),
            snapshot: doc.snapshot(),
            tokens: doc.tokens(),
            tags: doc.tag_records(),
            doc: Some(doc),
        }
    }

    /// Returns the lexeme of each token.
    pub(super) fn cells(self) -> impl Iterator<Item = &'a LexemeCell> {
        self.tokens.iter().map(move |token| self.cell(token))
    }

    fn cell(self, token: &TokenC) -> &'a LexemeCell {
        let cell = self.snapshot.cell(LexIx::from_raw(token.lex));
        cell.expect("a tokenizer enters words in the snapshot it is given")
    }

    /// Returns an attribute of a word that stands for a string.
    pub(super) fn id(self, i: usize, attr: AttrId) -> StrId {
        match attr {
            AttrId::NORM => self.norm(i),
            _ => StrId::new(self.cell(&self.tokens[i]).attr(attr)),
        }
    }

    /// Returns the norm of a token: the one that a component has set, that of a special case, or
    /// that of its word.
    pub(super) fn norm(self, i: usize) -> StrId {
        let set = self.tags.map_or(0, |tags| tags[i].norm);
        if set != 0 {
            return StrId::new(set);
        }
        let token = &self.tokens[i];
        let token_norm = self.snapshot.norm(token.norm_ix());
        token_norm.unwrap_or_else(|| StrId::new(self.cell(token).field(LexemeField::NORM)))
    }

    /// Returns true if the norm of a token may differ from that of its word.
    pub(super) fn has_own_norm(self, i: usize) -> bool {
        self.tokens[i].norm_ix() != 0 || self.tags.is_some_and(|tags| tags[i].norm != 0)
    }

    /// Returns the text of a token: up to the next token, or to the space before it.
    pub(super) fn word(self, i: usize) -> &'a str {
        let token = &self.tokens[i];
        let end = self.tokens.get(i + 1).map_or(self.text.len(), |next| next.byte as usize);
        &self.text[token.byte as usize..end - usize::from(token.spacy())]
    }

    /// Returns the string of an id; empty if the vocab does not have it.
    pub(super) fn string(self, id: StrId) -> &'a str {
        self.snapshot.string(id).unwrap_or_default()
    }
}

/// Returns the number of characters of a word.
pub(super) fn length(cell: &LexemeCell) -> u32 {
    u32::try_from(cell.field(LexemeField::LENGTH)).expect("a text has fewer than 2^30 characters")
}
