//! Enumeration of the phrases of a trie.

use super::hash_table::Slot;
use super::layout::{MANY_EDGES, NO_EDGE, TrieEdge, TrieNode, TrieView};
use crate::codes;
use crate::fallible;
use crate::{Error, Result};

/// The maximum number of ids of all phrases.
const MAX_IDS: usize = 1 << 26;

/// Calls `each` for every phrase, with the ids of its keys in the order in which they were added.
///
/// Each edge is followed once, if no two edges lead to the same node. Cost: linear in the size of
/// the phrases, and a sort of the edges.
///
/// # Errors
///
/// `phrase-limit` for phrases of more than 2^26 ids in total, which even a small file can contain
/// if its phrases share long prefixes; `out-of-memory`; any error of `each`.
pub(super) fn each_phrase(
    view: &TrieView<'_>,
    mut each: impl FnMut(&[u64], &[u64]) -> Result<()>,
) -> Result<()> {
    let mut ids: Vec<u64> = fallible::zeros(view.nodes.len())?;
    let in_use = || view.edges.iter().filter(|edge| !edge.is_empty());
    let mut edges: Vec<TrieEdge> = fallible::list(in_use().count())?;
    edges.extend(in_use());
    edges.sort_unstable_by_key(Slot::key);
    for slot in view.ids.iter().filter(|slot| !slot.is_empty()) {
        if let Some(id) = ids.get_mut(slot.symbol as usize) {
            *id = slot.id();
        }
    }
    let id_of = |symbol: u32| ids.get(symbol as usize).copied().unwrap_or_default();
    let mut symbols = fallible::collect(view.ids.iter().map(|slot| slot.symbol))?;
    symbols.sort_unstable();
    let (mut phrase, mut keys) = (Vec::new(), Vec::new());
    // Nodes to visit: the node, the symbol of the edge to it, and the number of ids before.
    let mut pending = Vec::new();
    let mut listed = 0;
    for symbol in symbols.into_iter().filter(|symbol| *symbol != 0) {
        pending.push((symbol, symbol, 0));
        while let Some((number, symbol, depth)) = pending.pop() {
            let own: TrieNode = view.node(number);
            phrase.truncate(depth);
            let label = view.label(own);
            phrase.try_reserve(1 + label.len())?;
            phrase.push(id_of(symbol));
            phrase.extend(label.iter().map(|symbol| id_of(*symbol)));
            let (single, several) = view.keys_of(own.keys);
            if single.is_some() || !several.is_empty() {
                listed += phrase.len();
                if listed > MAX_IDS {
                    let text = format!(
                        "the phrases have more than {MAX_IDS} ids in total; divide them among \
                         several matchers"
                    );
                    return Err(Error::value(codes::PHRASE_LIMIT, text));
                }
                keys.clear();
                keys.try_reserve(1 + several.len())?;
                keys.extend(single.iter().chain(several).map(|number| view.key(*number)));
                each(&phrase, &keys)?;
            }
            match own.first {
                NO_EDGE => {}
                MANY_EDGES => {
                    let start = edges.partition_point(|edge| edge.node < number);
                    let own = edges[start..].iter().take_while(|edge| edge.node == number);
                    for edge in own {
                        fallible::push(&mut pending, (edge.next, edge.symbol, phrase.len()))?;
                    }
                }
                symbol => fallible::push(&mut pending, (own.next, symbol, phrase.len()))?,
            }
        }
    }
    Ok(())
}
