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

/// The same for the nodes that end at one position. Texts have long lists at different positions,
/// so that the positions together would keep the longest list of each.
const MAX_REUSED_ENDS: usize = 1 << 6;

/// The limits of a lattice, a position: nodes, and comparisons of them. Texts have a tenth of it at
/// most; a damaged trie with a circle makes words of any length at each position.
const MAX_NODES: usize = 1 << 8;
const MAX_COMPARED: u64 = 1 << 16;

/// The number of positions by which the limits of a short text are those of a longer one.
const FREE_POSITIONS: usize = 1 << 6;

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
    /// The number of nodes that were compared to insert words.
    compared: u64,
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
            ends.shrink_to(MAX_REUSED_ENDS);
        }
        self.len = positions + 1;
        self.compared = 0;
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
    /// begins where none ends, is empty or ends behind the text is left out, and so is any further
    /// word of a lattice that no undamaged dictionary has.
    #[inline]
    pub fn insert(&mut self, begin: usize, end: usize, word: Word, costs: &ConnectionCosts) {
        if end <= begin || end >= self.len || self.is_full() {
            return;
        }
        self.compared += self.ends[begin].len() as u64;
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

    /// Returns `true` if nodes or comparisons of them have reached their limit.
    #[inline]
    fn is_full(&self) -> bool {
        let positions = self.len + FREE_POSITIONS;
        self.nodes.len() >= MAX_NODES * positions
            || self.compared >= MAX_COMPARED * positions as u64
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
            let best_node = self.nodes[index as usize];
            path.push(best_node);
            node = best_node.previous;
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

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn free() -> ConnectionCosts {
        ConnectionCosts::new(&Bytes::from_static(&[0; 2]), 1, 1).unwrap()
    }

    const WORD: Word = Word { left: 0, right: 0, cost: 1, id: 0 };

    #[test]
    fn a_lattice_of_a_damaged_dictionary_has_limits() {
        let (costs, mut lattice) = (free(), Lattice::default());
        lattice.reset(3000, Ties::First);
        for begin in 0..3000 {
            for end in begin + 1..=3000 {
                lattice.insert(begin, end, WORD, &costs);
            }
        }
        assert!(lattice.nodes.len() <= MAX_NODES * (3001 + FREE_POSITIONS));
        // Half of the words end where the others begin.
        lattice.reset(2, Ties::First);
        for _ in 0..5000 {
            lattice.insert(0, 1, WORD, &costs);
        }
        for _ in 0..5000 {
            lattice.insert(1, 2, WORD, &costs);
        }
        assert!((5000..8000).contains(&lattice.nodes.len()), "{}", lattice.nodes.len());
    }

    #[test]
    fn long_lists_at_changing_positions_are_not_kept() {
        let (costs, mut lattice) = (free(), Lattice::default());
        for end in 1..200 {
            lattice.reset(200, Ties::First);
            for _ in 0..1000 {
                lattice.insert(0, end, WORD, &costs);
            }
            assert!(lattice.is_reached(end));
        }
        lattice.reset(0, Ties::First);
        let kept: usize = lattice.ends.iter().map(Vec::capacity).sum();
        assert!(kept <= 201 * MAX_REUSED_ENDS, "{kept}");
    }
}
