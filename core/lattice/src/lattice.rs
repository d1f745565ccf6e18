//! Lattices and the Viterbi search.
//!
//! Words are inserted from left to right. Each is connected at once to the word in front of it on
//! the path of least cost (Viterbi 1967), so that the best path is known when the last is inserted.

use crate::costs::ConnectionCosts;

/// The bound of path costs. The cost of a connection more fits in 32 bits, so adding it cannot
/// overflow.
const MAX_COST: i32 = i32::MAX - (1 << 16);

/// The number of nodes up to which memory is reused for the next text.
const MAX_REUSED: usize = 1 << 18;

/// A word that may stand at a place of the text.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The connection id on the side of the word in front.
    pub left: u16,
    /// The connection id on the side of the word behind.
    pub right: u16,
    /// The cost of the word.
    pub cost: i32,
    /// The number that the caller gave to the word.
    pub id: u32,
}

/// A word in a lattice.
#[derive(Clone, Copy, Debug)]
pub struct LatticeNode {
    /// The position of the first character.
    pub begin: u32,
    /// The position behind the last character.
    pub end: u32,
    /// The number that the caller gave to the word.
    pub id: u32,
    /// The cost of the word alone.
    pub cost: i32,
    /// The node in front on the path of least cost, plus 1; 0 for the begin of the text.
    previous: u32,
}

/// The end of a node, as the search for the best connection reads it.
#[derive(Clone, Copy)]
struct NodeEnd {
    /// The cost of the best path to this node.
    total: i32,
    right: u16,
    /// The node, plus 1; 0 for the begin of the text.
    node: u32,
}

/// The order in which paths of equal cost win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The one whose last word was inserted first.
    #[default]
    First,
    /// The one whose last word was inserted last.
    Last,
}

/// The words that one text after another may consist of.
#[derive(Default)]
pub struct Lattice {
    nodes: Vec<LatticeNode>,
    /// By position, the nodes that end there, in the order of insertion.
    ends: Vec<Vec<NodeEnd>>,
    /// The number of positions of the present text.
    len: usize,
    ties: Ties,
}

impl Lattice {
    /// Empties the lattice for a text of a number of positions.
    pub fn reset(&mut self, positions: usize, ties: Ties) {
        self.nodes.clear();
        self.nodes.shrink_to(MAX_REUSED);
        self.ends.truncate(MAX_REUSED);
        for ends in &mut self.ends {
            ends.clear();
        }
        self.len = positions + 1;
        self.ties = ties;
        if self.ends.len() < self.len {
            self.ends.resize_with(self.len, Vec::new);
        }
        self.ends[0].push(NodeEnd { total: 0, right: 0, node: 0 });
    }

    /// Returns `true` if a word ends at a position, or the text begins there.
    #[inline]
    pub fn is_reached(&self, position: usize) -> bool {
        self.ends.get(position).is_some_and(|ends| !ends.is_empty())
    }

    /// Inserts a word. All words that end where it begins have been inserted before. A word that
    /// begins where none ends, is empty or ends behind the text is left out.
    #[inline]
    pub fn insert(&mut self, begin: usize, end: usize, word: Word, costs: &ConnectionCosts) {
        if end <= begin || end >= self.len {
            return;
        }
        let Some((total, previous)) = self.best(begin, word.left, costs) else { return };
        let total = total.saturating_add(word.cost).clamp(-MAX_COST, MAX_COST);
        let narrow = u32::try_from;
        let (Ok(from), Ok(to), Ok(node)) =
            (narrow(begin), narrow(end), narrow(self.nodes.len() + 1))
        else {
            return;
        };
        let Word { right, cost, id, .. } = word;
        self.nodes.push(LatticeNode { begin: from, end: to, id, cost, previous });
        self.ends[end].push(NodeEnd { total, right, node });
    }

    /// Returns the last position at which a word ends; 0 if none does.
    pub fn last_reached(&self) -> usize {
        (0..self.len).rev().find(|&position| self.is_reached(position)).unwrap_or(0)
    }

    /// Replaces `path` by the path of least cost from the begin of the text to a position, where
    /// the text ends. Returns `false` if no path does.
    pub fn best_path(
        &self,
        end: usize,
        costs: &ConnectionCosts,
        path: &mut Vec<LatticeNode>,
    ) -> bool {
        path.clear();
        let Some((_, mut node)) = self.best(end, 0, costs) else { return false };
        while let Some(index) = node.checked_sub(1) {
            let found = self.nodes[index as usize];
            path.push(found);
            node = found.previous;
        }
        path.reverse();
        true
    }

    /// Finds the word of least cost, connections aside, that covers a range; the first of equals.
    pub fn cheapest(&self, begin: usize, end: usize) -> Option<LatticeNode> {
        let ends = self.ends.get(end)?.iter().filter_map(|end| end.node.checked_sub(1));
        let nodes = ends.map(|node| self.nodes[node as usize]);
        nodes.filter(|node| node.begin as usize == begin).min_by_key(|node| node.cost)
    }

    /// Finds the word that ends at a position and has the least cost before a word with a left id.
    #[inline]
    fn best(&self, position: usize, left: u16, costs: &ConnectionCosts) -> Option<(i32, u32)> {
        let row = costs.row(left);
        // A bound to be met: of equal totals, the first or the last is taken.
        let slack = i32::from(self.ties == Ties::Last);
        let mut best: Option<(i32, u32)> = None;
        for end in self.ends.get(position)? {
            let total = end.total + i32::from(row.cost(end.right));
            if best.is_none_or(|(least, _)| total < least + slack) {
                best = Some((total, end.node));
            }
        }
        best
    }
}
