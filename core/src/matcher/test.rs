//! Conditions on a token, as patterns state them.

use std::cmp::Ordering;

use lexpool_structs::AttrId;

use crate::strings::StrId;
use crate::tokens::{Doc, Token};
use crate::{Error, ErrorKind, Result};

/// A condition on one token.
#[derive(Clone, Debug)]
pub enum Test {
    /// The attribute has this value.
    Is(AttrId, u64),
    /// The attribute's value is one of these; for `MORPH` the id of a whole analysis.
    Among(AttrId, IdSet),
    /// The attribute's value is not one of these.
    NotAmong(AttrId, IdSet),
    /// The attribute's set of values has this relation to the given set. The set of `MORPH` is that
    /// of its features; the set of any other attribute is its single value.
    Relation(AttrId, Relation, IdSet),
    /// The attribute's value compares in this way with the number.
    Compare(AttrId, Comparison, Number),
    /// The string whose id is the attribute's value passes this test.
    Text(AttrId, TextTest),
    /// The string whose id is the attribute's value does not pass this test.
    NotText(AttrId, TextTest),
    /// The caller answers the question with this number, once for each token.
    Ask(u32),
    /// The caller answers the question with this number about the string whose id is the
    /// attribute's value, once for each string and document.
    AskText(AttrId, u32),
}

/// A test of a string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TextTest {
    /// One of these patterns of Python's `re` is found in the string.
    Regex(Vec<String>),
    /// The string is at most the given number of edits away from one of these; see
    /// [`is_similar`](super::is_similar) for the number and its default.
    Similar(Vec<String>, Option<usize>),
}

/// The relation of a token's set of values to the set of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// All values of the token are in the pattern's set.
    Subset,
    /// All values of the pattern are in the token's set.
    Superset,
    /// The sets have a value in common.
    Intersects,
}

/// A comparison of a token's value (left) with the number of a pattern (right).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the operators")]
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
    /// An integer.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

/// A sorted set of ids.
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
    /// Returns whether the set has an id.
    pub fn contains(&self, id: u64) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Returns the ids in ascending order.
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
    /// Returns whether the comparison holds for a token's value and the number of a pattern.
    pub fn holds(self, own: u64, other: Number) -> bool {
        // `None` for NaN, which differs from every number.
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

/// Compares exactly, as Python does; a conversion to a float would round.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the branches before exclude numbers out of range, and the fraction is compared apart"
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

/// Returns an attribute's value as patterns see it: `SENT_START` is 1 if a sentence is known to
/// start at the token and else 0; all others are [`Token::attr`].
pub(super) fn attr_of(token: Token<'_>, attr: AttrId) -> u64 {
    if attr == AttrId::SENT_START {
        return u64::from(token.record().sent_start() == 1);
    }
    // The length of the lexeme, even if the token's text differs from it.
    if attr == AttrId::LENGTH { token.lex().attr(attr) } else { token.attr(attr) }
}

/// Returns whether the features of a morphological analysis have a relation to those of a pattern.
pub(super) fn relates(doc: &Doc, morph: u64, relation: Relation, ids: &IdSet) -> bool {
    let analysis = doc.vocab().morphology().get(StrId::new(morph));
    let features = analysis.map_or(&[][..], |analysis| analysis.features());
    ids.relates(relation, &features.iter().map(|(_, feature)| feature.get()).collect())
}

/// Returns the string that an attribute's value is the id of.
///
/// # Errors
///
/// `E018` if the vocab has no string with the id.
pub(super) fn text_of(doc: &Doc, attr: AttrId, id: u64) -> Result<&str> {
    doc.snapshot().string(StrId::new(id)).ok_or_else(|| {
        let name = attr.name().unwrap_or("attribute");
        let text = format!(
            "a pattern tests the string of {name}, but the vocab has no string with the id {id}; \
             add the string to the vocab before matching"
        );
        Error::new(ErrorKind::Key, crate::codes::E018, text)
    })
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
