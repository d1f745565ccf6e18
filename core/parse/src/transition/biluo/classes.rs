//! The system with its classes, and the tags that name them.

use lexpool_error::{Error, ErrorKind, Result};
use lexpool_structs::StrId;

use super::moves::BiluoMove;
use crate::transition::{ActionKind, Actions, ClassIx, Transition};
use lexpool_error::codes;

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
    pub(super) actions: Actions,
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
    pub(super) fn known(&self, class: ClassIx) -> Option<(BiluoMove, StrId)> {
        let Transition { action, label } = self.actions.get(class)?;
        Some((BiluoMove::from_number(action.into())?, label))
    }

    /// Parses a tag of gold annotation into a move and a label.
    pub(super) fn tag(&self, tag: Option<&str>) -> Result<(BiluoMove, StrId)> {
        let tag = tag.filter(|tag| !matches!(*tag, "" | "-"));
        let Some(tag) = tag else { return Ok((BiluoMove::Missing, StrId::EMPTY)) };
        if tag.split_once('-').is_some_and(|(_, label)| label.starts_with('!')) {
            let text = format!(
                "the tag {tag:?} begins its label with \"!\"; what is no entity is given as a group \
                 of spans, whose key is `incorrect_spans_key`"
            );
            return Err(Error::value(codes::E869, text));
        }
        let class = self.actions.find_name(tag)?;
        class.and_then(|class| self.known(class)).ok_or_else(|| {
            let text = format!("no class for the tag {tag:?}; add its label first");
            Error::new(ErrorKind::Key, codes::E022, text)
        })
    }

    /// Returns the text of an entity's label, or `None` if no class has this label.
    pub fn label_text(&self, label: StrId) -> Option<&str> {
        let units = self.actions.find(BiluoMove::Unit as u8, label);
        let class = units.or_else(|| self.actions.find(BiluoMove::Last as u8, label))?;
        Some(self.actions.label(class))
    }
}
