//! The gold entities of a document, and the costs of moves against them.

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
    negatives: Box<[Negative]>,
}

#[derive(Clone, Copy, Debug)]
struct Tag {
    action: BiluoMove,
    label: StrId,
}

/// A span that must not become an entity of this label.
#[derive(Clone, Copy, Debug)]
struct Negative {
    first: usize,
    last: usize,
    label: StrId,
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
            let found = moves.tag(tag).map_err(|error| error.context(format!("token {token}")))?;
            Ok(Tag { action: found.0, label: found.1 })
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
        Ok(BiluoGold { tags, negatives: negatives.iter().filter_map(negative).collect() })
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Returns whether the number of tokens is 0.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

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

    /// The cost of a move that the state allows: how much of what is right it makes unreachable.
    ///
    /// `first` is the first token of the buffer.
    #[inline]
    pub(super) fn cost(
        &self,
        state: &ParseState,
        first: usize,
        action: BiluoMove,
        label: StrId,
    ) -> u32 {
        let gold = self.tag(first);
        let cost = match action {
            BiluoMove::Missing => 0,
            BiluoMove::Begin | BiluoMove::Unit if gold.action == action => {
                u32::from(gold.label != label)
            }
            BiluoMove::Begin | BiluoMove::Unit => u32::from(gold.action != BiluoMove::Missing),
            BiluoMove::In => self.cost_of_in(state, gold),
            BiluoMove::Last => {
                // Ending a correct open entity early loses it; ending a wrong one loses nothing.
                u32::from(gold.action == BiluoMove::In && !self.open_is_wrong(state))
            }
            BiluoMove::Out => u32::from(matches!(gold.action, BiluoMove::Begin | BiluoMove::Unit)),
        };
        cost + u32::from(self.makes_negative(state, first, action, label))
    }

    fn tag(&self, token: usize) -> Tag {
        let missing = Tag { action: BiluoMove::Missing, label: StrId::EMPTY };
        self.tags.get(token).copied().unwrap_or(missing)
    }

    fn cost_of_in(&self, state: &ParseState, gold: Tag) -> u32 {
        let next = state.b(1).map_or(BiluoMove::Out, |next| self.tag(next).action);
        let ends_well = matches!(next, BiluoMove::Out | BiluoMove::Missing);
        match gold.action {
            BiluoMove::Missing | BiluoMove::Begin | BiluoMove::In => 0,
            BiluoMove::Last => u32::from(!(ends_well && self.open_is_wrong(state))),
            BiluoMove::Out => u32::from(!ends_well),
            BiluoMove::Unit => u32::from(next != BiluoMove::Out),
        }
    }

    /// Returns whether the gold entity at the start of the open one is missing or has another
    /// label.
    fn open_is_wrong(&self, state: &ParseState) -> bool {
        if !state.entity_is_open() {
            return false;
        }
        let label = state.last_ent().map_or(StrId::EMPTY, |ent| StrId::new(ent.label));
        state.e().is_some_and(|start| {
            let gold = self.tag(start);
            !matches!(gold.action, BiluoMove::Begin | BiluoMove::Unit) || gold.label != label
        })
    }

    /// Returns whether a move closes a forbidden entity, or opens one that can only become
    /// forbidden.
    fn makes_negative(
        &self,
        state: &ParseState,
        first: usize,
        action: BiluoMove,
        label: StrId,
    ) -> bool {
        if self.negatives.is_empty() {
            return false;
        }
        let is_made = |negative: &Negative| match action {
            // Only the span over the last two tokens is certain at its first token.
            BiluoMove::Begin => state.buffer_length() < 3 && negative.first == first,
            BiluoMove::Last => negative.last == first && state.e() == Some(negative.first),
            BiluoMove::Unit => negative.first == first && negative.last == first,
            BiluoMove::Missing | BiluoMove::In | BiluoMove::Out => false,
        };
        self.negatives.iter().any(|negative| negative.label == label && is_made(negative))
    }
}
