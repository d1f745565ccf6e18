//! Counts of right, wrong and missing items, with precision, recall and F-score.

use std::collections::BTreeSet;

use crate::config::{Section, Value};

/// Part of each denominator in spaCy: figures without data are 0, all others keep their bits.
pub(super) const TINY: f64 = 1e-100;

/// Counts of predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Predictions that are right.
    pub right: u64,
    /// Predictions that are wrong.
    pub wrong: u64,
    /// Items of the reference that were not predicted.
    pub missing: u64,
}

#[expect(clippy::cast_precision_loss, reason = "counts of items, below 2^53")]
impl Counts {
    /// Returns whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Counts::default()
    }

    /// Counts a set of predictions, compared with that of the reference.
    pub(super) fn add_sets<T: Ord>(&mut self, found: &BTreeSet<T>, wanted: &BTreeSet<T>) {
        let right = found.intersection(wanted).count() as u64;
        self.right += right;
        self.wrong += found.len() as u64 - right;
        self.missing += wanted.len() as u64 - right;
    }

    pub(super) fn add(&mut self, other: Counts) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missing += other.missing;
    }

    /// Returns the share of predictions that are right; 0 without predictions.
    pub fn precision(&self) -> f64 {
        self.right as f64 / ((self.right + self.wrong) as f64 + TINY)
    }

    /// Returns the share of the reference that was predicted; 0 without a reference.
    pub fn recall(&self) -> f64 {
        self.right as f64 / ((self.right + self.missing) as f64 + TINY)
    }

    /// Returns the harmonic mean of precision and recall.
    pub fn f_score(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        2.0 * ((precision * recall) / (precision + recall + TINY))
    }

    /// Returns precision, recall and F-score as "p", "r" and "f".
    pub(super) fn section(&self) -> Section {
        let mut section = Section::default();
        for (name, value) in self.figures() {
            section.set(name, value);
        }
        section
    }

    /// Sets precision, recall and F-score under names that begin with `prefix`; null without data.
    pub(super) fn set_figures(&self, scores: &mut Section, prefix: &str) {
        for (name, value) in self.figures() {
            let value = if self.is_empty() { Value::Null } else { Value::Float(value) };
            scores.set(&format!("{prefix}_{name}"), value);
        }
    }

    /// Returns precision, recall and F-score with the ends of their names.
    pub(super) fn figures(&self) -> [(&'static str, f64); 3] {
        [("p", self.precision()), ("r", self.recall()), ("f", self.f_score())]
    }
}

/// Counts by label, in the order in which the labels were first seen.
#[derive(Clone, Debug, Default)]
pub(super) struct ByLabel {
    counts: Vec<(String, Counts)>,
    places: ahash::AHashMap<String, usize>,
}

impl ByLabel {
    /// Returns the counts of a label.
    pub(super) fn of(&mut self, label: &str) -> &mut Counts {
        let place = if let Some(place) = self.places.get(label) {
            *place
        } else {
            self.places.insert(label.to_owned(), self.counts.len());
            self.counts.push((label.to_owned(), Counts::default()));
            self.counts.len() - 1
        };
        &mut self.counts[place].1
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Counts)> {
        self.counts.iter().map(|(label, counts)| (label.as_str(), *counts))
    }

    /// Returns the counts of all labels together.
    pub(super) fn sum(&self) -> Counts {
        let mut sum = Counts::default();
        self.iter().for_each(|(_, counts)| sum.add(counts));
        sum
    }

    /// Returns precision, recall and F-score of each label.
    pub(super) fn section(&self) -> Section {
        let own = |(label, counts): (&str, Counts)| (label.to_owned(), counts.section().into());
        self.iter().map(own).collect()
    }

    /// Returns the means of precision, recall and F-score; 0 without labels.
    #[expect(clippy::cast_precision_loss, reason = "a number of labels")]
    pub(super) fn means(&self) -> [f64; 3] {
        let number = self.counts.len() as f64 + TINY;
        let mean = |figure: fn(&Counts) -> f64| {
            self.iter().fold(0.0, |sum, (_, counts)| sum + figure(&counts)) / number
        };
        [mean(Counts::precision), mean(Counts::recall), mean(Counts::f_score)]
    }
}
