//! Ways up a tree in few steps, for arcs that are lifted many times in a row.
//!
//! Each token has a jump to one of its ancestors, so that any of them is reached from it by steps
//! to heads and jumps whose number grows with the logarithm of its depth (Myers 1983). A jump knows
//! the range of the runs that it passes; since runs only shrink, that range stays large enough.

use super::shape::Runs;

/// The jumps from tokens to ancestors.
pub(super) struct Jumps {
    jumps: Vec<Jump>,
    /// False once a jump may pass a token whose head has changed.
    are_valid: bool,
}

/// A jump to an ancestor; to the token itself where its arc crosses or ends the tree.
#[derive(Clone, Copy)]
pub(super) struct Jump {
    pub(super) to: usize,
    /// The number of heads on the way.
    pub(super) heads: usize,
    pub(super) passed: Passed,
}

/// Tokens on the way up, as far as what is lifted over them has to know them.
#[derive(Clone, Copy)]
pub(super) struct Passed {
    /// The first and the last of them.
    pub(super) tokens: (usize, usize),
    /// The first and the last token of all of their runs.
    pub(super) runs: (usize, usize),
}

impl Passed {
    /// The token itself.
    pub(super) fn one(token: usize, runs: &Runs) -> Passed {
        Passed { tokens: (token, token), runs: runs.around(token) }
    }

    fn and(self, other: Passed) -> Passed {
        let united = |a: (usize, usize), b: (usize, usize)| (a.0.min(b.0), a.1.max(b.1));
        Passed { tokens: united(self.tokens, other.tokens), runs: united(self.runs, other.runs) }
    }
}

impl Jumps {
    /// Makes the jumps of a tree without cycles. Cost: linear in the tokens.
    pub(super) fn of(heads: &[Option<usize>], runs: &Runs) -> Jumps {
        let itself = |token: usize| Jump { to: token, heads: 0, passed: Passed::one(token, runs) };
        let mut jumps: Vec<Jump> = (0..heads.len()).map(itself).collect();
        let mut is_made = vec![false; heads.len()];
        let mut way = Vec::new();
        for token in 0..heads.len() {
            let mut at = token;
            while !is_made[at] {
                way.push(at);
                is_made[at] = true;
                match heads[at].filter(|head| *head != at && runs.hold(at, *head)) {
                    Some(head) => at = head,
                    None => break,
                }
            }
            while let Some(at) = way.pop() {
                let head = heads[at].filter(|head| *head != at && runs.hold(at, *head));
                let Some(head) = head else { continue };
                let first = jumps[head];
                let second = jumps[first.to];
                let passed = jumps[at].passed;
                jumps[at] = if first.heads > 0 && first.heads == second.heads {
                    let passed = passed.and(first.passed).and(second.passed);
                    Jump { to: second.to, heads: 1 + first.heads + second.heads, passed }
                } else {
                    Jump { to: head, heads: 1, passed }
                };
            }
        }
        Jumps { jumps, are_valid: true }
    }

    /// The jump from a token, if it has one.
    pub(super) fn from(&self, token: usize) -> Option<Jump> {
        Some(self.jumps[token]).filter(|jump| self.are_valid && jump.heads > 0)
    }

    /// Notes that the head of a token is about to change.
    pub(super) fn note_lift(&mut self, token: usize) {
        self.are_valid &= self.jumps[token].heads == 0;
    }
}
