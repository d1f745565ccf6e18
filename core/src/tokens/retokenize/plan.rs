//! The plan of a retokenization: what to merge and what to split.

use std::collections::BTreeMap;
use std::ops::Range;

use lexpool_structs::AttrId;

use super::super::attrs::{no_token, settable};
use super::super::doc::Doc;
use crate::codes;
use crate::{Error, ErrorKind, Result};

/// A plan of tokens to merge and to split. All positions are those before the change.
///
/// A merged token takes its tag, part of speech, morphology, relation, head and entity type from
/// the root of its span and its entity ids from the first token. Its lemma is the concatenation of
/// their lemmas, its norm that of its lexeme. The parts of a split token inherit its annotation,
/// except for the lemma (the part's text if the token had a lemma) and the norm; tokens that
/// depended on it then depend on its first part. Trees are rebuilt, and in a parsed document
/// sentence starts as well. The row of a tensor is that of the last merged token, and zeros for a
/// part.
///
/// ```
/// use lexpool::tokens::{Doc, PartHead, Retokenization, SplitPart};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let words = [("New", true), ("York", true), ("isnt", true), ("far", false)];
/// let mut doc = Doc::from_words(&vocab, &words)?;
/// let mut plan = Retokenization::new(&doc);
/// plan.merge(&doc, 0..2, &[])?;
/// let parts = ["is", "nt"].map(|text| SplitPart::new(text, PartHead::of(2)));
/// plan.split(&doc, 2, parts.to_vec())?;
/// plan.apply(&mut doc)?;
/// let words: Vec<_> = doc.iter().map(|token| token.text()).collect();
/// assert_eq!(words, ["New York", "is", "nt", "far"]);
/// assert_eq!(doc.text(), "New York isnt far");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Retokenization {
    /// By the first token; without overlaps.
    merges: BTreeMap<usize, Merge>,
    /// By the token.
    splits: BTreeMap<usize, Split>,
    /// The generation of the document when the plan was begun.
    generation: u32,
}

/// Attributes to set, with their values.
type Attrs = Vec<(AttrId, u64)>;

#[derive(Clone, Debug)]
pub(super) struct Merge {
    pub(super) range: Range<usize>,
    pub(super) attrs: Attrs,
}

#[derive(Clone, Debug)]
pub(super) struct Split {
    pub(super) token: usize,
    /// At least one part; their texts join to the text of the token.
    pub(super) parts: Vec<SplitPart>,
}

/// A part of a token to be split: its text, its head, and attributes to set on it.
#[derive(Clone, Debug)]
pub struct SplitPart {
    /// The part's text.
    pub text: String,
    /// The part's head.
    pub head: PartHead,
    /// Attributes to set, as for a merge.
    pub attrs: Vec<(AttrId, u64)>,
}

impl SplitPart {
    /// Creates a part without attributes.
    pub fn new(text: impl Into<String>, head: PartHead) -> SplitPart {
        SplitPart { text: text.into(), head, attrs: Vec::new() }
    }
}

/// The head of a part: a token before the change and, if that token is split as well, the index of
/// one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartHead {
    /// The position of the token.
    pub token: usize,
    /// The index of the part; 0 for a token that is not split.
    pub part: usize,
}

impl PartHead {
    /// Names a token, or its first part.
    pub fn of(token: usize) -> PartHead {
        PartHead { token, part: 0 }
    }
}

impl Retokenization {
    /// Creates an empty plan.
    pub fn new(doc: &Doc) -> Retokenization {
        Retokenization {
            merges: BTreeMap::new(),
            splits: BTreeMap::new(),
            generation: doc.generation(),
        }
    }

    /// Plans to make one token of several. A range given a second time is ignored.
    ///
    /// `attrs` are set on the new token, and on its lexeme those that a lexeme has, `NORM`
    /// excepted. `HEAD` and `SPACY` follow from the merge and are ignored.
    ///
    /// # Errors
    ///
    /// `E199` for an empty range, `E035` for a range outside of the document, `E102` for a range
    /// that overlaps another; `E982` and `E1021` for invalid values. The plan is then unchanged.
    pub fn merge(&mut self, doc: &Doc, range: Range<usize>, attrs: &[(AttrId, u64)]) -> Result<()> {
        self.check_generation(doc)?;
        if range.is_empty() {
            let text = format!("{range:?} is empty; a merge needs at least one token");
            return Err(Error::value(codes::E199, text));
        }
        doc.span(range.start, range.end)?;
        let before = self.merges.range(..range.start).next_back();
        let after = self.merges.range(range.start..).next();
        for (_, merge) in before.into_iter().chain(after) {
            if merge.range == range {
                return Ok(());
            }
            if merge.range.start < range.end && range.start < merge.range.end {
                let text = format!(
                    "tokens {range:?} overlap {:?}, which the plan merges already; merged spans \
                     must not overlap",
                    merge.range
                );
                return Err(Error::value(codes::E102, text));
            }
        }
        let attrs = settable(doc, range.start, attrs)?;
        self.merges.insert(range.start, Merge { range, attrs });
        Ok(())
    }

    /// Plans to make several tokens of one.
    ///
    /// # Errors
    ///
    /// `E026` for a token outside of the document, `E117` if the parts do not join to its text,
    /// `E031` for an empty part, `E102` for a token that the plan splits already; `E982` and
    /// `E1021` for invalid values. The plan is then unchanged.
    pub fn split(&mut self, doc: &Doc, token: usize, mut parts: Vec<SplitPart>) -> Result<()> {
        self.check_generation(doc)?;
        let Some(text) = doc.token(token).map(|token| token.text()) else {
            return Err(no_token(token, doc.len()));
        };
        let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
        if joined != text {
            let text = format!("the parts join to {joined:?}, but token {token} is {text:?}");
            return Err(Error::value(codes::E117, text));
        }
        if let Some(at) = parts.iter().position(|part| part.text.is_empty()) {
            let text = format!("part {at} of token {token} is empty");
            return Err(Error::value(codes::E031, text));
        }
        if self.splits.contains_key(&token) {
            let text = format!("the plan splits token {token} already");
            return Err(Error::value(codes::E102, text));
        }
        for part in &mut parts {
            part.attrs = settable(doc, token, &part.attrs)?;
        }
        self.splits.insert(token, Split { token, parts });
        Ok(())
    }

    /// Returns whether the plan changes nothing.
    pub fn is_empty(&self) -> bool {
        self.merges.is_empty() && self.splits.is_empty()
    }

    /// Returns the ranges to merge, in the order of the text.
    pub fn merged(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.merges().map(|merge| merge.range.clone())
    }

    /// Returns the merges, in the order of the text.
    pub(super) fn merges(&self) -> impl Iterator<Item = &Merge> + '_ {
        self.merges.values()
    }

    /// Returns the splits, in the order of the text.
    pub(super) fn splits(&self) -> impl Iterator<Item = &Split> + '_ {
        self.splits.values()
    }

    pub(super) fn check_generation(&self, doc: &Doc) -> Result<()> {
        if doc.generation() == self.generation {
            return Ok(());
        }
        let text = "the document was retokenized since this plan was begun; begin another one";
        Err(Error::new(ErrorKind::State, codes::STALE_PLAN, text))
    }

    /// Checks what depends on the whole plan, since merges and splits may be added in any order.
    pub(super) fn check_splits(&self, len: usize) -> Result<()> {
        let index = |code, text| Err(Error::new(ErrorKind::Index, code, text));
        for Split { token, parts } in self.splits() {
            if self.merge_of(*token).is_some() {
                let text = format!("token {token} is in a merge and cannot be split as well");
                return index(codes::E122, text);
            }
            for PartHead { token: head, part } in parts.iter().map(|part| part.head) {
                if self.merge_of(head).is_some_and(|range| range.start != head) {
                    let text = format!(
                        "token {head}, a head of parts of token {token}, is merged with the tokens \
                         before it; give the first one of those as the head"
                    );
                    return index(codes::E123, text);
                }
                let split = self.splits.get(&head);
                if head >= len || part >= split.map_or(1, |split| split.parts.len()) {
                    let text = format!(
                        "part {part} of token {head}, given as a head of a part of token {token}, does \
                         not exist"
                    );
                    return Err(Error::value(codes::E190, text));
                }
            }
        }
        Ok(())
    }

    /// Returns the range to merge that contains a token.
    pub(super) fn merge_of(&self, token: usize) -> Option<&Range<usize>> {
        let (_, Merge { range, .. }) = self.merges.range(..=token).next_back()?;
        range.contains(&token).then_some(range)
    }

    /// Returns all attributes to set.
    pub(super) fn attrs(&self) -> impl Iterator<Item = (AttrId, u64)> + '_ {
        let of_parts = self.splits().flat_map(|split| &split.parts).map(|part| &part.attrs);
        self.merges().map(|merge| &merge.attrs).chain(of_parts).flatten().copied()
    }
}
