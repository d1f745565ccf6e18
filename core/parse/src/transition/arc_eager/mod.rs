//! Dependency trees by arc-eager moves (Nivre 2003), non-monotonic (Honnibal and Johnson 2015).
//!
//! Shift pushes a word, left and right arcs attach the top of the stack and the first of the buffer
//! to each other, reduce takes a word away, and break starts a sentence. Two moves take back what was
//! decided before: a word that is reduced without a head returns to the buffer, once, and a left arc
//! replaces the head that its child had.

mod costs;
mod gold;
mod labels;
mod moves;

pub use gold::ArcEagerGold;
pub use labels::LabelCounts;

use super::{ActionKind, Actions, ClassIx, ParseState, TransitionSystem};
use lexpool_error::Result;
use lexpool_structs::StrId;

/// The numbers of the moves.
pub const SHIFT: u8 = 0;
/// As spaCy has them; its name is `D`.
pub const REDUCE: u8 = 1;
/// Its name is `L`.
pub const LEFT: u8 = 2;
/// Its name is `R`.
pub const RIGHT: u8 = 3;
/// Its name is `B`.
pub const BREAK: u8 = 4;

const MOVES: usize = 5;

/// The label of an arc between parts of one word, which are neighbours.
const SUBTOK: &str = "subtok";

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
    actions: Actions,
    subtok: StrId,
    dep: StrId,
    root: StrId,
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

impl TransitionSystem for ArcEager {
    type Gold = ArcEagerGold;

    fn actions(&self) -> &Actions {
        &self.actions
    }

    fn actions_mut(&mut self) -> &mut Actions {
        &mut self.actions
    }

    fn is_valid(&self, state: &ParseState, class: ClassIx) -> bool {
        let transition = self.actions.get(class);
        transition.is_some_and(|transition| self.allows(state, transition))
    }

    #[inline]
    fn apply(&self, state: &mut ParseState, class: ClassIx) -> Result<()> {
        let transition = self.transition(class)?;
        moves::apply(state, transition.action, transition.label)
    }

    fn cost_of_valid(
        &self,
        state: &ParseState,
        gold: &ArcEagerGold,
        class: ClassIx,
    ) -> Result<f32> {
        let transition = self.transition(class)?;
        gold.check(state)?;
        Ok(costs::cost_of(state, gold, transition))
    }

    fn valid(&self, state: &ParseState, valid: &mut [bool]) -> Result<()> {
        self.check_row(valid.len())?;
        let by_move = moves::valid_moves(state);
        for run in self.actions.runs() {
            valid[run.classes.clone()].fill(by_move[usize::from(run.action)]);
        }
        for &(transition, class) in self.actions.special() {
            valid[class.get() as usize] = self.allows(state, transition);
        }
        Ok(())
    }

    fn best(&self, state: &ParseState, scores: &[f32]) -> Option<ClassIx> {
        let by_move = moves::valid_moves(state);
        let mut best: Option<(ClassIx, f32)> = None;
        for run in self.actions.runs().iter().filter(|run| by_move[usize::from(run.action)]) {
            for (at, &score) in run.classes.clone().zip(scores.get(run.classes.clone())?) {
                if best.is_none_or(|(_, highest)| score > highest) {
                    let class = ClassIx::at(at);
                    let is_like_others = self.actions.special().is_empty();
                    if is_like_others || self.is_valid(state, class) {
                        best = Some((class, score));
                    }
                }
            }
        }
        best.map(|(class, _)| class)
    }

    fn costs(
        &self,
        state: &ParseState,
        gold: &ArcEagerGold,
        valid: &mut [bool],
        costs: &mut [f32],
    ) -> Result<()> {
        self.write_costs(state, gold, valid, costs).map(|_| ())
    }

    fn oracle(
        &self,
        state: &ParseState,
        gold: &ArcEagerGold,
        valid: &mut [bool],
        costs: &mut [f32],
    ) -> Result<Option<ClassIx>> {
        self.write_costs(state, gold, valid, costs).map(Some)
    }

    /// The first class of the least cost, be it above zero.
    fn oracle_choice(&self, valid: &[bool], costs: &[f32]) -> Option<ClassIx> {
        costs::first_least(valid, costs)
    }
}
