//! Pike VM: simulation of the NFA with an ordered list of threads (Thompson 1968; Pike 1987; Cox
//! 2009), for what the lazy DFA cannot do.
//!
//! Each thread is an NFA state with the token where it started and, if alignments are requested,
//! the element that took each token. All threads move over a token before the next token is read,
//! in the order and by the rules that the DFA follows too. Questions to the caller, and conditions
//! on strings that cannot be evaluated beforehand, are evaluated only when a thread reaches them.

use std::ops::Range;

use ahash::{AHashMap, AHashSet};

use super::conditions::{Check, Condition};
use super::limits;
use super::nfa::{StepVisitor, accepted_at_end, advance};
use super::program::{CompiledPattern, Program};
use super::test::{attr_of, text_of};
use super::text_tests::RegexMatchers;
use super::token_classes::TokenClasses;
use super::token_match::{Question, RawMatch};
use crate::tokens::{Doc, Token};
use crate::{Error, Result};

/// The elements that took the tokens of a thread: a vector, or `()` if they are not requested.
pub(super) trait Alignment: Clone + Default {
    /// Records that an element was tested on the token at a distance from the start.
    fn record(&mut self, distance: usize, element: u32);
    /// Returns the elements of the first `count` tokens.
    fn first(&self, count: usize) -> Vec<u32>;
    /// Returns the number of elements that a copy copies.
    fn len(&self) -> usize;
}

impl Alignment for () {
    fn record(&mut self, _distance: usize, _element: u32) {}

    fn first(&self, _count: usize) -> Vec<u32> {
        Vec::new()
    }

    fn len(&self) -> usize {
        0
    }
}

impl Alignment for Vec<u32> {
    fn record(&mut self, distance: usize, element: u32) {
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

/// An NFA state with the token where it started.
#[derive(Clone)]
struct Thread<A> {
    pattern: u32,
    step: u32,
    start: u32,
    alignment: A,
}

/// Finds all matches, each once, and calls `emit` with each and its alignment. The first error of
/// `emit` ends the search.
///
/// The classes must have been opened for the document.
pub(super) fn search<A: Alignment>(
    program: &Program,
    classes: &mut TokenClasses,
    doc: &Doc,
    tokens: Range<usize>,
    ask: &mut dyn FnMut(Question<'_>) -> Result<bool>,
    emit: &mut dyn FnMut(RawMatch, Vec<u32>) -> Result<()>,
) -> Result<()> {
    let mut evaluator = ElementEvaluator {
        program,
        doc,
        ask,
        token_answers: AHashMap::new(),
        text_answers: AHashMap::new(),
        regexes: RegexMatchers::default(),
    };
    let mut vm = PikeVm::<A> {
        next: Vec::new(),
        branches: Vec::new(),
        listed: AHashSet::new(),
        entered: AHashSet::new(),
        steps: 0,
        reported: AHashSet::new(),
        emit,
        failure: None,
    };
    let mut starting = Vec::new();
    let (first, len) = (tokens.start, number(tokens.len()));
    let mut threads = Vec::new();
    for token in tokens {
        let token = doc.token(token).expect("the caller has checked the range");
        let at = number(token.i() - first);
        let class = classes.class_of(program, token).ok();
        let fulfilled = class.map(|class| classes.fulfilled(class));
        evaluator.token_answers.clear();
        vm.entered.clear();
        let mut step = |thread| -> Result<()> {
            vm.step(program, thread, at, |pattern, element| {
                evaluator.passes(pattern, element, token, fulfilled)
            })
        };
        for thread in threads.drain(..) {
            step(thread)?;
        }
        starting.clear();
        if let Some(class) = class {
            program.indexed_starts(classes.fulfilled(class), &mut starting);
            starting.extend_from_slice(program.unindexed_starts());
            starting.sort_unstable();
        } else {
            starting.extend(0..number(program.patterns.len()));
        }
        for &pattern in &starting {
            step(Thread { pattern, step: 0, start: at, alignment: A::default() })?;
        }
        vm.swap_threads(program, &mut threads);
        if vm.is_over() {
            return Err(vm.error(token.i()));
        }
    }
    for thread in threads {
        vm.end(program, thread, len);
    }
    if vm.is_over() {
        return Err(vm.error(first + len as usize));
    }
    Ok(())
}

struct PikeVm<'a, A> {
    /// Threads for the next token that keep their places.
    next: Vec<Thread<A>>,
    /// Threads for the next token that branched off and go behind the others.
    branches: Vec<Thread<A>>,
    /// Scratch set of pattern, step and start for [`PikeVm::swap_threads`].
    listed: AHashSet<(u32, u32, u32)>,
    /// Pattern, step and start of the states entered at this token.
    entered: AHashSet<(u32, u32, u32)>,
    steps: u64,
    /// Key, start and end of the matches reported so far.
    reported: AHashSet<(u32, u32, u32)>,
    emit: &'a mut dyn FnMut(RawMatch, Vec<u32>) -> Result<()>,
    /// The error of the match that could not be reported.
    failure: Option<Error>,
}

impl<A: Alignment> PikeVm<'_, A> {
    fn step(
        &mut self,
        program: &Program,
        thread: Thread<A>,
        at: u32,
        mut passes: impl FnMut(&CompiledPattern, u32) -> Result<bool>,
    ) -> Result<()> {
        let pattern = &program.patterns[thread.pattern as usize];
        let step = thread.step;
        let fits = |element| passes(pattern, element);
        let (key, is_ambiguous) = (pattern.key, pattern.is_ambiguous);
        let mut visitor = ThreadStep { vm: self, key, is_ambiguous, thread, at };
        advance(&pattern.steps, step, fits, &mut visitor)
    }

    /// Orders the threads for the next token. Of threads with equal state and start the first one
    /// stays: whatever the others would find, it finds first.
    fn swap_threads(&mut self, program: &Program, threads: &mut Vec<Thread<A>>) {
        self.next.append(&mut self.branches);
        std::mem::swap(threads, &mut self.next);
        let is_ambiguous =
            |thread: &Thread<A>| program.patterns[thread.pattern as usize].is_ambiguous;
        if threads.iter().filter(|thread| is_ambiguous(thread)).nth(1).is_none() {
            return;
        }
        self.listed.clear();
        threads.retain(|thread| {
            !is_ambiguous(thread) || self.listed.insert((thread.pattern, thread.step, thread.start))
        });
    }

    /// Ends a thread after the last token, with a match if its remaining steps are all optional.
    fn end(&mut self, program: &Program, mut thread: Thread<A>, len: u32) {
        let pattern = &program.patterns[thread.pattern as usize];
        let Some(elements) = accepted_at_end(&pattern.steps, thread.step) else { return };
        for element in elements {
            thread.alignment.record((len - thread.start) as usize, element);
        }
        let found = RawMatch { key: pattern.key, start: thread.start, end: len };
        self.emit(found, &thread.alignment);
    }

    fn is_over(&self) -> bool {
        self.steps > limits::MAX_STEPS
            || self.reported.len() > limits::MAX_MATCHES
            || self.failure.is_some()
    }

    /// Returns the reason why the search is over, which has reached a token.
    fn error(&mut self, token: usize) -> Error {
        self.failure.take().unwrap_or_else(|| limits::error(self.steps, token))
    }

    fn emit(&mut self, found: RawMatch, alignment: &A) {
        let RawMatch { key, start, end } = found;
        // One match beyond the limit is kept, so that the caller sees the excess.
        if start >= end || self.is_over() {
            return;
        }
        let mut report = || {
            self.reported.try_reserve(1)?;
            if self.reported.insert((key, start, end)) {
                // An alignment that is kept costs memory, so each of its numbers counts as eight
                // steps.
                self.steps += 8 * alignment.len() as u64;
                (self.emit)(found, alignment.first((end - start) as usize))?;
            }
            Ok(())
        };
        if let Err(error) = report() {
            self.failure = Some(error);
        }
    }
}

/// A thread that moves over a token.
struct ThreadStep<'w, 'a, A> {
    vm: &'w mut PikeVm<'a, A>,
    key: u32,
    is_ambiguous: bool,
    thread: Thread<A>,
    at: u32,
}

impl<A: Alignment> StepVisitor for ThreadStep<'_, '_, A> {
    fn enter(&mut self, step: u32) -> bool {
        self.vm.steps += 1;
        let Thread { pattern, start, .. } = self.thread;
        !self.is_ambiguous || self.vm.entered.insert((pattern, step, start))
    }

    fn test(&mut self, element: u32) {
        self.thread.alignment.record((self.at - self.thread.start) as usize, element);
    }

    fn accept(&mut self, with_token: bool) {
        let end = self.at + u32::from(with_token);
        let found = RawMatch { key: self.key, start: self.thread.start, end };
        self.vm.emit(found, &self.thread.alignment);
    }

    fn keep(&mut self, step: u32) {
        self.vm.steps += self.thread.alignment.len() as u64 / 8;
        self.vm.next.push(Thread { step, ..self.thread.clone() });
    }

    fn branch(&mut self, step: u32) {
        self.vm.steps += self.thread.alignment.len() as u64 / 8;
        self.vm.branches.push(Thread { step, ..self.thread.clone() });
    }
}

/// Evaluates elements on tokens.
struct ElementEvaluator<'a> {
    program: &'a Program,
    doc: &'a Doc,
    ask: &'a mut dyn FnMut(Question<'_>) -> Result<bool>,
    /// The caller's answers for the current token, by question.
    token_answers: AHashMap<u32, bool>,
    /// The caller's answers for strings, by question and string id.
    text_answers: AHashMap<(u32, u64), bool>,
    regexes: RegexMatchers,
}

impl ElementEvaluator<'_> {
    /// Returns whether a token passes an element. If the token has no class, conditions are
    /// evaluated one by one, up to the first that fails.
    fn passes(
        &mut self,
        pattern: &CompiledPattern,
        element: u32,
        token: Token<'_>,
        fulfilled: Option<&[u32]>,
    ) -> Result<bool> {
        for Check { condition, expected } in self.program.checks(pattern, element) {
            if self.holds(*condition, token, fulfilled)? != *expected {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&mut self, number: u32, token: Token<'_>, fulfilled: Option<&[u32]>) -> Result<bool> {
        let Program { conditions, text_tests, .. } = self.program;
        match *conditions.get(number) {
            Condition::Ask(question) => {
                if let Some(answer) = self.token_answers.get(&question) {
                    return Ok(*answer);
                }
                let asked = Question { number: question, token: token.i(), text: None };
                let answer = (self.ask)(asked)?;
                self.token_answers.insert(question, answer);
                Ok(answer)
            }
            Condition::AskText(attr, question) => {
                let id = attr_of(token, attr);
                if let Some(answer) = self.text_answers.get(&(question, id)) {
                    return Ok(*answer);
                }
                let text = Some(text_of(self.doc, attr, id)?);
                let answer = (self.ask)(Question { number: question, token: token.i(), text })?;
                self.text_answers.insert((question, id), answer);
                Ok(answer)
            }
            ref known => match (fulfilled, known.attr()) {
                (Some(fulfilled), _) => Ok(fulfilled.binary_search(&number).is_ok()),
                (None, Some(attr)) => {
                    let value = attr_of(token, attr);
                    conditions.holds(number, value, self.doc, text_tests, &mut self.regexes)
                }
                (None, None) => unreachable!("all other conditions are on an attribute"),
            },
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("positions in a document fit in 32 bits")
}
