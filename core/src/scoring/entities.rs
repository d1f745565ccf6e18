//! Figures of entities, and of their links to a knowledge base.

use ahash::AHashMap;
use lexpool_structs::{AttrId, SpanC};

use super::counts::ByLabel;
use super::pair::{ScoredPair, has_annotation, string};
use crate::Result;
use crate::config::{Section, Value};
use crate::knowledge::NIL;

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

/// Returns the figures of the links of entities that the reference has at the same characters:
/// `nel_micro_p` and others over all entities, `nel_macro_p` and others as means of the labels, and
/// `nel_f_per_type`. `nel_score` is the F-score over all. [`NIL`] stands for the lack of a link; a
/// link to another entity is both wrong and missing.
pub(super) fn links(pairs: &[ScoredPair<'_>]) -> Result<Section> {
    let mut by_label = ByLabel::default();
    for pair in pairs {
        let (reference, predicted) = (pair.reference.doc, pair.predicted.doc);
        let bounds = |entity: &SpanC| (entity.start_char, entity.end_char);
        let wanted = reference.entities().spans()?;
        let wanted: AHashMap<_, _> = wanted.iter().map(|own| (bounds(own), own)).collect();
        for entity in predicted.entities().spans()? {
            let Some(wanted) = wanted.get(&bounds(&entity)) else { continue };
            let counts = by_label.of(string(reference, wanted.label));
            let (wanted, found) =
                (string(reference, wanted.kb_id), string(predicted, entity.kb_id));
            if wanted == found {
                counts.right += u64::from(wanted != NIL);
                continue;
            }
            counts.wrong += u64::from(found != NIL);
            counts.missing += u64::from(wanted != NIL);
        }
    }
    let (sum, [precision, recall, f_score]) = (by_label.sum(), by_label.means());
    let mut scores = Section::default();
    scores.set("nel_score", sum.f_score());
    scores.set("nel_score_desc", "micro F");
    for (name, value) in sum.figures() {
        scores.set(&format!("nel_micro_{name}"), value);
    }
    for (name, value) in [("p", precision), ("r", recall), ("f", f_score)] {
        scores.set(&format!("nel_macro_{name}"), value);
    }
    scores.set("nel_f_per_type", by_label.section());
    Ok(scores)
}

fn place(position: i32) -> usize {
    usize::try_from(position).unwrap_or(0)
}
