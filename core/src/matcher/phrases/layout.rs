//! The tree of phrases as flat arrays: what memory and a file have in common.
//!
//! Holds unsafe code: declares three records of 32-bit numbers to be plain data.
//!
//! An id of a phrase becomes a symbol, which is the number of the node behind the id at the start of
//! a phrase: so symbols are found once for a token, and where a search begins they are the node. A
//! node has its place behind an edge, which is a symbol, and a label, which is the symbols that must
//! follow that one; labels are what keeps a long phrase that shares no branch in one piece. Number 0
//! stands for none: no symbol, no node. A search trusts no number in here, as arrays may be a file's.

use super::table::{Slot, find};

/// Where a node has no edge that leads on.
pub(super) const NO_EDGE: u32 = 0;
/// Where a node's edges are in the table, and how many there are is in its `next`; a symbol's own node
/// has its edges there however few they are.
pub(super) const MANY_EDGES: u32 = u32::MAX;
/// Set where a node has its keys in a run, and not one by itself.
pub(super) const IN_RUN: u32 = 1 << 31;
/// The most items of any array, so that numbers leave room for the marks above.
pub(super) const MOST_ITEMS: usize = 1 << 29;

/// What a sequence of symbols has come to.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// 0 without keys; a key's number and one; or `IN_RUN` and where in `runs` there is how many keys
    /// the node has, how many there is room for, and their numbers.
    pub(super) keys: u32,
    /// Where in `labels` the node's own begins.
    pub(super) label: u32,
    /// How many symbols that has.
    pub(super) len: u32,
    /// The symbol of the only edge, `NO_EDGE` or `MANY_EDGES`.
    pub(super) first: u32,
    /// The node behind the only edge, or how many there are.
    pub(super) next: u32,
}

/// One of many edges of a node; unused if `next` is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) node: u32,
    pub(super) symbol: u32,
    pub(super) next: u32,
}

/// The symbol of an id; unused if the symbol is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IdSlot {
    low: u32,
    high: u32,
    pub(super) symbol: u32,
}

// SAFETY: all three are structs of `u32`, for which zeros are a value.
unsafe impl bytemuck::Zeroable for Node {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for Edge {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for IdSlot {}
// SAFETY: `repr(C)` and `Copy`; five `u32` have no padding, and any bits are a value.
unsafe impl bytemuck::Pod for Node {}
// SAFETY: as above, with three.
unsafe impl bytemuck::Pod for Edge {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for IdSlot {}

impl IdSlot {
    #[expect(clippy::cast_possible_truncation, reason = "halves of a number")]
    pub(super) fn new(id: u64, symbol: u32) -> IdSlot {
        IdSlot { low: id as u32, high: (id >> 32) as u32, symbol }
    }

    pub(super) fn id(&self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }
}

impl Slot for IdSlot {
    fn key(&self) -> u64 {
        self.id()
    }

    fn is_empty(&self) -> bool {
        self.symbol == 0
    }
}

impl Slot for Edge {
    fn key(&self) -> u64 {
        edge_key(self.node, self.symbol)
    }

    fn is_empty(&self) -> bool {
        self.next == 0
    }
}

/// What an edge is found by in the table.
pub(super) fn edge_key(node: u32, symbol: u32) -> u64 {
    u64::from(node) << 32 | u64::from(symbol)
}

/// The arrays of a tree, to be searched.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    /// What hashes of both tables are mixed with.
    pub(super) seed: u64,
    /// A table of symbols by id.
    pub(super) ids: &'a [IdSlot],
    /// A table of edges by node and symbol.
    pub(super) edges: &'a [Edge],
    /// The first is none. Those of symbols have no label.
    pub(super) nodes: &'a [Node],
    pub(super) labels: &'a [u32],
    pub(super) runs: &'a [u32],
    /// The ids of keys, by number.
    pub(super) keys: &'a [u64],
}

impl<'a> View<'a> {
    /// The symbol of an id; 0 if no phrase has the id.
    #[inline]
    pub(super) fn symbol(&self, id: u64) -> u32 {
        find(self.ids, self.seed, id).map_or(0, |slot| slot.symbol)
    }

    /// A node; one without anything where there is none.
    #[inline]
    pub(super) fn node(&self, number: u32) -> Node {
        self.nodes.get(number as usize).copied().unwrap_or_default()
    }

    /// Whether a symbol is a phrase by itself, and whether others begin with it.
    #[inline]
    pub(super) fn begins(&self, symbol: u32) -> (bool, bool) {
        let node = self.node(symbol);
        (symbol != 0 && node.keys != 0, symbol != 0 && node.first != NO_EDGE)
    }

    /// The node behind a node's edge; 0 if there is none. `own` is the node of that number.
    #[inline]
    pub(super) fn child(&self, number: u32, own: Node, symbol: u32) -> u32 {
        if own.first == symbol {
            own.next
        } else if own.first == MANY_EDGES {
            find(self.edges, self.seed, edge_key(number, symbol)).map_or(0, |edge| edge.next)
        } else {
            0
        }
    }

    /// The node behind the edge between two symbols at the start of a phrase; 0 if there is none.
    #[inline]
    pub(super) fn second(&self, first: u32, second: u32) -> u32 {
        find(self.edges, self.seed, edge_key(first, second)).map_or(0, |edge| edge.next)
    }

    /// The symbols of a node's label.
    #[inline]
    pub(super) fn label(&self, own: Node) -> &'a [u32] {
        let (start, len) = (own.label as usize, own.len as usize);
        self.labels.get(start..).and_then(|rest| rest.get(..len)).unwrap_or_default()
    }

    /// The numbers of keys that a node has: one, or those of a run.
    #[inline]
    pub(super) fn keys_of(&self, keys: u32) -> (Option<u32>, &'a [u32]) {
        if keys & IN_RUN == 0 {
            return (keys.checked_sub(1), &[]);
        }
        (None, run(self.runs, keys & !IN_RUN))
    }

    /// The id of a key.
    #[inline]
    pub(super) fn key(&self, number: u32) -> u64 {
        self.keys.get(number as usize).copied().unwrap_or_default()
    }
}

/// The numbers of keys in the run that begins somewhere.
#[inline]
pub(super) fn run(runs: &[u32], start: u32) -> &[u32] {
    let rest = runs.get(start as usize..).unwrap_or_default();
    match rest {
        [len, _room, keys @ ..] => keys.get(..*len as usize).unwrap_or_default(),
        _ => &[],
    }
}
