//! A predicted document beside its reference.

use lexpool_structs::AttrId;

use lexpool::alignment::Ragged;
use lexpool::strings::StrId;
use lexpool::tokens::{Doc, Token};
use lexpool::{Error, Result, codes};

/// A predicted document beside its reference, which may have other tokens.
#[derive(Clone, Copy)]
pub struct DocPair<'a> {
    predicted: &'a Doc,
    reference: &'a Doc,
    /// A row for each predicted token, of positions in the reference.
    x2y: &'a Ragged,
}

impl<'a> DocPair<'a> {
    /// Puts a document beside its reference; `x2y` has for each predicted token the reference
    /// tokens that it aligns with. Cost: linear in the tokens.
    ///
    /// # Errors
    ///
    /// `scoring-alignment` for an alignment of another number of tokens, or with a position outside
    /// of the reference.
    pub fn new(predicted: &'a Doc, reference: &'a Doc, x2y: &'a Ragged) -> Result<DocPair<'a>> {
        let is_position = |at: &i32| usize::try_from(*at).is_ok_and(|at| at < reference.len());
        let outside = x2y.data().iter().find(|at| !is_position(at));
        if x2y.len() == predicted.len() && outside.is_none() {
            return Ok(DocPair { predicted, reference, x2y });
        }
        let found = match outside {
            Some(at) => format!("has the position {at} for a reference"),
            None => format!("is of {} tokens for a predicted document", x2y.len()),
        };
        let tokens = if outside.is_some() { reference.len() } else { predicted.len() };
        let text = format!("the alignment {found} of {tokens} tokens; make the example anew");
        Err(Error::value(codes::SCORING_ALIGNMENT, text))
    }

    /// The predicted document.
    pub fn predicted(&self) -> &'a Doc {
        self.predicted
    }

    /// The reference.
    pub fn reference(&self) -> &'a Doc {
        self.reference
    }

    /// For each predicted token the reference tokens that it aligns with.
    pub fn x2y(&self) -> &'a Ragged {
        self.x2y
    }

    /// Returns the position of the one reference token that each predicted token aligns with;
    /// `None` unless it is exactly one.
    pub fn gold_tokens(&self) -> impl Iterator<Item = Option<usize>> + use<'a> {
        self.x2y.singles().map(|gold| gold.and_then(|gold| usize::try_from(gold).ok()))
    }

    /// Returns the predicted tokens other than whitespace, each with the position of the one
    /// reference token that it aligns with.
    pub fn words(&self) -> impl Iterator<Item = (Token<'a>, Option<usize>)> + use<'a> {
        self.predicted.iter().zip(self.gold_tokens()).filter(|(token, _)| !is_space(token))
    }
}

/// Returns whether a token is whitespace.
pub(super) fn is_space(token: &Token<'_>) -> bool {
    let text = token.text();
    !text.is_empty() && text.chars().all(lexpool::strings::chars::is_space)
}

/// Returns the string of an id, or nothing.
pub(super) fn string(doc: &Doc, id: u64) -> &str {
    doc.snapshot().string(StrId::new(id)).unwrap_or_default()
}

/// Returns whether a document has some annotation of a kind.
pub(super) fn has_annotation(doc: &Doc, attr: AttrId) -> bool {
    doc.attrs().has_annotation(attr, false)
}
