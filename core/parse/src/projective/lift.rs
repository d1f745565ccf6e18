//! Lifts arcs of a tree until none crosses another, the shortest first.
//!
//! Lifting a token removes its subtree from its old head only; higher ancestors keep it. So runs
//! (see [`Runs`]) only shrink: a crossing arc stays crossing until it is lifted, and new crossings
//! appear only where the run of an old head has shrunk.
//!
//! As long as no run shrinks, only the order of a token and those above it matters: a token above
//! no crossing arc can be lifted at once as far as it goes, or to a head that is itself to be
//! lifted, if it then waits for its turn there. Where a run does shrink, all is done again in
//! order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::climb::{Jumps, Passed};
use super::shape::{Runs, Shape};
use lexpool_error::Result;
use lexpool_threads::StepCounter;

/// The state of the lifting of a tree.
pub(super) struct Lifting<'c> {
    heads: Vec<Option<usize>>,
    /// The runs under the current heads.
    runs: Runs,
    /// The edges under the original heads: all descendants of a token still lie between them.
    edges: Vec<(usize, usize)>,
    /// Tokens whose head is unknown, so that every token may be their ancestor.
    open: Vec<bool>,
    /// The crossing arcs, each once: the greatest length that each has had, and its token. An arc
    /// that becomes shorter is the next one in any case.
    due: BinaryHeap<Reverse<(usize, usize)>>,
    /// Tokens below which an arc crosses at first.
    is_above_crossing: Vec<bool>,
    turns: Turns,
    /// For each token, the number of the last search that visited it without finding it below the
    /// lifted token.
    passed: Vec<usize>,
    search: usize,
    jumps: Jumps,
    /// The heads that were passed one by one since the jumps were made.
    single_steps: usize,
    watch: StepCounter<'c>,
}

/// The turns in which arcs are lifted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turns {
    /// The shortest arc first.
    Shortest,
    /// The same, except for arcs that nothing waits for, as long as no run shrinks.
    Free,
}

/// The two sides of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl<'c> Lifting<'c> {
    /// A tree that is to be lifted: the heads form no cycle.
    pub(super) fn new(
        heads: &[Option<usize>],
        shape: Shape,
        turns: Turns,
        watch: StepCounter<'c>,
    ) -> Lifting<'c> {
        let (edges, runs, open) = shape.into_parts();
        let mut lifting = Lifting {
            heads: heads.to_vec(),
            jumps: Jumps::of(heads, &runs),
            single_steps: 0,
            runs,
            edges,
            open,
            due: BinaryHeap::new(),
            is_above_crossing: vec![false; heads.len()],
            turns,
            passed: vec![0; heads.len()],
            search: 0,
            watch,
        };
        (0..heads.len()).for_each(|token| lifting.put_down(token, 0));
        for Reverse((_, token)) in &lifting.due {
            let mut below = *token;
            while let Some(head) = heads[below].filter(|head| *head != below) {
                if std::mem::replace(&mut lifting.is_above_crossing[head], true) {
                    break;
                }
                below = head;
            }
        }
        lifting
    }

    /// The heads once no arc crosses; `None` if a run shrinks where turns are free.
    pub(super) fn finish(mut self) -> Result<Option<Vec<Option<usize>>>> {
        while let Some(Reverse((length, token))) = self.due.pop() {
            self.jumps.note_lift(token);
            let head = self.heads[token].expect("only an arc with a head crosses another");
            self.heads[token] = above(token, head, &self.heads);
            if !self.open[token] {
                let is_shorter = self.shorten(head, token, Side::Left)?
                    | self.shorten(head, token, Side::Right)?;
                if is_shorter && self.turns == Turns::Free {
                    return Ok(None);
                }
            }
            let length = self.climb(token, length)?;
            self.put_down(token, length);
        }
        Ok(Some(self.heads))
    }

    /// Lifts a token over all heads from which its arc is the next one to be lifted, or may be
    /// lifted out of turn, and whose runs have nothing that hangs on it, so that nothing else
    /// changes. Returns the greatest length of the arc, which was `length` before.
    fn climb(&mut self, token: usize, mut length: usize) -> Result<usize> {
        if self.single_steps > self.heads.len() {
            self.jumps = Jumps::of(&self.heads, &self.runs);
            self.jumps.note_lift(token);
            self.single_steps = 0;
            self.watch.after(self.heads.len())?;
        }
        let Some(mut head) = self.heads[token] else { return Ok(length) };
        let (first, last) = self.edges[token];
        let is_free = self.turns == Turns::Free && !self.is_above_crossing[token];
        let next = self.due.peek().map(|Reverse(next)| *next).filter(|_| !is_free);
        // The greatest length of the arc on the way over some heads, if it is lifted from them.
        // What hangs on the token is outside of their runs, as the token is: its arc crosses.
        let length_over = |passed: Passed, length: usize| {
            let (left, right) = passed.tokens;
            let length = length.max(token.abs_diff(left)).max(token.abs_diff(right));
            let is_outside = last < passed.runs.0 || passed.runs.1 < first;
            let is_next = next.is_none_or(|next| (length, token) < next);
            (is_outside && is_next).then_some(length)
        };
        let mut steps = 1;
        loop {
            let jump = self.jumps.from(head);
            let jumped = jump.and_then(|jump| Some((jump.to, length_over(jump.passed, length)?)));
            let stepped = || {
                let above = self.heads[head].filter(|above| *above != head)?;
                let waits = is_free && !self.runs.hold(head, above);
                let passed = Passed::one(head, &self.runs);
                length_over(passed, length).filter(|_| !waits).map(|length| (above, length))
            };
            self.single_steps += usize::from(jumped.is_none());
            let Some((above, length_above)) = jumped.or_else(stepped) else { break };
            (head, length) = (above, length_above);
            steps += 1;
        }
        self.heads[token] = Some(head);
        self.watch.after(steps)?;
        Ok(length)
    }

    /// Puts an arc among those to be lifted if it crosses. `length` is the greatest one that it has
    /// had before.
    fn put_down(&mut self, token: usize, length: usize) {
        let Some(head) = self.heads[token] else { return };
        if !self.runs.hold(token, head) {
            self.due.push(Reverse((head.abs_diff(token).max(length), token)));
        }
    }

    /// Ends the run of a head before the nearest token below one that was lifted from it. Returns
    /// whether there is such a token within the run.
    fn shorten(&mut self, head: usize, lifted: usize, side: Side) -> Result<bool> {
        let Some(nearest) = self.nearest_below(lifted, head, side)? else { return Ok(false) };
        let lost = match side {
            Side::Left => std::mem::replace(&mut self.runs.first[head], nearest + 1)..nearest,
            Side::Right => {
                nearest + 1..std::mem::replace(&mut self.runs.last[head], nearest - 1) + 1
            }
        };
        self.watch.after(lost.len())?;
        for token in lost {
            if self.heads[token] == Some(head) {
                self.put_down(token, 0);
            }
        }
        Ok(true)
    }

    /// The token below `lifted` that is nearest to its former head on one side, within the run of
    /// that.
    fn nearest_below(&mut self, lifted: usize, head: usize, side: Side) -> Result<Option<usize>> {
        let (first, last) = self.edges[lifted];
        let (first, last) = match side {
            Side::Left => (first.max(self.runs.first[head]), last.min(head)),
            Side::Right => (first.max(head), last.min(self.runs.last[head])),
        };
        self.search += 1;
        let mut at = if side == Side::Left { last } else { first };
        while first <= at && at <= last {
            if self.is_below(at, lifted, head)? {
                return Ok(Some(at));
            }
            // A token beside the lifted one has only such tokens in its run.
            let next = match side {
                Side::Left if at == head => head.checked_sub(1),
                Side::Left => self.runs.first[at].checked_sub(1),
                Side::Right if at == head => Some(head + 1),
                Side::Right => Some(self.runs.last[at] + 1),
            };
            let Some(next) = next else { break };
            at = next;
        }
        Ok(None)
    }

    /// True if a token of the run of a head is below one that was lifted from it.
    fn is_below(&mut self, token: usize, lifted: usize, head: usize) -> Result<bool> {
        let mut at = token;
        let mut steps = 1;
        let is_below = loop {
            if at == lifted || at == head || self.passed[at] == self.search {
                break at == lifted;
            }
            self.passed[at] = self.search;
            match self.heads[at] {
                Some(above) if above != at => at = above,
                _ => break false,
            }
            steps += 1;
        };
        self.watch.after(steps)?;
        Ok(is_below)
    }
}

/// The head of a token once its arc is lifted: that of its head. A token below a root becomes one
/// itself.
pub(super) fn above(token: usize, head: usize, heads: &[Option<usize>]) -> Option<usize> {
    if heads[head] == Some(head) { Some(token) } else { heads[head] }
}
