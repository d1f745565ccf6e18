//! The gold entities of a document.

use ahash::AHashSet;
use lexpool_structs::SpanC;

use super::BiluoPushDown;
use super::moves::BiluoMove;
use crate::transition::ParseState;
use lexpool_error::codes;
use lexpool_error::{Error, Result};
use lexpool_structs::StrId;

/// The gold entities of a document, and spans that must not become entities.
#[derive(Clone, Debug)]
pub struct BiluoGold {
    tags: Box<[Tag]>,
    /// Sorted by the first token.
    negatives_by_first: Box<[Negative]>,
    /// Sorted by the last token.
    negatives_by_last: Box<[Negative]>,
}

/// The move that makes a token's gold tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    pub(super) action: BiluoMove,
    pub(super) label: StrId,
}

/// A span that must not become an entity of this label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Negative {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) label: StrId,
}

impl BiluoGold {
    /// Makes gold annotation from a BILUO tag for each token (`-`, an empty tag or `None` if
    /// unknown), and from negatives: spans that must not become entities, which may overlap.
    ///
    /// `entities` are those that the tags describe. A span must not be both an entity and a
    /// negative.
    ///
    /// # Errors
    ///
    /// `E869` for a label that begins with `!`, which once meant that a token is not in such an
    /// entity; `E022` for a tag without a move in the system; `E868` for an entity that is also a
    /// negative. All name the token.
    pub fn new(
        moves: &BiluoPushDown,
        tags: &[Option<&str>],
        entities: &[SpanC],
        negatives: &[SpanC],
    ) -> Result<BiluoGold> {
        let tag = |(token, tag): (usize, Option<&str>)| -> Result<Tag> {
            let parts = moves.tag(tag).map_err(|error| error.context(format!("token {token}")))?;
            Ok(Tag { action: parts.0, label: parts.1 })
        };
        let tags = tags.iter().copied().enumerate().map(tag).collect::<Result<_>>()?;
        let key = |span: &SpanC| (span.start_char, span.end_char, span.label);
        let none: AHashSet<_> = negatives.iter().map(key).collect();
        if let Some(both) = entities.iter().find(|span| none.contains(&key(span))) {
            let label = moves.label_text(StrId::new(both.label)).unwrap_or("a label of no class");
            let text = format!(
                "the span ({}, {}, {label:?}) is given as an entity and as one that is none",
                both.start_char, both.end_char,
            );
            return Err(Error::value(codes::E868, text));
        }
        let negative = |span: &SpanC| {
            let first = usize::try_from(span.start).ok()?;
            let last = usize::try_from(span.end).ok()?.checked_sub(1)?;
            Some(Negative { first, last, label: StrId::new(span.label) })
        };
        let mut negatives: Box<[Negative]> = negatives.iter().filter_map(negative).collect();
        negatives.sort_by_key(|negative| negative.last);
        let negatives_by_last = negatives.clone();
        negatives.sort_by_key(|negative| negative.first);
        Ok(BiluoGold { tags, negatives_by_first: negatives, negatives_by_last })
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Returns whether the number of tokens is 0.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Checks that a state belongs to the annotated tokens.
    ///
    /// # Errors
    ///
    /// `transition-gold` if the state is of another number of tokens.
    pub(super) fn check(&self, state: &ParseState) -> Result<()> {
        if state.len() == self.len() {
            return Ok(());
        }
        let (tokens, tags) = (state.len(), self.len());
        let text = format!("gold annotation of {tags} tokens for a state of {tokens}");
        Err(Error::value(codes::TRANSITION_GOLD, text))
    }

    /// Returns the tag of a token; a missing one beyond the last token.
    pub(super) fn tag(&self, token: usize) -> Tag {
        let missing = Tag { action: BiluoMove::Missing, label: StrId::EMPTY };
        self.tags.get(token).copied().unwrap_or(missing)
    }

    /// Returns the spans from a token that must not become entities.
    pub(super) fn negatives_from(&self, first: usize) -> impl Iterator<Item = &Negative> {
        let all = &self.negatives_by_first;
        let at = all.partition_point(|negative| negative.first < first);
        all[at..].iter().take_while(move |negative| negative.first == first)
    }

    /// Returns the spans up to and with a token that must not become entities.
    pub(super) fn negatives_to(&self, last: usize) -> impl Iterator<Item = &Negative> {
        let all = &self.negatives_by_last;
        let at = all.partition_point(|negative| negative.last < last);
        all[at..].iter().take_while(move |negative| negative.last == last)
    }
}
