//! The pattern as a graph of steps, which both automata walk.
//!
//! Choices are ordered: the first branch of a [`Step::Split`] is the one that
//! Python's backtracking would try first. A look-around of one character is a
//! check on the symbol before or after a place; a wider one is a sub-graph of
//! its own, with its own entry, that [`super::looks`] runs when it is asked.

use super::alphabet::{Alphabet, EDGE, LAST_NEWLINE, MOST_SYMBOLS, Symbol, SymbolSet};
use super::rows::Marks;
use super::syntax::{Border, Greed, Node, Parsed, SetId};

/// The index of a step.
pub(super) type StepId = u32;

/// More steps than this come only of counts nested in counts.
const MOST_STEPS: usize = 1 << 18;
/// What was true of each look-around at a place is kept as the bits of a `u32`.
const MOST_LOOKS: usize = 32;
/// A look-around is run at each place that asks, so its width must be bounded
/// for the whole to stay linear in the text.
const WIDEST_LOOK: u32 = 256;

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Consumes one character of a set.
    Take {
        set: u32,
        next: StepId,
    },
    Split {
        first: StepId,
        second: StepId,
    },
    /// The end of an iteration that may have taken nothing. Then Python leaves
    /// the repetition: `opened`, where the iteration began, has been seen at
    /// this very place. Otherwise there may be one `more`.
    Again {
        opened: StepId,
        more: StepId,
        leave: StepId,
    },
    /// Goes on only if a check holds at this place.
    Check {
        check: u32,
        next: StepId,
    },
    Accept,
}

impl Step {
    /// Whether this ends an iteration that took something, to those who have
    /// `seen` so many steps at one place. Such a step may come up once more
    /// there, at the end of an empty iteration, so it is not marked as seen.
    pub(super) fn goes_on(self, seen: &Marks) -> bool {
        matches!(self, Step::Again { opened, .. } if !seen.has(opened))
    }
}

#[derive(Debug)]
pub(super) enum Check {
    Before(SymbolSet),
    After(SymbolSet),
    Look { look: u32, negate: bool },
}

/// A look-around that is more than a question about one character.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) entry: StepId,
    /// How many characters to step back before the match must begin.
    pub(super) behind: Option<u32>,
    /// The symbols it can have next to the place where it is asked. Any other
    /// symbol there decides it without a run.
    pub(super) touching: Option<SymbolSet>,
}

#[derive(Debug)]
pub(super) struct Graph {
    pub(super) alphabet: Alphabet,
    pub(super) steps: Vec<Step>,
    pub(super) sets: Vec<SymbolSet>,
    pub(super) checks: Vec<Check>,
    pub(super) looks: Vec<Look>,
    pub(super) entry: StepId,
    pub(super) accept: StepId,
    pub(super) starts_at_edge: bool,
    pub(super) ends_at_edge: bool,
    /// For each symbol the least one that no `Before` check tells from it.
    pub(super) before_kind: Vec<Symbol>,
    /// The same for `After` checks.
    pub(super) after_kind: Vec<Symbol>,
}

impl Graph {
    /// The graph of a pattern, or why it cannot have one.
    pub(super) fn new(parsed: &Parsed) -> Result<Graph, String> {
        let Some((alphabet, sets)) = Alphabet::new(&parsed.sets) else {
            return Err(format!("it tells more than {MOST_SYMBOLS} kinds of character apart"));
        };
        let mut builder = Builder {
            symbols: alphabet.len(),
            steps: vec![Step::Accept],
            sets,
            checks: Vec::new(),
            looks: Vec::new(),
        };
        let entry = builder.node(&parsed.root, 0)?;
        let kinds = |of: fn(&Check) -> Option<&SymbolSet>| {
            let asked: Vec<&SymbolSet> = builder.checks.iter().filter_map(of).collect();
            kinds(alphabet.len(), &asked)
        };
        let before_kind = kinds(|check| match check {
            Check::Before(set) => Some(set),
            _ => None,
        });
        let after_kind = kinds(|check| match check {
            Check::After(set) => Some(set),
            _ => None,
        });
        Ok(Graph {
            steps: builder.steps,
            sets: builder.sets,
            checks: builder.checks,
            looks: builder.looks,
            entry,
            accept: 0,
            starts_at_edge: parsed.root.starts_at_edge(),
            ends_at_edge: parsed.root.ends_at_edge(),
            before_kind,
            after_kind,
            alphabet,
        })
    }

    /// Whether a check holds between two symbols, given the truth of the looks.
    pub(super) fn holds(&self, check: u32, before: Symbol, after: Symbol, truths: u32) -> bool {
        match &self.checks[check as usize] {
            Check::Before(set) => set.contains(before),
            Check::After(set) => set.contains(after),
            Check::Look { look, negate } => (truths >> look & 1 == 1) != *negate,
        }
    }
}

impl Graph {
    /// Whether look `look` must be run where `after` comes next, as one bit.
    pub(super) fn asks_after(&self, look: u32, after: Symbol) -> u32 {
        let look = &self.looks[look as usize];
        u32::from(look.behind.is_some() || look.can_touch(after))
    }

    /// Whether look `look` must be run where `before` came last, as one bit.
    pub(super) fn asks_before(&self, look: u32, before: Symbol) -> u32 {
        let look = &self.looks[look as usize];
        u32::from(look.behind.is_none() || look.can_touch(before))
    }
}

impl Look {
    fn can_touch(&self, symbol: Symbol) -> bool {
        self.touching.as_ref().is_none_or(|set| set.contains(symbol))
    }
}

/// For each symbol the least one that is in the same of the `asked` sets.
fn kinds(symbols: usize, asked: &[&SymbolSet]) -> Vec<Symbol> {
    let alike = |a: Symbol, b: Symbol| asked.iter().all(|set| set.contains(a) == set.contains(b));
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

struct Builder {
    symbols: usize,
    steps: Vec<Step>,
    sets: Vec<SymbolSet>,
    checks: Vec<Check>,
    looks: Vec<Look>,
}

impl Builder {
    fn add(&mut self, step: Step) -> Result<StepId, String> {
        if self.steps.len() >= MOST_STEPS {
            return Err(format!("spelled out, its counts make more than {MOST_STEPS} steps"));
        }
        self.steps.push(step);
        Ok(self.last())
    }

    fn last(&self) -> StepId {
        StepId::try_from(self.steps.len() - 1).expect("at most MOST_STEPS steps")
    }

    fn check(&mut self, check: Check, next: StepId) -> Result<StepId, String> {
        let ix = u32::try_from(self.checks.len()).expect("at most one check a step");
        self.checks.push(check);
        self.add(Step::Check { check: ix, next })
    }

    /// Builds `node` so that it goes on to `next`; the answer is its entry.
    fn node(&mut self, node: &Node, next: StepId) -> Result<StepId, String> {
        match node {
            Node::Empty => Ok(next),
            Node::Set(set) => self.add(Step::Take { set: *set, next }),
            Node::Concat(parts) => {
                parts.iter().rev().try_fold(next, |next, part| self.node(part, next))
            }
            Node::Alternate(branches) => {
                let mut entry = None;
                for branch in branches.iter().rev() {
                    let first = self.node(branch, next)?;
                    entry = Some(match entry {
                        None => first,
                        Some(second) => self.add(Step::Split { first, second })?,
                    });
                }
                Ok(entry.unwrap_or(next))
            }
            Node::Repeat { greed: Greed::Possessive, .. } | Node::Atomic(_) => {
                Err("it has an atomic group or a possessive repetition".into())
            }
            Node::Repeat { node, min, max, greed } => {
                self.repeat(node, *min, *max, *greed == Greed::Lazy, next)
            }
            Node::Capture(node) => self.node(node, next),
            Node::Border(border) => self.border(*border, next),
            Node::Look { node, behind, negate } => self.look(node, *behind, *negate, next),
            Node::BackReference { group, .. } => {
                Err(format!("it refers back to what group {group} matched"))
            }
            Node::Conditional { group, .. } => {
                Err(format!("it asks whether group {group} has matched"))
            }
        }
    }

    fn repeat(
        &mut self,
        node: &Node,
        min: u32,
        max: Option<u32>,
        lazy: bool,
        next: StepId,
    ) -> Result<StepId, String> {
        let (fewest, widest) = node.width();
        // Copies of what takes no character would all be the same one.
        let most = if widest == Some(0) { 1 } else { u32::MAX };
        let min = min.min(most);
        let mut entry = next;
        let mut copies = min;
        if let Some(max) = max.map(|max| max.min(most)) {
            for _ in min..max {
                entry = self.optional(node, Some(entry), lazy, next)?.0;
            }
        } else {
            let (opened, body) = self.optional(node, None, lazy, next)?;
            // The last iteration that must be can be the first of the loop.
            let shared = min > 0 && fewest > 0;
            entry = if shared { body } else { opened };
            copies -= u32::from(shared);
        }
        for _ in 0..copies {
            entry = self.node(node, entry)?;
        }
        Ok(entry)
    }

    /// One iteration that need not be, and goes on to `more` (to itself, if
    /// there is none): where it is chosen, and where it begins.
    fn optional(
        &mut self,
        node: &Node,
        more: Option<StepId>,
        lazy: bool,
        leave: StepId,
    ) -> Result<(StepId, StepId), String> {
        let opened = self.add(Step::Accept)?;
        let mut then = more.unwrap_or(opened);
        if node.width().0 == 0 {
            then = self.add(Step::Again { opened, more: then, leave })?;
        }
        let body = self.node(node, then)?;
        let (first, second) = if lazy { (leave, body) } else { (body, leave) };
        self.steps[opened as usize] = Step::Split { first, second };
        Ok((opened, body))
    }

    fn border(&mut self, border: Border, next: StepId) -> Result<StepId, String> {
        let edge = |more: &[Symbol]| SymbolSet::of(self.symbols, &[&[EDGE], more].concat());
        let check = match border {
            Border::TextStart => Check::Before(edge(&[])),
            Border::TextEnd => Check::After(edge(&[])),
            Border::LastLineEnd => Check::After(edge(&[LAST_NEWLINE])),
            Border::LineStart { newline } => Check::Before(self.or_edge(newline)),
            Border::LineEnd { newline } => Check::After(self.or_edge(newline)),
            Border::Word { word, negate } => return self.word_border(word, negate, next),
        };
        self.check(check, next)
    }

    fn or_edge(&self, set: SetId) -> SymbolSet {
        let mut set = self.sets[set as usize].clone();
        set.insert(EDGE);
        set
    }

    /// `\b`: word characters on one side only. `\B`: on both, or on neither,
    /// where Python 3.11 also asks for some character on one of the sides.
    fn word_border(&mut self, word: SetId, negate: bool, next: StepId) -> Result<StepId, String> {
        let inside = self.sets[word as usize].clone();
        let outside = inside.complement();
        let mut sides = vec![(inside.clone(), outside.clone()), (outside.clone(), inside.clone())];
        if negate {
            let mut some = outside.clone();
            some.remove(EDGE);
            let edge = SymbolSet::of(self.symbols, &[EDGE]);
            sides = vec![(inside.clone(), inside), (some.clone(), outside), (edge, some)];
        }
        let mut entry = None;
        for (before, after) in sides {
            let then = self.check(Check::After(after), next)?;
            let first = self.check(Check::Before(before), then)?;
            entry = Some(match entry {
                None => first,
                Some(second) => self.add(Step::Split { first, second })?,
            });
        }
        Ok(entry.unwrap_or(next))
    }

    fn look(
        &mut self,
        node: &Node,
        behind: Option<u32>,
        negate: bool,
        next: StepId,
    ) -> Result<StepId, String> {
        if let Some(set) = self.one_symbol(node) {
            let set = if negate { set.complement() } else { set };
            let check = if behind.is_some() { Check::Before(set) } else { Check::After(set) };
            return self.check(check, next);
        }
        if node.width().1.is_none_or(|widest| widest > WIDEST_LOOK) {
            return Err(format!("a look-around is wider than {WIDEST_LOOK} characters"));
        }
        let first = self.steps.len();
        let accept = self.add(Step::Accept)?;
        let entry = self.node(node, accept)?;
        let touching = if behind.is_some() {
            self.last_symbols(first, accept)
        } else {
            self.first_symbols(entry, accept)
        };
        // Looks within this one are numbered before it.
        if self.looks.len() >= MOST_LOOKS {
            return Err(format!("it has more than {MOST_LOOKS} look-arounds"));
        }
        let look = u32::try_from(self.looks.len()).expect("at most MOST_LOOKS looks");
        self.looks.push(Look { entry, behind, touching });
        self.check(Check::Look { look, negate }, next)
    }

    /// The symbols of a node that is a choice among single characters.
    fn one_symbol(&self, node: &Node) -> Option<SymbolSet> {
        match node {
            Node::Set(set) => Some(self.sets[*set as usize].clone()),
            Node::Concat(parts) if parts.len() == 1 => self.one_symbol(&parts[0]),
            Node::Capture(node) => self.one_symbol(node),
            Node::Alternate(branches) => {
                let mut all = SymbolSet::none(self.symbols);
                for branch in branches {
                    all.unite(&self.one_symbol(branch)?);
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// The symbols a match from `entry` can begin with, if it must have one.
    fn first_symbols(&self, entry: StepId, accept: StepId) -> Option<SymbolSet> {
        let mut symbols = SymbolSet::none(self.symbols);
        for step in self.without_taking(entry) {
            match self.steps[step as usize] {
                Step::Take { set, .. } => symbols.unite(&self.sets[set as usize]),
                _ if step == accept => return None,
                _ => {}
            }
        }
        Some(symbols)
    }

    /// The symbols that the steps from `first` on can end with at `accept`.
    /// What has no width has no steps that take, and so an empty set: it is
    /// left to a run.
    fn last_symbols(&self, first: usize, accept: StepId) -> Option<SymbolSet> {
        let mut symbols = SymbolSet::none(self.symbols);
        let mut any = false;
        for step in &self.steps[first..] {
            if let Step::Take { set, next } = *step {
                if self.without_taking(next).contains(&accept) {
                    symbols.unite(&self.sets[set as usize]);
                    any = true;
                }
            }
        }
        any.then_some(symbols)
    }

    /// All steps that can be reached from `from` without taking a character,
    /// as if every check held.
    fn without_taking(&self, from: StepId) -> Vec<StepId> {
        let mut reached = vec![from];
        let mut at = 0;
        while let Some(&step) = reached.get(at) {
            at += 1;
            let next = match self.steps[step as usize] {
                Step::Split { first, second } | Step::Again { more: first, leave: second, .. } => {
                    [Some(first), Some(second)]
                }
                Step::Check { next, .. } => [Some(next), None],
                Step::Take { .. } | Step::Accept => [None, None],
            };
            for next in next.into_iter().flatten() {
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
        }
        reached
    }
}
