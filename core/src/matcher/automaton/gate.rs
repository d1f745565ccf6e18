//! What a node asks about a token: most of what a token fulfils is nothing to a node.

use super::{Node, NodeIx, Place};
use crate::matcher::program::Program;

/// No condition.
const NONE: u32 = u32::MAX;
/// In the place of conditions that are not listed.
pub(super) const MANY: u32 = u32::MAX - 1;

/// Which places of a node a token can have an effect on, by what it fulfils.
pub(super) struct Gate {
    /// Positions of places that any token may affect.
    pub(super) open: Box<[u32]>,
    /// Conditions, in order, and positions of places that only such a token can affect.
    anchored: Box<[(u32, u32)]>,
    /// All conditions that places ask about, each once.
    asked: Box<[u32]>,
}

impl Gate {
    /// Of places; counts what was looked at.
    pub(super) fn new(program: &Program, places: &[Place], looked_at: &mut u64) -> Gate {
        let (mut open, mut anchored, mut asked) = (Vec::new(), Vec::new(), Vec::new());
        let mut anchors = Vec::new();
        for (position, place) in (0..).zip(places) {
            let pattern = &program.patterns[place.pattern as usize];
            match program.anchors(pattern, place.step, false, &mut anchors) {
                Some(()) => anchored.extend(anchors.iter().map(|anchor| (*anchor, position))),
                None => open.push(position),
            }
            program.asked(pattern, place.step, &mut asked);
        }
        *looked_at += (anchored.len() + asked.len()) as u64;
        anchored.sort_unstable();
        anchored.dedup();
        asked.sort_unstable();
        asked.dedup();
        Gate { open: open.into(), anchored: anchored.into(), asked: asked.into() }
    }

    pub(super) fn words(&self) -> usize {
        self.open.len() + 2 * self.anchored.len() + self.asked.len()
    }

    /// What is asked about, if it is at most four conditions, and else `MANY`.
    pub(super) fn few(&self) -> [u32; 4] {
        let mut few = [NONE; 4];
        if self.asked.len() > few.len() {
            return [MANY; 4];
        }
        few[..self.asked.len()].copy_from_slice(&self.asked);
        few
    }

    /// The positions of the places that a token with these conditions can affect, in order.
    pub(super) fn affected(&self, holding: &[u32], positions: &mut Vec<u32>) {
        positions.clear();
        positions.extend_from_slice(&self.open);
        for condition in holding {
            let first = self.anchored.partition_point(|(anchor, _)| anchor < condition);
            let of = self.anchored[first..].iter().take_while(|(anchor, _)| anchor == condition);
            positions.extend(of.map(|(_, position)| *position));
        }
        positions.sort_unstable();
        positions.dedup();
    }
}

/// Pairs of a node and a condition that it asks about, as a filter: it may take others for such.
#[derive(Default)]
pub(super) struct Wanted {
    bits: Vec<u64>,
    pairs: usize,
}

impl Wanted {
    /// Few enough others are taken for pairs.
    const BITS_FOR_A_PAIR: usize = 12;

    #[inline]
    pub(super) fn may_have(&self, node: NodeIx, condition: u32) -> bool {
        let bit = Wanted::hash(node, condition) & (self.bits.len() * 64 - 1);
        self.bits[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// Adds the pairs of a new node; where the filter has to grow, those of all others again.
    pub(super) fn add(&mut self, node: NodeIx, nodes: &[Node]) {
        let new = &nodes[node.0 as usize];
        self.pairs += new.gate.asked.len();
        if self.pairs * Wanted::BITS_FOR_A_PAIR < self.bits.len() * 64 {
            self.enter(node, new);
            return;
        }
        let words = (self.pairs * Wanted::BITS_FOR_A_PAIR / 32).next_power_of_two().max(64);
        self.bits = vec![0; words];
        for (ix, node) in (0..).zip(nodes) {
            self.enter(NodeIx(ix), node);
        }
    }

    fn enter(&mut self, ix: NodeIx, node: &Node) {
        for condition in &node.gate.asked {
            let bit = Wanted::hash(ix, *condition) & (self.bits.len() * 64 - 1);
            self.bits[bit / 64] |= 1 << (bit % 64);
        }
    }

    #[inline]
    fn hash(node: NodeIx, condition: u32) -> usize {
        let pair = u64::from(node.0) << 32 | u64::from(condition);
        (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize
    }
}
