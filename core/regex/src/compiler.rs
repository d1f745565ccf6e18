//! Thompson's construction: compiles the syntax tree of a pattern to an [`Nfa`].
//!
//! Each node is compiled with the state that follows it, from the end of the pattern to its start.
//! Counted repetitions are expanded. A pattern that is not regular, or exceeds a limit, is rejected
//! with the reason, and runs on the backtracker instead.

use crate::alphabet::{Alphabet, EDGE, LAST_NEWLINE, MAX_SYMBOLS, Symbol, SymbolSet};
use crate::ast::{Anchor, Ast, CharSetId, Greediness, ParsedPattern};
use crate::look_set::MAX_LOOKS;
use crate::nfa::{Assertion, AssertionId, LookAround, Nfa, State, StateId};

/// Only counts nested in counts lead to more states than this.
const MAX_STATES: usize = 1 << 18;

/// A look-around runs at each position whose transition depends on it, so its width must be bounded
/// for a search to stay linear in the text.
const MAX_LOOK_WIDTH: u32 = 256;

/// Compiles a pattern.
///
/// # Errors
///
/// The reason for which the pattern cannot run on automata, as a noun phrase.
pub(crate) fn compile(pattern: &ParsedPattern) -> Result<Nfa, String> {
    let Some((alphabet, sets)) = Alphabet::new(&pattern.sets) else {
        return Err(format!("more than {MAX_SYMBOLS} classes of characters"));
    };
    let mut compiler = Compiler {
        symbols: alphabet.len(),
        states: vec![State::Accept],
        sets,
        assertions: Vec::new(),
        looks: Vec::new(),
    };
    let start = compiler.node(&pattern.root, 0)?;
    let classes = |select: fn(&Assertion) -> Option<&SymbolSet>| {
        let sets: Vec<&SymbolSet> = compiler.assertions.iter().filter_map(select).collect();
        representatives(alphabet.len(), &sets)
    };
    let before_class = classes(|assertion| match assertion {
        Assertion::Before(set) => Some(set),
        _ => None,
    });
    let after_class = classes(|assertion| match assertion {
        Assertion::After(set) => Some(set),
        _ => None,
    });
    Ok(Nfa {
        states: compiler.states,
        sets: compiler.sets,
        assertions: compiler.assertions,
        looks: compiler.looks,
        start,
        accept: 0,
        anchored_start: pattern.root.is_anchored_at_start(),
        anchored_end: pattern.root.is_anchored_at_end(),
        before_class,
        after_class,
        alphabet,
    })
}

/// Returns for each symbol the least symbol that belongs to the same of the `sets`.
fn representatives(symbols: usize, sets: &[&SymbolSet]) -> Vec<Symbol> {
    let alike = |a: Symbol, b: Symbol| sets.iter().all(|set| set.contains(a) == set.contains(b));
    let mut firsts: Vec<Symbol> = Vec::new();
    (0..)
        .take(symbols)
        .map(|symbol| {
            if let Some(&first) = firsts.iter().find(|&&first| alike(first, symbol)) {
                return first;
            }
            firsts.push(symbol);
            symbol
        })
        .collect()
}

struct Compiler {
    symbols: usize,
    states: Vec<State>,
    sets: Vec<SymbolSet>,
    assertions: Vec<Assertion>,
    looks: Vec<LookAround>,
}

impl Compiler {
    fn add(&mut self, state: State) -> Result<StateId, String> {
        if self.states.len() >= MAX_STATES {
            return Err(format!(
                "more than {MAX_STATES} NFA states after the expansion of counted repetitions"
            ));
        }
        self.states.push(state);
        Ok(self.last())
    }

    fn last(&self) -> StateId {
        StateId::try_from(self.states.len() - 1).expect("at most MAX_STATES states")
    }

    fn assert(&mut self, assertion: Assertion, next: StateId) -> Result<StateId, String> {
        let id = AssertionId::try_from(self.assertions.len()).expect("at most one for a state");
        self.assertions.push(assertion);
        self.add(State::Assert { assertion: id, next })
    }

    /// Compiles `node` so that it is followed by `next`, and returns its start state.
    fn node(&mut self, node: &Ast, next: StateId) -> Result<StateId, String> {
        match node {
            Ast::Empty => Ok(next),
            Ast::Set(set) => self.add(State::Consume { set: *set, next }),
            Ast::Concat(parts) => {
                parts.iter().rev().try_fold(next, |next, part| self.node(part, next))
            }
            Ast::Alternate(branches) => {
                let mut start = None;
                for branch in branches.iter().rev() {
                    let first = self.node(branch, next)?;
                    start = Some(match start {
                        None => first,
                        Some(second) => self.add(State::Split { first, second })?,
                    });
                }
                Ok(start.unwrap_or(next))
            }
            Ast::Repeat { greed: Greediness::Possessive, .. } | Ast::Atomic(_) => {
                Err("atomic group or possessive repetition".into())
            }
            Ast::Repeat { node, min, max, greed } => {
                self.repeat(node, *min, *max, *greed == Greediness::Lazy, next)
            }
            Ast::Capture(node) => self.node(node, next),
            Ast::Anchor(anchor) => self.anchor(*anchor, next),
            Ast::LookAround { node, behind, negate } => self.look(node, *behind, *negate, next),
            Ast::BackReference { group, .. } => Err(format!("back-reference to group {group}")),
            Ast::Conditional { group, .. } => Err(format!("conditional on group {group}")),
        }
    }

    fn repeat(
        &mut self,
        node: &Ast,
        min: u32,
        max: Option<u32>,
        lazy: bool,
        next: StateId,
    ) -> Result<StateId, String> {
        let (least, greatest) = node.width();
        // One copy of a body that cannot consume a character does what many would.
        let max_copies = if greatest == Some(0) { 1 } else { u32::MAX };
        let min = min.min(max_copies);
        let mut start = next;
        let mut copies = min;
        if let Some(max) = max.map(|max| max.min(max_copies)) {
            for _ in min..max {
                start = self.optional(node, Some(start), lazy, next)?.0;
            }
        } else {
            let (opened, body) = self.optional(node, None, lazy, next)?;
            // The last required iteration can be the first of the loop.
            let shared = min > 0 && least > 0;
            start = if shared { body } else { opened };
            copies -= u32::from(shared);
        }
        for _ in 0..copies {
            start = self.node(node, start)?;
        }
        Ok(start)
    }

    /// Compiles an optional iteration that is followed by `again`, or by itself if that is `None`.
    /// Returns the state that chooses the iteration, and the start state of its body.
    fn optional(
        &mut self,
        node: &Ast,
        again: Option<StateId>,
        lazy: bool,
        leave: StateId,
    ) -> Result<(StateId, StateId), String> {
        let opened = self.add(State::Accept)?;
        let mut then = again.unwrap_or(opened);
        if node.width().0 == 0 {
            then = self.add(State::Loop { opened, again: then, leave })?;
        }
        let body = self.node(node, then)?;
        let (first, second) = if lazy { (leave, body) } else { (body, leave) };
        self.states[opened as usize] = State::Split { first, second };
        Ok((opened, body))
    }

    fn anchor(&mut self, anchor: Anchor, next: StateId) -> Result<StateId, String> {
        let edge = |more: &[Symbol]| SymbolSet::of(self.symbols, &[&[EDGE], more].concat());
        let assertion = match anchor {
            Anchor::TextStart => Assertion::Before(edge(&[])),
            Anchor::TextEnd => Assertion::After(edge(&[])),
            Anchor::FinalLineEnd => Assertion::After(edge(&[LAST_NEWLINE])),
            Anchor::LineStart { newline } => Assertion::Before(self.or_edge(newline)),
            Anchor::LineEnd { newline } => Assertion::After(self.or_edge(newline)),
            Anchor::WordBoundary { word, negate } => return self.word_boundary(word, negate, next),
        };
        self.assert(assertion, next)
    }

    /// Returns the symbols of a set, and the edge of the text.
    fn or_edge(&self, set: CharSetId) -> SymbolSet {
        let mut set = self.sets[set as usize].clone();
        set.insert(EDGE);
        set
    }

    /// Compiles `\b`, a word character on exactly one side, or `\B`: on both sides, or on neither
    /// if there is a character on one of them. (Python 3.11's `\B` does not match the empty text.)
    fn word_boundary(
        &mut self,
        word: CharSetId,
        negate: bool,
        next: StateId,
    ) -> Result<StateId, String> {
        let inside = self.sets[word as usize].clone();
        let outside = inside.complement();
        let mut sides = vec![(inside.clone(), outside.clone()), (outside.clone(), inside.clone())];
        if negate {
            let mut some = outside.clone();
            some.remove(EDGE);
            let edge = SymbolSet::of(self.symbols, &[EDGE]);
            sides = vec![(inside.clone(), inside), (some.clone(), outside), (edge, some)];
        }
        let mut start = None;
        for (before, after) in sides {
            let then = self.assert(Assertion::After(after), next)?;
            let first = self.assert(Assertion::Before(before), then)?;
            start = Some(match start {
                None => first,
                Some(second) => self.add(State::Split { first, second })?,
            });
        }
        Ok(start.unwrap_or(next))
    }

    fn look(
        &mut self,
        node: &Ast,
        behind: Option<u32>,
        negate: bool,
        next: StateId,
    ) -> Result<StateId, String> {
        if let Some(set) = self.one_symbol(node) {
            let set = if negate { set.complement() } else { set };
            let assertion =
                if behind.is_some() { Assertion::Before(set) } else { Assertion::After(set) };
            return self.assert(assertion, next);
        }
        if node.width().1.is_none_or(|width| width > MAX_LOOK_WIDTH) {
            return Err(format!("look-around wider than {MAX_LOOK_WIDTH} characters"));
        }
        let first = self.states.len();
        let accept = self.add(State::Accept)?;
        let start = self.node(node, accept)?;
        let adjacent = if behind.is_some() {
            self.last_symbols(first, accept)
        } else {
            self.first_symbols(start, accept)
        };
        if self.looks.len() >= MAX_LOOKS {
            return Err(format!("more than {MAX_LOOKS} look-arounds of more than one character"));
        }
        let look = u32::try_from(self.looks.len()).expect("at most MAX_LOOKS look-arounds");
        self.looks.push(LookAround { start, behind, adjacent });
        self.assert(Assertion::Look { look, negate }, next)
    }

    /// Returns the symbols of a node that is a choice among single characters.
    fn one_symbol(&self, node: &Ast) -> Option<SymbolSet> {
        match node {
            Ast::Set(set) => Some(self.sets[*set as usize].clone()),
            Ast::Concat(parts) if parts.len() == 1 => self.one_symbol(&parts[0]),
            Ast::Capture(node) => self.one_symbol(node),
            Ast::Alternate(branches) => {
                let mut all = SymbolSet::empty(self.symbols);
                for branch in branches {
                    all.union(&self.one_symbol(branch)?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// Returns the symbols that a match from `start` can begin with; `None` if it can be empty.
    fn first_symbols(&self, start: StateId, accept: StateId) -> Option<SymbolSet> {
        let mut symbols = SymbolSet::empty(self.symbols);
        for state in self.epsilon_reachable(start) {
            match self.states[state as usize] {
                State::Consume { set, .. } => symbols.union(&self.sets[set as usize]),
                _ if state == accept => return None,
                _ => {}
            }
        }
        Some(symbols)
    }

    /// Returns the symbols that a match by the states from `first` on can end with at `accept`;
    /// `None` if no state consumes a symbol last.
    fn last_symbols(&self, first: usize, accept: StateId) -> Option<SymbolSet> {
        let mut symbols = SymbolSet::empty(self.symbols);
        let mut any = false;
        for state in &self.states[first..] {
            if let State::Consume { set, next } = *state {
                if self.epsilon_reachable(next).contains(&accept) {
                    symbols.union(&self.sets[set as usize]);
                    any = true;
                }
            }
        }
        any.then_some(symbols)
    }

    /// Returns all states that can be reached from `start` without consuming a character, as if
    /// every assertion held.
    fn epsilon_reachable(&self, start: StateId) -> Vec<StateId> {
        let mut reached = vec![start];
        let mut at = 0;
        while let Some(&state) = reached.get(at) {
            at += 1;
            let state = self.states[state as usize];
            if matches!(state, State::Consume { .. }) {
                continue;
            }
            for next in state.targets() {
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
        }
        reached
    }
}
