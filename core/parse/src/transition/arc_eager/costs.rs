//! Costs of moves: the dynamic oracle of Goldberg and Nivre (2012), non-monotonic.
//!
//! Costs are sums over arcs of the gold tree between words of the stack and words of the sentence
//! that the buffer begins with. spaCy sweeps both for each state. Here each question looks at one
//! word's head and children: a word knows whether it is on the stack or in the buffer, and since
//! both are ascending, its children in the stack are among those on its left and those in the
//! buffer among the last on its right. So a step costs the children of the words it moves; and a
//! break the depth of the stack, all of whose words it asks for arcs into the buffer.

use super::classes::{ArcEager, BREAK, LEFT, MOVES, REDUCE, RIGHT, SHIFT};
use super::{ArcEagerGold, moves};
use crate::transition::{ClassIx, INVALID_COST, NONE, ParseState, Transition, TransitionSystem};
use lexpool_error::codes;
use lexpool_error::{Error, Result};
use lexpool_structs::StrId;

/// [`INVALID_COST`] as a count of arcs.
#[expect(clippy::cast_possible_truncation, reason = "a whole number")]
const INVALID: i32 = INVALID_COST as i32;

/// Cost of a move with any label, and the label with which it costs one less.
#[derive(Clone, Copy)]
struct Cost {
    /// With a wrong label.
    most: i32,
    /// With the right one.
    least: i32,
    /// The right one; none if every label is right.
    label: Option<StrId>,
}

impl Cost {
    fn plain(cost: i32) -> Cost {
        Cost { most: cost, least: cost, label: None }
    }

    fn labelled(least: i32, label: Option<StrId>) -> Cost {
        Cost { most: least + i32::from(label.is_some()), least, label }
    }
}

/// A state beside a tree, with what most questions need.
struct View<'a> {
    state: &'a ParseState,
    gold: &'a ArcEagerGold,
    s0: u32,
    b0: u32,
    /// The sentence of the buffer ends before this word.
    end: u32,
}

impl View<'_> {
    fn new<'a>(state: &'a ParseState, gold: &'a ArcEagerGold) -> View<'a> {
        let (s0, b0) = (state.stacked(0), state.buffered(0));
        View { state, gold, s0, b0, end: state.sentence_end() }
    }

    /// Returns whether a word is in the sentence at the front of the buffer.
    #[inline]
    fn waits(&self, at: u32) -> bool {
        at < self.end && self.state.in_buffer(at)
    }

    fn parent_in_stack(&self, at: u32) -> i32 {
        i32::from(self.state.on_stack(self.gold.word(at).parent))
    }

    fn parent_in_buffer(&self, at: u32) -> i32 {
        i32::from(self.waits(self.gold.word(at).parent))
    }

    fn kids_in_stack(&self, at: u32) -> i32 {
        let kids = self.gold.left_kids(self.gold.word(at)).iter();
        kids.map(|&kid| i32::from(self.state.on_stack(kid))).sum()
    }

    /// For a word of the stack, which stands before all of the buffer.
    fn kids_in_buffer(&self, at: u32) -> i32 {
        let kids = self.gold.right_kids(self.gold.word(at)).iter().rev();
        let kids = kids.take_while(|&&kid| kid >= self.b0);
        kids.map(|&kid| i32::from(self.waits(kid))).sum()
    }

    /// The arcs lost when the first word leaves the buffer for the stack.
    fn push_cost(&self) -> i32 {
        if self.b0 == NONE {
            return INVALID;
        }
        let second = self.gold.word(self.state.buffered(1));
        let misses_start = second.start == Some(true) && moves::may_break(self.state);
        self.parent_in_stack(self.b0) + self.kids_in_stack(self.b0) + i32::from(misses_start)
    }

    /// The arcs lost when the top leaves the stack.
    fn pop_cost(&self) -> i32 {
        if self.s0 == NONE {
            return INVALID;
        }
        self.parent_in_buffer(self.s0) + self.kids_in_buffer(self.s0)
    }

    fn arcs_in_stack(&self, at: u32) -> i32 {
        self.parent_in_stack(at) + self.kids_in_stack(at)
    }

    fn reduce_cost(&self, pop: i32) -> i32 {
        if self.state.starts_sentence(self.b0) {
            return 0;
        }
        // A word without a head returns to the buffer, and can be tied to the stack again.
        let returns = self.state.head(self.s0) == NONE;
        if returns { pop - self.arcs_in_stack(self.s0) } else { pop }
    }

    fn left_cost(&self, pop: i32) -> Cost {
        let word = self.gold.word(self.s0);
        let lost = if self.state.head(self.s0) == NONE {
            self.arcs_in_stack(self.s0)
        } else {
            // The arc that is replaced may be a right one.
            i32::from(word.head == self.state.stacked(1))
        };
        let cost = pop + lost;
        if self.b0 == NONE || word.head != self.b0 {
            return Cost::plain(cost);
        }
        Cost::labelled(cost - 1, word.is_known.then_some(word.label))
    }

    fn right_cost(&self, push: i32) -> Cost {
        let word = self.gold.word(self.b0);
        if self.s0 != NONE && word.head == self.s0 {
            return Cost::labelled(push - 1, word.is_known.then_some(word.label));
        }
        let waits = self.parent_in_buffer(self.b0) != 0 && !self.state.was_put_back(self.b0);
        Cost::plain(push + i32::from(waits))
    }

    /// The arcs between the stack and the words that a new sentence would take away: those beyond
    /// the first of the buffer.
    fn break_cost(&self) -> i32 {
        // Arcs between the stack and the first buffer word are not lost.
        let first = self.gold.word(self.b0);
        let mut cost = -i32::from(self.state.on_stack(first.head));
        for &at in self.state.stack() {
            let word = self.gold.word(at);
            if word.reaches(self.b0) {
                cost += i32::from(self.waits(word.parent)) + self.kids_in_buffer(at);
                cost -= i32::from(word.head == self.b0);
            }
        }
        let second = self.gold.word(self.state.buffered(1));
        cost + i32::from(second.start == Some(false))
    }
}

/// Returns the cost of a move with a label, in a state that allows it.
pub(super) fn cost_of(state: &ParseState, gold: &ArcEagerGold, transition: Transition) -> f32 {
    let view = View::new(state, gold);
    let cost = match transition.action {
        SHIFT => Cost::plain(view.push_cost()),
        REDUCE => Cost::plain(view.reduce_cost(view.pop_cost())),
        LEFT => view.left_cost(view.pop_cost()),
        RIGHT => view.right_cost(view.push_cost()),
        _ => Cost::plain(view.break_cost()),
    };
    float(cost.of(transition.label))
}

impl ArcEager {
    /// Writes validity and cost of each class: once a move for all its labels, and then for the few
    /// that differ. Gives the first class of the least cost, which so needs no search.
    ///
    /// # Errors
    ///
    /// As for [`TransitionSystem::costs`], and `E1031` if no class is free.
    pub(super) fn write_costs(
        &self,
        state: &ParseState,
        gold: &ArcEagerGold,
        valid: &mut [bool],
        costs: &mut [f32],
    ) -> Result<ClassIx> {
        self.check_row(valid.len())?;
        self.check_row(costs.len())?;
        gold.check(state)?;
        let allowed = moves::valid_moves(state);
        let by_move = costs_by_move(state, gold, allowed);
        let mut least = (i32::MAX, usize::MAX);
        for run in self.actions.runs() {
            let action = usize::from(run.action);
            let cost = if allowed[action] { float(by_move[action].most) } else { INVALID_COST };
            valid[run.classes.clone()].fill(allowed[action]);
            costs[run.classes.clone()].fill(cost);
            // The correctly labelled class, handled below, costs one less and replaces this
            // minimum.
            if let Some(first) = run.first_plain.filter(|_| allowed[action]) {
                least = least.min((by_move[action].most, first));
            }
        }
        for action in [LEFT, RIGHT] {
            let at = usize::from(action);
            // Subtokens are among the special ones.
            let right = by_move[at].label.filter(|label| allowed[at] && *label != self.subtok);
            let Some(label) = right else { continue };
            if let Some(class) = self.actions.find(action, label) {
                costs[class.get() as usize] = float(by_move[at].least);
                least = least.min((by_move[at].least, class.get() as usize));
            }
        }
        for &(made, class) in self.actions.special() {
            let class = class.get() as usize;
            valid[class] = self.allows(state, made);
            costs[class] = INVALID_COST;
            if valid[class] {
                let cost = by_move[usize::from(made.action)].of(made.label);
                costs[class] = float(cost);
                least = least.min((cost, class));
            }
        }
        if least.0 <= 0 { Ok(ClassIx::at(least.1)) } else { Err(no_free_move(state)) }
    }
}

impl Cost {
    fn of(self, label: StrId) -> i32 {
        let is_right = label == StrId::EMPTY || self.label.is_none_or(|right| right == label);
        if is_right { self.least } else { self.most }
    }
}

fn costs_by_move(state: &ParseState, gold: &ArcEagerGold, allowed: [bool; MOVES]) -> [Cost; MOVES] {
    let view = View::new(state, gold);
    let (push, pop) = (view.push_cost(), view.pop_cost());
    let mut costs = [Cost::plain(push); MOVES];
    costs[usize::from(REDUCE)] = Cost::plain(view.reduce_cost(pop));
    costs[usize::from(LEFT)] = view.left_cost(pop);
    costs[usize::from(RIGHT)] = view.right_cost(push);
    if allowed[usize::from(BREAK)] {
        costs[usize::from(BREAK)] = Cost::plain(view.break_cost());
    }
    costs
}

/// The first valid class of the least cost of all.
pub(super) fn first_least(valid: &[bool], costs: &[f32]) -> Option<ClassIx> {
    let least = costs.iter().copied().fold(f32::INFINITY, f32::min);
    let is_least = |(valid, cost): (&bool, &f32)| *valid && *cost <= least;
    valid.iter().zip(costs).position(is_least).map(ClassIx::at)
}

#[expect(clippy::cast_precision_loss, reason = "counts of arcs, as spaCy adds them up")]
fn float(cost: i32) -> f32 {
    cost as f32
}

#[cold]
fn no_free_move(state: &ParseState) -> Error {
    let name = |at: Option<usize>| at.map_or_else(|| "none".to_owned(), |at| at.to_string());
    let text = format!(
        "no class is free of cost where the top of the stack is {} and the first of the buffer {}; \
         the gold tree has crossing arcs, or classes are missing",
        name(state.s(0)),
        name(state.b(0))
    );
    Error::value(codes::E1031, text)
}
