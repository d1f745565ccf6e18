//! The distinct conditions of all patterns, by number, and which of them a value fulfils.

use ahash::AHashMap;
use lexpool_structs::AttrId;

use super::test::{Comparison, IdSet, Number, Relation, Test, attr_of, relates, text_of};
use super::text_tests::{RegexMatchers, TextTests};
use crate::Result;
use crate::strings::StrId;
use crate::tokens::{Doc, Token};
use crate::vocab::{LexemeCell, LexemeField};

/// A [`Test`] in normal form: without its expected outcome, so that equal conditions compare equal.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Condition {
    /// The attribute's value is one of these.
    Among(AttrId, IdSet),
    /// The features of `MORPH` have this relation to these.
    Features(Relation, IdSet),
    /// The attribute's value compares in this way with the number.
    Compare(AttrId, Comparison, BitwiseNumber),
    /// The attribute's string passes the text test with this number.
    Text(AttrId, u32),
    /// The caller answers this question about the token.
    Ask(u32),
    /// The caller answers this question about the attribute's string.
    AskText(AttrId, u32),
}

/// A [`Number`] compared and hashed by its bits.
#[derive(Clone, Copy)]
pub(super) struct BitwiseNumber(Number);

/// A condition and the outcome that an element expects.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Check {
    pub(super) condition: u32,
    pub(super) expected: bool,
}

/// All conditions, and for each attribute an index from its values to the conditions they fulfil.
#[derive(Default)]
pub(super) struct ConditionTable {
    list: Vec<Condition>,
    numbers: AHashMap<Condition, u32>,
    /// The conditions on attributes of lexemes, by attribute.
    of_lexemes: Vec<AttrConditions>,
    /// The conditions on attributes that only tokens have, by attribute.
    of_tokens: Vec<AttrConditions>,
}

/// The conditions on one attribute.
struct AttrConditions {
    attr: AttrId,
    /// The conditions that list values, by value.
    by_value: AHashMap<u64, Vec<u32>>,
    /// The other conditions, which must be evaluated.
    evaluated: Vec<u32>,
}

impl ConditionTable {
    /// Returns the checks of an element's tests, and adds the conditions that are new. Tests that
    /// every token passes have no check.
    pub(super) fn checks(&mut self, tests: &[Test], text_tests: &TextTests) -> Vec<Check> {
        let mut checks: Vec<Check> = Vec::with_capacity(tests.len());
        for test in tests {
            let (condition, expected) = match test {
                Test::Is(attr, number) => (among(*attr, [*number]), true),
                Test::Among(attr, ids) => (Condition::Among(*attr, ids.clone()), true),
                Test::NotAmong(attr, ids) => (Condition::Among(*attr, ids.clone()), false),
                Test::Relation(AttrId::MORPH, relation, ids) => {
                    (Condition::Features(*relation, ids.clone()), true)
                }
                // The set of any other attribute is its single value.
                Test::Relation(attr, Relation::Superset, ids) => match ids.as_slice() {
                    [] => continue,
                    [id] => (among(*attr, [*id]), true),
                    _ => (among(*attr, []), true),
                },
                Test::Relation(attr, Relation::Subset | Relation::Intersects, ids) => {
                    (Condition::Among(*attr, ids.clone()), true)
                }
                Test::Compare(attr, comparison, number) => {
                    (Condition::Compare(*attr, *comparison, BitwiseNumber(*number)), true)
                }
                Test::Text(attr, text) => (Condition::Text(*attr, text_tests.number(text)), true),
                Test::NotText(attr, text) => {
                    (Condition::Text(*attr, text_tests.number(text)), false)
                }
                Test::Ask(number) => (Condition::Ask(*number), true),
                Test::AskText(attr, number) => (Condition::AskText(*attr, *number), true),
            };
            let check = Check { condition: self.number(condition), expected };
            if !checks.contains(&check) {
                checks.push(check);
            }
        }
        checks
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, number: u32) -> &Condition {
        &self.list[number as usize]
    }

    /// Returns whether any condition is on an attribute of lexemes.
    pub(super) fn test_lexemes(&self) -> bool {
        !self.of_lexemes.is_empty()
    }

    /// Returns the number of tested attributes that only tokens have.
    pub(super) fn token_attrs(&self) -> usize {
        self.of_tokens.len()
    }

    /// Returns a token's value of one of the attributes that only tokens have, by position.
    #[inline]
    pub(super) fn value(&self, attr: usize, token: Token<'_>) -> u64 {
        attr_of(token, self.of_tokens[attr].attr)
    }

    /// Returns whether a value will always fulfil the same conditions. A value of `MORPH` may not:
    /// its analysis may be added to the vocab later.
    pub(super) fn is_lasting(&self, attr: usize, value: u64, doc: &Doc) -> bool {
        self.of_tokens[attr].attr != AttrId::MORPH
            || doc.vocab().morphology().get(StrId::new(value)).is_some()
    }

    /// Returns the conditions that a lexeme fulfils, sorted.
    ///
    /// # Errors
    ///
    /// The error of a condition on a string.
    pub(super) fn of_lexeme(
        &self,
        lexeme: &LexemeCell,
        doc: &Doc,
        text_tests: &TextTests,
        regexes: &mut RegexMatchers,
    ) -> Result<Vec<u32>> {
        let mut fulfilled = Vec::new();
        for of in &self.of_lexemes {
            self.fulfilled(of, lexeme.attr(of.attr), doc, text_tests, regexes, &mut fulfilled)?;
        }
        fulfilled.sort_unstable();
        Ok(fulfilled)
    }

    /// Returns the conditions that a value of an attribute of tokens fulfils, sorted.
    ///
    /// # Errors
    ///
    /// As for [`of_lexeme`](ConditionTable::of_lexeme).
    pub(super) fn of_value(
        &self,
        attr: usize,
        value: u64,
        doc: &Doc,
        text_tests: &TextTests,
        regexes: &mut RegexMatchers,
    ) -> Result<Vec<u32>> {
        let mut fulfilled = Vec::new();
        self.fulfilled(&self.of_tokens[attr], value, doc, text_tests, regexes, &mut fulfilled)?;
        fulfilled.sort_unstable();
        Ok(fulfilled)
    }

    /// Returns whether a value fulfils a condition; `false` for conditions that ask the caller.
    ///
    /// # Errors
    ///
    /// The error of a condition on a string.
    pub(super) fn holds(
        &self,
        number: u32,
        value: u64,
        doc: &Doc,
        text_tests: &TextTests,
        regexes: &mut RegexMatchers,
    ) -> Result<bool> {
        Ok(match self.get(number) {
            Condition::Among(_, ids) => ids.contains(value),
            Condition::Features(relation, ids) => relates(doc, value, *relation, ids),
            Condition::Compare(_, comparison, number) => comparison.holds(value, number.0),
            Condition::Text(attr, text) => {
                text_tests.holds(*text, text_of(doc, *attr, value)?, regexes)?
            }
            Condition::Ask(_) | Condition::AskText(..) => false,
        })
    }

    fn fulfilled(
        &self,
        of: &AttrConditions,
        value: u64,
        doc: &Doc,
        text_tests: &TextTests,
        regexes: &mut RegexMatchers,
        fulfilled: &mut Vec<u32>,
    ) -> Result<()> {
        if let Some(listed) = of.by_value.get(&value) {
            fulfilled.extend_from_slice(listed);
        }
        for &number in &of.evaluated {
            if self.holds(number, value, doc, text_tests, regexes)? {
                fulfilled.push(number);
            }
        }
        Ok(())
    }

    fn number(&mut self, condition: Condition) -> u32 {
        if let Some(number) = self.numbers.get(&condition) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).expect("fewer than 2^32 conditions");
        if let Some(attr) = condition.attr() {
            let of = self.conditions_on(attr);
            if let Condition::Among(_, ids) = &condition {
                for id in ids.as_slice() {
                    of.by_value.entry(*id).or_default().push(number);
                }
            } else {
                of.evaluated.push(number);
            }
        }
        self.list.push(condition.clone());
        self.numbers.insert(condition, number);
        number
    }

    fn conditions_on(&mut self, attr: AttrId) -> &mut AttrConditions {
        let all = if is_lexical(attr) { &mut self.of_lexemes } else { &mut self.of_tokens };
        let position = all.iter().position(|of| of.attr == attr).unwrap_or_else(|| {
            all.push(AttrConditions { attr, by_value: AHashMap::new(), evaluated: Vec::new() });
            all.len() - 1
        });
        &mut all[position]
    }
}

impl Condition {
    /// Returns the attribute that is tested, or `None` if the caller is asked.
    pub(super) fn attr(&self) -> Option<AttrId> {
        match self {
            Condition::Among(attr, _) | Condition::Compare(attr, ..) | Condition::Text(attr, _) => {
                Some(*attr)
            }
            Condition::Features(..) => Some(AttrId::MORPH),
            Condition::Ask(_) | Condition::AskText(..) => None,
        }
    }

    /// Returns an estimate of how many tokens fulfil the condition: a lower rank means fewer.
    pub(super) fn rank(&self) -> u32 {
        match self {
            Condition::Among(_, ids) if self.names_words() => {
                u32::try_from(ids.as_slice().len()).unwrap_or(u32::MAX).min(1_000)
            }
            Condition::Text(..) => 1_001,
            Condition::Among(attr, _) if !attr.is_flag() => 1_002,
            Condition::Features(..) | Condition::Compare(..) => 1_003,
            _ => 1_004,
        }
    }

    /// Returns whether the condition lists values of an attribute each of whose values few words
    /// have.
    pub(super) fn names_words(&self) -> bool {
        const NAMING: [AttrId; 6] = [
            AttrId::ORTH,
            AttrId::LOWER,
            AttrId::NORM,
            AttrId::LEMMA,
            AttrId::ENT_ID,
            AttrId::ENT_KB_ID,
        ];
        matches!(self, Condition::Among(attr, _) if NAMING.contains(attr))
    }
}

/// Returns whether all tokens with the same lexeme have the same value of an attribute.
fn is_lexical(attr: AttrId) -> bool {
    attr.is_flag() || (attr != AttrId::NORM && LexemeField::of(attr).is_some())
}

fn among<const N: usize>(attr: AttrId, ids: [u64; N]) -> Condition {
    Condition::Among(attr, ids.into_iter().collect())
}

impl BitwiseNumber {
    fn bits(self) -> (bool, i128) {
        match self.0 {
            Number::Int(number) => (false, number),
            Number::Float(number) => (true, i128::from(number.to_bits())),
        }
    }
}

impl PartialEq for BitwiseNumber {
    fn eq(&self, other: &BitwiseNumber) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for BitwiseNumber {}

impl std::hash::Hash for BitwiseNumber {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}
