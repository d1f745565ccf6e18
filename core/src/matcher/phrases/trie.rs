//! Radix trie of phrases in memory (PATRICIA, Morrison 1968), to which phrases are added and from
//! which they are removed.
//!
//! Chains of nodes without branches are compressed to one edge with a label. An insertion splits a
//! label where two phrases diverge. A removal frees the nodes that no other phrase needs, but does
//! not join labels again; the trie is rebuilt once more ids were removed than are left.

use ahash::{AHashMap, RandomState};

use super::hash_table::ProbingTable;
use super::layout::{
    IN_KEY_LIST, IdSlot, MANY_EDGES, MAX_ITEMS, NO_EDGE, TrieEdge, TrieNode, TrieView, edge_key,
    key_list,
};
use super::listing;
use super::prefix_filter::PrefixFilter;
use crate::codes;
use crate::fallible;
use crate::{Error, Result};

/// The trie is rebuilt once the removed ids exceed this number and half of all ids.
const MIN_WASTE: u64 = 4096;

/// A phrase trie in memory.
#[derive(Clone)]
pub(super) struct PhraseTrie {
    seed: u64,
    ids: ProbingTable<IdSlot>,
    edges: ProbingTable<TrieEdge>,
    /// The first symbols of phrases.
    prefixes: PrefixFilter,
    nodes: Vec<TrieNode>,
    labels: Vec<u32>,
    key_lists: Vec<u32>,
    keys: Vec<u64>,
    /// The parent of each node and the symbol of the edge to it; zeros for the nodes of symbols.
    parents: Vec<(u32, u32)>,
    /// The free list of nodes.
    free: Vec<u32>,
    /// The number of each key.
    numbers: AHashMap<u64, u32>,
    /// The free list of key numbers.
    free_numbers: Vec<u32>,
    /// The nodes at which phrases end, by key number.
    ends: Vec<Vec<u32>>,
    /// The number of ids of all phrases.
    size: u64,
    /// The number of ids of removed phrases since the trie was built.
    removed: u64,
}

impl Default for PhraseTrie {
    fn default() -> PhraseTrie {
        let seed = RandomState::new().hash_one(0_u8);
        PhraseTrie {
            seed,
            prefixes: PrefixFilter::new(seed),
            ids: ProbingTable::default(),
            edges: ProbingTable::default(),
            nodes: vec![TrieNode::default()],
            labels: Vec::new(),
            key_lists: Vec::new(),
            keys: Vec::new(),
            parents: vec![(0, 0)],
            free: Vec::new(),
            numbers: AHashMap::new(),
            free_numbers: Vec::new(),
            ends: Vec::new(),
            size: 0,
            removed: 0,
        }
    }
}

/// The effect of a change on the symbols that searches have cached by lexeme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SymbolCache {
    Valid,
    /// An id has got a symbol, or phrases start with a symbol that did not start one before.
    Stale,
}

impl PhraseTrie {
    /// Builds a trie with the phrases of another.
    pub(super) fn copy_of(view: &TrieView<'_>) -> Result<PhraseTrie> {
        let mut trie = PhraseTrie::default();
        listing::each_phrase(view, |phrase, keys| {
            keys.iter().try_for_each(|key| trie.add(*key, phrase).map(|_| ()))
        })?;
        Ok(trie)
    }

    pub(super) fn view(&self) -> TrieView<'_> {
        TrieView {
            seed: self.seed,
            ids: self.ids.slots(),
            edges: self.edges.slots(),
            nodes: &self.nodes,
            labels: &self.labels,
            key_lists: &self.key_lists,
            keys: &self.keys,
        }
    }

    /// Adds a phrase of a key, unless the key has it already or the phrase is empty.
    ///
    /// # Errors
    ///
    /// `phrase-limit` if an array would exceed [`MAX_ITEMS`]; `out-of-memory`. No phrase is added
    /// then, but ids may have got symbols: cached symbols are stale.
    pub(super) fn add(&mut self, key: u64, phrase: &[u64]) -> Result<SymbolCache> {
        let Some((first, rest)) = phrase.split_first() else { return Ok(SymbolCache::Valid) };
        self.check_capacity(phrase.len())?;
        let symbols_before = self.nodes.len();
        let root = self.symbol(*first)?;
        let started = self.view().starts_with(root);
        let mut symbols = fallible::list(rest.len())?;
        for id in rest {
            symbols.push(self.symbol(*id)?);
        }
        let is_new = self.nodes.len() > symbols_before;
        self.insert_prefix(root, &symbols)?;
        self.reserve(symbols.len())?;
        let node = self.grow(root, &symbols);
        let number = self.number(key);
        match self.add_key(node, number) {
            Ok(is_added) => self.size += if is_added { phrase.len() as u64 } else { 0 },
            Err(error) => {
                self.prune(node);
                self.release_number(key, number);
                return Err(error);
            }
        }
        let is_stale = is_new || self.view().starts_with(root) != started;
        Ok(if is_stale { SymbolCache::Stale } else { SymbolCache::Valid })
    }

    /// Adds the prefixes of a phrase to the filter, which is built anew if it is full. A prefix of
    /// no phrase is a false positive only.
    fn insert_prefix(&mut self, root: u32, rest: &[u32]) -> Result<()> {
        if !self.prefixes.insert(root, rest) {
            self.prefixes = PrefixFilter::of(&self.view())?;
            let is_inserted = self.prefixes.insert(root, rest);
            debug_assert!(is_inserted, "a new filter has space for as many prefixes again");
        }
        Ok(())
    }

    /// Makes room for a key, and for the nodes, label and edges of a phrase whose ids have symbols.
    fn reserve(&mut self, label: usize) -> Result<()> {
        self.nodes.try_reserve(2)?;
        self.parents.try_reserve(2)?;
        self.labels.try_reserve(label)?;
        self.edges.reserve(self.seed, 2)?;
        self.keys.try_reserve(1)?;
        self.ends.try_reserve(1)?;
        self.numbers.try_reserve(1).map_err(Error::from)
    }

    /// Returns the filter of the symbols that phrases start with.
    pub(super) fn prefixes(&self) -> &PrefixFilter {
        &self.prefixes
    }

    /// Removes a phrase of a key, if the key has it.
    pub(super) fn remove(&mut self, key: u64, phrase: &[u64]) -> SymbolCache {
        let (Some(node), Some(number)) = (self.find(phrase), self.numbers.get(&key).copied())
        else {
            return SymbolCache::Valid;
        };
        let ends = &mut self.ends[number as usize];
        if let Some(at) = ends.iter().position(|end| *end == node) {
            ends.swap_remove(at);
            self.remove_key(node, number);
            self.release_number(key, number);
        }
        self.rebuild_if_wasteful()
    }

    /// Removes all phrases of a key.
    pub(super) fn remove_all(&mut self, key: u64) -> SymbolCache {
        let Some(number) = self.numbers.get(&key).copied() else { return SymbolCache::Valid };
        for node in std::mem::take(&mut self.ends[number as usize]) {
            self.remove_key(node, number);
        }
        self.release_number(key, number);
        self.rebuild_if_wasteful()
    }

    /// Returns the node at which a sequence of ids ends.
    fn find(&self, phrase: &[u64]) -> Option<u32> {
        let view = self.view();
        let mut symbols = phrase.iter().map(|id| view.symbol(*id));
        let mut number = symbols.next()?;
        while let Some(symbol) = symbols.next() {
            number = view.child(number, view.node(number), symbol);
            for own in view.label(view.node(number)) {
                if symbols.next() != Some(*own) {
                    return None;
                }
            }
            if number == 0 || symbol == 0 {
                return None;
            }
        }
        (number != 0).then_some(number)
    }

    /// Checks that no array exceeds its maximum: a phrase adds at most two nodes and a symbol for
    /// each id, and moves a list of keys to one of twice the capacity.
    fn check_capacity(&self, len: usize) -> Result<()> {
        let nodes = self.nodes.len() + len + 2;
        let longest = nodes.max(self.labels.len() + len).max(self.keys.len() + 1);
        if longest.max(self.key_lists.len() * 3 + 16) <= MAX_ITEMS {
            return Ok(());
        }
        let text = format!(
            "a phrase of {len} ids was added to phrases of {} ids; a matcher holds up to \
             {MAX_ITEMS} ids, divide the phrases among several matchers",
            self.size
        );
        Err(Error::value(codes::PHRASE_LIMIT, text))
    }

    /// Returns the symbol of an id, which is made if the id is new.
    fn symbol(&mut self, id: u64) -> Result<u32> {
        let known = self.view().symbol(id);
        if known != 0 {
            return Ok(known);
        }
        self.nodes.try_reserve(1)?;
        self.parents.try_reserve(1)?;
        // The free list is not used: cached symbols may still refer to its nodes.
        let symbol = number_of(self.nodes.len());
        self.ids.insert(self.seed, IdSlot::new(id, symbol))?;
        self.nodes.push(TrieNode::default());
        self.parents.push((0, 0));
        Ok(symbol)
    }

    /// Returns the node at which a sequence ends, which is made if it is new, in the memory that
    /// [`reserve`](PhraseTrie::reserve) has made room in.
    fn grow(&mut self, root: u32, rest: &[u32]) -> u32 {
        let (mut number, mut rest) = (root, rest);
        while let Some((symbol, after)) = rest.split_first() {
            let child = self.view().child(number, self.nodes[number as usize], *symbol);
            if child == 0 {
                return self.push_leaf(number, *symbol, after);
            }
            let label = self.view().label(self.nodes[child as usize]);
            let common = label.iter().zip(after).take_while(|(own, other)| own == other).count();
            number = if common == label.len() {
                child
            } else {
                self.split(number, *symbol, child, common)
            };
            rest = &after[common..];
        }
        number
    }

    fn push_leaf(&mut self, parent: u32, symbol: u32, label: &[u32]) -> u32 {
        let node = TrieNode {
            label: number_of(self.labels.len()),
            len: number_of(label.len()),
            ..TrieNode::default()
        };
        self.labels.extend_from_slice(label);
        let number = self.push(node, (parent, symbol));
        self.connect(parent, symbol, number);
        number
    }

    /// Splits the label of a child at a position, by a new node between the child and its parent.
    fn split(&mut self, parent: u32, symbol: u32, child: u32, at: usize) -> u32 {
        let own = self.nodes[child as usize];
        let cut = self.labels[own.label as usize + at];
        let at = number_of(at);
        let upper = TrieNode { label: own.label, len: at, keys: 0, first: cut, next: child };
        let upper = self.push(upper, (parent, symbol));
        let lower = &mut self.nodes[child as usize];
        (lower.label, lower.len) = (own.label + at + 1, own.len - at - 1);
        self.parents[child as usize] = (upper, cut);
        if self.nodes[parent as usize].first == symbol {
            self.nodes[parent as usize].next = upper;
        } else if let Some(edge) = self.edges.find_mut(self.seed, edge_key(parent, symbol)) {
            edge.next = upper;
        }
        upper
    }

    fn push(&mut self, node: TrieNode, parent: (u32, u32)) -> u32 {
        if let Some(number) = self.free.pop() {
            self.nodes[number as usize] = node;
            self.parents[number as usize] = parent;
            return number;
        }
        self.nodes.push(node);
        self.parents.push(parent);
        number_of(self.nodes.len() - 1)
    }

    /// Adds an edge between two nodes.
    fn connect(&mut self, parent: u32, symbol: u32, next: u32) {
        let is_symbol_node = self.parents[parent as usize].0 == 0;
        let own = &mut self.nodes[parent as usize];
        if own.first == MANY_EDGES {
            own.next += 1;
        } else if is_symbol_node {
            // Even the first edge goes to the table, where a search finds it without reading the
            // node.
            (own.first, own.next) = (MANY_EDGES, 1);
        } else if own.first == NO_EDGE {
            (own.first, own.next) = (symbol, next);
            return;
        } else {
            let only = TrieEdge { node: parent, symbol: own.first, next: own.next };
            self.edges.insert(self.seed, only).expect(RESERVED);
            (own.first, own.next) = (MANY_EDGES, 2);
        }
        let edge = TrieEdge { node: parent, symbol, next };
        self.edges.insert(self.seed, edge).expect(RESERVED);
    }

    fn disconnect(&mut self, parent: u32, symbol: u32) {
        let own = &mut self.nodes[parent as usize];
        if own.first == MANY_EDGES {
            self.edges.remove(self.seed, edge_key(parent, symbol));
            own.next -= 1;
            if own.next > 0 {
                return;
            }
        }
        (own.first, own.next) = (NO_EDGE, 0);
    }

    /// Returns the number of a key, which is assigned if the key is new.
    fn number(&mut self, key: u64) -> u32 {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.free_numbers.pop().unwrap_or_else(|| {
            self.keys.push(0);
            self.ends.push(Vec::new());
            number_of(self.keys.len() - 1)
        });
        self.keys[number as usize] = key;
        self.numbers.insert(key, number);
        number
    }

    /// Frees the number of a key that has no phrases.
    fn release_number(&mut self, key: u64, number: u32) {
        if self.ends[number as usize].is_empty() {
            self.numbers.remove(&key);
            self.keys[number as usize] = 0;
            list_free(&mut self.free_numbers, number);
        }
    }

    /// Appends a key to those of a node. Returns `false` if the node has the key already.
    ///
    /// # Errors
    ///
    /// `out-of-memory`; nothing is appended then.
    fn add_key(&mut self, node: u32, number: u32) -> Result<bool> {
        let current = self.nodes[node as usize].keys;
        let is_present = if current & IN_KEY_LIST == 0 {
            current == number + 1
        } else {
            // A key without phrases is in no list, so long lists are not scanned for it.
            let is_known = !self.ends[number as usize].is_empty();
            is_known && key_list(&self.key_lists, current & !IN_KEY_LIST).contains(&number)
        };
        if is_present {
            return Ok(false);
        }
        self.ends[number as usize].try_reserve(1)?;
        self.nodes[node as usize].keys = match current {
            0 => number + 1,
            _ if current & IN_KEY_LIST == 0 => self.push_list(&[current - 1, number])?,
            _ => self.push_key(current & !IN_KEY_LIST, number)?,
        };
        self.ends[number as usize].push(node);
        Ok(true)
    }

    /// Appends a key to a list. A full list moves to the end of the array, with twice the capacity.
    fn push_key(&mut self, start: u32, number: u32) -> Result<u32> {
        let at = start as usize;
        let (len, capacity) = (self.key_lists[at], self.key_lists[at + 1]);
        if len < capacity {
            self.key_lists[at + 2 + len as usize] = number;
            self.key_lists[at] += 1;
            return Ok(IN_KEY_LIST | start);
        }
        let own = key_list(&self.key_lists, start);
        let mut keys = fallible::list(own.len() + 1)?;
        keys.extend_from_slice(own);
        keys.push(number);
        self.push_list(&keys)
    }

    fn push_list(&mut self, keys: &[u32]) -> Result<u32> {
        let (start, capacity) = (self.key_lists.len(), keys.len().next_power_of_two());
        self.key_lists.try_reserve(2 + capacity)?;
        self.key_lists.extend([number_of(keys.len()), number_of(capacity)]);
        self.key_lists.extend_from_slice(keys);
        self.key_lists.resize(start + 2 + capacity, 0);
        Ok(IN_KEY_LIST | number_of(start))
    }

    /// Removes a key from a node, and with the last key the nodes that nothing else needs.
    fn remove_key(&mut self, node: u32, number: u32) {
        let len = self.depth(node);
        self.size -= len;
        self.removed += len;
        let current = self.nodes[node as usize].keys;
        let mut left = 0;
        if current & IN_KEY_LIST != 0 {
            let start = self.remove_from_list(current & !IN_KEY_LIST, number);
            self.nodes[node as usize].keys = IN_KEY_LIST | start;
            left = self.key_lists[start as usize];
        }
        if left == 0 {
            self.nodes[node as usize].keys = 0;
            self.prune(node);
        }
    }

    /// Removes a key from a list, and returns where the list starts then. What is on the shorter
    /// side of the key is moved, so keys that are removed in the order of their adding, or against
    /// it, take constant time each.
    fn remove_from_list(&mut self, start: u32, number: u32) -> u32 {
        let at = start as usize;
        let len = self.key_lists[at] as usize;
        let keys = &self.key_lists[at + 2..at + 2 + len];
        let mut from_the_ends = (0..len.div_ceil(2)).flat_map(|place| [place, len - 1 - place]);
        let Some(place) = from_the_ends.find(|place| keys[*place] == number) else {
            return start;
        };
        self.key_lists[at] -= 1;
        if place < len / 2 {
            // The list moves up by one, with its length and its capacity.
            self.key_lists[at + 1] -= 1;
            self.key_lists.copy_within(at..at + 2 + place, at + 1);
            return start + 1;
        }
        self.key_lists.copy_within(at + 3 + place..at + 2 + len, at + 2 + place);
        start
    }

    /// Returns the number of symbols on the path to a node.
    fn depth(&self, node: u32) -> u64 {
        let (mut number, mut depth) = (node, 1);
        while self.parents[number as usize].0 != 0 {
            depth += u64::from(self.nodes[number as usize].len) + 1;
            number = self.parents[number as usize].0;
        }
        depth
    }

    /// Frees a node that leads to no phrase, and its ancestors of which this becomes true.
    fn prune(&mut self, node: u32) {
        let mut number = node;
        loop {
            let own = self.nodes[number as usize];
            let (parent, symbol) = self.parents[number as usize];
            if own.keys != 0 || own.first != NO_EDGE || parent == 0 {
                return;
            }
            self.disconnect(parent, symbol);
            self.nodes[number as usize] = TrieNode::default();
            self.parents[number as usize] = (0, 0);
            list_free(&mut self.free, number);
            number = parent;
        }
    }

    /// Rebuilds the trie if more ids were removed than are left. A trie that cannot be rebuilt, for
    /// want of memory or since its phrases are too many to list, stays until as many are removed
    /// again.
    fn rebuild_if_wasteful(&mut self) -> SymbolCache {
        if self.removed < self.size + MIN_WASTE {
            return SymbolCache::Valid;
        }
        let Ok(rebuilt) = PhraseTrie::copy_of(&self.view()) else {
            self.removed = 0;
            return SymbolCache::Valid;
        };
        *self = rebuilt;
        SymbolCache::Stale
    }
}

/// The reason why an edge can be inserted.
const RESERVED: &str = "`reserve` has made room for the edges of a phrase";

/// Appends to a free list. Without memory for it, the number is unused until the trie is rebuilt.
fn list_free(free: &mut Vec<u32>, number: u32) {
    if free.try_reserve(1).is_ok() {
        free.push(number);
    }
}

/// Converts a position in an array, which [`PhraseTrie::check_capacity`] bounds.
fn number_of(position: usize) -> u32 {
    u32::try_from(position).expect("`check_capacity` bounds all arrays")
}
