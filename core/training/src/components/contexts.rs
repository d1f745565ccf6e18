//! The contexts that a linker of entities learns from, and the links of their entities.

use std::ops::Range;

use ahash::AHashMap;
use lexpool::Result;
use lexpool::knowledge::KnowledgeBase;
use lexpool::strings::StrId;
use lexpool::tokens::{Doc, range_of};
use lexpool_nn::learn::SpanRange;
use lexpool_structs::{AttrId, SpanC};

use crate::corpora::example::Example;

/// Returns whether an entity of documents has candidates: whether there is something to learn.
pub(super) fn has_candidates(base: &KnowledgeBase, docs: &[&Doc]) -> Result<bool> {
    for doc in docs {
        for entity in doc.entities().spans()? {
            let range = range_of(&entity);
            let text = doc.span(range.start, range.end)?.text().to_owned();
            if base.candidates(&text).len() > 0 {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns for each entity of a document the sentence in which it begins: the whole document
/// without sentence starts.
pub(super) fn sentences_of_entities(doc: &Doc) -> Result<Vec<SpanRange>> {
    let sentences: Vec<SpanRange> = if doc.sentences().are_set() {
        doc.sentences().ranges()?.map(|range| (range.start, range.end)).collect()
    } else {
        vec![(0, doc.len())]
    };
    let sentence = |entity: &SpanC| {
        let first = range_of(entity).start;
        sentences[sentences.partition_point(|(_, end)| *end <= first)]
    };
    Ok(doc.entities().spans()?.iter().map(sentence).collect())
}

/// Returns for each entity of a document what the reference links it to; `None` for one without a
/// link, and for one that the reference lacks at these characters, or has with another label.
///
/// `doc` has the tokens of the predicted document of the example.
pub(super) fn links_of_matches(example: &Example, doc: &Doc) -> Result<Vec<Option<StrId>>> {
    let bounds = |entity: &SpanC| (entity.start_char, entity.end_char);
    let wanted = example.reference().doc.entities().spans()?;
    let wanted: AHashMap<_, u64> = wanted.iter().map(|own| (bounds(own), own.label)).collect();
    let links = example.aligned(AttrId::ENT_KB_ID);
    let link = |entity: &SpanC| {
        let is_wanted = wanted.get(&bounds(entity)) == Some(&entity.label);
        let link = links.get(range_of(entity).start).copied().flatten();
        link.filter(|link| is_wanted && *link != 0).map(StrId::new)
    };
    Ok(doc.entities().spans()?.iter().map(link).collect())
}

/// Returns for each linked entity of a reference the tokens of the predicted document that align
/// with its sentence and `n_sents` sentences on each side, and what it is linked to.
///
/// # Errors
///
/// `E030` for a reference with links and without sentence starts.
pub(super) fn linked_sentences(
    example: &Example,
    n_sents: usize,
) -> Result<Vec<(Range<usize>, StrId)>> {
    let reference = &example.reference().doc;
    let entities = reference.entities().spans()?;
    let linked: Vec<&SpanC> = entities.iter().filter(|entity| entity.kb_id != 0).collect();
    if linked.is_empty() {
        return Ok(Vec::new());
    }
    let sentences: Vec<Range<usize>> = reference.sentences().ranges()?.collect();
    let mut found = Vec::with_capacity(linked.len());
    for entity in linked {
        let at = sentences.partition_point(|sentence| sentence.end <= range_of(entity).start);
        let last = at.saturating_add(n_sents).min(sentences.len() - 1);
        let range = sentences[at.saturating_sub(n_sents)].start..sentences[last].end;
        let tokens = example.alignment().y2x.span(range).unwrap_or_default();
        let tokens = &example.alignment().y2x.data()[tokens];
        let place = |at: &i32| usize::try_from(*at).unwrap_or(0);
        if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            found.push((place(first)..place(last) + 1, StrId::new(entity.kb_id)));
        }
    }
    Ok(found)
}
