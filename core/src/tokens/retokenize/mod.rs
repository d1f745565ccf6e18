//! Merging and splitting tokens: a plan is collected, checked as a whole, and applied at once.
//!
//! The text never changes, only where tokens begin and end in it. Whatever is wrong with a plan is
//! found before the document is touched.

mod pieces;
#[cfg(test)]
mod random_plans;
#[cfg(test)]
mod tests;

use std::ops::Range;

use lexpool_structs::{AttrId, TokenC};

use self::pieces::Layout;
use super::attrs::check_value;
use super::{Doc, tree};
use crate::vocab::{LexIx, LexemeCell};
use crate::{Error, ErrorKind, Result};

/// What to merge and what to split in a document. All positions are those before the change.
///
/// A merged token takes tag, part of speech, morphology, relation, head and type of entity from the root
/// of its span, the entity's ids from the first token, its lemma is made of theirs, its norm is its
/// word's. The parts of a split token take
/// over what the token had, but for the lemma (the part's text if there was a lemma) and the norm;
/// tokens that depended on it depend on its first part. Trees and, in a parsed document, sentence
/// starts are rebuilt.
///
/// ```
/// use lexpool::tokens::{Doc, Head, Part, Retokenization};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let words = [("New", true), ("York", true), ("isnt", true), ("far", false)];
/// let mut doc = Doc::from_words(&vocab, &words)?;
/// let mut plan = Retokenization::new(&doc);
/// plan.merge(&doc, 0..2, &[])?;
/// plan.split(&doc, 2, vec![Part::new("is", Head::of(2)), Part::new("nt", Head::of(2))])?;
/// plan.apply(&mut doc)?;
/// let words: Vec<_> = doc.iter().map(|token| token.text()).collect();
/// assert_eq!(words, ["New York", "is", "nt", "far"]);
/// assert_eq!(doc.text(), "New York isnt far");
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Retokenization {
    /// In the order of the text, none over another.
    merges: Vec<Merge>,
    /// In the order of the text.
    splits: Vec<Split>,
    /// That of the document when the plan was begun.
    generation: u32,
}

/// Attributes to set, with their values.
type Attrs = Vec<(AttrId, u64)>;

#[derive(Clone, Debug)]
struct Merge {
    range: Range<usize>,
    attrs: Attrs,
}

#[derive(Clone, Debug)]
struct Split {
    token: usize,
    /// At least one; joined they are the token's text.
    parts: Vec<Part>,
}

/// What a token becomes a part of: its text, its head, and attributes to set on it.
#[derive(Clone, Debug)]
pub struct Part {
    /// The part's text.
    pub text: String,
    /// The part's head.
    pub head: Head,
    /// Attributes to set, as for a merge.
    pub attrs: Vec<(AttrId, u64)>,
}

impl Part {
    /// A part without attributes of its own.
    pub fn new(text: impl Into<String>, head: Head) -> Part {
        Part { text: text.into(), head, attrs: Vec::new() }
    }
}

/// A head: a token as it is before the change and, if that is split as well, which of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The position of the token.
    pub token: usize,
    /// The part of it; 0 for a token that stays whole.
    pub part: usize,
}

impl Head {
    /// A token, or the first part of it.
    pub fn of(token: usize) -> Head {
        Head { token, part: 0 }
    }
}

impl Retokenization {
    /// A plan that changes nothing yet.
    pub fn new(doc: &Doc) -> Retokenization {
        Retokenization { merges: Vec::new(), splits: Vec::new(), generation: doc.generation() }
    }

    /// Makes one token of several. The same range a second time is ignored.
    ///
    /// `attrs` are set on the token, and on its word type as well where that has the attribute,
    /// `NORM` excepted. `HEAD` and `SPACY`, which follow from the merge, are left alone.
    ///
    /// # Errors
    ///
    /// `E199` for an empty range, `E035` for one outside of the document, `E102` for one that
    /// overlaps another; `E982` and `E1021` for values that the attribute cannot have. The plan is
    /// then as it was.
    pub fn merge(&mut self, doc: &Doc, range: Range<usize>, attrs: &[(AttrId, u64)]) -> Result<()> {
        self.check_generation(doc)?;
        if range.is_empty() {
            let text = format!("{range:?} holds no token that could be merged");
            return Err(Error::value("E199", text));
        }
        doc.span(range.start, range.end)?;
        let at = self.merges.partition_point(|merge| merge.range.start < range.start);
        let neighbours = self.merges[at.saturating_sub(1)..].iter().take(2);
        for merge in neighbours {
            if merge.range == range {
                return Ok(());
            }
            if merge.range.start < range.end && range.start < merge.range.end {
                let text = format!(
                    "tokens {range:?} overlap {:?}, which are to be merged already; merged spans \
                     do not overlap",
                    merge.range
                );
                return Err(Error::value("E102", text));
            }
        }
        let attrs = settable(doc, range.start, attrs)?;
        self.merges.insert(at, Merge { range, attrs });
        Ok(())
    }

    /// Makes several tokens of one.
    ///
    /// # Errors
    ///
    /// `E026` for a token outside of the document, `E117` if the parts do not join to its text,
    /// `E031` for an empty part, `E102` for a token that is to be split already; as for
    /// [`merge`](Self::merge) for attributes. The plan is then as it was.
    pub fn split(&mut self, doc: &Doc, token: usize, mut parts: Vec<Part>) -> Result<()> {
        self.check_generation(doc)?;
        let Some(text) = doc.token(token).map(|token| token.text()) else {
            return Err(no_token(doc, token));
        };
        let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
        if joined != text {
            let text = format!("the parts join to {joined:?}, but token {token} is {text:?}");
            return Err(Error::value("E117", text));
        }
        if let Some(at) = parts.iter().position(|part| part.text.is_empty()) {
            let text = format!("part {at} of token {token} is empty");
            return Err(Error::value("E031", text));
        }
        let Err(at) = self.splits.binary_search_by_key(&token, |split| split.token) else {
            let text = format!("token {token} is to be split already");
            return Err(Error::value("E102", text));
        };
        for part in &mut parts {
            part.attrs = settable(doc, token, &part.attrs)?;
        }
        self.splits.insert(at, Split { token, parts });
        Ok(())
    }

    /// Whether the plan changes nothing.
    pub fn is_empty(&self) -> bool {
        self.merges.is_empty() && self.splits.is_empty()
    }

    /// The ranges to merge, in the order of the text.
    pub fn merged(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.merges.iter().map(|merge| merge.range.clone())
    }

    /// Changes the document, and says for each new token which old one stands for it: itself, the
    /// last one of those merged, none for the part of a token.
    ///
    /// Views made before, and positions found before, are stale from here on. Cost: new arrays for
    /// the whole document, however small the change; so collect all changes in one plan.
    ///
    /// # Errors
    ///
    /// `stale-plan` if the document was retokenized since the plan was begun; `E122` for a split of
    /// a token that is merged, `E123` if a head is; `E190` for a head outside of the document,
    /// or a part that a head does not have; `E039` if the heads in a span form a cycle; when memory
    /// runs out. The document is then as it was.
    pub fn apply(&self, doc: &mut Doc) -> Result<Vec<Option<usize>>> {
        self.check_generation(doc)?;
        self.check_splits(doc.len())?;
        let layout = Layout::new(doc, self)?;
        doc.retile(layout.rows(doc, self))?;
        for (merge, at) in self.merges.iter().zip(layout.merged_at()) {
            set(doc, at, &merge.attrs)?;
        }
        if !self.merges.is_empty() {
            doc.mend_ents(false)?;
        }
        for split in &self.splits {
            for (at, part) in (layout.at(split.token)..).zip(&split.parts) {
                set(doc, at, &part.attrs)?;
            }
        }
        rebuild(doc)?;
        Ok(layout.origins())
    }

    fn check_generation(&self, doc: &Doc) -> Result<()> {
        if doc.generation() == self.generation {
            return Ok(());
        }
        let text = "the document was retokenized since this plan was begun; begin another one";
        Err(Error::new(ErrorKind::State, "stale-plan", text))
    }

    /// Checks what depends on all of the plan, which may come in any order.
    fn check_splits(&self, len: usize) -> Result<()> {
        let index = |code, text| Err(Error::new(ErrorKind::Index, code, text));
        for Split { token, parts } in &self.splits {
            if self.merge_of(*token).is_some() {
                let text = format!("token {token} is merged and cannot be split as well");
                return index("E122", text);
            }
            for Head { token: head, part } in parts.iter().map(|part| part.head) {
                if self.merge_of(head).is_some_and(|range| range.start != head) {
                    let text = format!(
                        "token {head}, a head of parts of token {token}, is merged with the tokens \
                         before it; give the first one of those as the head"
                    );
                    return index("E123", text);
                }
                let split = self.splits.binary_search_by_key(&head, |split| split.token);
                if head >= len || part >= split.map_or(1, |at| self.splits[at].parts.len()) {
                    let text = format!(
                        "part {part} of token {head} cannot be a head for parts of token {token}: \
                         there is none"
                    );
                    return Err(Error::value("E190", text));
                }
            }
        }
        Ok(())
    }

    /// The range to merge that holds a token.
    fn merge_of(&self, token: usize) -> Option<&Range<usize>> {
        let after = self.merges.partition_point(|merge| merge.range.start <= token);
        let range = &self.merges[after.checked_sub(1)?].range;
        range.contains(&token).then_some(range)
    }

    /// All attributes that are to be set.
    fn attrs(&self) -> impl Iterator<Item = (AttrId, u64)> + '_ {
        let of_parts = self.splits.iter().flat_map(|split| &split.parts).map(|part| &part.attrs);
        self.merges.iter().map(|merge| &merge.attrs).chain(of_parts).flatten().copied()
    }
}

impl Doc {
    /// Sets attributes on a token, and on its word type as well where that has the attribute,
    /// `NORM` excepted. `HEAD` and `SPACY` are left alone.
    ///
    /// # Errors
    ///
    /// `E026` beyond the end; `E982` and `E1021` for values that the attribute cannot have. Nothing
    /// is set then.
    pub fn set_attrs(&mut self, i: usize, attrs: &[(AttrId, u64)]) -> Result<()> {
        if i >= self.len() {
            return Err(no_token(self, i));
        }
        let attrs = settable(self, i, attrs)?;
        set(self, i, &attrs)
    }
}

fn no_token(doc: &Doc, i: usize) -> Error {
    let text = format!("no token {i} in a document of {} tokens", doc.len());
    Error::new(ErrorKind::Index, "E026", text)
}

/// The attributes that are to be set on a token, their values checked.
fn settable(doc: &Doc, i: usize, attrs: &[(AttrId, u64)]) -> Result<Attrs> {
    let follows = |attr: AttrId| attr == AttrId::HEAD || attr == AttrId::SPACY;
    let attrs: Attrs = attrs.iter().copied().filter(|(attr, _)| !follows(*attr)).collect();
    for (attr, value) in &attrs {
        check_value(*attr, i, doc.len(), *value)?;
    }
    Ok(attrs)
}

/// Sets checked attributes on a token, and on its word type those that it has.
fn set(doc: &mut Doc, i: usize, attrs: &[(AttrId, u64)]) -> Result<()> {
    for (attr, value) in attrs.iter().copied() {
        doc.put(i, attr, value)?;
        let ix = LexIx::from_raw(doc.tokens()[i].lex);
        // What a word type does not have, or cannot change, is the token's alone.
        if attr != AttrId::NORM && LexemeCell::is_settable(attr) {
            if let Some(lexeme) = doc.snapshot().cell(ix) {
                lexeme.set_attr(attr, value)?;
            }
        }
    }
    Ok(())
}

/// Recounts children and edges. Sentence starts follow from a tree only in a parsed document.
fn rebuild(doc: &mut Doc) -> Result<()> {
    if doc.syntax().is_none() {
        return Ok(());
    }
    if doc.has_annotation(AttrId::DEP, false) {
        return doc.rebuild_tree();
    }
    let starts: Vec<i8> = doc.tokens().iter().map(TokenC::sent_start).collect();
    let end = doc.len();
    let (tokens, syntax) = doc.tree_mut()?;
    tree::rebuild(tokens, syntax, 0, end);
    for (token, start) in tokens.iter_mut().zip(starts) {
        token.set_sent_start(start);
    }
    Ok(())
}
