//! An automaton over kinds of token, built as far as texts lead it.
//!
//! What begins at one token in all patterns goes on together: it is one node, the list of the places
//! that its ways have come to, in spaCy's order. A kind of token moves a node to two nodes, of the
//! ways that are kept and of those that branch off, and ends matches. A node knows nothing of where
//! in the text it began, so a text meets few of them, however many patterns there are.

mod gate;
mod table;

use std::sync::Arc;

use ahash::{AHashMap, AHashSet};

use crate::matcher::classes::{Class, Classes};
use crate::matcher::program::Program;
use crate::matcher::steps::{self, Outcome, advance};
use gate::{Gate, MANY, Wanted};
use table::{Table, mix};

/// More places, ends and moves than this, in words of 32 bits, and all are forgotten. Tests forget
/// often.
const MOST_WORDS: usize = if cfg!(test) { 1 << 9 } else { 1 << 23 };

/// A step of a pattern that is to take the next token.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pattern: u32,
    step: u32,
}

/// A list of places, by position. The first is the empty one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct NodeIx(u32);

impl NodeIx {
    /// No way is left.
    pub(super) const NONE: NodeIx = NodeIx(0);
}

/// A move, by position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct MoveIx(u32);

/// What becomes of a node at a token.
#[derive(Clone)]
pub(super) struct Move {
    pub(super) kept: NodeIx,
    pub(super) branched: NodeIx,
    /// The matches that end, in order, each once.
    pub(super) ends: Arc<[End]>,
}

/// A match that ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct End {
    pub(super) pattern: u32,
    /// The position of the key.
    pub(super) key: u32,
    /// Whether the token is part of it.
    pub(super) with_token: bool,
}

/// What begins at a token: of patterns that few words begin, and of all others. Together they
/// would be a node for every such word, with all others in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Beginning {
    pub(super) rare: MoveIx,
    pub(super) common: MoveIx,
    /// The node that is kept if nothing else comes of the two; most often that is so.
    pub(super) only: NodeIx,
}

struct Node {
    places: Arc<[Place]>,
    gate: Gate,
    /// Whether a pattern is ambiguous of which it has a place.
    is_ambiguous: bool,
    /// The matches that end behind the last token, once somebody has asked.
    ends: Option<Arc<[End]>>,
}

/// What has been met of the automaton of a program.
pub(super) struct Automaton {
    nodes: Vec<Node>,
    numbers: AHashMap<Arc<[Place]>, NodeIx>,
    moves: Vec<Move>,
    /// The move of a node at a token, by a hash of the conditions that the node asks about and the
    /// token fulfils. Most of what a token fulfils is nothing to a node.
    table: Table,
    /// The last moves by kind of token, where a hash puts them.
    recent: Box<[(NodeIx, Class, MoveIx)]>,
    /// What begins, by kind of token; `UNKNOWN` where nobody has asked.
    beginning: Vec<Beginning>,
    differences: AHashMap<(NodeIx, NodeIx), (NodeIx, NodeIx)>,
    wanted: Wanted,
    /// The conditions that each node asks about, if they are at most four; `NONE` fills up.
    asked: Vec<[u32; 4]>,
    words: usize,
    /// How many steps of patterns were taken to learn all this, until somebody asked.
    steps: u64,
    scratch: Vec<u32>,
}

/// A class that no token has.
const NO_CLASS: Class = Class(u32::MAX);
/// The move to nowhere.
const NOWHERE: MoveIx = MoveIx(0);
const UNKNOWN: MoveIx = MoveIx(u32::MAX);
const RECENT: usize = 1 << 13;

impl Default for Automaton {
    fn default() -> Automaton {
        let mut automaton = Automaton {
            nodes: Vec::new(),
            numbers: AHashMap::new(),
            moves: Vec::new(),
            table: Table::default(),
            recent: vec![(NodeIx::NONE, NO_CLASS, NOWHERE); RECENT].into(),
            beginning: Vec::new(),
            differences: AHashMap::new(),
            wanted: Wanted::default(),
            asked: Vec::new(),
            words: 0,
            steps: 0,
            scratch: Vec::new(),
        };
        automaton.moves.push(Move {
            kept: NodeIx::NONE,
            branched: NodeIx::NONE,
            ends: Arc::default(),
        });
        automaton.intern(&Program::default(), &[]);
        automaton
    }
}

impl Automaton {
    /// Whether it is time to forget what was met, which [`Automaton::carry`] does.
    pub(super) fn is_full(&self) -> bool {
        self.words > MOST_WORDS
    }

    /// Takes a node over from another automaton of the program.
    pub(super) fn carry(&mut self, program: &Program, other: &Automaton, node: NodeIx) -> NodeIx {
        let places = &other.nodes[node.0 as usize].places;
        self.steps += places.len() as u64;
        self.intern(program, places)
    }

    /// Whether equal places can be met on two ways, of which this node has one.
    pub(super) fn is_ambiguous(&self, node: NodeIx) -> bool {
        self.nodes[node.0 as usize].is_ambiguous
    }

    /// How many steps of patterns were taken to learn since the last call.
    pub(super) fn take_steps(&mut self) -> u64 {
        std::mem::take(&mut self.steps)
    }

    /// Whether after a move a start may have two nodes with equal places.
    pub(super) fn may_split(&self, next: &Move) -> bool {
        self.is_ambiguous(next.kept) && self.is_ambiguous(next.branched)
    }

    /// Whether nothing at all begins at a kind of token, as far as is known.
    #[inline]
    pub(super) fn begins_nothing(&self, class: Class) -> bool {
        const NOTHING: Beginning = Beginning { rare: NOWHERE, common: NOWHERE, only: NodeIx::NONE };
        self.beginning.get(class.0 as usize) == Some(&NOTHING)
    }

    /// What begins at a kind of token, in all patterns.
    #[inline]
    pub(super) fn begin(
        &mut self,
        program: &Program,
        classes: &Classes,
        class: Class,
    ) -> Beginning {
        match self.beginning.get(class.0 as usize) {
            Some(known) if known.rare != UNKNOWN => *known,
            _ => self.learn_beginning(program, classes, class),
        }
    }

    #[inline]
    pub(super) fn get(&self, ix: MoveIx) -> &Move {
        &self.moves[ix.0 as usize]
    }

    /// What becomes of a node at a kind of token.
    #[inline]
    pub(super) fn step(
        &mut self,
        program: &Program,
        classes: &Classes,
        node: NodeIx,
        class: Class,
    ) -> MoveIx {
        let hash = node.0.wrapping_mul(0x9E37_79B1) ^ class.0.wrapping_mul(0x85EB_CA77);
        let slot = (hash >> 19) as usize;
        let (recent_node, recent_class, recent) = self.recent[slot];
        if recent_node == node && recent_class == class {
            return recent;
        }
        let holding = classes.holding(class);
        let mut concerning = 0;
        let mut matters = false;
        let mut concern = |condition| {
            matters = true;
            concerning = mix(concerning, condition);
        };
        match (classes.filter(class), self.asked[node.0 as usize]) {
            (None, _) => {
                let holding = holding.iter().copied();
                holding.filter(|own| self.wanted.may_have(node, *own)).for_each(concern);
            }
            // Where the token fulfils many conditions and the node asks few, from its side.
            (Some(filter), [first, ..]) if first != MANY => {
                for own in self.asked[node.0 as usize] {
                    let may_hold = filter[own as usize / 64 % 16] >> (own % 64) & 1 != 0;
                    if may_hold && holding.binary_search(&own).is_ok() {
                        concern(own);
                    }
                }
            }
            (Some(_), _) => {
                concern(u32::MAX);
                concern(class.0);
            }
        }
        let found = if !matters && self.nodes[node.0 as usize].gate.open.is_empty() {
            NOWHERE
        } else {
            match self.table.get(mix(concerning, node.0)) {
                Some(found) => found,
                None => self.learn(program, holding, node, concerning),
            }
        };
        self.recent[slot] = (node, class, found);
        found
    }

    /// The matches that end behind the last token, in order, each once.
    pub(super) fn end(&mut self, program: &Program, node: NodeIx) -> Arc<[End]> {
        let node = &mut self.nodes[node.0 as usize];
        let known = node.ends.get_or_insert_with(|| {
            let mut seen = AHashSet::new();
            let ends = node.places.iter().filter_map(|place| {
                let pattern = &program.patterns[place.pattern as usize];
                let end = End { pattern: place.pattern, key: pattern.key, with_token: false };
                steps::end(&pattern.steps, place.step).map(|_| end)
            });
            ends.filter(|end| seen.insert(end.key)).collect()
        });
        Arc::clone(known)
    }

    /// The places of a node that another has not, and those of both.
    pub(super) fn without_and_with(
        &mut self,
        program: &Program,
        node: NodeIx,
        other: NodeIx,
    ) -> (NodeIx, NodeIx) {
        if let Some(known) = self.differences.get(&(node, other)) {
            return *known;
        }
        let others = Arc::clone(&self.nodes[other.0 as usize].places);
        let taken: AHashSet<Place> = others.iter().copied().collect();
        let places = self.nodes[node.0 as usize].places.iter().copied();
        let left: Vec<Place> = places.filter(|place| !taken.contains(place)).collect();
        self.steps += (others.len() + left.len()) as u64;
        let both = [&others[..], &left].concat();
        let known = (self.intern(program, &left), self.intern(program, &both));
        self.differences.insert((node, other), known);
        self.words += 8;
        known
    }

    #[cold]
    fn learn_beginning(&mut self, program: &Program, classes: &Classes, class: Class) -> Beginning {
        let mut patterns = std::mem::take(&mut self.scratch);
        let holding = classes.holding(class);
        let first = |pattern: &u32| Place { pattern: *pattern, step: 0 };
        program.beginning(holding, &mut patterns);
        let rare = self.make(program, holding, patterns.iter().map(first), true);
        // The empty node has no moves, so the table's part for it is free for what begins.
        let mut concerning = 1;
        for &condition in holding.iter().filter(|condition| program.is_common(**condition)) {
            concerning = mix(concerning, condition);
        }
        let concerning = mix(concerning, NodeIx::NONE.0);
        let common = if let Some(known) = self.table.get(concerning) {
            known
        } else {
            let places = program.common().iter().map(first);
            let common = self.make(program, holding, places, true);
            self.table.insert(concerning, common);
            common
        };
        self.scratch = patterns;
        let position = class.0 as usize;
        if self.beginning.len() <= position {
            self.words += 2 * (position + 1 - self.beginning.len());
            self.beginning.resize(
                position + 1,
                Beginning { rare: UNKNOWN, common: UNKNOWN, only: NodeIx::NONE },
            );
        }
        let Move { kept, branched, ends } = self.get(rare);
        let is_all = common == NOWHERE && *branched == NodeIx::NONE && ends.is_empty();
        let only = if is_all { *kept } else { NodeIx::NONE };
        self.beginning[position] = Beginning { rare, common, only };
        self.beginning[position]
    }

    #[cold]
    fn learn(
        &mut self,
        program: &Program,
        holding: &[u32],
        node: NodeIx,
        concerning: u64,
    ) -> MoveIx {
        let mut positions = std::mem::take(&mut self.scratch);
        let Node { places, gate, .. } = &self.nodes[node.0 as usize];
        gate.affected(holding, &mut positions);
        let places = Arc::clone(places);
        let affected = positions.iter().map(|position| places[*position as usize]);
        let number = self.make(program, holding, affected, false);
        self.scratch = positions;
        self.table.insert(mix(concerning, node.0), number);
        self.words += 12;
        number
    }

    /// Lets places take a token. What begins at the token cannot have ended before it.
    fn make(
        &mut self,
        program: &Program,
        holding: &[u32],
        places: impl Iterator<Item = Place>,
        begins: bool,
    ) -> MoveIx {
        let mut ways = Ways::default();
        for place in places {
            let pattern = &program.patterns[place.pattern as usize];
            ways.place = place;
            ways.key = pattern.key;
            ways.is_ambiguous = pattern.is_ambiguous;
            let fits = |element| Ok(program.passes(pattern, element, holding));
            advance(&pattern.steps, place.step, fits, &mut ways).expect("`fits` does not fail");
        }
        self.steps += ways.steps;
        if begins {
            ways.ends.retain(|end| end.with_token);
        }
        // Of equal places the first is left, and those kept are before those that branch off.
        let mut met = AHashSet::new();
        let mut first = |place: &(Place, bool)| !place.1 || met.insert(place.0);
        ways.kept.retain(&mut first);
        ways.branched.retain(&mut first);
        let mut met = AHashSet::new();
        ways.ends.retain(|end| met.insert((end.key, end.with_token)));
        if ways.kept.is_empty() && ways.branched.is_empty() && ways.ends.is_empty() {
            return NOWHERE;
        }
        let places = |ways: &[(Place, bool)]| ways.iter().map(|way| way.0).collect::<Vec<_>>();
        let kept = self.intern(program, &places(&ways.kept));
        let branched = self.intern(program, &places(&ways.branched));
        self.words += 12 + 2 * ways.ends.len();
        self.moves.push(Move { kept, branched, ends: ways.ends.into() });
        MoveIx(u32::try_from(self.moves.len() - 1).expect("forgotten before that"))
    }

    fn intern(&mut self, program: &Program, places: &[Place]) -> NodeIx {
        if let Some(node) = self.numbers.get(places) {
            return *node;
        }
        let node = NodeIx(u32::try_from(self.nodes.len()).expect("forgotten before that"));
        let places: Arc<[Place]> = places.into();
        let of_ambiguous = |place: &Place| program.patterns[place.pattern as usize].is_ambiguous;
        let is_ambiguous = places.iter().any(of_ambiguous);
        let mut looked_at = 0;
        let gate = Gate::new(program, &places, &mut looked_at);
        self.steps += looked_at / 4;
        self.words += 2 * places.len() + gate.words() + 32;
        self.nodes.push(Node { places: Arc::clone(&places), gate, is_ambiguous, ends: None });
        self.wanted.add(node, &self.nodes);
        self.asked.push(self.nodes[node.0 as usize].gate.few());
        self.numbers.insert(places, node);
        node
    }
}

/// What comes of places that take a token; of those kept and those that branch off, whether their
/// pattern is ambiguous.
#[derive(Default)]
struct Ways {
    place: Place,
    key: u32,
    is_ambiguous: bool,
    kept: Vec<(Place, bool)>,
    branched: Vec<(Place, bool)>,
    ends: Vec<End>,
    /// Places of ambiguous patterns that were come to.
    met: AHashSet<Place>,
    steps: u64,
}

impl Outcome for Ways {
    fn is_new(&mut self, step: u32) -> bool {
        self.steps += 1;
        !self.is_ambiguous || self.met.insert(Place { step, ..self.place })
    }

    fn look(&mut self, _element: u32) {}

    fn found(&mut self, with_token: bool) {
        self.ends.push(End { pattern: self.place.pattern, key: self.key, with_token });
    }

    fn keep(&mut self, step: u32) {
        self.kept.push((Place { step, ..self.place }, self.is_ambiguous));
    }

    fn branch(&mut self, step: u32) {
        self.branched.push((Place { step, ..self.place }, self.is_ambiguous));
    }
}
