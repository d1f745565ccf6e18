//! Layout of the phrase trie as flat arrays, shared by the trie in memory and in a mapped file.
//!
//! The trie is a radix trie (PATRICIA, Morrison 1968) over symbols. Each distinct id of a phrase
//! has a symbol: the number of the trie node that phrases starting with the id begin at. So a
//! symbol is looked up once for each token, and a search starts at the symbol itself. A node is
//! reached by an edge, which is one symbol, and a label: the symbols that must follow it. Labels
//! compress chains of nodes without branches. Number 0 means "no symbol" and "no node".
//!
//! A search bounds every number it reads here, because the arrays may come from a file.
//!
//! # Safety
//!
//! This module holds unsafe code: it declares three records to be plain data.
//!
//! - L1: [`TrieNode`], [`TrieEdge`] and [`IdSlot`] are `repr(C)` structs of `u32` fields only. They
//!   have no padding, and every bit pattern is a valid value.

use super::hash_table::{Slot, find};

/// The value of [`TrieNode::first`] for a node without edges.
pub(super) const NO_EDGE: u32 = 0;
/// The value of [`TrieNode::first`] for a node whose edges are in the edge table; their number is
/// in [`TrieNode::next`]. The node of a symbol has all its edges there, even a single one.
pub(super) const MANY_EDGES: u32 = u32::MAX;
/// Flag of [`TrieNode::keys`] for a node with a list of keys.
pub(super) const IN_KEY_LIST: u32 = 1 << 31;
/// The maximum number of items of any array, which leaves room for the marks above.
pub(super) const MAX_ITEMS: usize = 1 << 29;

/// A node: the sequence of symbols on the path to it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TrieNode {
    /// 0 for a node without keys; one key's number plus one; or `IN_KEY_LIST` and the position in
    /// `key_lists` of the number of keys, the capacity of the list, and the numbers of the keys.
    pub(super) keys: u32,
    /// The position of the node's label in `labels`.
    pub(super) label: u32,
    /// The number of symbols of the label.
    pub(super) len: u32,
    /// The symbol of the only edge, `NO_EDGE` or `MANY_EDGES`.
    pub(super) first: u32,
    /// The node that the only edge leads to, or the number of edges.
    pub(super) next: u32,
}

/// An edge in the edge table; unused if `next` is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TrieEdge {
    pub(super) node: u32,
    pub(super) symbol: u32,
    pub(super) next: u32,
}

/// A slot of the id table: the symbol of an id; unused if the symbol is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IdSlot {
    low: u32,
    high: u32,
    pub(super) symbol: u32,
}

// SAFETY: L1: zeros are a valid value.
unsafe impl bytemuck::Zeroable for TrieNode {}
// SAFETY: L1: zeros are a valid value.
unsafe impl bytemuck::Zeroable for TrieEdge {}
// SAFETY: L1: zeros are a valid value.
unsafe impl bytemuck::Zeroable for IdSlot {}
// SAFETY: L1: no padding, and every bit pattern is valid.
unsafe impl bytemuck::Pod for TrieNode {}
// SAFETY: L1: no padding, and every bit pattern is valid.
unsafe impl bytemuck::Pod for TrieEdge {}
// SAFETY: L1: no padding, and every bit pattern is valid.
unsafe impl bytemuck::Pod for IdSlot {}

impl IdSlot {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the id")]
    pub(super) fn new(id: u64, symbol: u32) -> IdSlot {
        IdSlot { low: id as u32, high: (id >> 32) as u32, symbol }
    }

    pub(super) fn id(&self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }
}

impl Slot for IdSlot {
    #[inline]
    fn key(&self) -> u64 {
        self.id()
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.symbol == 0
    }
}

impl Slot for TrieEdge {
    #[inline]
    fn key(&self) -> u64 {
        edge_key(self.node, self.symbol)
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.next == 0
    }
}

/// Returns the key of an edge in the edge table.
#[inline]
pub(super) fn edge_key(node: u32, symbol: u32) -> u64 {
    u64::from(node) << 32 | u64::from(symbol)
}

/// The arrays of a trie, borrowed for a search.
#[derive(Clone, Copy)]
pub(super) struct TrieView<'a> {
    /// The seed of the hash function of both tables.
    pub(super) seed: u64,
    /// The hash table of symbols by id.
    pub(super) ids: &'a [IdSlot],
    /// The hash table of edges by node and symbol.
    pub(super) edges: &'a [TrieEdge],
    /// The nodes. The first one is unused; the nodes of symbols have no labels.
    pub(super) nodes: &'a [TrieNode],
    /// The symbols of all labels.
    pub(super) labels: &'a [u32],
    /// The lists of key numbers: length, capacity, numbers.
    pub(super) key_lists: &'a [u32],
    /// The ids of keys, by number.
    pub(super) keys: &'a [u64],
}

impl<'a> TrieView<'a> {
    /// Returns the symbol of an id, or 0 if no phrase has the id.
    #[inline]
    pub(super) fn symbol(&self, id: u64) -> u32 {
        find(self.ids, self.seed, id).map_or(0, |slot| slot.symbol)
    }

    /// Returns a node, or an empty one if the number is out of range.
    #[inline]
    pub(super) fn node(&self, number: u32) -> TrieNode {
        self.nodes.get(number as usize).copied().unwrap_or_default()
    }

    /// Returns whether a symbol is a phrase by itself, and whether longer phrases start with it.
    #[inline]
    pub(super) fn starts_with(&self, symbol: u32) -> (bool, bool) {
        let node = self.node(symbol);
        (symbol != 0 && node.keys != 0, symbol != 0 && node.first != NO_EDGE)
    }

    /// Returns the child of a node by a symbol, or 0 without such a child. `own` is node `number`.
    #[inline]
    pub(super) fn child(&self, number: u32, own: TrieNode, symbol: u32) -> u32 {
        if own.first == symbol {
            own.next
        } else if own.first == MANY_EDGES {
            find(self.edges, self.seed, edge_key(number, symbol)).map_or(0, |edge| edge.next)
        } else {
            0
        }
    }

    /// Returns the node of phrases that start with two symbols, or 0 without such phrases.
    #[inline]
    pub(super) fn second(&self, first: u32, second: u32) -> u32 {
        find(self.edges, self.seed, edge_key(first, second)).map_or(0, |edge| edge.next)
    }

    /// Returns the symbols of a node's label.
    #[inline]
    pub(super) fn label(&self, own: TrieNode) -> &'a [u32] {
        let (start, len) = (own.label as usize, own.len as usize);
        self.labels.get(start..).and_then(|rest| rest.get(..len)).unwrap_or_default()
    }

    /// Returns the key numbers of a node's `keys` field: a single one, or those of a list.
    #[inline]
    pub(super) fn keys_of(&self, keys: u32) -> (Option<u32>, &'a [u32]) {
        if keys & IN_KEY_LIST == 0 {
            return (keys.checked_sub(1), &[]);
        }
        (None, key_list(self.key_lists, keys & !IN_KEY_LIST))
    }

    /// Returns the id of a key, by number.
    #[inline]
    pub(super) fn key(&self, number: u32) -> u64 {
        self.keys.get(number as usize).copied().unwrap_or_default()
    }
}

/// Returns the key numbers of the list at a position.
#[inline]
pub(super) fn key_list(key_lists: &[u32], start: u32) -> &[u32] {
    let rest = key_lists.get(start as usize..).unwrap_or_default();
    match rest {
        [len, _capacity, keys @ ..] => keys.get(..*len as usize).unwrap_or_default(),
        _ => &[],
    }
}
