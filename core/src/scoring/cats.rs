//! Figures of the categories of documents.

use super::counts::ByLabel;
use super::pair::ScoredPair;
use super::roc;
use crate::config::{Section, Value};

/// The way in which categories are scored.
#[derive(Clone, Copy)]
pub(super) struct CatSettings<'a> {
    /// The labels that are scored.
    pub(super) labels: &'a [String],
    /// `true` if a document may have several.
    pub(super) multi_label: bool,
    /// The label of interest, if there are two exclusive ones.
    pub(super) positive_label: Option<&'a str>,
    /// The score from which a label is predicted, if there may be several.
    pub(super) threshold: f64,
}

/// Returns `cats_score` and the other figures of categories.
pub(super) fn cats(pairs: &[ScoredPair<'_>], settings: &CatSettings<'_>) -> Section {
    let mut by_label = ByLabel::default();
    for label in settings.labels {
        by_label.of(label);
    }
    let mut curves: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); settings.labels.len()];
    let is_label = |label: &str| settings.labels.iter().any(|own| own == label);
    for pair in pairs {
        let known = |cats: &[(String, f64)]| -> Vec<(String, f64)> {
            cats.iter().filter(|(label, _)| is_label(label)).cloned().collect()
        };
        let (found, wanted) = (known(pair.predicted.cats), known(pair.reference.cats));
        for (label, (gold_values, scores)) in settings.labels.iter().zip(&mut curves) {
            let mut gold = value_of(&wanted, label);
            if gold.is_none_or(|gold| gold == 0.0) && !settings.multi_label {
                gold = Some(0.0);
            }
            if let Some(gold) = gold {
                gold_values.push(gold);
                scores.push(value_of(&found, label).unwrap_or(0.0));
            }
        }
        if settings.multi_label {
            count_each(&mut by_label, &found, &wanted, settings);
        } else {
            count_highest(&mut by_label, &found, &wanted);
        }
    }
    let areas = curves.iter().map(|(gold, scores)| roc::area(gold, scores)).collect::<Vec<_>>();
    figures(&by_label, &areas, settings)
}

fn value_of(cats: &[(String, f64)], label: &str) -> Option<f64> {
    cats.iter().find(|(own, _)| own == label).map(|(_, value)| *value)
}

fn count_each(
    by_label: &mut ByLabel,
    found: &[(String, f64)],
    wanted: &[(String, f64)],
    settings: &CatSettings<'_>,
) {
    for label in settings.labels {
        let Some(gold) = value_of(wanted, label) else { continue };
        let is_predicted = value_of(found, label).unwrap_or(0.0) >= settings.threshold;
        let counts = by_label.of(label);
        match (is_predicted, gold > 0.0) {
            (true, true) => counts.right += 1,
            (true, false) if gold == 0.0 => counts.wrong += 1,
            (false, true) => counts.missing += 1,
            _ => {}
        }
    }
}

fn count_highest(by_label: &mut ByLabel, found: &[(String, f64)], wanted: &[(String, f64)]) {
    let predicted = highest(found).map(|(label, _)| label);
    let gold = highest(wanted);
    match (predicted, gold) {
        (Some(predicted), Some((gold, _))) if predicted == gold => by_label.of(gold).right += 1,
        (predicted, gold) => {
            // Without any prediction spaCy fails here, as it takes a label apart.
            if let Some((gold, value)) = gold {
                if predicted.is_some() || value > 0.0 {
                    by_label.of(gold).missing += 1;
                }
            }
            if let Some(predicted) = predicted {
                by_label.of(predicted).wrong += 1;
            }
        }
    }
}

/// Returns the highest category, the first of equal ones.
fn highest(cats: &[(String, f64)]) -> Option<(&str, f64)> {
    let mut best: Option<(&str, f64)> = None;
    for (label, value) in cats {
        if best.is_none_or(|(_, most)| *value > most) {
            best = Some((label, *value));
        }
    }
    best
}

fn figures(by_label: &ByLabel, areas: &[Option<f64>], settings: &CatSettings<'_>) -> Section {
    let [macro_p, macro_r, macro_f] = by_label.means();
    // All labels are in the mean, and those without an area count as 0.
    #[expect(clippy::cast_precision_loss, reason = "a number of labels")]
    let macro_auc =
        areas.iter().fold(0.0, |sum, area| sum + area.unwrap_or(0.0)) / areas.len().max(1) as f64;
    let (overall, description) = match settings.positive_label {
        _ if settings.multi_label => (macro_auc, "macro AUC".to_owned()),
        Some(label) if settings.labels.len() == 2 => {
            let counts = by_label.iter().find(|(own, _)| *own == label);
            (counts.map_or(0.0, |(_, counts)| counts.f_score()), format!("F ({label})"))
        }
        _ => (macro_f, "macro F".to_owned()),
    };
    let micro = by_label.sum();
    let mut scores = Section::default();
    scores.set("cats_score", overall);
    scores.set("cats_score_desc", description);
    scores.set("cats_micro_p", micro.precision());
    scores.set("cats_micro_r", micro.recall());
    scores.set("cats_micro_f", micro.f_score());
    scores.set("cats_macro_p", macro_p);
    scores.set("cats_macro_r", macro_r);
    scores.set("cats_macro_f", macro_f);
    scores.set("cats_macro_auc", macro_auc);
    scores.set("cats_f_per_type", by_label.section());
    let area = |(label, area): (&String, &Option<f64>)| {
        (label.clone(), area.map_or(Value::Null, Value::Float))
    };
    let areas: Section = settings.labels.iter().zip(areas).map(area).collect();
    scores.set("cats_auc_per_type", areas);
    scores
}
