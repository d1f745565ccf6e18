//! An automaton over kinds of token, built as far as texts lead it.
//!
//! What begins at one token in all patterns goes on together: it is one node, the list of the places
//! that its ways have come to, in spaCy's order. A kind of token moves a node to two nodes, of the
//! ways that are kept and of those that branch off, and ends matches. A node knows nothing of where
//! in the text it began, so a text meets few of them, however many patterns there are.

use std::sync::Arc;

use ahash::{AHashMap, AHashSet};

use super::classes::{Class, Classes};
use super::program::Program;
use super::steps::{Outcome, advance, end};

/// More places, ends and moves than this, in words of 32 bits, and all are forgotten.
const MOST_WORDS: usize = 1 << 22;

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
    /// The position of the key.
    pub(super) key: u32,
    /// Whether the token is part of it.
    pub(super) with_token: bool,
}

struct Node {
    places: Arc<[Place]>,
    /// Whether a pattern is ambiguous of which it has a place.
    is_ambiguous: bool,
    /// The keys of the matches that end behind the last token, once somebody has asked.
    ends: Option<Arc<[u32]>>,
}

/// What has been met of the automaton of a program.
pub(super) struct Automaton {
    nodes: Vec<Node>,
    numbers: AHashMap<Arc<[Place]>, NodeIx>,
    moves: Vec<Move>,
    /// The move of a node at a kind of token.
    table: AHashMap<(NodeIx, Class), u32>,
    /// What was looked up in the table last, where a hash puts it.
    recent: Box<[(NodeIx, Class, u32)]>,
    /// The move of what begins, by kind of token; `UNKNOWN` where nobody has asked.
    beginning: Vec<u32>,
    differences: AHashMap<(NodeIx, NodeIx), NodeIx>,
    words: usize,
    scratch: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;
/// The move to nowhere.
const NOWHERE: u32 = 0;
const RECENT: usize = 1 << 12;

impl Default for Automaton {
    fn default() -> Automaton {
        let mut automaton = Automaton {
            nodes: Vec::new(),
            numbers: AHashMap::new(),
            moves: Vec::new(),
            table: AHashMap::new(),
            recent: vec![(NodeIx::NONE, Class(UNKNOWN), NOWHERE); RECENT].into(),
            beginning: Vec::new(),
            differences: AHashMap::new(),
            words: 0,
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
        self.intern(program, &other.nodes[node.0 as usize].places)
    }

    /// Whether equal places can be met on two ways, of which this node has one.
    pub(super) fn is_ambiguous(&self, node: NodeIx) -> bool {
        self.nodes[node.0 as usize].is_ambiguous
    }

    /// Whether nothing at all begins at a kind of token, as far as is known.
    #[inline]
    pub(super) fn begins_nothing(&self, class: Class) -> bool {
        self.beginning.get(class.0 as usize) == Some(&NOWHERE)
    }

    /// What begins at a kind of token, in all patterns.
    #[inline]
    pub(super) fn begin(&mut self, program: &Program, classes: &Classes, class: Class) -> &Move {
        let known = self.beginning.get(class.0 as usize).copied().unwrap_or(UNKNOWN);
        let known =
            if known == UNKNOWN { self.learn_beginning(program, classes, class) } else { known };
        &self.moves[known as usize]
    }

    /// What becomes of a node at a kind of token.
    #[inline]
    pub(super) fn step(
        &mut self,
        program: &Program,
        classes: &Classes,
        node: NodeIx,
        class: Class,
    ) -> &Move {
        let hash = node.0.wrapping_mul(0x9E37_79B1) ^ class.0.wrapping_mul(0x85EB_CA77);
        let slot = (hash >> 20) as usize;
        let (recent_node, recent_class, recent) = self.recent[slot];
        if recent_node == node && recent_class == class {
            return &self.moves[recent as usize];
        }
        let found = match self.table.get(&(node, class)) {
            Some(found) => *found,
            None => self.learn(program, classes, node, class),
        };
        self.recent[slot] = (node, class, found);
        &self.moves[found as usize]
    }

    /// The keys of the matches that end behind the last token, in order, each once.
    pub(super) fn end(&mut self, program: &Program, node: NodeIx) -> Arc<[u32]> {
        let node = &mut self.nodes[node.0 as usize];
        let known = node.ends.get_or_insert_with(|| {
            let mut seen = AHashSet::new();
            let keys = node.places.iter().filter_map(|place| {
                let pattern = &program.patterns[place.pattern as usize];
                end(&pattern.steps, place.step).map(|_| pattern.key)
            });
            keys.filter(|key| seen.insert(*key)).collect()
        });
        Arc::clone(known)
    }

    /// The places of a node that another has not.
    pub(super) fn without(&mut self, program: &Program, node: NodeIx, other: NodeIx) -> NodeIx {
        if let Some(known) = self.differences.get(&(node, other)) {
            return *known;
        }
        let taken: AHashSet<Place> = self.nodes[other.0 as usize].places.iter().copied().collect();
        let places = self.nodes[node.0 as usize].places.iter().copied();
        let left: Vec<Place> = places.filter(|place| !taken.contains(place)).collect();
        let left = self.intern(program, &left);
        self.differences.insert((node, other), left);
        self.words += 6;
        left
    }

    #[cold]
    fn learn_beginning(&mut self, program: &Program, classes: &Classes, class: Class) -> u32 {
        let mut patterns = std::mem::take(&mut self.scratch);
        program.beginning(classes.holding(class), &mut patterns);
        let places = patterns.iter().map(|&pattern| Place { pattern, step: 0 });
        let number = self.make(program, classes.holding(class), places, true);
        self.scratch = patterns;
        let position = class.0 as usize;
        if self.beginning.len() <= position {
            self.words += position + 1 - self.beginning.len();
            self.beginning.resize(position + 1, UNKNOWN);
        }
        self.beginning[position] = number;
        number
    }

    #[cold]
    fn learn(&mut self, program: &Program, classes: &Classes, node: NodeIx, class: Class) -> u32 {
        let places = Arc::clone(&self.nodes[node.0 as usize].places);
        let number = self.make(program, classes.holding(class), places.iter().copied(), false);
        self.table.insert((node, class), number);
        self.words += 6;
        number
    }

    /// Lets places take a token. What begins at the token cannot have ended before it.
    fn make(
        &mut self,
        program: &Program,
        holding: &[u32],
        places: impl Iterator<Item = Place>,
        begins: bool,
    ) -> u32 {
        let mut ways = Ways::default();
        for place in places {
            let pattern = &program.patterns[place.pattern as usize];
            ways.place = place;
            ways.key = pattern.key;
            ways.is_ambiguous = pattern.is_ambiguous;
            let fits = |element| Ok(program.passes(pattern, element, holding));
            advance(&pattern.steps, place.step, fits, &mut ways).expect("`fits` does not fail");
        }
        if begins {
            ways.ends.retain(|end| end.with_token);
        }
        // Of equal places the first is left, and those kept are before those that branch off.
        let mut met = AHashSet::new();
        let mut first = |place: &(Place, bool)| !place.1 || met.insert(place.0);
        ways.kept.retain(&mut first);
        ways.branched.retain(&mut first);
        let mut met = AHashSet::new();
        ways.ends.retain(|end| met.insert(*end));
        if ways.kept.is_empty() && ways.branched.is_empty() && ways.ends.is_empty() {
            return NOWHERE;
        }
        let places = |ways: &[(Place, bool)]| ways.iter().map(|way| way.0).collect::<Vec<_>>();
        let kept = self.intern(program, &places(&ways.kept));
        let branched = self.intern(program, &places(&ways.branched));
        self.words += 12 + 2 * ways.ends.len();
        self.moves.push(Move { kept, branched, ends: ways.ends.into() });
        u32::try_from(self.moves.len() - 1).expect("forgotten before that")
    }

    fn intern(&mut self, program: &Program, places: &[Place]) -> NodeIx {
        if let Some(node) = self.numbers.get(places) {
            return *node;
        }
        let node = NodeIx(u32::try_from(self.nodes.len()).expect("forgotten before that"));
        let places: Arc<[Place]> = places.into();
        let of_ambiguous = |place: &Place| program.patterns[place.pattern as usize].is_ambiguous;
        let is_ambiguous = places.iter().any(of_ambiguous);
        self.words += 2 * places.len() + 24;
        self.nodes.push(Node { places: Arc::clone(&places), is_ambiguous, ends: None });
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
}

impl Outcome for Ways {
    fn look(&mut self, _element: u32) {}

    fn found(&mut self, with_token: bool) {
        self.ends.push(End { key: self.key, with_token });
    }

    fn keep(&mut self, step: u32) {
        self.kept.push((Place { step, ..self.place }, self.is_ambiguous));
    }

    fn branch(&mut self, step: u32) {
        self.branched.push((Place { step, ..self.place }, self.is_ambiguous));
    }
}
