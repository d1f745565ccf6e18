//! What a pattern asks of a token.

use std::cmp::Ordering;

use lexpool_structs::AttrId;

use crate::strings::StrId;
use crate::tokens::{Doc, Token};

/// A condition on one token.
#[derive(Clone, Debug)]
pub enum Test {
    /// The attribute has this number.
    Is(AttrId, u64),
    /// The attribute's number is among these; for `MORPH` the id of a whole analysis.
    Among(AttrId, IdSet),
    /// The attribute's number is not among these.
    NotAmong(AttrId, IdSet),
    /// The attribute as a set, of the single features for `MORPH` and else of its one number, has
    /// this relation to that of the pattern.
    Relation(AttrId, Relation, IdSet),
    /// The attribute's number compares so with the pattern's.
    Compare(AttrId, Comparison, Number),
    /// The string whose id the attribute is passes this test.
    Text(AttrId, TextTest),
    /// It does not.
    NotText(AttrId, TextTest),
    /// Whoever runs the pattern says whether, for this question number; once a token.
    Ask(u32),
    /// As `Ask`, of the string whose id the attribute is; once a string and document.
    AskText(AttrId, u32),
}

/// A test of a string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// One of these patterns of Python's `re` is found in it.
    Found(Vec<String>),
    /// It is one of these strings, or at most so many edits away; see
    /// [`is_similar`](super::is_similar).
    Similar(Vec<String>, Option<usize>),
}

/// How the set of a token relates to that of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// The token has nothing that the pattern has not.
    Subset,
    /// The token has all that the pattern has.
    Superset,
    /// They have something in common.
    Intersects,
}

/// How a token's number is compared with that of a pattern, which stands to the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Equal,
    NotEqual,
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// A number of a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole one.
    Int(i128),
    /// Any other.
    Float(f64),
}

/// Ids, each once, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct IdSet(Box<[u64]>);

impl FromIterator<u64> for IdSet {
    fn from_iter<I: IntoIterator<Item = u64>>(ids: I) -> IdSet {
        let mut ids: Vec<u64> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        IdSet(ids.into())
    }
}

impl IdSet {
    /// Whether an id is among them.
    pub fn contains(&self, id: u64) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// The ids.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    fn relates(&self, relation: Relation, own: &IdSet) -> bool {
        match relation {
            Relation::Subset => own.0.iter().all(|id| self.contains(*id)),
            Relation::Superset => self.0.iter().all(|id| own.contains(*id)),
            Relation::Intersects => own.0.iter().any(|id| self.contains(*id)),
        }
    }
}

impl Comparison {
    /// Whether a token's number stands so to a pattern's.
    pub fn holds(self, own: u64, other: Number) -> bool {
        // None for what is no number, which differs from all.
        let order = match other {
            Number::Int(other) => Some(i128::from(own).cmp(&other)),
            Number::Float(other) => compare_with_float(own, other),
        };
        match self {
            Comparison::Equal => order == Some(Ordering::Equal),
            Comparison::NotEqual => order != Some(Ordering::Equal),
            Comparison::AtLeast => order.is_some_and(Ordering::is_ge),
            Comparison::AtMost => order.is_some_and(Ordering::is_le),
            Comparison::Above => order.is_some_and(Ordering::is_gt),
            Comparison::Below => order.is_some_and(Ordering::is_lt),
        }
    }
}

/// Compares exactly, as Python does, where a conversion to a float would round.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is out of range has been dealt with, and the rest is cut at the point"
)]
fn compare_with_float(own: u64, other: f64) -> Option<Ordering> {
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    if other.is_nan() {
        None
    } else if other < 0.0 {
        Some(Ordering::Greater)
    } else if other >= BEYOND {
        Some(Ordering::Less)
    } else {
        let above_whole = if other.fract() > 0.0 { Ordering::Less } else { Ordering::Equal };
        Some(own.cmp(&(other as u64)).then(above_whole))
    }
}

/// An attribute as patterns see it: `SENT_START` is 1 where a sentence is known to start and else 0,
/// all others are [`Token::attr`].
pub(super) fn attr_of(token: Token<'_>, attr: AttrId) -> u64 {
    if attr == AttrId::SENT_START {
        return u64::from(token.record().sent_start() == 1);
    }
    // A word's length, even where its id is another word's.
    if attr == AttrId::LENGTH { token.lex().attr(attr) } else { token.attr(attr) }
}

/// Whether the features of a morphological analysis relate so to a pattern's.
pub(super) fn relates(doc: &Doc, morph: u64, relation: Relation, ids: &IdSet) -> bool {
    let analysis = doc.vocab().morphology().get(StrId::new(morph));
    let features = analysis.map_or(&[][..], |analysis| analysis.features());
    ids.relates(relation, &features.iter().map(|(_, feature)| feature.get()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_exactly_with_floats() {
        let large = (1 << 53) + 1;
        assert!(Comparison::Above.holds(large, Number::Float(9_007_199_254_740_992.0)));
        assert!(Comparison::Below.holds(3, Number::Float(3.5)));
        assert!(Comparison::AtLeast.holds(4, Number::Float(3.5)));
        assert!(Comparison::Equal.holds(4, Number::Float(4.0)));
        assert!(Comparison::Above.holds(0, Number::Float(-0.5)));
        assert!(Comparison::Below.holds(u64::MAX, Number::Float(f64::INFINITY)));
        assert!(!Comparison::Equal.holds(0, Number::Float(f64::NAN)));
        assert!(Comparison::NotEqual.holds(0, Number::Float(f64::NAN)));
        assert!(Comparison::Above.holds(0, Number::Int(-1)));
    }

    #[test]
    fn relations_are_those_of_sets() {
        let pattern: IdSet = [3, 1, 1].into_iter().collect();
        let related = |relation, own: &[u64]| {
            pattern.relates(relation, &own.iter().copied().collect::<IdSet>())
        };
        assert!(related(Relation::Subset, &[]) && related(Relation::Subset, &[1]));
        assert!(!related(Relation::Subset, &[1, 2]));
        assert!(related(Relation::Superset, &[1, 2, 3]) && !related(Relation::Superset, &[1]));
        assert!(related(Relation::Intersects, &[2, 3]) && !related(Relation::Intersects, &[2]));
    }
}
