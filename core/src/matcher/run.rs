//! All patterns over one document at once: an automaton whose states are places in patterns.
//!
//! At every token each pattern may begin, and every state that is alive takes the token, dies, or
//! goes on in more than one way. The order of states is the order of matches, and which of several
//! ways to one match is met first decides its alignment; both are spaCy's.

use std::ops::Range;

use ahash::{AHashMap, AHashSet};

use super::pattern::{Quantifier, Step};
use super::test::{attr_of, relates};
use super::texts::Answers;
use super::{Check, Compiled, Match, Matcher, Question, Test, text_of};
use crate::Result;
use crate::strings::StrId;
use crate::tokens::{Doc, Token};

/// Which element took each token so far: nothing at all where nobody asks.
pub(super) trait Path: Clone + Default {
    /// An element has looked at the token at a distance from the start.
    fn note(&mut self, distance: usize, element: u32);
    /// The elements of the first tokens.
    fn first(&self, count: usize) -> Vec<u32>;
}

impl Path for () {
    fn note(&mut self, _distance: usize, _element: u32) {}

    fn first(&self, _count: usize) -> Vec<u32> {
        Vec::new()
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
}

/// The place of one attempt: a step of a pattern that is to take the next token.
#[derive(Clone)]
struct State<P> {
    pattern: u32,
    step: u32,
    start: u32,
    path: P,
}

/// All matches, in the order in which they are found, each once.
pub(super) fn find<P: Path>(
    matcher: &Matcher,
    doc: &Doc,
    tokens: Range<usize>,
    answers: &mut Answers,
    ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
) -> Result<Vec<Match>> {
    let mut run = Run::<P> {
        matcher,
        doc,
        answers,
        ask,
        said_of_token: AHashMap::new(),
        said_of_text: AHashMap::new(),
        next: Vec::new(),
        branches: Vec::new(),
        met: AHashSet::new(),
        found: Vec::new(),
        seen: AHashSet::new(),
    };
    let mut states = Vec::new();
    let count = tokens.len();
    for (at, token) in tokens.enumerate() {
        let token = doc.token(token).expect("the caller has checked the range");
        run.take(&mut states, token, at)?;
    }
    for state in states {
        run.end(state, count);
    }
    Ok(run.found)
}

struct Run<'a, P> {
    matcher: &'a Matcher,
    doc: &'a Doc,
    answers: &'a mut Answers,
    ask: &'a mut dyn FnMut(Question<'_>) -> Result<bool>,
    /// What the caller has said of the present token, by question.
    said_of_token: AHashMap<u32, bool>,
    /// What the caller has said of strings, by question and id.
    said_of_text: AHashMap<(u32, u64), bool>,
    /// States for the next token that were kept, and behind them those that branched off.
    next: Vec<State<P>>,
    branches: Vec<State<P>>,
    /// Pattern, step and start of states.
    met: AHashSet<(u32, u32, u32)>,
    found: Vec<Match>,
    seen: AHashSet<(StrId, usize, usize)>,
}

impl<P: Path> Run<'_, P> {
    /// Lets all states take a token, and the patterns begin at it.
    fn take(&mut self, states: &mut Vec<State<P>>, token: Token<'_>, at: usize) -> Result<()> {
        self.said_of_token.clear();
        for state in states.drain(..) {
            self.advance(state, token, at)?;
        }
        let start = u32::try_from(at).expect("positions in a document fit");
        for pattern in 0..u32::try_from(self.matcher.patterns.len()).unwrap_or(u32::MAX) {
            self.advance(State { pattern, step: 0, start, path: P::default() }, token, at)?;
        }
        self.next.append(&mut self.branches);
        std::mem::swap(states, &mut self.next);
        self.forget_equals(states);
        Ok(())
    }

    /// Of states at one place the first is left: what the others find, it has found before.
    fn forget_equals(&mut self, states: &mut Vec<State<P>>) {
        let patterns = &self.matcher.patterns;
        let is_ambiguous = |state: &State<P>| patterns[state.pattern as usize].is_ambiguous;
        if states.iter().filter(|state| is_ambiguous(state)).nth(1).is_none() {
            return;
        }
        self.met.clear();
        states.retain(|state| {
            !is_ambiguous(state) || self.met.insert((state.pattern, state.step, state.start))
        });
    }

    /// Lets one state take a token; steps that need none let those behind them try as well.
    fn advance(&mut self, mut state: State<P>, token: Token<'_>, at: usize) -> Result<()> {
        let matcher = self.matcher;
        let pattern = &*matcher.patterns[state.pattern as usize];
        let start = state.start as usize;
        loop {
            let Step { quantifier, element } = pattern.steps[state.step as usize];
            let fits = self.fits(&pattern.elements[element as usize], token)?;
            let fits = if quantifier == Quantifier::Other { !fits } else { fits };
            let is_last = state.step as usize + 1 == pattern.steps.len();
            state.path.note(at - start, element);
            match (quantifier, fits, is_last) {
                (Quantifier::One | Quantifier::Other, false, _) => return Ok(()),
                (Quantifier::One | Quantifier::Other, true, false) => {
                    state.step += 1;
                    self.next.push(state);
                    return Ok(());
                }
                (Quantifier::One | Quantifier::Other, true, true) => {
                    self.emit(pattern, start..at + 1, &state.path);
                    return Ok(());
                }
                (Quantifier::Any, true, true) => {
                    self.emit(pattern, start..at, &state.path);
                    self.next.push(state);
                    return Ok(());
                }
                (Quantifier::Optional, true, true) => {
                    self.emit(pattern, start..at, &state.path);
                    self.emit(pattern, start..at + 1, &state.path);
                    return Ok(());
                }
                (Quantifier::Any | Quantifier::Optional, false, true) => {
                    self.emit(pattern, start..at, &state.path);
                    return Ok(());
                }
                (Quantifier::Any, true, false) => {
                    self.branches.push(state.clone());
                    state.step += 1;
                }
                (Quantifier::Optional, true, false) => {
                    state.step += 1;
                    self.branches.push(state.clone());
                }
                (Quantifier::Any | Quantifier::Optional, false, false) => state.step += 1,
            }
        }
    }

    /// Ends a state behind the last token: a match if no step that is left needs a token.
    fn end(&mut self, mut state: State<P>, count: usize) {
        let matcher = self.matcher;
        let pattern = &*matcher.patterns[state.pattern as usize];
        for step in &pattern.steps[state.step as usize..] {
            if !step.quantifier.is_optional() {
                return;
            }
            state.path.note(count - state.start as usize, step.element);
        }
        self.emit(pattern, state.start as usize..count, &state.path);
    }

    fn emit(&mut self, pattern: &Compiled, tokens: Range<usize>, path: &P) {
        if !tokens.is_empty() && self.seen.insert((pattern.key, tokens.start, tokens.end)) {
            let alignment = path.first(tokens.len());
            self.found.push(Match { key: pattern.key, tokens, alignment });
        }
    }

    fn fits(&mut self, checks: &[Check], token: Token<'_>) -> Result<bool> {
        for check in checks {
            let holds = match check {
                Check::Plain(test) => self.holds(test, token)?,
                Check::Text { number, expected } => {
                    let attr = self.matcher.texts.attr(*number);
                    let id = attr_of(token, attr);
                    let text = || text_of(self.doc, attr, id);
                    self.matcher.texts.holds(*number, id, self.answers, text)? == *expected
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&mut self, test: &Test, token: Token<'_>) -> Result<bool> {
        Ok(match test {
            Test::Is(attr, number) => attr_of(token, *attr) == *number,
            Test::Among(attr, ids) => ids.contains(attr_of(token, *attr)),
            Test::NotAmong(attr, ids) => !ids.contains(attr_of(token, *attr)),
            Test::Relation(attr, relation, ids) => relates(token, *attr, *relation, ids),
            Test::Compare(attr, comparison, number) => {
                comparison.holds(attr_of(token, *attr), *number)
            }
            Test::Text(..) | Test::NotText(..) => {
                unreachable!("`Matcher::checks` numbers conditions on strings")
            }
            Test::Ask(number) => {
                if let Some(said) = self.said_of_token.get(number) {
                    return Ok(*said);
                }
                let question = Question { number: *number, token: token.i(), text: None };
                let said = (self.ask)(question)?;
                self.said_of_token.insert(*number, said);
                said
            }
            Test::AskText(attr, number) => {
                let id = attr_of(token, *attr);
                if let Some(said) = self.said_of_text.get(&(*number, id)) {
                    return Ok(*said);
                }
                let text = text_of(self.doc, *attr, id)?;
                let question = Question { number: *number, token: token.i(), text: Some(text) };
                let said = (self.ask)(question)?;
                self.said_of_text.insert((*number, id), said);
                said
            }
        })
    }
}
