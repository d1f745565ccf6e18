//! Entities by moves: each says of the first token of the buffer where in an entity it stands.
//!
//! | file | holds |
//! | --- | --- |
//! | `moves` | when a move is allowed, and what it does |
//! | `gold` | what is known of the entities of a document, and what a move costs beside it |
//!
//! Entities that a document has already are kept: `TokenFacts` says what is preset.

mod gold;
mod moves;
#[cfg(test)]
mod tests;

use self::moves::View;
use super::{ActionKind, Actions, ClassIx, INVALID_COST, ParseState, Transition, TransitionSystem};
use lexpool_error::{Error, ErrorKind, Result};
use lexpool_structs::StrId;

pub use gold::BiluoGold;
pub use moves::BiluoMove;

static KIND: ActionKind = ActionKind {
    source: "ner",
    names: &["M", "B", "I", "L", "U", "O"],
    first_frequency: -1,
    refuses: |action, label| match BiluoMove::from_number(action.into()) {
        Some(BiluoMove::Missing) => true,
        Some(BiluoMove::Out) => label != StrId::EMPTY,
        _ => false,
    },
    is_bare: |action, _| {
        matches!(BiluoMove::from_number(action.into()), Some(BiluoMove::Missing | BiluoMove::Out))
    },
    is_special: |_, _| false,
};

/// Finds entities token by token: spaCy's `BiluoPushDown`.
///
/// ```
/// use lexpool_parse::transition::{BiluoPushDown, ParseState, TokenFacts, TransitionSystem};
/// let mut moves = BiluoPushDown::new();
/// moves.actions_mut().initialize([
///     (1, vec![("GPE", 1)]), (2, vec![("GPE", 1)]), (3, vec![("GPE", 1)]), (5, vec![("", 1)]),
/// ])?;
/// let mut state = ParseState::new(vec![TokenFacts::default(); 3].into(), 0)?;
/// for name in ["O", "B-GPE", "L-GPE"] {
///     let class = moves.actions().find_name(name)?.unwrap();
///     assert!(moves.is_valid(&state, class));
///     moves.apply(&mut state, class)?;
/// }
/// assert_eq!((state.ents()[0].start, state.ents()[0].end), (1, 3));
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BiluoPushDown {
    actions: Actions,
}

impl Default for BiluoPushDown {
    fn default() -> BiluoPushDown {
        BiluoPushDown::new()
    }
}

impl BiluoPushDown {
    /// A system without classes.
    pub fn new() -> BiluoPushDown {
        BiluoPushDown { actions: Actions::new(&KIND) }
    }

    /// The transition of a class, with its move.
    #[inline]
    fn known(&self, class: ClassIx) -> Option<(BiluoMove, StrId)> {
        let Transition { action, label } = self.actions.get(class)?;
        Some((BiluoMove::from_number(action.into())?, label))
    }

    /// What a tag of gold annotation means.
    fn tag(&self, tag: Option<&str>) -> Result<(BiluoMove, StrId)> {
        let tag = tag.filter(|tag| !matches!(*tag, "" | "-"));
        let Some(tag) = tag else { return Ok((BiluoMove::Missing, StrId::EMPTY)) };
        if tag.split_once('-').is_some_and(|(_, label)| label.starts_with('!')) {
            let text = format!(
                "the tag {tag:?} begins its label with \"!\"; what is no entity is given as a group \
                 of spans, whose key is `incorrect_spans_key`"
            );
            return Err(Error::value("E869", text));
        }
        let class = self.actions.find_name(tag)?;
        class.and_then(|class| self.known(class)).ok_or_else(|| {
            let text = format!("no class for the tag {tag:?}; add its label first");
            Error::new(ErrorKind::Key, "E022", text)
        })
    }

    /// Returns the text of an entity's label, or `None` if no class has this label.
    pub fn label_text(&self, label: StrId) -> Option<&str> {
        let units = self.actions.find(BiluoMove::Unit as u8, label);
        let class = units.or_else(|| self.actions.find(BiluoMove::Last as u8, label))?;
        Some(self.actions.label(class))
    }
}

impl TransitionSystem for BiluoPushDown {
    type Gold = BiluoGold;

    fn actions(&self) -> &Actions {
        &self.actions
    }

    fn actions_mut(&mut self) -> &mut Actions {
        &mut self.actions
    }

    fn is_valid(&self, state: &ParseState, class: ClassIx) -> bool {
        let view = View::of(state);
        self.known(class).is_some_and(|(action, label)| view.allows(action, label))
    }

    /// At the end of the buffer every move fails, also those that are valid there as in spaCy.
    fn apply(&self, state: &mut ParseState, class: ClassIx) -> Result<()> {
        let Transition { action, label } = self.transition(class)?;
        match BiluoMove::from_number(action.into()) {
            Some(action) => moves::apply(state, action, label),
            None => Ok(()),
        }
    }

    /// At the end of the buffer there is nothing to compare: every move costs [`INVALID_COST`].
    #[expect(clippy::cast_precision_loss, reason = "costs are small")]
    fn cost_of_valid(&self, state: &ParseState, gold: &BiluoGold, class: ClassIx) -> Result<f32> {
        gold.check(state)?;
        let Transition { action, label } = self.transition(class)?;
        let action = BiluoMove::from_number(action.into());
        Ok(match (state.b(0), action) {
            (Some(first), Some(action)) => gold.cost(state, first, action, label) as f32,
            _ => INVALID_COST,
        })
    }

    fn valid(&self, state: &ParseState, valid: &mut [bool]) -> Result<()> {
        self.check_row(valid.len())?;
        let view = View::of(state);
        for (class, valid) in self.actions.classes().zip(valid) {
            *valid = self.known(class).is_some_and(|(action, label)| view.allows(action, label));
        }
        Ok(())
    }

    fn best(&self, state: &ParseState, scores: &[f32]) -> Option<ClassIx> {
        let view = View::of(state);
        let mut best: Option<(ClassIx, f32)> = None;
        for (class, &score) in self.actions.classes().zip(scores) {
            let is_higher = best.is_none_or(|(_, highest)| score > highest);
            let allowed =
                || self.known(class).is_some_and(|(action, label)| view.allows(action, label));
            if is_higher && allowed() {
                best = Some((class, score));
            }
        }
        best.map(|(class, _)| class)
    }
}
