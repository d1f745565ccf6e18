//! A brute-force model of states and costs, with lists and linear searches.

use std::collections::{BTreeMap, BTreeSet};

use super::super::arc_eager::{BREAK, LEFT, REDUCE, RIGHT, SHIFT};

/// A state as lists; -1 is a missing token.
#[derive(Clone, Default)]
pub(super) struct Model {
    pub(super) starts: Vec<i8>,
    pub(super) stack: Vec<i64>,
    pub(super) rebuffer: Vec<i64>,
    pub(super) next: i64,
    pub(super) heads: Vec<i64>,
    /// Children by head, the newest last.
    pub(super) left: BTreeMap<i64, Vec<(i64, u64)>>,
    pub(super) right: BTreeMap<i64, Vec<(i64, u64)>>,
    pub(super) unshiftable: BTreeSet<i64>,
    pub(super) starts_by_moves: BTreeSet<i64>,
}

/// A gold tree as lists; an unknown head is 0.
pub(super) struct GoldModel {
    pub(super) heads: Vec<i64>,
    pub(super) known: Vec<bool>,
    pub(super) labels: Vec<u64>,
    pub(super) starts: Vec<Option<bool>>,
}

impl Model {
    pub(super) fn new(starts: &[i8]) -> Model {
        Model { starts: starts.to_vec(), heads: vec![-1; starts.len()], ..Model::default() }
    }

    pub(super) fn len(&self) -> i64 {
        i64::try_from(self.starts.len()).unwrap()
    }

    pub(super) fn buffer(&self) -> Vec<i64> {
        self.rebuffer.iter().rev().copied().chain(self.next..self.len()).collect()
    }

    pub(super) fn s(&self, i: usize) -> i64 {
        self.stack.iter().rev().nth(i).copied().unwrap_or(-1)
    }

    pub(super) fn b(&self, i: usize) -> i64 {
        self.buffer().get(i).copied().unwrap_or(-1)
    }

    pub(super) fn push(&mut self) {
        if let Some(first) = self.rebuffer.pop() {
            self.stack.push(first);
        } else if self.next < self.len() {
            self.stack.push(self.next);
            self.next += 1;
        }
    }

    pub(super) fn unshift(&mut self) {
        if let Some(top) = self.stack.pop() {
            self.rebuffer.push(top);
            self.unshiftable.insert(top);
        }
    }

    fn side(&mut self, head: i64, child: i64) -> &mut Vec<(i64, u64)> {
        let side = if head > child { &mut self.left } else { &mut self.right };
        side.entry(head).or_default()
    }

    pub(super) fn del_arc(&mut self, head: i64, child: i64) {
        let side = self.side(head, child);
        if side.last().is_some_and(|last| last.0 == child) {
            side.pop();
        }
    }

    pub(super) fn add_arc(&mut self, head: i64, child: i64, label: u64) {
        let before = self.heads[usize::try_from(child).unwrap()];
        if before >= 0 {
            self.del_arc(before, child);
        }
        self.side(head, child).push((child, label));
        self.heads[usize::try_from(child).unwrap()] = head;
    }

    pub(super) fn has_head(&self, child: i64) -> bool {
        usize::try_from(child).is_ok_and(|child| self.heads[child] >= 0)
    }

    pub(super) fn starts(&self, at: i64) -> bool {
        usize::try_from(at).is_ok_and(|i| self.starts[i] == 1) || self.starts_by_moves.contains(&at)
    }

    fn starts_not(&self, at: i64) -> bool {
        usize::try_from(at).is_ok_and(|i| self.starts[i] == -1)
    }

    pub(super) fn allows(&self, action: u8, is_subtok: bool) -> bool {
        let (s0, b0, b1) = (self.s(0), self.b(0), self.b(1));
        let neighbours = !is_subtok || s0 == b0 - 1;
        match action {
            SHIFT if s0 == -1 => true,
            SHIFT => b1 != -1 && !self.starts(b0) && !self.unshiftable.contains(&b0),
            REDUCE if s0 == -1 => false,
            REDUCE => b0 == -1 || self.stack.len() > 1 || !self.starts_not(b0),
            LEFT | RIGHT => s0 != -1 && b0 != -1 && !self.starts(b0) && neighbours,
            _ => b1 != -1 && b1 == b0 + 1 && !self.starts(b1) && !self.starts_not(b1),
        }
    }

    pub(super) fn apply(&mut self, action: u8, label: u64) {
        let (s0, b0, b1) = (self.s(0), self.b(0), self.b(1));
        match action {
            SHIFT => self.push(),
            REDUCE if self.has_head(s0) || self.stack.len() == 1 => _ = self.stack.pop(),
            REDUCE => self.unshift(),
            LEFT => {
                self.add_arc(b0, s0, label);
                self.unshiftable.remove(&b0);
                self.stack.pop();
            }
            RIGHT => {
                self.add_arc(s0, b0, label);
                self.push();
            }
            _ => _ = self.starts_by_moves.insert(b1),
        }
    }

    /// Returns the cost of a move, by linear searches of stack and buffer.
    pub(super) fn cost(&self, gold: &GoldModel, action: u8, label: u64) -> i64 {
        let (s0, b0) = (self.s(0), self.b(0));
        let sentence: Vec<i64> =
            self.buffer().into_iter().take_while(|&at| !self.starts(at)).collect();
        let is_kid =
            |kid: i64, head: i64| gold.is_known(kid) && gold.head(kid) == head && kid != head;
        let count = |is_it: bool| i64::from(is_it);
        let kids =
            |among: &[i64], head| among.iter().map(|&at| count(is_kid(at, head))).sum::<i64>();
        let heads = |among: &[i64], kid| count(among.iter().any(|&at| is_kid(kid, at)));
        let push = || {
            let missed = gold.start(self.b(1)) == Some(true) && self.allows(BREAK, false);
            heads(&self.stack, b0) + kids(&self.stack, b0) + count(missed)
        };
        let pop = || heads(&sentence, s0) + kids(&sentence, s0);
        let in_stack = || heads(&self.stack, s0) + kids(&self.stack, s0);
        match action {
            SHIFT if b0 == -1 => 9000,
            SHIFT => push(),
            REDUCE if self.starts(b0) => 0,
            REDUCE if self.has_head(s0) => pop(),
            REDUCE => pop() - in_stack(),
            LEFT => {
                let s1 = self.s(1);
                let lost = if self.has_head(s0) { count(gold.head(s0) == s1) } else { in_stack() };
                let gained = gold.head(s0) == b0;
                let is_wrong = gained && !gold.is_label(s0, label);
                pop() + lost - count(gained) + count(is_wrong)
            }
            RIGHT if gold.head(b0) == s0 => push() - 1 + count(!gold.is_label(b0, label)),
            RIGHT => {
                let waits = heads(&sentence, b0) == 1 && !self.unshiftable.contains(&b0);
                push() + count(waits)
            }
            _ => {
                let of_stack = self.stack.iter().map(|&at| {
                    let of_first = count(gold.head(b0) == at) + count(gold.head(at) == b0);
                    heads(&sentence, at) + kids(&sentence, at) - of_first
                });
                of_stack.sum::<i64>() + count(gold.start(self.b(1)) == Some(false))
            }
        }
    }

    /// Returns the features, one by one.
    pub(super) fn features(&self, n: usize) -> Vec<i64> {
        let kid = |side: &BTreeMap<i64, Vec<(i64, u64)>>, head, back: usize| {
            let kids = side.get(&head).and_then(|kids| kids.iter().rev().nth(back - 1));
            kids.map_or(-1, |kid| kid.0)
        };
        let (l, r) = (|at, n| kid(&self.left, at, n), |at, n| kid(&self.right, at, n));
        let (s0, s1, s2, b0, b1) = (self.s(0), self.s(1), self.s(2), self.b(0), self.b(1));
        match n {
            1 => vec![b0],
            2 => vec![b0, s0],
            3 => vec![b0, -1, -1],
            6 => vec![b0, -1, -1, -1, -1, -1],
            8 => vec![b0, b1, s0, s1, s2, l(b0, 1), l(s0, 1), r(s0, 1)],
            _ => {
                let of_s0 = [l(s0, 1), r(s0, 1), l(b0, 1), r(s0, 2)];
                let of_s1 = [l(s1, 1), l(s1, 2), r(s1, 1), r(s1, 2)];
                [&[b0, b1, s0, s1, s2][..], &of_s0, &of_s1].concat()
            }
        }
    }
}

impl GoldModel {
    fn is_known(&self, at: i64) -> bool {
        usize::try_from(at).is_ok_and(|at| self.known[at])
    }

    fn head(&self, at: i64) -> i64 {
        usize::try_from(at).map_or(0, |at| self.heads[at])
    }

    fn start(&self, at: i64) -> Option<bool> {
        usize::try_from(at).ok().and_then(|at| self.starts[at])
    }

    fn is_label(&self, at: i64, label: u64) -> bool {
        !self.is_known(at)
            || label == 0
            || usize::try_from(at).is_ok_and(|at| self.labels[at] == label)
    }
}
