//! Counts of right, wrong and missing items, with precision, recall and F-score.

use std::borrow::Borrow;
use std::hash::Hash;

use ahash::AHashMap;

/// Part of each denominator in spaCy: figures without data are 0, all others keep their bits.
const TINY: f64 = 1e-100;

/// Counts of predictions.
///
/// ```
/// use lexpool_training::scoring::Counts;
///
/// let mut counts = Counts::default();
/// counts.add_sets(vec!["a", "b"], vec!["b", "c", "d"]);
/// assert_eq!(counts, Counts { right: 1, wrong: 1, missing: 2 });
/// assert_eq!((counts.precision(), counts.recall()), (1.0 / 2.0, 1.0 / 3.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Predictions that are right.
    pub right: u64,
    /// Predictions that are wrong.
    pub wrong: u64,
    /// Items of the reference that were not predicted.
    pub missing: u64,
}

impl Counts {
    /// Returns whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == Counts::default()
    }

    /// Counts a set of predictions, compared with that of the reference; an item that is repeated
    /// counts once. Cost: sorts both.
    pub fn add_sets<T: Ord>(&mut self, mut found: Vec<T>, mut wanted: Vec<T>) {
        for items in [&mut found, &mut wanted] {
            items.sort_unstable();
            items.dedup();
        }
        let (mut others, mut right) = (wanted.iter().peekable(), 0);
        for item in &found {
            while others.next_if(|other| *other < item).is_some() {}
            right += u64::from(others.next_if_eq(&item).is_some());
        }
        self.right += right;
        self.wrong += found.len() as u64 - right;
        self.missing += wanted.len() as u64 - right;
    }

    /// Adds other counts.
    pub fn add(&mut self, other: Counts) {
        self.right = self.right.saturating_add(other.right);
        self.wrong = self.wrong.saturating_add(other.wrong);
        self.missing = self.missing.saturating_add(other.missing);
    }

    /// Returns the share of predictions that are right; 0 without predictions.
    pub fn precision(&self) -> f64 {
        share(self.right, self.wrong)
    }

    /// Returns the share of the reference that was predicted; 0 without a reference.
    pub fn recall(&self) -> f64 {
        share(self.right, self.missing)
    }

    /// Returns the harmonic mean of precision and recall.
    pub fn f_score(&self) -> f64 {
        self.rates().f_score
    }

    /// Returns precision, recall and F-score.
    pub fn rates(&self) -> Rates {
        let (precision, recall) = (self.precision(), self.recall());
        let f_score = 2.0 * ((precision * recall) / (precision + recall + TINY));
        Rates { precision, recall, f_score }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of items, below 2^53")]
fn share(right: u64, others: u64) -> f64 {
    right as f64 / (right.saturating_add(others) as f64 + TINY)
}

/// Precision, recall and F-score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// The share of predictions that are right.
    pub precision: f64,
    /// The share of the reference that was predicted.
    pub recall: f64,
    /// The harmonic mean of the two.
    pub f_score: f64,
}

impl Rates {
    /// Returns the three under the names that spaCy's figures end with: "p", "r" and "f".
    pub fn named(&self) -> [(&'static str, f64); 3] {
        [("p", self.precision), ("r", self.recall), ("f", self.f_score)]
    }

    /// Returns the means of some figures; 0 without any.
    #[expect(clippy::cast_precision_loss, reason = "a number of labels")]
    pub(super) fn means(rates: &[Rates], summation: Summation) -> Rates {
        let number = rates.len() as f64 + TINY;
        let mean = |figure: fn(&Rates) -> f64| summation.sum(rates.iter().map(figure)) / number;
        Rates {
            precision: mean(|rates| rates.precision),
            recall: mean(|rates| rates.recall),
            f_score: mean(|rates| rates.f_score),
        }
    }
}

/// The way in which floats are added for a mean. spaCy adds with Python's `sum`, so that its
/// figures depend on the version of Python in their last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Summation {
    /// One after the other: `sum` of Python before 3.12.
    #[default]
    Plain,
    /// With a correction of rounding errors, after Neumaier (1974): `sum` of Python from 3.12 on.
    Compensated,
}

impl Summation {
    /// Returns the sum of some numbers.
    pub fn sum(self, numbers: impl IntoIterator<Item = f64>) -> f64 {
        let (mut sum, mut lost) = (0.0_f64, 0.0);
        for number in numbers {
            let next = sum + number;
            if self == Summation::Compensated {
                lost += if sum.abs() >= number.abs() {
                    (sum - next) + number
                } else {
                    (number - next) + sum
                };
            }
            sum = next;
        }
        if lost != 0.0 && lost.is_finite() { sum + lost } else { sum }
    }
}

/// Counts by label, in the order in which the labels were first seen.
#[derive(Clone, Debug)]
pub struct CountsByLabel<L> {
    rows: Vec<(L, Counts)>,
    /// The position of each label in `rows`.
    places: AHashMap<L, usize>,
}

impl<L> Default for CountsByLabel<L> {
    fn default() -> CountsByLabel<L> {
        CountsByLabel { rows: Vec::new(), places: AHashMap::new() }
    }
}

impl<L: Clone + Eq + Hash> CountsByLabel<L> {
    /// Returns the counts of a label, which are 0 at first.
    pub fn of<Q>(&mut self, label: &Q) -> &mut Counts
    where
        L: Borrow<Q>,
        Q: ToOwned<Owned = L> + Eq + Hash + ?Sized,
    {
        let place = self.place_of(label);
        self.at(place)
    }

    /// Returns the position of a label's row, and makes the row of a new label.
    pub(super) fn place_of<Q>(&mut self, label: &Q) -> usize
    where
        L: Borrow<Q>,
        Q: ToOwned<Owned = L> + Eq + Hash + ?Sized,
    {
        if let Some(place) = self.places.get(label) {
            return *place;
        }
        let (place, label) = (self.rows.len(), label.to_owned());
        self.places.insert(label.clone(), place);
        self.rows.push((label, Counts::default()));
        place
    }

    /// Returns the counts at a position that `place_of` has returned.
    pub(super) fn at(&mut self, place: usize) -> &mut Counts {
        &mut self.rows[place].1
    }

    /// The labels with their counts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&L, Counts)> {
        self.rows.iter().map(|(label, counts)| (label, *counts))
    }

    /// Returns the counts of all labels together.
    pub fn sum(&self) -> Counts {
        let mut sum = Counts::default();
        self.iter().for_each(|(_, counts)| sum.add(counts));
        sum
    }

    /// Returns the figures of each label.
    pub fn rates(&self) -> Vec<(L, Rates)> {
        self.iter().map(|(label, counts)| (label.clone(), counts.rates())).collect()
    }

    /// Returns the means of precision, recall and F-score over the labels; 0 without labels.
    pub fn means(&self, summation: Summation) -> Rates {
        let rates: Vec<Rates> = self.iter().map(|(_, counts)| counts.rates()).collect();
        Rates::means(&rates, summation)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn figures_without_data_are_zero() {
        assert_eq!(Counts::default().rates(), Rates::default());
        assert_eq!(CountsByLabel::<String>::default().means(Summation::Plain), Rates::default());
        let wrong = Counts { wrong: 2, ..Counts::default() };
        assert_eq!(wrong.rates(), Rates::default());
    }

    #[test]
    fn counts_beyond_64_bits_stay_at_the_limit() {
        let mut counts = Counts { right: u64::MAX, wrong: 1, missing: 0 };
        counts.add(Counts { right: 1, wrong: 1, missing: 1 });
        assert_eq!(counts, Counts { right: u64::MAX, wrong: 2, missing: 1 });
        assert_eq!(counts.precision(), 1.0);
    }

    #[test]
    fn labels_keep_the_order_in_which_they_were_first_seen() {
        let mut counts = CountsByLabel::<String>::default();
        for label in ["b", "a", "b"] {
            counts.of(label).right += 1;
        }
        let rows: Vec<_> = counts.iter().map(|(label, own)| (label.as_str(), own.right)).collect();
        assert_eq!(rows, [("b", 2), ("a", 1)]);
        assert_eq!(counts.sum().right, 3);
    }

    #[test]
    fn a_compensated_sum_keeps_what_a_plain_one_loses() {
        let numbers = [1.0, 1e100, 1.0, -1e100];
        assert_eq!(Summation::Plain.sum(numbers), 0.0);
        assert_eq!(Summation::Compensated.sum(numbers), 2.0);
        let tenths = [0.1; 10];
        assert_eq!(Summation::Plain.sum(tenths), 0.999_999_999_999_999_9);
        assert_eq!(Summation::Compensated.sum(tenths), 1.0);
        assert_eq!(Summation::Compensated.sum([f64::INFINITY, 1.0]), f64::INFINITY);
    }

    proptest! {
        #[test]
        fn sets_are_counted_as_by_set_operations(
            found in proptest::collection::vec(0_u8..12, 0..20),
            wanted in proptest::collection::vec(0_u8..12, 0..20),
        ) {
            let mut counts = Counts::default();
            counts.add_sets(found.clone(), wanted.clone());
            let (found, wanted): (BTreeSet<_>, BTreeSet<_>) =
                (found.into_iter().collect(), wanted.into_iter().collect());
            let expected = Counts {
                right: found.intersection(&wanted).count() as u64,
                wrong: found.difference(&wanted).count() as u64,
                missing: wanted.difference(&found).count() as u64,
            };
            prop_assert_eq!(counts, expected);
        }
    }
}
