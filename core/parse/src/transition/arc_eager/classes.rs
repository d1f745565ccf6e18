//! The moves and the classes of the arc-eager system.

use lexpool_structs::StrId;

use crate::transition::{ActionKind, Actions};

/// Number of the move shift, named `S`.
pub const SHIFT: u8 = 0;
/// Number of the move reduce, named `D`.
pub const REDUCE: u8 = 1;
/// Number of the move for a left arc, named `L`.
pub const LEFT: u8 = 2;
/// Number of the move for a right arc, named `R`.
pub const RIGHT: u8 = 3;
/// Number of the move that begins a sentence, named `B`.
pub const BREAK: u8 = 4;

pub(super) const MOVES: usize = 5;

/// The label of an arc between parts of one word, which are neighbours.
pub(super) const SUBTOK: &str = "subtok";

static KIND: ActionKind = ActionKind {
    source: "arc_eager",
    names: &["S", "D", "L", "R", "B"],
    first_frequency: -2,
    refuses: |_, _| false,
    is_bare: |_, label| label == StrId::EMPTY,
    // Subtokens are neighbours, and an arc without a label has no wrong one.
    is_special: |action, label| {
        matches!(action, LEFT | RIGHT) && (label.is_empty() || label == SUBTOK)
    },
};

/// The arc-eager system.
///
/// Costs are those of a dynamic oracle: how many gold arcs a move makes impossible, less those that
/// it makes. They are found from where each word is now and from lists of gold children, with no
/// sweep over the sentence.
///
/// ```
/// use lexpool_structs::StrId;
/// use lexpool_parse::transition::{ArcEager, ParseState, TokenFacts, TransitionSystem, oracle};
/// let mut moves = ArcEager::new();
/// for (action, label) in [(0, ""), (1, ""), (2, "nsubj"), (3, "dobj"), (4, "ROOT")] {
///     moves.actions_mut().add(action, label)?;
/// }
/// let labels = ["nsubj", "ROOT", "dobj"].map(|label| Some(StrId::of(label)));
/// let gold = moves.gold(&[Some(1), Some(1), Some(1)], &labels, &[None, None, None])?;
/// let mut state = ParseState::new(vec![TokenFacts::default(); 3].into(), 0)?;
/// let sequence = oracle::sequence(&moves, &mut state, &gold)?;
/// let names: Vec<_> = sequence.iter().map(|class| moves.actions().name(*class)).collect();
/// assert_eq!(names, ["S", "L-nsubj", "S", "R-dobj", "D", "D"]);
/// # Ok::<(), lexpool_error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ArcEager {
    pub(super) actions: Actions,
    pub(super) subtok: StrId,
    pub(super) dep: StrId,
    pub(super) root: StrId,
}

impl ArcEager {
    /// A system without classes.
    pub fn new() -> ArcEager {
        ArcEager {
            actions: Actions::new(&KIND),
            subtok: StrId::of(SUBTOK),
            dep: StrId::of("dep"),
            root: StrId::of("ROOT"),
        }
    }

    /// Returns the text of an arc's label, or `None` if no class has this label.
    pub fn label_text(&self, label: StrId) -> Option<&str> {
        let class =
            [LEFT, RIGHT].into_iter().find_map(|action| self.actions.find(action, label))?;
        Some(self.actions.label(class))
    }
}

impl Default for ArcEager {
    fn default() -> ArcEager {
        ArcEager::new()
    }
}
