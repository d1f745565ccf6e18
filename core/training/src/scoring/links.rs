//! Figures of the links of entities to a knowledge base.

use ahash::AHashMap;
use lexpool::Result;
use lexpool::tokens::Doc;
use lexpool_structs::SpanC;

use super::counts::{CountsByLabel, Summation};
use super::pair::string;
use super::scores::{Score, Scores};

/// Counts of links by the label of their entity.
#[derive(Clone, Debug, Default)]
pub struct LinkCounts(CountsByLabel<String>);

impl LinkCounts {
    /// Counts the links of entities that the reference has at the same characters. A link to
    /// another entity is both wrong and missing.
    ///
    /// `is_none` returns whether a link stands for the lack of one.
    ///
    /// # Errors
    ///
    /// `E093` for inconsistent entities.
    pub fn add(
        &mut self,
        predicted: &Doc,
        reference: &Doc,
        is_none: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let bounds = |entity: &SpanC| (entity.start_char, entity.end_char);
        let wanted = reference.entities().spans()?;
        let wanted: AHashMap<_, _> = wanted.iter().map(|own| (bounds(own), own)).collect();
        for entity in predicted.entities().spans()? {
            let Some(wanted) = wanted.get(&bounds(&entity)) else { continue };
            let counts = self.0.of(string(reference, wanted.label));
            let (wanted, found) =
                (string(reference, wanted.kb_id), string(predicted, entity.kb_id));
            let (is_wanted, is_found) = (!is_none(wanted), !is_none(found));
            if wanted == found {
                counts.right += u64::from(is_wanted);
            } else {
                counts.wrong += u64::from(is_found);
                counts.missing += u64::from(is_wanted);
            }
        }
        Ok(())
    }

    /// Returns `nel_micro_p` and others over all entities, `nel_macro_p` and others as means of the
    /// labels, and `nel_f_per_type`. `nel_score` is the F-score over all.
    pub fn scores(&self, summation: Summation) -> Scores {
        let all = self.0.sum().rates();
        let mut scores = Scores::default();
        scores.push("nel_score".to_owned(), Score::Number(all.f_score));
        scores.push("nel_score_desc".to_owned(), Score::Text("micro F".to_owned()));
        scores.push_rates("nel_micro", Some(all));
        scores.push_rates("nel_macro", Some(self.0.means(summation)));
        scores.push_table("nel_f_per_type".to_owned(), Some(self.0.rates()));
        scores
    }
}
