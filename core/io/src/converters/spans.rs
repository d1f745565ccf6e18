//! Entities of tags, set in a document.

use lexpool::Result;
use lexpool::iob::{biluo_from_iob, entities_from_biluo};
use lexpool::strings::StrId;
use lexpool::structs::SpanC;
use lexpool::tokens::{Doc, EntityAssignment, range_of};

/// Returns IOB tags of a sentence as BILUO tags.
pub(super) fn biluo(iob: &[impl AsRef<str>]) -> Result<Vec<String>> {
    biluo_from_iob(&iob.iter().map(AsRef::as_ref).collect::<Vec<_>>())
}

/// Sets the entities of BILUO tags. A token with a missing tag is of unknown state, any other one
/// outside of entities.
pub(super) fn set_entities(doc: &mut Doc, tags: &[Option<&str>]) -> Result<()> {
    let (mut entities, mut missing) = (Vec::new(), Vec::new());
    for entity in entities_from_biluo(tags)? {
        if entity.label.is_empty() {
            missing.push(entity.first..entity.last + 1);
            continue;
        }
        let label = doc.snapshot().add(entity.label)?;
        entities.push(doc.span(entity.first, entity.last + 1)?.record(label));
    }
    let ents = EntityAssignment { entities: &entities, missing: &missing, ..Default::default() };
    doc.entities_mut().set(&ents)
}

/// Sets the entities of another document with as many tokens.
pub(super) fn copy_entities(doc: &mut Doc, from: &[SpanC]) -> Result<()> {
    let spans = from.iter().map(|span| {
        let tokens = range_of(span);
        Ok(doc.span(tokens.start, tokens.end)?.record(StrId::new(span.label)))
    });
    let entities = spans.collect::<Result<Vec<_>>>()?;
    doc.entities_mut().set(&EntityAssignment { entities: &entities, ..Default::default() })
}
