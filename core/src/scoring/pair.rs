//! A predicted document beside its reference.

use lexpool_structs::AttrId;

use crate::alignment::Alignment;
use crate::pipeline::Groups;
use crate::strings::StrId;
use crate::tokens::{Doc, Token};

/// A document with what it has no place for.
#[derive(Clone, Copy)]
pub struct ScoredDoc<'a> {
    /// The document.
    pub doc: &'a Doc,
    /// The scores of its categories, each once.
    pub cats: &'a [(String, f64)],
    /// Its span groups by name.
    pub groups: &'a Groups,
}

/// A predicted document beside its reference, which may have other tokens.
#[derive(Clone, Copy)]
pub struct ScoredPair<'a> {
    /// The predicted document.
    pub predicted: ScoredDoc<'a>,
    /// The reference.
    pub reference: ScoredDoc<'a>,
    /// The alignment of the predicted tokens (X) with those of the reference (Y).
    pub alignment: &'a Alignment,
}

impl<'a> ScoredPair<'a> {
    /// Returns the position of the one reference token that each predicted token aligns with.
    pub(super) fn gold_tokens(&self) -> impl Iterator<Item = Option<usize>> + use<'a> {
        self.alignment.x2y.singles().map(|gold| gold.and_then(|gold| usize::try_from(gold).ok()))
    }

    /// Returns the predicted tokens other than whitespace, each with the position of the one
    /// reference token that it aligns with.
    pub(super) fn words(&self) -> impl Iterator<Item = (Token<'a>, Option<usize>)> + use<'a> {
        self.predicted.doc.iter().zip(self.gold_tokens()).filter(|(token, _)| !is_space(token))
    }
}

/// Returns whether a token is whitespace.
pub(super) fn is_space(token: &Token<'_>) -> bool {
    let text = token.text();
    !text.is_empty() && text.chars().all(crate::strings::chars::is_space)
}

/// Returns the string of an id, or nothing.
pub(super) fn string(doc: &Doc, id: u64) -> &str {
    doc.snapshot().string(StrId::new(id)).unwrap_or_default()
}

/// Returns whether a document has some annotation of a kind.
pub(super) fn has_annotation(doc: &Doc, attr: AttrId) -> bool {
    doc.attrs().has_annotation(attr, false)
}
