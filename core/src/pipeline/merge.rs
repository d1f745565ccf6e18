//! Components that merge or split tokens.
//!
//! Each consists of a function that plans the change, for callers that apply the plan themselves,
//! and a [`Component`] that plans and applies it.

use std::ops::Range;

use super::annotation_kind::AnnotationKind;
use super::component::{Component, Groups};
use crate::codes;
use crate::strings::StrId;
use crate::structs::AttrId;
use crate::tokens::{Doc, NounChunkRules, PartHead, Retokenization, SplitPart};
use crate::{Error, Result};

/// Plans to merge each entity into one token.
///
/// # Errors
///
/// `E093` for entities that are not well-formed.
///
/// ```
/// use lexpool::pipeline::merge_entities;
/// use lexpool::tokens::{Annotations, Doc};
/// use lexpool::vocab::{Getters, Vocab};
/// let vocab = Vocab::new(Getters::native("en"))?;
/// let mut doc = Doc::from_words(&vocab, &[("New", true), ("York", true), ("sleeps", false)])?;
/// let ents = ["B-GPE", "I-GPE", "O"].map(|tag| Some(tag.to_owned()));
/// doc.annotate(&Annotations { ents: Some(ents.to_vec()), ..Annotations::default() })?;
/// merge_entities(&doc)?.apply(&mut doc)?;
/// assert_eq!(doc.token(0).unwrap().text(), "New York");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub fn merge_entities(doc: &Doc) -> Result<Retokenization> {
    let at = |i: i32| usize::try_from(i).unwrap_or_default();
    merge_ranges(doc, doc.entities().spans()?.iter().map(|ent| at(ent.start)..at(ent.end)))
}

/// Plans to merge each noun chunk, found by the rules of a language, into one token. The plan is
/// empty for an unparsed document.
///
/// # Errors
///
/// `E1019` for a document without the parts of speech that the rules need.
pub fn merge_noun_chunks(doc: &Doc, rules: &NounChunkRules) -> Result<Retokenization> {
    if !doc.attrs().has_annotation(AttrId::DEP, false) {
        return Ok(Retokenization::new(doc));
    }
    merge_ranges(doc, doc.span(0, doc.len())?.noun_chunks(rules)?)
}

/// Plans to merge each sequence of tokens with a relation, together with the token after it.
///
/// # Errors
///
/// `E155` for an unparsed document.
pub fn merge_subtokens(doc: &Doc, label: StrId) -> Result<Retokenization> {
    if !doc.attrs().has_annotation(AttrId::DEP, false) {
        let text = "merge_subtokens needs DEP, which no token of the document has; add a parser \
                    before this component";
        return Err(Error::value(codes::E155, text));
    }
    let mut sequences: Vec<Range<usize>> = Vec::new();
    for token in doc.iter().filter(|token| token.attr(AttrId::DEP) == label.get()) {
        let i = token.i();
        match sequences.last_mut() {
            // The token after the sequence is a subtoken too: the sequence grows.
            Some(sequence) if sequence.end == i + 1 => sequence.end += 1,
            _ => sequences.push(i..i + 2),
        }
    }
    let len = doc.len();
    merge_ranges(doc, sequences.into_iter().map(|range| range.start..range.end.min(len)))
}

/// Plans to merge each of the given ranges.
fn merge_ranges(
    doc: &Doc,
    ranges: impl IntoIterator<Item = Range<usize>>,
) -> Result<Retokenization> {
    let mut plan = Retokenization::new(doc);
    ranges.into_iter().try_for_each(|range| plan.merge(doc, range, &[]))?;
    Ok(plan)
}

/// Plans to split each token of at least `min_length` characters into parts of `split_length`
/// characters; the last part may be shorter. The plan is empty if either number is 0. Each part is
/// its own head, as in spaCy.
///
/// # Errors
///
/// Never for a valid document, unless memory runs out.
pub fn split_tokens(doc: &Doc, min_length: usize, split_length: usize) -> Result<Retokenization> {
    let mut plan = Retokenization::new(doc);
    if min_length == 0 || split_length == 0 {
        return Ok(plan);
    }
    for token in doc.iter().filter(|token| token.len() >= min_length) {
        let mut parts = Vec::new();
        let mut rest = token.text();
        while !rest.is_empty() {
            let end = rest.char_indices().nth(split_length).map_or(rest.len(), |(at, _)| at);
            let (part, after) = rest.split_at(end);
            parts.push(SplitPart::new(part, PartHead { token: token.i(), part: parts.len() }));
            rest = after;
        }
        plan.split(doc, token.i(), parts)?;
    }
    Ok(plan)
}

/// Component that applies [`merge_entities`].
#[derive(Clone, Copy, Debug, Default)]
pub struct MergeEntities;

/// Component that applies [`merge_noun_chunks`] with the rules of a language.
#[derive(Clone, Copy, Debug)]
pub struct MergeNounChunks(pub &'static NounChunkRules);

/// Component that applies [`merge_subtokens`], with the relation of subtokens.
#[derive(Clone, Copy, Debug)]
pub struct MergeSubtokens(pub StrId);

/// Component that applies [`split_tokens`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenSplitter {
    /// The minimum number of characters of a token that is split.
    pub min_length: usize,
    /// The number of characters of a part.
    pub split_length: usize,
}

/// Applies a plan to its document.
///
/// # Errors
///
/// As for [`Retokenization::apply`].
pub(crate) fn apply_plan(plan: &Retokenization, doc: &mut Doc) -> Result<()> {
    // Applying an empty plan would still allocate new arrays for the whole document.
    if plan.is_empty() { Ok(()) } else { plan.apply(doc).map(drop) }
}

impl Component for MergeEntities {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        apply_plan(&merge_entities(doc)?, doc)
    }

    fn may_set(&self, _kind: AnnotationKind) -> bool {
        false
    }
}

impl Component for MergeNounChunks {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        apply_plan(&merge_noun_chunks(doc, self.0)?, doc)
    }

    fn may_set(&self, _kind: AnnotationKind) -> bool {
        false
    }
}

impl Component for MergeSubtokens {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        apply_plan(&merge_subtokens(doc, self.0)?, doc)
    }

    fn may_set(&self, _kind: AnnotationKind) -> bool {
        false
    }
}

impl Component for TokenSplitter {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        apply_plan(&split_tokens(doc, self.min_length, self.split_length)?, doc)
    }

    fn may_set(&self, _kind: AnnotationKind) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::Tokenizer;
    use crate::tokens::Annotations;

    fn parsed(deps: &[&str]) -> Doc {
        let vocab = crate::vocab::Vocab::new(crate::vocab::Getters::native("en")).unwrap();
        let words: Vec<_> = (0..deps.len()).map(|i| (format!("w{i}"), true)).collect();
        let mut doc = Doc::from_words(&vocab, &words).unwrap();
        doc.annotate(&Annotations {
            deps: Some(deps.iter().map(|dep| Some((*dep).to_owned())).collect()),
            heads: Some(vec![None; deps.len()]),
            ..Annotations::default()
        })
        .unwrap();
        doc
    }

    fn texts(doc: &Doc) -> Vec<&str> {
        doc.iter().map(|token| token.text()).collect()
    }

    #[test]
    fn subtokens_are_merged_with_the_token_after_them() {
        let subtoken = MergeSubtokens(StrId::of("subtok"));
        let table: [(&[&str], &[&str]); 4] = [
            (&["subtok", "subtok", "x", "x"], &["w0 w1 w2", "w3"]),
            (&["subtok", "x", "subtok", "x"], &["w0 w1", "w2 w3"]),
            (&["x", "x", "subtok"], &["w0", "w1", "w2"]),
            (&["x", "subtok", "subtok"], &["w0", "w1 w2"]),
        ];
        for (deps, expected) in table {
            let mut doc = parsed(deps);
            subtoken.apply(&mut doc, &mut Groups::new()).unwrap();
            assert_eq!(texts(&doc), expected, "{deps:?}");
        }
        let mut bare = Tokenizer::blank("en").unwrap().tokenize("not parsed").unwrap();
        let error = subtoken.apply(&mut bare, &mut Groups::new()).unwrap_err();
        assert_eq!(error.code(), "E155");
    }

    #[test]
    fn long_tokens_are_split_at_characters() {
        let mut doc = Tokenizer::blank("en").unwrap().tokenize("z\u{fc}richs\u{e9}e lake").unwrap();
        TokenSplitter { min_length: 5, split_length: 4 }
            .apply(&mut doc, &mut Groups::new())
            .unwrap();
        assert_eq!(texts(&doc), ["z\u{fc}ri", "chs\u{e9}", "e", "lake"]);
        let before = doc.generation();
        TokenSplitter::default().apply(&mut doc, &mut Groups::new()).unwrap();
        assert_eq!(doc.generation(), before);
    }

    #[test]
    fn an_unparsed_document_keeps_its_tokens() {
        let mut doc = Tokenizer::blank("en").unwrap().tokenize("the old sea").unwrap();
        MergeNounChunks(NounChunkRules::of_language("en").unwrap())
            .apply(&mut doc, &mut Groups::new())
            .unwrap();
        MergeEntities.apply(&mut doc, &mut Groups::new()).unwrap();
        assert_eq!((doc.len(), doc.generation()), (3, 0));
    }
}
