//! [`EntityRuler`]: entities by rules.

use std::cmp::Reverse;

use ahash::AHashSet;
use lexpool_structs::SpanC;

use super::cpython_set;
use super::span_rules::{RuleHit, RuleNames, SpanRules, span};
use crate::Result;
use crate::pipeline::annotation_kind::AnnotationKind;
use crate::pipeline::component::{Component, Groups};
use crate::tokens::{Doc, EntityAssignment, range_of};

/// Sets entities by rules: spaCy's `EntityRuler`.
///
/// Of overlapping hits the longest becomes an entity, then the first; of hits with equal tokens the
/// one that spaCy would use. Entities that a document has are kept, unless the ruler overwrites.
///
/// Cost: the search, and a pass over the tokens.
///
/// ```
/// use lexpool::matcher::Rule;
/// use lexpool::pipeline::{Component, EntityRuler, Groups, SpanRules};
/// use lexpool::structs::AttrId;
/// use lexpool::tokenizer::Tokenizer;
///
/// let tokenizer = Tokenizer::blank("en")?;
/// let rules = Rule::read_jsonl(
///     "{\"label\":\"GPE\",\"pattern\":\"York\"}\n\
///      {\"label\":\"GPE\",\"pattern\":[{\"LOWER\":\"new\"},{\"LOWER\":\"york\"}]}",
/// )?;
/// let ruler = EntityRuler::new(SpanRules::compile(&rules, &tokenizer, AttrId::ORTH)?, false);
/// let mut doc = tokenizer.tokenize("From York to New York")?;
/// ruler.apply(&mut doc, &mut Groups::new())?;
/// let ents: Vec<_> = doc.entities().spans()?.iter().map(|ent| (ent.start, ent.end)).collect();
/// assert_eq!(ents, [(1, 2), (3, 5)]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct EntityRuler {
    rules: SpanRules,
    overwrite: bool,
}

impl EntityRuler {
    /// Returns a ruler with rules. With `overwrite` hits replace the entities that they overlap.
    pub fn new(rules: SpanRules, overwrite: bool) -> EntityRuler {
        EntityRuler { rules, overwrite }
    }

    /// Returns the distinct hits in the order in which they become entities: longer before shorter,
    /// then by start, then in the order of a CPython set.
    ///
    /// `hits` must be in the order in which they were found.
    pub fn in_order(mut hits: Vec<RuleHit>) -> Vec<RuleHit> {
        hits.retain(|hit| hit.start < hit.end);
        let rank = |hit: &RuleHit| (Reverse(hit.end - hit.start), hit.start);
        let mut sorted = hits.clone();
        sorted.sort_by_key(rank);
        // Rare. Equal hits have equal ranks too, so repeated hits exist only in this case.
        if sorted.windows(2).any(|pair| rank(&pair[0]) == rank(&pair[1])) {
            let mut hit_set = AHashSet::with_capacity(hits.len());
            hits.retain(|hit| hit_set.insert(*hit));
            sorted = cpython_set::list_order(&hits);
            sorted.sort_by_key(rank);
        }
        sorted
    }

    /// Makes entities of hits. A hit is skipped if its first or last token is in an entity made
    /// before, or, without `overwrite`, if any of its tokens is in an entity of the document. All
    /// other tokens are set to be outside of entities.
    ///
    /// # Errors
    ///
    /// Those of [`Entities::spans`](crate::tokens::Entities::spans) and
    /// [`EntitiesMut::set`](crate::tokens::EntitiesMut::set); nothing is set then.
    pub fn annotate(
        doc: &mut Doc,
        hits: &[RuleHit],
        names: &RuleNames,
        overwrite: bool,
    ) -> Result<()> {
        let mut ents = doc.entities().spans()?;
        if !hits.is_empty() {
            ents = with_hits(doc, ents, hits, names, overwrite)?;
        }
        doc.entities_mut().set(&EntityAssignment { entities: &ents, ..EntityAssignment::default() })
    }
}

/// Returns the entities of a document with those made of hits.
fn with_hits(
    doc: &Doc,
    mut ents: Vec<SpanC>,
    hits: &[RuleHit],
    names: &RuleNames,
    overwrite: bool,
) -> Result<Vec<SpanC>> {
    let mut covered = vec![false; doc.len()];
    let mut new = Vec::with_capacity(hits.len());
    let typed = doc.entity_records().filter(|_| !overwrite);
    for hit in hits {
        // Never fails for hits of the matchers.
        doc.span(hit.start, hit.end)?;
        let tokens = hit.start..hit.end;
        let is_typed = typed
            .is_some_and(|typed| typed[tokens.clone()].iter().any(|record| record.ent_type != 0));
        if tokens.is_empty() || is_typed || covered[hit.start] || covered[hit.end - 1] {
            continue;
        }
        covered[tokens].fill(true);
        new.push(span(names, doc, *hit));
    }
    ents.retain(|ent| !covered[range_of(ent)].contains(&true));
    ents.extend(new);
    Ok(ents)
}

impl Component for EntityRuler {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        let hits = EntityRuler::in_order(self.rules.find(doc)?);
        EntityRuler::annotate(doc, &hits, &self.rules.names, self.overwrite)
    }

    fn may_set(&self, kind: AnnotationKind) -> bool {
        kind == AnnotationKind::Entities
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lexpool_structs::AttrId;

    use super::*;
    use crate::matcher::{Matcher, PhraseMatcher, Rule};
    use crate::strings::StrId;
    use crate::tokenizer::Tokenizer;

    const RULES: &str = r#"{"label":"ORG","pattern":"Acme"}
{"label":"ORG","pattern":"Acme Corp.","id":"acme"}
{"label":"GPE","pattern":[{"LOWER":"new"},{"LOWER":"york"}]}
{"label":"GPE","pattern":"York","id":"nyc"}"#;

    fn rules(tokenizer: &Tokenizer) -> SpanRules {
        SpanRules::compile(&Rule::read_jsonl(RULES).unwrap(), tokenizer, AttrId::ORTH).unwrap()
    }

    fn ents(doc: &Doc) -> Vec<(String, String, String)> {
        let string = |id| doc.snapshot().string(StrId::new(id)).unwrap().to_owned();
        let ents = doc.entities().spans().unwrap().into_iter();
        ents.map(|ent| {
            let tokens = range_of(&ent);
            let text = doc.span(tokens.start, tokens.end).unwrap().text().to_owned();
            (text, string(ent.label), string(ent.id))
        })
        .collect()
    }

    fn named(text: &str, label: &str, id: &str) -> (String, String, String) {
        (text.to_owned(), label.to_owned(), id.to_owned())
    }

    #[test]
    fn the_longest_hit_becomes_an_entity_with_its_label_and_its_id() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let ruler = EntityRuler::new(rules(&tokenizer), false);
        let mut doc = tokenizer.tokenize("Acme Corp. and Acme in new York, York").unwrap();
        ruler.apply(&mut doc, &mut Groups::new()).unwrap();
        let expected = [
            named("Acme Corp.", "ORG", "acme"),
            named("Acme", "ORG", ""),
            named("new York", "GPE", ""),
            named("York", "GPE", "nyc"),
        ];
        assert_eq!(ents(&doc), expected);
        assert_eq!(doc.tokens()[2].ent_iob(), 2);
    }

    #[test]
    fn existing_entities_are_kept_unless_overwritten() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let own = tokenizer.vocab().strings().add("OWN").unwrap();
        for (overwrite, expected) in [(false, "OWN"), (true, "GPE")] {
            let mut doc = tokenizer.tokenize("to new York").unwrap();
            let there = doc.span_record(0, 2, own);
            doc.entities_mut()
                .set(&EntityAssignment { entities: &[there], ..EntityAssignment::default() })
                .unwrap();
            let ruler = EntityRuler::new(rules(&tokenizer), overwrite);
            ruler.apply(&mut doc, &mut Groups::new()).unwrap();
            let found = ents(&doc);
            assert!(found.iter().any(|(_, label, _)| label == expected), "{found:?}");
            // Without the longer hit the shorter one is used.
            assert_eq!(found.len(), if overwrite { 1 } else { 2 });
        }
    }

    #[test]
    fn hits_are_sorted_longest_first_without_repeated_and_empty_ones() {
        let hit = |key, start, end| RuleHit { key: StrId::new(key), start, end };
        let hits = vec![hit(1, 4, 5), hit(2, 0, 1), hit(3, 1, 3), hit(2, 0, 1), hit(4, 2, 2)];
        assert_eq!(EntityRuler::in_order(hits), [hit(3, 1, 3), hit(2, 0, 1), hit(1, 4, 5)]);
        assert_eq!(EntityRuler::in_order(vec![hit(4, 2, 2)]), []);
    }

    #[test]
    fn hits_outside_of_the_document_are_refused_without_changes() {
        let mut doc = Tokenizer::blank("en").unwrap().tokenize("one two").unwrap();
        let hits = [(0, 1), (1, 3)].map(|(start, end)| RuleHit { key: StrId::of("A"), start, end });
        let error = EntityRuler::annotate(&mut doc, &hits, &RuleNames::new(), true).unwrap_err();
        assert_eq!((error.code(), doc.entities().spans().unwrap().len()), ("E035", 0));
    }

    #[test]
    fn a_document_without_required_annotation_is_refused() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let (tokens, phrases) = (Matcher::default(), PhraseMatcher::new(AttrId::ORTH));
        let required = vec![AttrId::TAG];
        let rules = SpanRules::new(Arc::new(tokens), Arc::new(phrases), Arc::default(), required);
        let mut doc = tokenizer.tokenize("word").unwrap();
        let ruler = EntityRuler::new(rules, false);
        let error = ruler.apply(&mut doc, &mut Groups::new()).unwrap_err();
        assert!(error.code() == "E155" && error.message().contains("TAG"), "{error}");
        doc.attrs_mut().set(0, AttrId::TAG, 5).unwrap();
        ruler.apply(&mut doc, &mut Groups::new()).unwrap();
    }

    #[test]
    fn many_threads_share_a_ruler_and_zones_leave_no_stale_cache() {
        let tokenizer = Tokenizer::blank("en").unwrap();
        let ruler = EntityRuler::new(rules(&tokenizer), false);
        let count = |text: &str| {
            let mut doc = tokenizer.tokenize(text).unwrap();
            ruler.apply(&mut doc, &mut Groups::new()).unwrap();
            doc.entities().spans().unwrap().len()
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let count = &count;
                scope.spawn(move || {
                    for i in 0..100 {
                        assert_eq!(count(&format!("w{i}x{thread} Acme, new York")), 2);
                    }
                });
            }
        });
        for i in 0..3 {
            tokenizer.vocab().open_zone().unwrap();
            assert_eq!(count(&format!("zone{i} Acme zone{i}b NEW york")), 2);
            tokenizer.vocab().close_zone().unwrap();
        }
    }
}
