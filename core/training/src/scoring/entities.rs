//! Figures of entities.

use lexpool::Result;
use lexpool_structs::AttrId;

use super::counts::CountsByLabel;
use super::pair::{DocPair, has_annotation, string};
use super::scores::{Scores, rates_of};

/// Counts of entities by label.
#[derive(Clone, Debug, Default)]
pub struct EntityCounts(CountsByLabel<String>);

impl EntityCounts {
    /// Counts the entities of a document; nothing if the reference has none annotated. A predicted
    /// entity on a token whose annotation is missing in the reference counts neither way, and so
    /// does one without a reference token.
    ///
    /// # Errors
    ///
    /// `E093` for inconsistent entities.
    pub fn add(&mut self, pair: &DocPair<'_>) -> Result<()> {
        let (reference, predicted) = (pair.reference(), pair.predicted());
        if !has_annotation(reference, AttrId::ENT_IOB) {
            return Ok(());
        }
        let mut missing: Vec<(u64, i32, i32)> = Vec::new();
        for entity in reference.entities().spans()? {
            missing.push((entity.label, entity.start, entity.end));
        }
        // Entities do not overlap, so that their starts ascend and none is repeated.
        let mut is_found = vec![false; missing.len()];
        for entity in predicted.entities().spans()? {
            let counts = self.0.of(string(predicted, entity.label));
            let rows = place(entity.start)..place(entity.end);
            let tokens = pair.x2y().span(rows).unwrap_or_default();
            let tokens = &pair.x2y().data()[tokens];
            let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { continue };
            let span = (entity.label, *first, *last + 1);
            let covered = reference.tokens().get(place(span.1)..place(span.2)).unwrap_or_default();
            if covered.iter().any(|token| token.ent_iob() == 0) {
                continue;
            }
            let at = missing.partition_point(|own| own.1 < span.1);
            match missing.get(at).zip(is_found.get_mut(at)) {
                Some((wanted, is_found)) if *wanted == span && !*is_found => {
                    *is_found = true;
                    counts.right += 1;
                }
                _ => counts.wrong += 1,
            }
        }
        for ((label, ..), is_found) in missing.into_iter().zip(is_found) {
            if !is_found {
                self.0.of(string(reference, label)).missing += 1;
            }
        }
        Ok(())
    }

    /// Returns `ents_p`, `ents_r`, `ents_f` and `ents_per_type`.
    pub fn scores(&self) -> Scores {
        let all = rates_of(self.0.sum());
        let mut scores = Scores::default();
        scores.push_rates("ents", all);
        scores.push_table("ents_per_type".to_owned(), all.map(|_| self.0.rates()));
        scores
    }
}

fn place(position: i32) -> usize {
    usize::try_from(position).unwrap_or(0)
}
