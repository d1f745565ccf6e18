//! Components that make one token of several, or several of one.
//!
//! Each is a function that plans the change, for who has more to do with the plan, and a [`Component`]
//! that carries it out.

use std::ops::Range;

use super::{Component, Groups};
use crate::strings::StrId;
use crate::structs::AttrId;
use crate::tokens::{Doc, PartHead, Retokenization, SplitPart};
use crate::{Error, Result};

/// Plans one token for each entity.
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
    merged(doc, doc.entities().spans()?.iter().map(|ent| at(ent.start)..at(ent.end)))
}

/// Plans one token for each English noun chunk; nothing for a document that is not parsed.
///
/// # Errors
///
/// None that a document in order gives.
pub fn merge_noun_chunks(doc: &Doc) -> Result<Retokenization> {
    if !doc.attrs().has_annotation(AttrId::DEP, false) {
        return Ok(Retokenization::new(doc));
    }
    merged(doc, doc.span(0, doc.len())?.english_noun_chunks()?)
}

/// Plans one token for each run of tokens with a relation, and the token behind it.
///
/// # Errors
///
/// `E155` for a document that is not parsed.
pub fn merge_subtokens(doc: &Doc, label: StrId) -> Result<Retokenization> {
    if !doc.attrs().has_annotation(AttrId::DEP, false) {
        let text = "subtokens are told by their relation DEP, which the document does not have; does \
                    a parser run before?";
        return Err(Error::value("E155", text));
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    for token in doc.iter().filter(|token| token.attr(AttrId::DEP) == label.get()) {
        let i = token.i();
        match runs.last_mut() {
            // The token behind a run is part of it: here it is a subtoken itself.
            Some(run) if run.end == i + 1 => run.end += 1,
            _ => runs.push(i..i + 2),
        }
    }
    merged(doc, runs.into_iter().map(|run| run.start..run.end.min(doc.len())))
}

fn merged(doc: &Doc, ranges: impl IntoIterator<Item = Range<usize>>) -> Result<Retokenization> {
    let mut plan = Retokenization::new(doc);
    ranges.into_iter().try_for_each(|range| plan.merge(doc, range, &[]))?;
    Ok(plan)
}

/// Plans parts of `split_length` characters, the last one perhaps shorter, for each token of
/// `min_length` characters or more; nothing if one of the two is 0. Each part is its own head, as with
/// spaCy.
///
/// # Errors
///
/// When memory runs out.
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
            let (part, behind) = rest.split_at(end);
            parts.push(SplitPart::new(part, PartHead { token: token.i(), part: parts.len() }));
            rest = behind;
        }
        plan.split(doc, token.i(), parts)?;
    }
    Ok(plan)
}

/// The component of [`merge_entities`].
#[derive(Clone, Copy, Debug, Default)]
pub struct MergeEntities;

/// The component of [`merge_noun_chunks`].
#[derive(Clone, Copy, Debug, Default)]
pub struct MergeNounChunks;

/// The component of [`merge_subtokens`], with the relation that tells subtokens.
#[derive(Clone, Copy, Debug)]
pub struct MergeSubtokens(pub StrId);

/// The component of [`split_tokens`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenSplitter {
    /// How many characters a token has at least that is split.
    pub min_length: usize,
    /// How many characters its parts have.
    pub split_length: usize,
}

fn carry_out(plan: &Retokenization, doc: &mut Doc) -> Result<()> {
    // New arrays for the whole document are not made for nothing.
    if plan.is_empty() { Ok(()) } else { plan.apply(doc).map(drop) }
}

impl Component for MergeEntities {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        carry_out(&merge_entities(doc)?, doc)
    }
}

impl Component for MergeNounChunks {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        carry_out(&merge_noun_chunks(doc)?, doc)
    }
}

impl Component for MergeSubtokens {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        carry_out(&merge_subtokens(doc, self.0)?, doc)
    }
}

impl Component for TokenSplitter {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        carry_out(&split_tokens(doc, self.min_length, self.split_length)?, doc)
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
    fn a_run_of_subtokens_takes_in_the_token_behind_it() {
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
    fn long_tokens_are_cut_at_characters() {
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
    fn a_document_that_is_not_parsed_keeps_its_tokens() {
        let mut doc = Tokenizer::blank("en").unwrap().tokenize("the old sea").unwrap();
        MergeNounChunks.apply(&mut doc, &mut Groups::new()).unwrap();
        MergeEntities.apply(&mut doc, &mut Groups::new()).unwrap();
        assert_eq!((doc.len(), doc.generation()), (3, 0));
    }
}
