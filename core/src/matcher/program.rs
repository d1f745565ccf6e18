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
    /// By the position of a key, which of its matches are kept.
    pub(super) choices: Vec<Option<Greedy>>,
    /// Whether a match can be found twice.
    pub(super) may_repeat: bool,
    /// Whether any element asks the caller.
    pub(super) asks: bool,
    /// By condition, the patterns that can begin only where one of their conditions holds.
    anchored: AHashMap<u32, Vec<u32>>,
    /// The patterns that may begin anywhere.
    anywhere: Vec<u32>,
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
                program.choices.push(greedy.get(key).copied());
            } else {
                program.may_repeat = true;
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
            program.may_repeat |= is_ambiguous;
            let steps = pattern.steps.as_slice().into();
            program.patterns.push(Compiled { key: key_ix, steps, elements, is_ambiguous });
        }
        program.asks = program.elements.iter().flatten().any(|check| program.is_asked(*check));
        for pattern in 0..number(program.patterns.len()) {
            program.index(pattern);
        }
        program
    }

    /// The checks of an element of a pattern.
    pub(super) fn checks(&self, pattern: &Compiled, element: u32) -> &[Check] {
        &self.elements[pattern.elements[element as usize] as usize]
    }

    /// The patterns that may begin at a token that fulfils these conditions and no others, in order.
    /// What the caller is asked is taken to hold.
    pub(super) fn beginning(&self, holding: &[u32], patterns: &mut Vec<u32>) {
        patterns.clear();
        patterns.extend_from_slice(&self.anywhere);
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

    /// Enters a pattern under what has to hold where it begins: one condition of each of the
    /// elements that may come first, the rarest.
    fn index(&mut self, pattern: u32) {
        let compiled = &self.patterns[pattern as usize];
        let mut anchors = Vec::new();
        for step in &compiled.steps {
            let needed = self.checks(compiled, step.element).iter().filter(|check| {
                check.expected && !self.is_asked(**check) && step.quantifier.is_positive()
            });
            let rank = |check: &&Check| self.conditions.get(check.condition).rank();
            let Some(anchor) = needed.min_by_key(rank) else {
                self.anywhere.push(pattern);
                return;
            };
            anchors.push(anchor.condition);
            if !step.quantifier.is_optional() {
                break;
            }
        }
        for anchor in anchors {
            self.anchored.entry(anchor).or_default().push(pattern);
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a matcher holds fewer than four billion patterns")
}
