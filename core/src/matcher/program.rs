//! All patterns of a matcher together: their conditions by number, and which of them can begin where.

use std::sync::Arc;

use ahash::AHashMap;

use super::Greedy;
use super::conditions::{Check, Condition, Conditions};
use super::pattern::{Pattern, Step};
use super::texts::Texts;
use crate::strings::StrId;

/// What a search needs of the patterns; made anew after any change of them.
#[derive(Default)]
pub(super) struct Program {
    pub(super) conditions: Conditions,
    pub(super) texts: Texts,
    pub(super) patterns: Vec<Compiled>,
    /// The checks of elements, each element once.
    elements: Vec<Box<[Check]>>,
    /// The keys of patterns, each once.
    pub(super) keys: Vec<StrId>,
    /// By the position of a key, which of its matches are kept; empty if all are, of all keys.
    pub(super) choices: Vec<Option<Greedy>>,
    /// By the position of a key, whether a match of it can be found twice.
    pub(super) may_repeat: Vec<bool>,
    /// Whether any element asks the caller.
    pub(super) asks: bool,
    /// By condition, the patterns that can begin only where one of their conditions holds; all of
    /// these conditions are such that few words fulfil them.
    anchored: AHashMap<u32, Vec<u32>>,
    /// The other patterns.
    common: Vec<u32>,
    /// By condition, whether any of those asks about it where it begins.
    is_common: Vec<bool>,
}

/// A pattern as searches run it.
pub(super) struct Compiled {
    /// The position of its key.
    pub(super) key: u32,
    /// The steps; their elements are positions in the pattern.
    pub(super) steps: Box<[Step]>,
    /// The program's numbers of its elements.
    elements: Box<[u32]>,
    /// Whether two ways through the pattern can meet again at one token.
    pub(super) is_ambiguous: bool,
}

impl Program {
    /// Of patterns, whose conditions on strings have been added to `texts`.
    pub(super) fn new(
        rules: &[(StrId, Arc<Pattern>)],
        texts: &Texts,
        greedy: &AHashMap<StrId, Greedy>,
    ) -> Program {
        let mut program = Program { texts: texts.clone(), ..Program::default() };
        let mut elements = AHashMap::new();
        let mut keys = AHashMap::new();
        for (key, pattern) in rules {
            let next_key = number(program.keys.len());
            let key_ix = *keys.entry(*key).or_insert(next_key);
            if key_ix == next_key {
                program.keys.push(*key);
                if !greedy.is_empty() {
                    program.choices.push(greedy.get(key).copied());
                }
                program.may_repeat.push(false);
            } else {
                program.may_repeat[key_ix as usize] = true;
            }
            let element = |tests: &Vec<_>| {
                let checks = program.conditions.checks(tests, texts).into_boxed_slice();
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
            program.patterns.push(Compiled { key: key_ix, steps, elements, is_ambiguous });
        }
        program.asks = program.elements.iter().flatten().any(|check| program.is_asked(*check));
        for pattern in 0..number(program.patterns.len()) {
            program.index(pattern);
        }
        program.is_common.resize(program.conditions.len(), false);
        program
    }

    /// The checks of an element of a pattern.
    pub(super) fn checks(&self, pattern: &Compiled, element: u32) -> &[Check] {
        &self.elements[pattern.elements[element as usize] as usize]
    }

    /// The patterns that many tokens may begin, in order.
    pub(super) fn common(&self) -> &[u32] {
        &self.common
    }

    /// Whether one of these asks about a condition where it begins.
    pub(super) fn is_common(&self, condition: u32) -> bool {
        self.is_common[condition as usize]
    }

    /// The other patterns that may begin at a token that fulfils these conditions and no others, in
    /// order. What the caller is asked is taken to hold.
    pub(super) fn beginning(&self, holding: &[u32], patterns: &mut Vec<u32>) {
        patterns.clear();
        for condition in holding {
            if let Some(anchored) = self.anchored.get(condition) {
                patterns.extend_from_slice(anchored);
            }
        }
        patterns.sort_unstable();
        patterns.dedup();
    }

    /// Whether a token that fulfils these conditions and no others passes an element, which asks the
    /// caller nothing.
    pub(super) fn passes(&self, pattern: &Compiled, element: u32, holding: &[u32]) -> bool {
        let holds = |check: &Check| holding.binary_search(&check.condition).is_ok();
        self.checks(pattern, element).iter().all(|check| holds(check) == check.expected)
    }

    fn is_asked(&self, check: Check) -> bool {
        matches!(self.conditions.get(check.condition), Condition::Ask(_) | Condition::AskText(..))
    }

    /// Of a place before a step: conditions of which one has to hold for a token to have any effect
    /// there, the rarest of each step that may take it. None if any token may have one.
    ///
    /// `begins`: the place is where a pattern begins, so that no match can end there.
    pub(super) fn anchors(
        &self,
        pattern: &Compiled,
        step: u32,
        begins: bool,
        anchors: &mut Vec<u32>,
    ) -> Option<()> {
        anchors.clear();
        for step in &pattern.steps[step as usize..] {
            let needed = self.checks(pattern, step.element).iter().filter(|check| {
                check.expected && !self.is_asked(**check) && step.quantifier.is_positive()
            });
            let rank = |check: &&Check| self.conditions.get(check.condition).rank();
            anchors.push(needed.min_by_key(rank)?.condition);
            if !step.quantifier.is_optional() {
                return Some(());
            }
        }
        begins.then_some(())
    }

    /// Adds the conditions that a place before a step asks about.
    pub(super) fn asked(&self, pattern: &Compiled, step: u32, asked: &mut Vec<u32>) {
        for step in &pattern.steps[step as usize..] {
            asked.extend(self.checks(pattern, step.element).iter().map(|check| check.condition));
            if !step.quantifier.is_optional() {
                return;
            }
        }
    }

    /// Enters a pattern under what has to hold where it begins.
    fn index(&mut self, pattern: u32) {
        let mut anchors = Vec::new();
        let compiled = &self.patterns[pattern as usize];
        let known = self.anchors(compiled, 0, true, &mut anchors);
        let is_rare = |anchor: &u32| self.conditions.get(*anchor).names_words();
        if known.is_some() && anchors.iter().all(is_rare) {
            for anchor in anchors {
                self.anchored.entry(anchor).or_default().push(pattern);
            }
            return;
        }
        let mut asked = Vec::new();
        self.asked(compiled, 0, &mut asked);
        self.common.push(pattern);
        self.is_common.resize(self.conditions.len(), false);
        for condition in asked {
            self.is_common[condition as usize] = true;
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a matcher holds fewer than four billion patterns")
}
