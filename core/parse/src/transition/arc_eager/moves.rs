//! When a state allows a move, and what the move does.

use super::classes::{ArcEager, BREAK, LEFT, MOVES, REDUCE, RIGHT, SHIFT};
use crate::transition::{NONE, ParseState, Transition, some};
use lexpool_error::codes;
use lexpool_error::{Error, ErrorKind, Result};
use lexpool_structs::StrId;

/// Returns the moves that a state allows with some label.
#[inline]
pub(super) fn valid_moves(state: &ParseState) -> [bool; MOVES] {
    let (depth, length) = (state.stack_depth(), state.buffer_length());
    let first = state.buffered(0);
    let starts = state.starts_sentence(first);
    let shift = depth == 0 || (length >= 2 && !starts && !state.was_put_back(first));
    // With a last word on the stack, what follows would start a sentence.
    let reduce = depth > 0 && (length == 0 || !(depth == 1 && state.starts_no_sentence(first)));
    let attach = depth > 0 && length > 0 && !starts;
    [shift, reduce, attach, attach, may_break(state)]
}

/// Returns whether a sentence may start at the second word of the buffer.
#[inline]
pub(super) fn may_break(state: &ParseState) -> bool {
    let (first, second) = (state.buffered(0), state.buffered(1));
    second != NONE
        && second == first + 1
        && !state.starts_sentence(second)
        && !state.starts_no_sentence(second)
}

/// Does a move.
///
/// # Errors
///
/// `state-buffer` and `state-stack` where a move takes what is not there; nothing is changed then.
#[inline]
pub(super) fn apply(state: &mut ParseState, action: u8, label: StrId) -> Result<()> {
    let (top, first) = (some(state.stacked(0)), some(state.buffered(0)));
    match action {
        SHIFT => state.push(),
        REDUCE => {
            let Some(top) = top else { return Err(missing("stack")) };
            if state.has_head(top) || state.stack_depth() == 1 {
                state.pop()
            } else {
                state.unshift()
            }
        }
        LEFT | RIGHT => {
            let Some(top) = top else { return Err(missing("stack")) };
            let Some(first) = first else { return Err(missing("buffer")) };
            if action == RIGHT {
                state.add_arc(top, first, label)?;
                return state.push();
            }
            state.add_arc(first, top, label)?;
            // The stack has changed, so a word that returns once more closes no circle.
            state.set_reshiftable(first);
            state.pop()
        }
        _ => {
            if let Some(second) = state.b(1) {
                state.set_sent_start(second);
            }
            Ok(())
        }
    }
}

#[cold]
fn missing(what: &str) -> Error {
    let code = if what == "stack" { codes::STATE_STACK } else { codes::STATE_BUFFER };
    Error::new(
        ErrorKind::State,
        code,
        format!("the {what} is empty; an arc or reduce needs a word"),
    )
}

impl ArcEager {
    /// Returns whether a state allows a move with a label.
    pub(super) fn allows(&self, state: &ParseState, transition: Transition) -> bool {
        let Transition { action, label } = transition;
        let attaches = matches!(action, LEFT | RIGHT);
        valid_moves(state)[usize::from(action)]
            && !(attaches && label == self.subtok && !are_neighbours(state))
    }
}

/// Returns whether the top of the stack is the word before the first word of the buffer.
#[inline]
fn are_neighbours(state: &ParseState) -> bool {
    state.stacked(0).wrapping_add(1) == state.buffered(0)
}

const _: () = assert!(BREAK as usize == MOVES - 1);
