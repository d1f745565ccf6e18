//! One way at a time: the slow search, for what the automaton cannot know.
//!
//! It takes the same steps in the same order, and keeps for each way which element took which
//! token. It asks the caller, and conditions on strings, only where a way comes to them.

use std::ops::Range;

use ahash::{AHashMap, AHashSet};

use super::classes::Classes;
use super::conditions::{Check, Condition};
use super::program::{Compiled, Program};
use super::steps::{Outcome, advance, end};
use super::test::attr_of;
use super::texts::Runs;
use super::{Found, Question, limits, text_of};
use crate::Result;
use crate::tokens::{Doc, Token};

/// Which element took each token so far: nothing at all where nobody asks.
pub(super) trait Path: Clone + Default {
    /// An element has looked at the token at a distance from the start.
    fn note(&mut self, distance: usize, element: u32);
    /// The elements of the first tokens.
    fn first(&self, count: usize) -> Vec<u32>;
    /// How many numbers a copy takes.
    fn len(&self) -> usize;
}

impl Path for () {
    fn note(&mut self, _distance: usize, _element: u32) {}

    fn first(&self, _count: usize) -> Vec<u32> {
        Vec::new()
    }

    fn len(&self) -> usize {
        0
    }
}

impl Path for Vec<u32> {
    fn note(&mut self, distance: usize, element: u32) {
        if self.len() <= distance {
            self.resize(distance + 1, 0);
        }
        self[distance] = self[distance].max(element);
    }

    fn first(&self, count: usize) -> Vec<u32> {
        let mut first = self.clone();
        first.resize(count, 0);
        first
    }

    fn len(&self) -> usize {
        Vec::len(self)
    }
}

/// The place of one attempt: a step of a pattern that is to take the next token.
#[derive(Clone)]
struct Way<P> {
    pattern: u32,
    step: u32,
    start: u32,
    path: P,
}

/// Finds all matches, in the order in which they are found, each once, with its elements. The classes
/// have been prepared for the document.
pub(super) fn walk<P: Path>(
    program: &Program,
    classes: &mut Classes,
    doc: &Doc,
    tokens: Range<usize>,
    ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
    emit: &mut dyn FnMut(Found, Vec<u32>),
) -> Result<()> {
    let mut judge = Judge {
        program,
        doc,
        ask,
        said_of_token: AHashMap::new(),
        said_of_text: AHashMap::new(),
        runs: Runs::default(),
    };
    let mut walk = Walk::<P> {
        next: Vec::new(),
        branches: Vec::new(),
        met: AHashSet::new(),
        come_to: AHashSet::new(),
        steps: 0,
        seen: AHashSet::new(),
        emit,
    };
    let mut beginning = Vec::new();
    let (first, len) = (tokens.start, number(tokens.len()));
    let mut ways = Vec::new();
    for token in tokens {
        let token = doc.token(token).expect("the caller has checked the range");
        let at = number(token.i() - first);
        let class = classes.of(program, token).ok();
        let holding = class.map(|class| classes.holding(class));
        judge.said_of_token.clear();
        walk.come_to.clear();
        let mut take = |way| -> Result<()> {
            walk.take(program, way, at, |pattern, element| {
                judge.passes(pattern, element, token, holding)
            })
        };
        for way in ways.drain(..) {
            take(way)?;
        }
        beginning.clear();
        if let Some(class) = class {
            program.beginning(classes.holding(class), &mut beginning);
            beginning.extend_from_slice(program.common());
            beginning.sort_unstable();
        } else {
            beginning.extend(0..number(program.patterns.len()));
        }
        for &pattern in &beginning {
            take(Way { pattern, step: 0, start: at, path: P::default() })?;
        }
        walk.settle(program, &mut ways);
        if walk.is_over() {
            return Err(limits::error(walk.steps, token.i()));
        }
    }
    for way in ways {
        walk.end(program, way, len);
    }
    if walk.is_over() {
        return Err(limits::error(walk.steps, first + len as usize));
    }
    Ok(())
}

struct Walk<'a, P> {
    /// Ways for the next token that were kept, and behind them those that branched off.
    next: Vec<Way<P>>,
    branches: Vec<Way<P>>,
    /// Pattern, step and start of ways.
    met: AHashSet<(u32, u32, u32)>,
    /// The same of steps that ways have come to at this token.
    come_to: AHashSet<(u32, u32, u32)>,
    steps: u64,
    /// Key, start and end of matches.
    seen: AHashSet<(u32, u32, u32)>,
    emit: &'a mut dyn FnMut(Found, Vec<u32>),
}

impl<P: Path> Walk<'_, P> {
    fn take(
        &mut self,
        program: &Program,
        way: Way<P>,
        at: u32,
        mut passes: impl FnMut(&Compiled, u32) -> Result<bool>,
    ) -> Result<()> {
        let pattern = &program.patterns[way.pattern as usize];
        let step = way.step;
        let fits = |element| passes(pattern, element);
        let (key, is_ambiguous) = (pattern.key, pattern.is_ambiguous);
        advance(&pattern.steps, step, fits, &mut Taking { walk: self, key, is_ambiguous, way, at })
    }

    /// Puts the ways for the next token in order. Of those at one place the first is left: what the
    /// others find, it has found before.
    fn settle(&mut self, program: &Program, ways: &mut Vec<Way<P>>) {
        self.next.append(&mut self.branches);
        std::mem::swap(ways, &mut self.next);
        let is_ambiguous = |way: &Way<P>| program.patterns[way.pattern as usize].is_ambiguous;
        if ways.iter().filter(|way| is_ambiguous(way)).nth(1).is_none() {
            return;
        }
        self.met.clear();
        ways.retain(|way| {
            !is_ambiguous(way) || self.met.insert((way.pattern, way.step, way.start))
        });
    }

    /// Ends a way behind the last token: a match if no step that is left needs a token.
    fn end(&mut self, program: &Program, mut way: Way<P>, len: u32) {
        let pattern = &program.patterns[way.pattern as usize];
        let Some(elements) = end(&pattern.steps, way.step) else { return };
        for element in elements {
            way.path.note((len - way.start) as usize, element);
        }
        self.emit(Found { key: pattern.key, start: way.start, end: len }, &way.path);
    }

    fn is_over(&self) -> bool {
        self.steps > limits::STEPS || self.seen.len() > limits::MATCHES
    }

    fn emit(&mut self, found: Found, path: &P) {
        let Found { key, start, end } = found;
        // One too many is enough to tell.
        if start < end && !self.is_over() && self.seen.insert((key, start, end)) {
            // A number of an alignment that is kept weighs more than a step: it takes memory.
            self.steps += 8 * path.len() as u64;
            (self.emit)(found, path.first((end - start) as usize));
        }
    }
}

/// A way that takes a token.
struct Taking<'w, 'a, P> {
    walk: &'w mut Walk<'a, P>,
    key: u32,
    is_ambiguous: bool,
    way: Way<P>,
    at: u32,
}

impl<P: Path> Outcome for Taking<'_, '_, P> {
    fn is_new(&mut self, step: u32) -> bool {
        self.walk.steps += 1;
        let Way { pattern, start, .. } = self.way;
        !self.is_ambiguous || self.walk.come_to.insert((pattern, step, start))
    }

    fn look(&mut self, element: u32) {
        self.way.path.note((self.at - self.way.start) as usize, element);
    }

    fn found(&mut self, with_token: bool) {
        let end = self.at + u32::from(with_token);
        self.walk.emit(Found { key: self.key, start: self.way.start, end }, &self.way.path);
    }

    fn keep(&mut self, step: u32) {
        self.walk.steps += self.way.path.len() as u64 / 8;
        self.walk.next.push(Way { step, ..self.way.clone() });
    }

    fn branch(&mut self, step: u32) {
        self.walk.steps += self.way.path.len() as u64 / 8;
        self.walk.branches.push(Way { step, ..self.way.clone() });
    }
}

/// What tells whether tokens pass elements.
struct Judge<'a> {
    program: &'a Program,
    doc: &'a Doc,
    ask: &'a mut dyn FnMut(Question<'_>) -> Result<bool>,
    /// What the caller has said of the present token, by question.
    said_of_token: AHashMap<u32, bool>,
    /// What the caller has said of strings, by question and id.
    said_of_text: AHashMap<(u32, u64), bool>,
    runs: Runs,
}

impl Judge<'_> {
    /// Whether a token passes an element; of one that could not be judged beforehand each condition
    /// is looked at as it comes.
    fn passes(
        &mut self,
        pattern: &Compiled,
        element: u32,
        token: Token<'_>,
        holding: Option<&[u32]>,
    ) -> Result<bool> {
        for Check { condition, expected } in self.program.checks(pattern, element) {
            if self.holds(*condition, token, holding)? != *expected {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&mut self, number: u32, token: Token<'_>, holding: Option<&[u32]>) -> Result<bool> {
        let Program { conditions, texts, .. } = self.program;
        match *conditions.get(number) {
            Condition::Ask(question) => {
                if let Some(said) = self.said_of_token.get(&question) {
                    return Ok(*said);
                }
                let asked = Question { number: question, token: token.i(), text: None };
                let said = (self.ask)(asked)?;
                self.said_of_token.insert(question, said);
                Ok(said)
            }
            Condition::AskText(attr, question) => {
                let id = attr_of(token, attr);
                if let Some(said) = self.said_of_text.get(&(question, id)) {
                    return Ok(*said);
                }
                let text = Some(text_of(self.doc, attr, id)?);
                let said = (self.ask)(Question { number: question, token: token.i(), text })?;
                self.said_of_text.insert((question, id), said);
                Ok(said)
            }
            ref known => match (holding, known.attr()) {
                (Some(holding), _) => Ok(holding.binary_search(&number).is_ok()),
                (None, Some(attr)) => {
                    let value = attr_of(token, attr);
                    conditions.holds(number, value, self.doc, texts, &mut self.runs)
                }
                (None, None) => unreachable!("all other conditions are on an attribute"),
            },
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("positions in a document fit")
}
