//! Figures of the categories of documents.

use super::counts::{Counts, Rates, Summation};
use super::roc;
use super::scores::{Score, Scores};

/// The value of a category, after the position of its label.
pub type CatValue = (usize, f64);

/// The way in which categories are scored.
#[derive(Clone, Debug, PartialEq)]
pub struct CatSettings {
    /// `true` if a document may have several labels. If not, the highest one of each side counts,
    /// the first of equal ones, and a label without a reference value has the value 0.
    pub multi_label: bool,
    /// The score from which a label is predicted, if there may be several.
    pub threshold: f64,
    /// The label of interest, if there are two exclusive ones: its position and its name.
    pub positive_label: Option<(usize, String)>,
}

/// Counts and scores of categories, by label.
#[derive(Clone, Debug)]
pub struct CatCounts {
    settings: CatSettings,
    labels: Vec<LabelFacts>,
}

/// The counts of a label, with the values that its curve is made of.
#[derive(Clone, Debug, Default)]
struct LabelFacts {
    counts: Counts,
    gold: Vec<f64>,
    scores: Vec<f64>,
}

impl CatCounts {
    /// Makes empty counts of a number of labels.
    pub fn new(labels: usize, settings: CatSettings) -> CatCounts {
        CatCounts { settings, labels: vec![LabelFacts::default(); labels] }
    }

    /// Counts the categories of a document; those of other labels are passed over.
    pub fn add(&mut self, found: &[CatValue], wanted: &[CatValue]) {
        let CatSettings { multi_label, threshold, .. } = self.settings;
        let (scores, gold) = (self.values(found), self.values(wanted));
        for (facts, (score, gold)) in self.labels.iter_mut().zip(scores.into_iter().zip(gold)) {
            let Some(gold) = gold.or((!multi_label).then_some(0.0)) else { continue };
            let score = score.unwrap_or(0.0);
            facts.gold.push(gold);
            facts.scores.push(score);
            if multi_label {
                // Neither way for a score or a value that is NaN.
                let counts = &mut facts.counts;
                counts.right += u64::from(score >= threshold && gold > 0.0);
                counts.wrong += u64::from(score >= threshold && gold == 0.0);
                counts.missing += u64::from(score < threshold && gold > 0.0);
            }
        }
        if !multi_label {
            self.count_highest(found, wanted);
        }
    }

    /// Returns the value of each label.
    fn values(&self, cats: &[CatValue]) -> Vec<Option<f64>> {
        let mut values = vec![None; self.labels.len()];
        for (label, value) in cats {
            if let Some(own) = values.get_mut(*label) {
                *own = Some(*value);
            }
        }
        values
    }

    fn count_highest(&mut self, found: &[CatValue], wanted: &[CatValue]) {
        let (predicted, gold) = (self.highest(found), self.highest(wanted));
        match (predicted, gold) {
            (Some((predicted, _)), Some((gold, _))) if predicted == gold => {
                self.labels[gold].counts.right += 1;
            }
            (predicted, gold) => {
                // Without any prediction spaCy fails here, as it takes a label apart.
                if let Some((gold, value)) = gold {
                    if predicted.is_some() || value > 0.0 {
                        self.labels[gold].counts.missing += 1;
                    }
                }
                if let Some((predicted, _)) = predicted {
                    self.labels[predicted].counts.wrong += 1;
                }
            }
        }
    }

    /// Returns the highest category of a known label, the first of equal ones.
    fn highest(&self, cats: &[CatValue]) -> Option<CatValue> {
        let mut best: Option<CatValue> = None;
        for (label, value) in cats.iter().filter(|(label, _)| *label < self.labels.len()) {
            if best.is_none_or(|(_, most)| *value > most) {
                best = Some((*label, *value));
            }
        }
        best
    }

    /// Returns figures under names that begin with `name`; tables have the positions of labels.
    ///
    /// These are `_micro_p`, `_r`, `_f` over all labels; `_macro_p`, `_r`, `_f` and `_auc` as means
    /// of the labels; `_f_per_type` and `_auc_per_type`, without data for a label whose reference
    /// values are not binary; and `_score`, named by `_score_desc`: the macro AUC if a document may
    /// have several labels, else the F-score of the label of interest or the macro F-score.
    pub fn scores(&self, name: &str, summation: Summation) -> Scores<usize> {
        let rates: Vec<Rates> = self.labels.iter().map(|facts| facts.counts.rates()).collect();
        let mut all = Counts::default();
        self.labels.iter().for_each(|facts| all.add(facts.counts));
        let areas: Vec<Option<f64>> =
            self.labels.iter().map(|facts| roc::area(&facts.gold, &facts.scores)).collect();
        // All labels are in the mean, and those without an area count as 0. Added one by one in
        // any case: spaCy adds NumPy's numbers here, which `sum` does not correct.
        #[expect(clippy::cast_precision_loss, reason = "a number of labels")]
        let macro_auc = areas.iter().fold(0.0, |sum, area| sum + area.unwrap_or(0.0))
            / areas.len().max(1) as f64;
        let means = Rates::means(&rates, summation);
        let (overall, description) = match &self.settings.positive_label {
            _ if self.settings.multi_label => (macro_auc, "macro AUC".to_owned()),
            Some((label, name)) if rates.len() == 2 => {
                (rates.get(*label).map_or(0.0, |rates| rates.f_score), format!("F ({name})"))
            }
            _ => (means.f_score, "macro F".to_owned()),
        };
        let mut scores = Scores::default();
        scores.push(format!("{name}_score"), Score::Number(overall));
        scores.push(format!("{name}_score_desc"), Score::Text(description));
        scores.push_rates(&format!("{name}_micro"), Some(all.rates()));
        scores.push_rates(&format!("{name}_macro"), Some(means));
        scores.push_number(format!("{name}_macro_auc"), Some(macro_auc));
        let rates = rates.into_iter().enumerate().collect();
        scores.push_table(format!("{name}_f_per_type"), Some(rates));
        let areas = areas.into_iter().enumerate().collect();
        scores.push(format!("{name}_auc_per_type"), Score::Numbers(areas));
        scores
    }
}
