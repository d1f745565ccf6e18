//! Attributes in bulk: columns of numbers, and counts.

use ahash::AHashMap;
use lexpool_structs::{AttrId, TokenC};

use super::Doc;
use crate::strings::StrId;
use crate::vocab::{LexIx, LexemeField};

/// One attribute of each token, as spaCy's `Doc.to_array` numbers it.
///
/// ```
/// use lexpool::{structs::AttrId, tokens, vocab::{Getters, Vocab}};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let doc = tokens::Doc::from_words(&vocab, &[("So", true), ("so", false)])?;
/// let lower = tokens::column(&doc, AttrId::LOWER);
/// assert_eq!(lower[0], lower[1]);
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn column(doc: &Doc, attr: AttrId) -> Vec<u64> {
    let mut out = vec![0; doc.len()];
    fill(doc, attr, &mut out, 0, 1);
    out
}

/// Several attributes of each token, row by row: `len x attrs.len()` numbers.
pub fn to_array(doc: &Doc, attrs: &[AttrId]) -> Vec<u64> {
    let mut out = vec![0; doc.len() * attrs.len()];
    for (at, attr) in attrs.iter().enumerate() {
        fill(doc, *attr, &mut out, at, attrs.len());
    }
    out
}

/// How often each value of an attribute occurs, in the order of first occurrence.
pub fn count_by(doc: &Doc, attr: AttrId) -> Vec<(u64, u64)> {
    let mut places = AHashMap::<u64, usize>::new();
    let mut counts = Vec::new();
    for value in column(doc, attr) {
        let place = *places.entry(value).or_insert_with(|| {
            counts.push((value, 0));
            counts.len() - 1
        });
        counts[place].1 += 1;
    }
    counts
}

/// Writes an attribute into every `step`-th place; what is decided per attribute is decided once.
fn fill(doc: &Doc, attr: AttrId, out: &mut [u64], at: usize, step: usize) {
    let places = out.iter_mut().skip(at).step_by(step);
    let tokens = doc.tokens();
    let scope = doc.scope();
    let cell = |token: &TokenC| {
        let cell = scope.cell(LexIx::from_raw(token.lex));
        cell.expect("a document holds the vocab and the zone of its tokens")
    };
    if attr.is_flag() {
        for (place, token) in places.zip(tokens) {
            *place = cell(token).attr(attr);
        }
    } else if attr == AttrId::NORM {
        for (place, token) in places.zip(tokens) {
            let own = scope.norm(token.norm_ix()).map(StrId::get);
            *place = own.unwrap_or_else(|| cell(token).field(LexemeField::NORM));
        }
    } else if let (Some(field), true) = (LexemeField::of(attr), attr != AttrId::LENGTH) {
        for (place, token) in places.zip(tokens) {
            *place = cell(token).field(field);
        }
    } else {
        for (place, token) in places.zip(doc.iter()) {
            *place = token.attr(attr);
        }
    }
}
