//! Lifts arcs of a tree until none crosses another, the shortest first.
//!
//! Lifting a token removes its subtree from its old head only; higher ancestors keep it. So runs
//! (see [`Runs`]) only shrink: a crossing arc stays crossing until it is lifted, and new crossings
//! appear only where the run of an old head has shrunk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// The crossing arcs, each once.
    due: BinaryHeap<Reverse<(usize, usize)>>,
    /// For each token, the number of the last search that visited it without finding it below the
    /// lifted token.
    passed: Vec<usize>,
    search: usize,
    watch: StepCounter<'c>,
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
        watch: StepCounter<'c>,
    ) -> Lifting<'c> {
        let (edges, runs, open) = shape.into_parts();
        let mut lifting = Lifting {
            heads: heads.to_vec(),
            runs,
            edges,
            open,
            due: BinaryHeap::new(),
            passed: vec![0; heads.len()],
            search: 0,
            watch,
        };
        (0..heads.len()).for_each(|token| lifting.put_down(token));
        lifting
    }

    /// The heads once no arc crosses.
    pub(super) fn finish(mut self) -> Result<Vec<Option<usize>>> {
        while let Some(Reverse((_, token))) = self.due.pop() {
            let head = self.heads[token].expect("only an arc with a head crosses another");
            self.heads[token] = above(token, head, &self.heads);
            if !self.open[token] {
                self.shorten(head, token, Side::Left)?;
                self.shorten(head, token, Side::Right)?;
            }
            self.put_down(token);
            self.watch.after(1)?;
        }
        Ok(self.heads)
    }

    /// Puts an arc among those to be lifted if it crosses.
    fn put_down(&mut self, token: usize) {
        let Some(head) = self.heads[token] else { return };
        if !self.runs.hold(token, head) {
            self.due.push(Reverse((head.abs_diff(token), token)));
        }
    }

    /// Ends the run of a head before the nearest token below one that was lifted from it.
    fn shorten(&mut self, head: usize, lifted: usize, side: Side) -> Result<()> {
        let Some(nearest) = self.nearest_below(lifted, head, side)? else { return Ok(()) };
        let lost = match side {
            Side::Left => std::mem::replace(&mut self.runs.first[head], nearest + 1)..nearest,
            Side::Right => {
                nearest + 1..std::mem::replace(&mut self.runs.last[head], nearest - 1) + 1
            }
        };
        self.watch.after(lost.len())?;
        for token in lost {
            if self.heads[token] == Some(head) {
                self.put_down(token);
            }
        }
        Ok(())
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
