//! The conditions of all patterns, each once, by number; and those that a value fulfils.

use ahash::AHashMap;
use lexpool_structs::AttrId;

use super::test::{attr_of, relates};
use super::texts::{Runs, Texts};
use super::{Comparison, IdSet, Number, Relation, Test, text_of};
use crate::Result;
use crate::strings::StrId;
use crate::tokens::{Doc, Token};
use crate::vocab::{LexemeCell, LexemeField};

/// A [`Test`] reduced to what it asks, so that equal ones meet.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Condition {
    /// The attribute's number is one of these.
    Among(AttrId, IdSet),
    /// The features of `MORPH` relate so to these.
    Features(Relation, IdSet),
    Compare(AttrId, Comparison, Exact),
    /// The number of a condition on the attribute's string.
    Text(AttrId, u32),
    /// Only the caller knows.
    Ask(u32),
    AskText(AttrId, u32),
}

/// A [`Number`] whose equality is that of its bits.
#[derive(Clone, Copy)]
pub(super) struct Exact(Number);

/// A condition as an element asks it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Check {
    pub(super) condition: u32,
    pub(super) expected: bool,
}

/// All conditions, and for each attribute how to come from its value to those that hold.
#[derive(Default)]
pub(super) struct Conditions {
    list: Vec<Condition>,
    numbers: AHashMap<Condition, u32>,
    /// Of the attributes that a word has.
    of_lexemes: Vec<OfAttr>,
    /// Of those that only tokens have.
    of_tokens: Vec<OfAttr>,
}

/// The conditions on one attribute.
struct OfAttr {
    attr: AttrId,
    /// Those that hold for a certain value.
    by_value: AHashMap<u64, Vec<u32>>,
    /// Those that have to be tried.
    tried: Vec<u32>,
}

impl Conditions {
    /// The conditions of an element's tests, those that are new being added. Those that never ask
    /// anything are left out.
    pub(super) fn checks(&mut self, tests: &[Test], texts: &Texts) -> Vec<Check> {
        let mut checks: Vec<Check> = Vec::with_capacity(tests.len());
        for test in tests {
            let (condition, expected) = match test {
                Test::Is(attr, number) => (among(*attr, [*number]), true),
                Test::Among(attr, ids) => (Condition::Among(*attr, ids.clone()), true),
                Test::NotAmong(attr, ids) => (Condition::Among(*attr, ids.clone()), false),
                Test::Relation(AttrId::MORPH, relation, ids) => {
                    (Condition::Features(*relation, ids.clone()), true)
                }
                // The set of any other attribute is its one number.
                Test::Relation(attr, Relation::Superset, ids) => match ids.as_slice() {
                    [] => continue,
                    [id] => (among(*attr, [*id]), true),
                    _ => (among(*attr, []), true),
                },
                Test::Relation(attr, Relation::Subset | Relation::Intersects, ids) => {
                    (Condition::Among(*attr, ids.clone()), true)
                }
                Test::Compare(attr, comparison, number) => {
                    (Condition::Compare(*attr, *comparison, Exact(*number)), true)
                }
                Test::Text(attr, text) => (Condition::Text(*attr, texts.number(text)), true),
                Test::NotText(attr, text) => (Condition::Text(*attr, texts.number(text)), false),
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

    /// Whether any condition is on what a word is.
    pub(super) fn ask_of_lexemes(&self) -> bool {
        !self.of_lexemes.is_empty()
    }

    /// How many attributes of tokens alone there are.
    pub(super) fn token_attrs(&self) -> usize {
        self.of_tokens.len()
    }

    /// The value of one of them.
    #[inline]
    pub(super) fn value(&self, place: usize, token: Token<'_>) -> u64 {
        attr_of(token, self.of_tokens[place].attr)
    }

    /// Whether a value of one of them will always mean what it means now: the vocab may come to know
    /// an analysis of `MORPH` that it does not know yet.
    pub(super) fn is_lasting(&self, place: usize, value: u64, doc: &Doc) -> bool {
        self.of_tokens[place].attr != AttrId::MORPH
            || doc.vocab().morphology().get(StrId::new(value)).is_some()
    }

    /// The conditions that a word fulfils, in order.
    ///
    /// # Errors
    ///
    /// What a condition on a string fails with; another token with the word may not come to that.
    pub(super) fn of_lexeme(
        &self,
        lexeme: &LexemeCell,
        doc: &Doc,
        texts: &Texts,
        runs: &mut Runs,
    ) -> Result<Vec<u32>> {
        let mut holding = Vec::new();
        for of in &self.of_lexemes {
            self.holding(of, lexeme.attr(of.attr), doc, texts, runs, &mut holding)?;
        }
        holding.sort_unstable();
        Ok(holding)
    }

    /// The conditions that a value of an attribute of tokens fulfils, in order. Errors as above.
    pub(super) fn of_value(
        &self,
        place: usize,
        value: u64,
        doc: &Doc,
        texts: &Texts,
        runs: &mut Runs,
    ) -> Result<Vec<u32>> {
        let mut holding = Vec::new();
        self.holding(&self.of_tokens[place], value, doc, texts, runs, &mut holding)?;
        holding.sort_unstable();
        Ok(holding)
    }

    /// Whether a value fulfils a condition that is not the caller's to answer.
    pub(super) fn holds(
        &self,
        number: u32,
        value: u64,
        doc: &Doc,
        texts: &Texts,
        runs: &mut Runs,
    ) -> Result<bool> {
        Ok(match self.get(number) {
            Condition::Among(_, ids) => ids.contains(value),
            Condition::Features(relation, ids) => relates(doc, value, *relation, ids),
            Condition::Compare(_, comparison, number) => comparison.holds(value, number.0),
            Condition::Text(attr, text) => texts.holds(*text, text_of(doc, *attr, value)?, runs)?,
            Condition::Ask(_) | Condition::AskText(..) => false,
        })
    }

    fn holding(
        &self,
        of: &OfAttr,
        value: u64,
        doc: &Doc,
        texts: &Texts,
        runs: &mut Runs,
        holding: &mut Vec<u32>,
    ) -> Result<()> {
        if let Some(certain) = of.by_value.get(&value) {
            holding.extend_from_slice(certain);
        }
        for &number in &of.tried {
            if self.holds(number, value, doc, texts, runs)? {
                holding.push(number);
            }
        }
        Ok(())
    }

    fn number(&mut self, condition: Condition) -> u32 {
        if let Some(number) = self.numbers.get(&condition) {
            return *number;
        }
        let number =
            u32::try_from(self.list.len()).expect("fewer conditions than memory has bytes");
        if let Some(attr) = condition.attr() {
            let of = self.of_attr(attr);
            if let Condition::Among(_, ids) = &condition {
                for id in ids.as_slice() {
                    of.by_value.entry(*id).or_default().push(number);
                }
            } else {
                of.tried.push(number);
            }
        }
        self.list.push(condition.clone());
        self.numbers.insert(condition, number);
        number
    }

    fn of_attr(&mut self, attr: AttrId) -> &mut OfAttr {
        let all = if is_lexical(attr) { &mut self.of_lexemes } else { &mut self.of_tokens };
        let place = all.iter().position(|of| of.attr == attr).unwrap_or_else(|| {
            all.push(OfAttr { attr, by_value: AHashMap::new(), tried: Vec::new() });
            all.len() - 1
        });
        &mut all[place]
    }
}

impl Condition {
    /// The attribute whose value decides; none where the caller is asked.
    pub(super) fn attr(&self) -> Option<AttrId> {
        match self {
            Condition::Among(attr, _) | Condition::Compare(attr, ..) | Condition::Text(attr, _) => {
                Some(*attr)
            }
            Condition::Features(..) => Some(AttrId::MORPH),
            Condition::Ask(_) | Condition::AskText(..) => None,
        }
    }

    /// How few tokens fulfil it, roughly: the lower, the fewer.
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

    /// Whether it lists values of an attribute that has many of them, each of few words.
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

/// Whether all tokens with a lexeme have the attribute from it.
fn is_lexical(attr: AttrId) -> bool {
    attr.is_flag() || (attr != AttrId::NORM && LexemeField::of(attr).is_some())
}

fn among<const N: usize>(attr: AttrId, ids: [u64; N]) -> Condition {
    Condition::Among(attr, ids.into_iter().collect())
}

impl Exact {
    fn bits(self) -> (bool, i128) {
        match self.0 {
            Number::Int(number) => (false, number),
            Number::Float(number) => (true, i128::from(number.to_bits())),
        }
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Exact) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Exact {}

impl std::hash::Hash for Exact {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}
