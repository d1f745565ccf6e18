//! A trie, coded level by level.
//!
//! What follows a node is predicted from the two and three symbols before it, and from the words
//! that may go on there: behind a prefix that is a word, another word begins, whose node in the
//! trie is known by then, since it lies on an earlier level. Of that node's children many are
//! children here, as most long words are compounds.

use std::ops::Range;

use super::predictor::{BitCoder, Lines, Predictor};

/// The groups of symbols, of which the most frequent come first. A symbol is coded by its group,
/// then by its place in the group.
const GROUPS: [Range<u32>; 4] = [0..8, 8..24, 24..56, 56..88];

/// The greatest number of symbols.
pub(super) const MAX_SYMBOLS: u32 = GROUPS[GROUPS.len() - 1].end;

/// The places of predictions in a line: whether a node is a word, has another child (by the number
/// of children before and by whether it is a word), the groups, the places in the first two groups.
const IS_WORD: usize = 0;
const HAS_NEXT: usize = 1;
const GROUP: usize = HAS_NEXT + 6;
const PLACES: [usize; 2] = [GROUP + 3, GROUP + 10];

/// A node of a trie. Nodes are in the order of their levels, and siblings in that of symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    /// The symbol that leads from the parent to the node.
    pub(super) symbol: u32,
    /// A word ends here.
    pub(super) is_word: bool,
    /// The indices of the children.
    pub(super) children: Range<usize>,
}

/// The contexts of a node.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The last symbols, plus 1, in seven bits each.
    history: u32,
    depth: u32,
    /// The nodes of words that began behind a prefix that is a word, the longest first; 0 if there
    /// are fewer.
    inner: [usize; 2],
}

/// Codes a number of nodes of a trie with a number of symbols: writes those that are known, or
/// reads them. Returns `None` for bytes that do not describe so many.
pub(super) fn code(
    coder: &mut impl BitCoder,
    symbols: u32,
    count: usize,
    known: Option<&[Node]>,
) -> Option<Vec<Node>> {
    let mut predictor = Predictor::new();
    let mut nodes = Vec::with_capacity(count);
    let mut places = Vec::with_capacity(count);
    nodes.push(Node::default());
    places.push(Place::default());
    for at in 0..count {
        let place: Place = *places.get(at)?;
        let own = known.map(|known| &known[at]);
        let base = contexts(&nodes, at, &place);
        let mut lines = spread(&base, 0);
        let is_word = predictor.code(coder, own.is_some_and(|own| own.is_word), &lines, IS_WORD);
        let first = nodes.len();
        // The least symbol that the next child may have.
        let mut least = 0;
        for child in 0.. {
            let next = own.and_then(|own| known?[own.children.clone()].get(child));
            if child > 0 {
                lines = spread(&base, least);
            }
            let slot = HAS_NEXT + 2 * child.min(2) + usize::from(is_word);
            // A node without children is a word, but for the root.
            let has_next = child == 0 && !is_word && at > 0
                || predictor.code(coder, next.is_some(), &lines, slot);
            if !has_next {
                break;
            }
            if least == symbols || nodes.len() == count {
                return None;
            }
            let mut symbol_coder = SymbolCoder { coder, predictor: &mut predictor, symbols, least };
            let symbol = symbol_coder.code(next.map_or(0, |next| next.symbol), &base, &lines);
            nodes.push(Node { symbol, ..Node::default() });
            least = symbol + 1;
        }
        nodes[at].is_word = is_word;
        nodes[at].children = first..nodes.len();
        for child in first..nodes.len() {
            places.push(place_of(&nodes, at, &place, child));
        }
    }
    (nodes.len() == count).then_some(nodes)
}

/// Returns the contexts of a child.
fn place_of(nodes: &[Node], parent: usize, place: &Place, child: usize) -> Place {
    let symbol = nodes[child].symbol;
    let step = |node: usize| {
        let Range { start, end } = nodes[node].children;
        nodes[start..end].iter().position(|node| node.symbol == symbol).map(|at| start + at)
    };
    let going_on = place.inner.into_iter().filter(|&node| node != 0).filter_map(step);
    let beginning = (nodes[parent].is_word && parent != 0).then(|| step(0)).flatten();
    let mut inner = [0; 2];
    for (inner, found) in inner.iter_mut().zip(going_on.chain(beginning)) {
        *inner = found;
    }
    let history = place.history << 7 | (symbol + 1);
    Place { history: history & ((1 << 21) - 1), depth: (place.depth + 1).min(15), inner }
}

/// Returns the contexts of a node as numbers.
#[expect(clippy::cast_possible_truncation, reason = "numbers that are spread over lines anyway")]
fn contexts(nodes: &[Node], at: usize, place: &Place) -> Lines {
    let state = |node: usize| if node == 0 { 2 } else { u32::from(nodes[node].is_word) };
    let [longest, second] = place.inner;
    let going_on = if longest == 0 { at } else { longest };
    [
        place.history & 0x3FFF,
        place.history,
        going_on as u32,
        16 * (3 * state(longest) + state(second)) + place.depth,
    ]
}

/// Returns the lines of contexts in a situation.
#[inline]
fn spread(contexts: &Lines, situation: u32) -> Lines {
    let mut kind = 0;
    contexts.map(|context| {
        kind += 1;
        let hash = (context << 3 | kind) ^ situation.wrapping_mul(0x9E37_79B1);
        let hash = (hash ^ hash >> 15).wrapping_mul(0x85EB_CA6B);
        (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35) >> 16
    })
}

/// The coder of a child's symbol.
struct SymbolCoder<'c, C> {
    coder: &'c mut C,
    predictor: &'c mut Predictor,
    symbols: u32,
    least: u32,
}

impl<C: BitCoder> SymbolCoder<'_, C> {
    /// Codes a symbol. Bits that its bounds imply are left out.
    fn code(&mut self, symbol: u32, contexts: &Lines, lines: &Lines) -> u32 {
        let mut group = 0;
        while GROUPS[group].end < self.symbols {
            let end = GROUPS[group].end;
            let is_behind = end <= self.least;
            let slot = GROUP + group;
            if !is_behind && self.predictor.code(self.coder, symbol < end, lines, slot) {
                break;
            }
            group += 1;
        }
        let Range { start, end } = GROUPS[group];
        let (lines, slots) = match PLACES.get(group) {
            Some(slots) => (*lines, *slots),
            None => {
                (spread(contexts, self.least + MAX_SYMBOLS * if group == 2 { 1 } else { 2 }), 0)
            }
        };
        let (mut low, mut len, mut node) = (start, end - start, 1);
        while len > 1 {
            len /= 2;
            let middle = low + len;
            let is_high = middle <= self.least
                || middle < self.symbols
                    && self.predictor.code(self.coder, symbol >= middle, &lines, slots + node - 1);
            node = 2 * node + usize::from(is_high);
            if is_high {
                low = middle;
            }
        }
        low
    }
}
