//! Whether arrays are a tree: what has to hold before arrays from a file are searched or listed.
//!
//! A search bounds each number that it takes, so it is about time: no table may be so full in one
//! place that looking something up takes long, no two edges may lead to one node, and no label or
//! run of keys may be there for many nodes.

use super::file::fault;
use super::layout::{IN_RUN, MANY_EDGES, MOST_ITEMS, NO_EDGE, View, run};
use super::table::{Slot, distances};
use crate::Result;

/// How far from its place a record of a table may lie, and how far they may on the average. Tables
/// of this crate are far below both, whatever is in them.
const MOST_DISTANCE: usize = 4096;
const MEAN_DISTANCE: usize = 16;

/// Judges the arrays. `offsets` are where they are in the file, for the text of errors.
///
/// # Errors
///
/// `phrases-table`, `phrases-tree` and `phrases-keys`, with the offset in the file.
pub(super) fn tree(view: &View<'_>, offsets: &[usize; 8]) -> Result<()> {
    let lens = [view.ids.len(), view.edges.len(), view.nodes.len(), view.labels.len()];
    let most = lens.into_iter().chain([view.runs.len(), view.keys.len()]).max().unwrap_or_default();
    if view.nodes.is_empty() || view.nodes.len() > MOST_ITEMS || most > 2 * MOST_ITEMS {
        let text = format!("{} nodes, and {most} items in the longest array", view.nodes.len());
        return Err(fault("phrases-tree", offsets[2], text));
    }
    table(view.ids, view.seed, offsets[0])?;
    table(view.edges, view.seed, offsets[1])?;
    let mut nodes = Nodes { seen: vec![0; view.nodes.len().div_ceil(64)], len: view.nodes.len() };
    for (at, slot) in used(view.ids) {
        let is_whole = matches!(view.node(slot.symbol).first, NO_EDGE | MANY_EDGES);
        if !is_whole || !nodes.reach(slot.symbol) {
            let text = format!("the symbol {} is none, or another's, or no start", slot.symbol);
            return Err(fault("phrases-tree", offsets[0] + 12 * at, text));
        }
    }
    for (at, edge) in used(view.edges) {
        let is_one = view.node(edge.node).first == MANY_EDGES && nodes.has(edge.symbol);
        if !nodes.has(edge.node) || !is_one || !nodes.reach(edge.next) {
            let text =
                format!("{edge:?} is between nodes that there are not, or the second to one");
            return Err(fault("phrases-tree", offsets[1] + 12 * at, text));
        }
    }
    let (mut in_labels, mut in_runs) = (0, 0);
    for (at, node) in view.nodes.iter().enumerate() {
        let is_one = matches!(node.first, NO_EDGE | MANY_EDGES)
            || nodes.has(node.first) && nodes.reach(node.next);
        let end = node.label as usize + node.len as usize;
        in_labels += node.len as usize;
        if !is_one || end > view.labels.len() || in_labels > view.labels.len() {
            let text = format!("{node:?} leads nowhere, or its label does not fit");
            return Err(fault("phrases-tree", offsets[2] + 20 * at, text));
        }
        let (single, several) = view.keys_of(node.keys);
        in_runs += several.len();
        let is_run = node.keys & IN_RUN == 0 || is_whole(view.runs, node.keys & !IN_RUN);
        let mut keys = single.iter().chain(several);
        if !is_run || in_runs > view.runs.len() || keys.any(|key| *key as usize >= view.keys.len())
        {
            let text = format!("{node:?} has keys that are none");
            return Err(fault("phrases-keys", offsets[2] + 20 * at, text));
        }
    }
    if let Some(at) = view.labels.iter().position(|symbol| !nodes.has(*symbol)) {
        let text = format!("the symbol {} is none", view.labels[at]);
        return Err(fault("phrases-tree", offsets[3] + 4 * at, text));
    }
    Ok(())
}

/// The nodes that there are, and those that something leads to.
struct Nodes {
    seen: Vec<u64>,
    len: usize,
}

impl Nodes {
    fn has(&self, node: u32) -> bool {
        node != 0 && (node as usize) < self.len
    }

    /// Whether this is the first way to a node that there is.
    fn reach(&mut self, node: u32) -> bool {
        if !self.has(node) {
            return false;
        }
        let (word, bit) = (node as usize / 64, 1 << (node % 64));
        let is_new = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        is_new
    }
}

fn used<T: Slot>(slots: &[T]) -> impl Iterator<Item = (usize, &T)> {
    slots.iter().enumerate().filter(|(_, slot)| !slot.is_empty())
}

fn table<T: Slot>(slots: &[T], seed: u64, offset: usize) -> Result<()> {
    let is_sized = slots.is_empty() || slots.len().is_power_of_two();
    let spread = if is_sized { distances(slots, seed) } else { None };
    let len = slots.len();
    let Some((sum, most)) = spread else {
        let text = format!("a table of {len} slots, in which not all can be found");
        return Err(fault("phrases-table", offset, text));
    };
    if most > MOST_DISTANCE || sum > MEAN_DISTANCE * used(slots).count() {
        let text = format!(
            "a look-up goes through up to {most} slots, and records lie {sum} from their places in all"
        );
        return Err(fault("phrases-table", offset, text));
    }
    Ok(())
}

/// Whether a run has all the keys that it says it has.
fn is_whole(runs: &[u32], start: u32) -> bool {
    let len = runs.get(start as usize);
    len.is_some_and(|len| run(runs, start).len() == *len as usize)
}
