//! Figures of entities.

use lexpool_structs::AttrId;

use super::counts::ByLabel;
use super::pair::{ScoredPair, has_annotation, string};
use crate::Result;
use crate::config::{Section, Value};

/// Returns `ents_p`, `ents_r`, `ents_f` and `ents_per_type`. A predicted entity on a token whose
/// annotation is missing in the reference counts neither way, and so does one without a reference
/// token.
pub(super) fn entities(pairs: &[ScoredPair<'_>]) -> Result<Section> {
    let mut by_label = ByLabel::default();
    for pair in pairs {
        let (reference, predicted) = (pair.reference.doc, pair.predicted.doc);
        if !has_annotation(reference, AttrId::ENT_IOB) {
            continue;
        }
        let mut missing: Vec<(u64, i32, i32)> = Vec::new();
        for entity in reference.entities().spans()? {
            let entity = (entity.label, entity.start, entity.end);
            if !missing.contains(&entity) {
                missing.push(entity);
            }
        }
        for entity in predicted.entities().spans()? {
            let counts = by_label.of(string(predicted, entity.label));
            let rows = place(entity.start)..place(entity.end);
            let tokens = pair.alignment.x2y.span(rows).unwrap_or_default();
            let tokens = &pair.alignment.x2y.data()[tokens];
            let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
            let span = (entity.label, *first, *last + 1);
            let covered = reference.tokens().get(place(span.1)..place(span.2)).unwrap_or_default();
            if covered.iter().any(|token| token.ent_iob() == 0) {
                continue;
            }
            match missing.iter().position(|entity| *entity == span) {
                Some(at) => {
                    missing.remove(at);
                    counts.right += 1;
                }
                None => counts.wrong += 1,
            }
        }
        for (label, _, _) in missing {
            by_label.of(string(reference, label)).missing += 1;
        }
    }
    let sum = by_label.sum();
    let mut scores = Section::default();
    sum.set_figures(&mut scores, "ents");
    let per_type = if sum.is_empty() { Value::Null } else { by_label.section().into() };
    scores.set("ents_per_type", per_type);
    Ok(scores)
}

fn place(position: i32) -> usize {
    usize::try_from(position).unwrap_or(0)
}
