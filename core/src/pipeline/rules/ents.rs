//! Entities by rules.

use std::cmp::Reverse;

use ahash::AHashSet;
use lexpool_structs::SpanC;

use super::{Hit, RuleNames, SpanRules, set_order, span};
use crate::Result;
use crate::pipeline::{Component, Groups};
use crate::tokens::{Doc, Ents, range_of};

/// Sets entities where rules fit: spaCy's `EntityRuler`.
///
/// Of hits that overlap the longest becomes an entity, then the first; of those in one place the one
/// that spaCy would take. Entities that a document has stay, unless they may be overwritten.
///
/// Cost: that of the search, and a pass over the tokens.
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
/// let ents: Vec<_> = doc.ents()?.iter().map(|ent| (ent.start, ent.end)).collect();
/// assert_eq!(ents, [(1, 2), (3, 5)]);
/// # Ok::<(), lexpool::Error>(())
/// ```
#[derive(Clone)]
pub struct EntityRuler {
    rules: SpanRules,
    overwrite: bool,
}

impl EntityRuler {
    /// With rules. `overwrite`: entities that a document has make room for hits.
    pub fn new(rules: SpanRules, overwrite: bool) -> EntityRuler {
        EntityRuler { rules, overwrite }
    }

    /// Distinct hits in the order in which they are to become entities: the longer before the
    /// shorter, then by their starts, and those of one place in the order of `set_order`.
    ///
    /// `hits` are in the order in which they were found.
    pub fn in_order(mut hits: Vec<Hit>) -> Vec<Hit> {
        if hits.len() < 2 {
            return hits;
        }
        let mut seen = AHashSet::with_capacity(hits.len());
        hits.retain(|hit| hit.start < hit.end && seen.insert(*hit));
        let place = |hit: &Hit| (Reverse(hit.end - hit.start), hit.start);
        let mut sorted = hits.clone();
        sorted.sort_by_key(place);
        if sorted.windows(2).any(|pair| place(&pair[0]) == place(&pair[1])) {
            sorted = set_order::listed(&hits);
            sorted.sort_by_key(place);
        }
        sorted
    }

    /// Makes entities of hits, each unless it begins or ends in one made before, or covers a token
    /// of an entity that the document has and nothing may overwrite. All other tokens are outside.
    ///
    /// # Errors
    ///
    /// As for [`Doc::ents`] and [`Doc::set_ents`]; nothing is set then.
    pub fn annotate(doc: &mut Doc, hits: &[Hit], names: &RuleNames, overwrite: bool) -> Result<()> {
        let mut ents = doc.ents()?;
        if !hits.is_empty() {
            ents = with_hits(doc, ents, hits, names, overwrite)?;
        }
        doc.set_ents(&Ents { entities: &ents, ..Ents::default() })
    }
}

/// Entities with hits among them.
fn with_hits(
    doc: &Doc,
    mut ents: Vec<SpanC>,
    hits: &[Hit],
    names: &RuleNames,
    overwrite: bool,
) -> Result<Vec<SpanC>> {
    let mut taken = vec![false; doc.len()];
    let mut new = Vec::with_capacity(hits.len());
    let typed = doc.entities().filter(|_| !overwrite);
    for hit in hits {
        // Of what the matchers find this is always so.
        doc.span(hit.start, hit.end)?;
        let tokens = hit.start..hit.end;
        let is_typed = typed.is_some_and(|typed| {
            typed[tokens.clone()].iter().any(|of_token| of_token.ent_type != 0)
        });
        if tokens.is_empty() || is_typed || taken[hit.start] || taken[hit.end - 1] {
            continue;
        }
        taken[tokens].fill(true);
        new.push(span(names, doc, *hit));
    }
    ents.retain(|ent| !taken[range_of(ent)].contains(&true));
    ents.extend(new);
    Ok(ents)
}

impl Component for EntityRuler {
    fn apply(&self, doc: &mut Doc, _groups: &mut Groups) -> Result<()> {
        let hits = EntityRuler::in_order(self.rules.find(doc)?);
        EntityRuler::annotate(doc, &hits, &self.rules.names, self.overwrite)
    }
}
