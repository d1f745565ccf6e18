//! The phrases of a tree, one by one.

use super::layout::{Edge, MANY_EDGES, NO_EDGE, Node, View};
use super::table::Slot;
use crate::{Error, Result};

/// The most ids of phrases that are listed.
const MOST_LISTED: usize = 1 << 26;

/// Calls `each` for every phrase with the ids of its keys, in the order in which those were added.
///
/// Each edge is followed once, whatever the arrays hold, if no two lead to one node. Cost: linear
/// in what is given, and a sort of the edges.
///
/// # Errors
///
/// `phrase-limit` for phrases of more than 2^26 ids in all: a chain in a small file can spell so many.
pub(super) fn each_phrase(
    view: &View<'_>,
    mut each: impl FnMut(&[u64], &[u64]) -> Result<()>,
) -> Result<()> {
    let mut ids = vec![0; view.nodes.len()];
    let mut edges: Vec<Edge> = view.edges.iter().filter(|edge| !edge.is_empty()).copied().collect();
    edges.sort_unstable_by_key(Slot::key);
    for slot in view.ids.iter().filter(|slot| !slot.is_empty()) {
        if let Some(id) = ids.get_mut(slot.symbol as usize) {
            *id = slot.id();
        }
    }
    let id_of = |symbol: u32| ids.get(symbol as usize).copied().unwrap_or_default();
    let mut symbols: Vec<u32> = view.ids.iter().map(|slot| slot.symbol).collect();
    symbols.sort_unstable();
    let (mut phrase, mut keys) = (Vec::new(), Vec::new());
    // A node, the symbol that leads to it, and how many ids there are before.
    let mut ahead = Vec::new();
    let mut listed = 0;
    for symbol in symbols.into_iter().filter(|symbol| *symbol != 0) {
        ahead.push((symbol, symbol, 0));
        while let Some((number, symbol, depth)) = ahead.pop() {
            let own: Node = view.node(number);
            phrase.truncate(depth);
            phrase.push(id_of(symbol));
            phrase.extend(view.label(own).iter().map(|symbol| id_of(*symbol)));
            let (single, several) = view.keys_of(own.keys);
            if single.is_some() || !several.is_empty() {
                listed += phrase.len();
                if listed > MOST_LISTED {
                    let text = format!("the phrases have more than {MOST_LISTED} ids in all");
                    return Err(Error::value("phrase-limit", text));
                }
                keys.clear();
                keys.extend(single.iter().chain(several).map(|number| view.key(*number)));
                each(&phrase, &keys)?;
            }
            match own.first {
                NO_EDGE => {}
                MANY_EDGES => {
                    let start = edges.partition_point(|edge| edge.node < number);
                    let own = edges[start..].iter().take_while(|edge| edge.node == number);
                    ahead.extend(own.map(|edge| (edge.next, edge.symbol, phrase.len())));
                }
                symbol => ahead.push((own.next, symbol, phrase.len())),
            }
        }
    }
    Ok(())
}
