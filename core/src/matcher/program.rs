//! The program of a matcher: all its patterns, compiled together.
//!
//! Equal conditions and equal elements of different patterns are stored once. Patterns are indexed
//! by a condition that must hold where they start, so that a token starts only few of them.

use std::sync::Arc;

use ahash::AHashMap;

use super::conditions::{Check, Condition, ConditionTable};
use super::greedy::Greedy;
use super::keyed_list::KeyedList;
use super::pattern::{Pattern, Step};
use super::text_tests::TextTests;
use crate::strings::StrId;

/// The compiled patterns of a matcher; compiled anew after any change of them.
#[derive(Default)]
pub(super) struct Program {
    pub(super) conditions: ConditionTable,
    pub(super) text_tests: TextTests,
    pub(super) patterns: Vec<CompiledPattern>,
    /// The checks of all elements, equal elements once.
    elements: Vec<Box<[Check]>>,
    /// The keys of all patterns, each once.
    pub(super) keys: Vec<StrId>,
    /// The choice among overlapping matches, by position of the key. Empty if no key has one.
    pub(super) choices: Vec<Option<Greedy>>,
    /// `true` if a match of the key can be found twice, by position of the key.
    pub(super) may_repeat: Vec<bool>,
    /// `true` if an element asks the caller.
    pub(super) asks: bool,
    /// The indexed patterns, by condition: at least one of a pattern's conditions here must hold
    /// where it starts, and all of them hold for few words only.
    indexed: AHashMap<u32, Vec<u32>>,
    /// The patterns that are not indexed.
    unindexed: Vec<u32>,
    /// `true` if an unindexed pattern tests the condition where it starts, by condition.
    is_tested_by_unindexed: Vec<bool>,
}

/// A pattern as the engines run it.
pub(super) struct CompiledPattern {
    /// The position of its key.
    pub(super) key: u32,
    /// The steps; their elements are positions in the pattern.
    pub(super) steps: Box<[Step]>,
    /// The elements, as positions in the program.
    elements: Box<[u32]>,
    /// `true` if two paths through the NFA can reach the same state at one token: if more than one
    /// step is optional.
    pub(super) is_ambiguous: bool,
}

impl Program {
    /// Compiles patterns. Their conditions on strings must have been added to `text_tests`.
    pub(super) fn new(
        rules: &KeyedList<Arc<Pattern>>,
        text_tests: &TextTests,
        greedy: &AHashMap<StrId, Greedy>,
    ) -> Program {
        let mut program = Program { text_tests: text_tests.clone(), ..Program::default() };
        let mut elements = AHashMap::new();
        let mut keys = AHashMap::new();
        for (key, pattern) in rules.iter() {
            let next_key = number(program.keys.len());
            let key_ix = *keys.entry(key).or_insert(next_key);
            if key_ix == next_key {
                program.keys.push(key);
                if !greedy.is_empty() {
                    program.choices.push(greedy.get(&key).copied());
                }
                program.may_repeat.push(false);
            } else {
                program.may_repeat[key_ix as usize] = true;
            }
            let element = |tests: &Vec<_>| {
                let checks = program.conditions.checks(tests, text_tests).into_boxed_slice();
                *elements.entry(checks).or_insert_with_key(|checks| {
                    program.elements.push(checks.clone());
                    number(program.elements.len() - 1)
                })
            };
            let elements = pattern.elements.iter().map(element).collect();
            let is_optional = |step: &&Step| step.quantifier.is_optional();
            let is_ambiguous = pattern.steps.iter().filter(is_optional).count() > 1;
            program.may_repeat[key_ix as usize] |= is_ambiguous;
            let steps = pattern.steps.as_slice().into();
            program.patterns.push(CompiledPattern { key: key_ix, steps, elements, is_ambiguous });
        }
        program.asks = program.elements.iter().flatten().any(|check| program.asks_caller(*check));
        for pattern in 0..number(program.patterns.len()) {
            program.index(pattern);
        }
        program.is_tested_by_unindexed.resize(program.conditions.len(), false);
        program
    }

    /// Returns the checks of an element of a pattern.
    pub(super) fn checks(&self, pattern: &CompiledPattern, element: u32) -> &[Check] {
        &self.elements[pattern.elements[element as usize] as usize]
    }

    /// Returns the patterns that many tokens may start, in order.
    pub(super) fn unindexed_starts(&self) -> &[u32] {
        &self.unindexed
    }

    /// Returns whether an unindexed pattern tests a condition where it starts.
    pub(super) fn is_tested_by_unindexed(&self, condition: u32) -> bool {
        self.is_tested_by_unindexed[condition as usize]
    }

    /// Writes the indexed patterns that may start at a token which fulfils exactly the given
    /// conditions, in order. Conditions that ask the caller count as fulfilled.
    pub(super) fn indexed_starts(&self, fulfilled: &[u32], patterns: &mut Vec<u32>) {
        patterns.clear();
        for condition in fulfilled {
            if let Some(indexed) = self.indexed.get(condition) {
                patterns.extend_from_slice(indexed);
            }
        }
        patterns.sort_unstable();
        patterns.dedup();
    }

    /// Returns whether a token that fulfils exactly the given conditions passes an element, which
    /// must not ask the caller.
    pub(super) fn passes(
        &self,
        pattern: &CompiledPattern,
        element: u32,
        fulfilled: &[u32],
    ) -> bool {
        let holds = |check: &Check| fulfilled.binary_search(&check.condition).is_ok();
        self.checks(pattern, element).iter().all(|check| holds(check) == check.expected)
    }

    fn asks_caller(&self, check: Check) -> bool {
        matches!(self.conditions.get(check.condition), Condition::Ask(_) | Condition::AskText(..))
    }

    /// Writes conditions of which a token must fulfil at least one to change the NFA state before
    /// `step`: the rarest condition of each step that may take the token. Returns `None` if a token
    /// may change the state without fulfilling any condition.
    ///
    /// `is_start`: the state is the pattern's start, where no match can end.
    pub(super) fn required_conditions(
        &self,
        pattern: &CompiledPattern,
        step: u32,
        is_start: bool,
        required: &mut Vec<u32>,
    ) -> Option<()> {
        required.clear();
        for step in &pattern.steps[step as usize..] {
            let needed = self.checks(pattern, step.element).iter().filter(|check| {
                check.expected && !self.asks_caller(**check) && step.quantifier.is_positive()
            });
            let rank = |check: &&Check| self.conditions.get(check.condition).rank();
            required.push(needed.min_by_key(rank)?.condition);
            if !step.quantifier.is_optional() {
                return Some(());
            }
        }
        is_start.then_some(())
    }

    /// Appends the conditions that the NFA state before `step` tests on a token.
    pub(super) fn tested_conditions(
        &self,
        pattern: &CompiledPattern,
        step: u32,
        tested: &mut Vec<u32>,
    ) {
        for step in &pattern.steps[step as usize..] {
            tested.extend(self.checks(pattern, step.element).iter().map(|check| check.condition));
            if !step.quantifier.is_optional() {
                return;
            }
        }
    }

    /// Indexes a pattern by the conditions that its start requires, if few words fulfil them.
    fn index(&mut self, pattern: u32) {
        let mut required = Vec::new();
        let compiled = &self.patterns[pattern as usize];
        let has_required = self.required_conditions(compiled, 0, true, &mut required).is_some();
        let is_rare = |condition: &u32| self.conditions.get(*condition).names_words();
        if has_required && required.iter().all(is_rare) {
            for condition in required {
                self.indexed.entry(condition).or_default().push(pattern);
            }
            return;
        }
        let mut tested = Vec::new();
        self.tested_conditions(compiled, 0, &mut tested);
        self.unindexed.push(pattern);
        self.is_tested_by_unindexed.resize(self.conditions.len(), false);
        for condition in tested {
            self.is_tested_by_unindexed[condition as usize] = true;
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a matcher holds fewer than four billion patterns")
}
