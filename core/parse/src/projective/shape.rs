//! The tokens below each token, and those around it that hang on it, found in one pass each.
//!
//! A walk of the tree enters a token before all that lies below it and leaves it behind them, so
//! two numbers for each say what lies below what (Tarjan 1972). A cycle is one place of the walk: a
//! token on it is above all tokens whose way leads there.

use std::ops::Range;

use lexpool_error::codes;
use lexpool_error::{Error, Result};

/// The end of the way up from a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Not known yet.
    New,
    /// On the way that is being followed.
    Met,
    Root,
    /// A token whose head is unknown, so that every token may be its ancestor.
    Open,
    Cycle,
}

/// For each token, the longest contiguous range around it whose tokens are, or may be, its
/// descendants: the first and the last token.
#[derive(Debug)]
pub(super) struct Runs {
    pub(super) first: Vec<usize>,
    pub(super) last: Vec<usize>,
}

impl Runs {
    /// The first and the last token of the run of a token.
    pub(super) fn around(&self, token: usize) -> (usize, usize) {
        (self.first[token], self.last[token])
    }

    /// True if an arc spans only what lies below its head.
    pub(super) fn hold(&self, token: usize, head: usize) -> bool {
        self.first[head] <= token && token <= self.last[head]
    }
}

/// The order of heads: what lies below what.
#[derive(Debug)]
pub(super) struct Shape {
    ends: Vec<End>,
    /// The numbers of the walk at a token and below it.
    visits: Vec<Range<usize>>,
    /// The first and the last token below each, itself included.
    edges: Vec<(usize, usize)>,
    runs: Runs,
}

impl Shape {
    /// Cost: linear in the tokens.
    pub(super) fn of(heads: &[Option<usize>]) -> Shape {
        let Order { tokens, above, ends, cycles } = Order::of(heads);
        let mut edges: Vec<_> = (0..heads.len()).map(|token| (token, token)).collect();
        let mut visits = vec![0..1; heads.len()];
        for &token in tokens.iter().rev() {
            if let Some(head) = above[token] {
                edges[head].0 = edges[head].0.min(edges[token].0);
                edges[head].1 = edges[head].1.max(edges[token].1);
                visits[head].end += visits[token].end;
            }
        }
        let mut top = 0;
        let mut next = vec![0; heads.len()];
        for &token in &tokens {
            let start = above[token].map_or(&mut top, |head| &mut next[head]);
            let visit = *start..*start + visits[token].end;
            *start = visit.end;
            next[token] = visit.start + 1;
            visits[token] = visit;
        }
        for (token, top) in cycles {
            visits[token] = visits[top].clone();
        }
        let runs = Runs { first: Vec::new(), last: Vec::new() };
        let mut shape = Shape { ends, visits, edges, runs };
        shape.runs = shape.find_runs(&mut 0);
        shape
    }

    /// Finds the runs by one pass in each direction. A run is extended by jumping over runs that
    /// were found before. Cost: linear, because no token is the target of two jumps that continue:
    /// of two ancestors, the farther one jumps over the nearer one's run, or ends before it.
    fn find_runs(&self, steps: &mut usize) -> Runs {
        let len = self.ends.len();
        let (mut first, mut last) = (vec![0; len], vec![0; len]);
        for token in (0..len).rev() {
            let mut next = token + 1;
            while next < len && self.may_be_below(next, token) {
                next = last[next] + 1;
                *steps += 1;
            }
            last[token] = next - 1;
        }
        for token in 0..len {
            let mut at = token;
            while at > 0 && self.may_be_below(at - 1, token) {
                at = first[at - 1];
                *steps += 1;
            }
            first[token] = at;
        }
        Runs { first, last }
    }

    /// True if the way up from any token leads into a cycle.
    pub(super) fn is_cyclic(&self) -> bool {
        self.ends.contains(&End::Cycle)
    }

    /// True if a token's arc spans one that does not lie below its head: the first of them decides.
    ///
    /// # Errors
    ///
    /// `projective-cycle` if the way up from that one has no end.
    pub(super) fn crosses(&self, token: usize, heads: &[Option<usize>]) -> Result<bool> {
        let Some(head) = heads[token] else { return Ok(false) };
        if self.runs.hold(token, head) {
            return Ok(false);
        }
        let mut other = head.min(token) + 1;
        while self.may_be_below(other, head) {
            other = self.runs.last[other] + 1;
        }
        if self.ends[other] == End::Cycle {
            return Err(cycle(heads));
        }
        Ok(true)
    }

    /// The parts that lifting needs: the edges, the runs, and for each token whether all may lie
    /// above it.
    pub(super) fn into_parts(self) -> (Vec<(usize, usize)>, Runs, Vec<bool>) {
        let open = self.ends.iter().map(|end| *end == End::Open).collect();
        (self.edges, self.runs, open)
    }

    fn may_be_below(&self, token: usize, head: usize) -> bool {
        self.ends[token] == End::Open || self.visits[head].contains(&self.visits[token].start)
    }
}

/// All tokens, each behind its head.
struct Order {
    tokens: Vec<usize>,
    /// The heads, without those of roots and of one token of each cycle.
    above: Vec<Option<usize>>,
    ends: Vec<End>,
    /// The tokens on cycles, each with that one of its own.
    cycles: Vec<(usize, usize)>,
}

impl Order {
    fn of(heads: &[Option<usize>]) -> Order {
        let mut order = Order {
            tokens: Vec::with_capacity(heads.len()),
            above: vec![None; heads.len()],
            ends: vec![End::New; heads.len()],
            cycles: Vec::new(),
        };
        let mut way = Vec::new();
        for token in 0..heads.len() {
            let mut at = token;
            while order.ends[at] == End::New {
                order.ends[at] = End::Met;
                way.push(at);
                at = heads[at].unwrap_or(at);
            }
            order.enter(&mut way, heads);
        }
        order
    }

    /// Takes in the tokens of a way that leads to a root or to one that is in already, or around a
    /// cycle.
    fn enter(&mut self, way: &mut Vec<usize>, heads: &[Option<usize>]) {
        // The top of a cycle and its head, with which the cycle was entered.
        let mut around = None;
        while let Some(token) = way.pop() {
            match heads[token] {
                None => self.ends[token] = End::Open,
                Some(head) if head == token => self.ends[token] = End::Root,
                Some(head) if self.ends[head] == End::Met => {
                    self.ends[token] = End::Cycle;
                    around = Some((token, head));
                }
                Some(head) => {
                    self.ends[token] = self.ends[head];
                    self.above[token] = Some(head);
                }
            }
            self.tokens.push(token);
            if let Some((top, last)) = around {
                self.cycles.push((token, top));
                around = around.filter(|_| token != last);
            }
        }
    }
}

/// Makes the error of heads that form a cycle.
pub(super) fn cycle(heads: &[Option<usize>]) -> Error {
    let head_texts: Vec<_> = heads
        .iter()
        .map(|head| head.map_or_else(|| "-1".to_owned(), |head| head.to_string()))
        .collect();
    let text = format!("Found cycle in dependency graph: [{}]", head_texts.join(", "));
    Error::value(codes::PROJECTIVE_CYCLE, text)
}

#[cfg(test)]
mod tests {
    use super::Shape;

    /// The head of a token, of so many.
    type Head = fn(usize, usize) -> usize;

    #[test]
    fn each_token_is_come_to_once_by_the_runs_of_all() {
        let n = 3000;
        let shapes: [(&str, Head); 6] = [
            ("a star to the left", |_, _| 0),
            ("a star to the right", |_, n| n - 1),
            ("a chain to the left", |i, _| i.saturating_sub(1)),
            ("a chain to the right", |i, n| (i + 1).min(n - 1)),
            (
                "leaves behind a chain",
                |i, n| if i < n / 2 { i.saturating_sub(1) } else { n / 2 - 1 },
            ),
            ("leaves behind a chain from below", |i, n| if i < n / 2 { i + 1 } else { 0 }),
        ];
        for (name, head) in shapes {
            let heads: Vec<_> = (0..n).map(|i| Some(head(i, n))).collect();
            let mut steps = 0;
            Shape::of(&heads).find_runs(&mut steps);
            assert!(steps <= 2 * n, "{name}: {steps} steps for {n} tokens");
        }
    }
}
