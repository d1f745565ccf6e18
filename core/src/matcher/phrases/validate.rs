//! Validation of the arrays of a trie, before arrays from a file are searched or listed.
//!
//! A search bounds each number that it reads, so invalid arrays cannot harm memory. The checks here
//! bound the time: a look-up must not probe many slots, no two edges may lead to one node, and
//! labels and key lists must not be shared by many nodes.

use super::hash_table::{Slot, probe_distances};
use super::layout::{IN_KEY_LIST, MANY_EDGES, MAX_ITEMS, NO_EDGE, TrieView, key_list};
use crate::Result;
use crate::codes;
use crate::container::invalid_at;

/// The maximum number of slots that a look-up may probe. Tables written by this crate are far below
/// it, whatever their contents.
const MAX_PROBES: usize = 4096;
/// The maximum mean distance of records from their home slots.
const MAX_MEAN_DISTANCE: usize = 16;

/// Validates the arrays of a trie. `offsets` are the offsets of the sections in the file, for
/// errors.
///
/// # Errors
///
/// `phrases-table`, `phrases-tree` and `phrases-keys`, with the offset in the file.
pub(super) fn trie(view: &TrieView<'_>, offsets: &[usize; 8]) -> Result<()> {
    let lens = [view.ids.len(), view.edges.len(), view.nodes.len(), view.labels.len()];
    let longest =
        lens.into_iter().chain([view.key_lists.len(), view.keys.len()]).max().unwrap_or_default();
    if view.nodes.is_empty() || view.nodes.len() > MAX_ITEMS || longest > 2 * MAX_ITEMS {
        let text = format!(
            "{} nodes, and {longest} items in the longest array; expected 1 to {MAX_ITEMS} nodes \
                 and at most twice as many items",
            view.nodes.len()
        );
        return Err(invalid_at(codes::PHRASES_TREE, offsets[2], text));
    }
    table(view.ids, view.seed, offsets[0])?;
    table(view.edges, view.seed, offsets[1])?;
    let mut nodes = ReachedNodes::new(view.nodes.len());
    for (at, slot) in used(view.ids) {
        let is_start = matches!(view.node(slot.symbol).first, NO_EDGE | MANY_EDGES);
        if !is_start || !nodes.reach(slot.symbol) {
            let text = format!(
                "the symbol {} is out of range, used twice, or not the start of phrases",
                slot.symbol
            );
            return Err(invalid_at(codes::PHRASES_TREE, offsets[0] + 12 * at, text));
        }
    }
    for (at, edge) in used(view.edges) {
        let is_valid = view.node(edge.node).first == MANY_EDGES && nodes.has(edge.symbol);
        if !nodes.has(edge.node) || !is_valid || !nodes.reach(edge.next) {
            let text =
                format!("{edge:?} has a node out of range, or leads to a node with another edge");
            return Err(invalid_at(codes::PHRASES_TREE, offsets[1] + 12 * at, text));
        }
    }
    let (mut in_labels, mut in_key_lists) = (0, 0);
    for (at, node) in view.nodes.iter().enumerate() {
        let is_valid = matches!(node.first, NO_EDGE | MANY_EDGES)
            || nodes.has(node.first) && nodes.reach(node.next);
        let end = node.label as usize + node.len as usize;
        in_labels += node.len as usize;
        if !is_valid || end > view.labels.len() || in_labels > view.labels.len() {
            let text = format!("{node:?} has an edge or a label out of range");
            return Err(invalid_at(codes::PHRASES_TREE, offsets[2] + 20 * at, text));
        }
        let (single, several) = view.keys_of(node.keys);
        in_key_lists += several.len();
        let is_valid =
            node.keys & IN_KEY_LIST == 0 || is_complete(view.key_lists, node.keys & !IN_KEY_LIST);
        let mut keys = single.iter().chain(several);
        if !is_valid
            || in_key_lists > view.key_lists.len()
            || keys.any(|key| *key as usize >= view.keys.len())
        {
            let text = format!("{node:?} has a key or a list of keys out of range");
            return Err(invalid_at(codes::PHRASES_KEYS, offsets[2] + 20 * at, text));
        }
    }
    if let Some(at) = view.labels.iter().position(|symbol| !nodes.has(*symbol)) {
        let text = format!("the symbol {} of a label is out of range", view.labels[at]);
        return Err(invalid_at(codes::PHRASES_TREE, offsets[3] + 4 * at, text));
    }
    Ok(())
}

/// A bit set of the nodes that an edge or a symbol leads to.
struct ReachedNodes {
    bits: Vec<u64>,
    len: usize,
}

impl ReachedNodes {
    fn new(len: usize) -> ReachedNodes {
        ReachedNodes { bits: vec![0; len.div_ceil(64)], len }
    }

    /// Returns whether the number of a node is valid.
    fn has(&self, node: u32) -> bool {
        node != 0 && (node as usize) < self.len
    }

    /// Marks a node as reached. Returns `false` if it was reached before or its number is invalid.
    fn reach(&mut self, node: u32) -> bool {
        if !self.has(node) {
            return false;
        }
        let (word, bit) = (node as usize / 64, 1 << (node % 64));
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }
}

fn used<T: Slot>(slots: &[T]) -> impl Iterator<Item = (usize, &T)> {
    slots.iter().enumerate().filter(|(_, slot)| !slot.is_empty())
}

fn table<T: Slot>(slots: &[T], seed: u64, offset: usize) -> Result<()> {
    let is_sized = slots.is_empty() || slots.len().is_power_of_two();
    let probes = if is_sized { probe_distances(slots, seed) } else { None };
    let len = slots.len();
    let Some((sum, longest)) = probes else {
        let text = format!("a hash table of {len} slots, in which some records cannot be found");
        return Err(invalid_at(codes::PHRASES_TABLE, offset, text));
    };
    if longest > MAX_PROBES || sum > MAX_MEAN_DISTANCE * used(slots).count() {
        let text = format!(
            "a look-up probes up to {longest} slots, and the distances of all records from their \
             home slots sum up to {sum}; expected at most {MAX_PROBES} probes and a mean distance \
             of {MAX_MEAN_DISTANCE}"
        );
        return Err(invalid_at(codes::PHRASES_TABLE, offset, text));
    }
    Ok(())
}

/// Returns whether a list has as many keys as its length field says.
fn is_complete(key_lists: &[u32], start: u32) -> bool {
    let len = key_lists.get(start as usize);
    len.is_some_and(|len| key_list(key_lists, start).len() == *len as usize)
}
