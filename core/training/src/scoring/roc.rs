//! The area under the receiver operating characteristic of a binary classification: Fawcett (2006),
//! "An introduction to ROC analysis".
//!
//! The curve has a point for each distinct score, from the highest down. The trapezoids are added
//! pairwise, as NumPy adds an array.

use std::cmp::Ordering;

/// NumPy adds up to this many numbers in interleaved sums, and halves longer arrays.
const BLOCK: usize = 128;
const LANES: usize = 8;

/// A receiver operating characteristic: a point for each threshold, from the highest down.
#[derive(Clone, Debug, PartialEq)]
pub struct RocCurve {
    /// Rates of false positives, ascending; NaN if no reference value is negative.
    pub false_rates: Vec<f64>,
    /// Rates of true positives, ascending; NaN if no reference value is positive.
    pub true_rates: Vec<f64>,
    /// The thresholds; the first is above all scores, so that its point is (0, 0).
    pub thresholds: Vec<f64>,
}

impl RocCurve {
    /// Returns the curve for reference values, of which 1 is positive and any other is negative,
    /// and the score that was predicted for each; of lists of different lengths the surplus is left
    /// out. `None` without values. Cost: sorts the scores.
    ///
    /// ```
    /// use lexpool_training::scoring::RocCurve;
    ///
    /// let curve = RocCurve::of(&[0.0, 1.0, 1.0], &[0.2, 0.1, 0.9]).unwrap();
    /// assert_eq!(curve.thresholds, [1.9, 0.9, 0.2, 0.1]);
    /// assert_eq!(curve.true_rates, [0.0, 0.5, 0.5, 1.0]);
    /// assert_eq!(curve.area(), 0.5);
    /// ```
    pub fn of(gold: &[f64], scores: &[f64]) -> Option<RocCurve> {
        // Descending and NaN first, equal scores from the last to the first, as NumPy sorts them.
        let mut order: Vec<(f64, f64)> = scores.iter().copied().zip(gold.iter().copied()).collect();
        order.sort_by(|a, b| ascending(a.0, b.0));
        order.reverse();
        let mut thresholds = vec![order.first()?.0 + 1.0];
        let (mut positives, mut true_counts, mut false_counts) = (0.0, vec![0.0], vec![0.0]);
        for (rank, (score, gold)) in order.iter().enumerate() {
            #[expect(clippy::float_cmp, reason = "all other values are negative")]
            let is_positive = *gold == 1.0;
            positives += if is_positive { 1.0 } else { 0.0 };
            // Scores that differ at all are points of their own, and NaN from NaN too.
            if order.get(rank + 1).is_none_or(|(next, _)| next - score != 0.0) {
                true_counts.push(positives);
                #[expect(clippy::cast_precision_loss, reason = "a number of documents")]
                false_counts.push((1 + rank) as f64 - positives);
                thresholds.push(*score);
            }
        }
        let (false_rates, true_rates) = (rates(&false_counts), rates(&true_counts));
        Some(RocCurve { false_rates, true_rates, thresholds })
    }

    /// Returns the area under the curve, from 0 to 1; NaN if a rate is.
    pub fn area(&self) -> f64 {
        let (x, y) = (self.false_rates.windows(2), self.true_rates.windows(2));
        let strip = |(x, y): (&[f64], &[f64])| (x[1] - x[0]) * (y[1] + y[0]) / 2.0;
        pairwise_sum(&x.zip(y).map(strip).collect::<Vec<_>>())
    }
}

/// Returns the area under the curve of reference values and predicted scores; `None` unless the
/// reference has exactly two different values.
pub(super) fn area(gold: &[f64], scores: &[f64]) -> Option<f64> {
    if distinct(gold).len() != 2 {
        return None;
    }
    RocCurve::of(gold, scores).map(|curve| curve.area())
}

/// Returns the different values, ascending; all NaN are one, the last.
pub fn distinct(values: &[f64]) -> Vec<f64> {
    let mut numbers = values.to_vec();
    numbers.sort_by(|a, b| ascending(*a, *b));
    numbers.dedup_by(|a, b| ascending(*a, *b) == Ordering::Equal);
    numbers
}

fn ascending(a: f64, b: f64) -> Ordering {
    a.is_nan().cmp(&b.is_nan()).then(a.partial_cmp(&b).unwrap_or(Ordering::Equal))
}

fn rates(counts: &[f64]) -> Vec<f64> {
    let total = counts.last().copied().unwrap_or_default();
    counts.iter().map(|count| if total > 0.0 { count / total } else { f64::NAN }).collect()
}

/// Returns a sum in NumPy's order.
fn pairwise_sum(values: &[f64]) -> f64 {
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (first, second) = values.split_at(half - half % LANES);
        return pairwise_sum(first) + pairwise_sum(second);
    }
    let (whole, rest) = values.split_at(values.len() - values.len() % LANES);
    let mut total = 0.0;
    if !whole.is_empty() {
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(&whole[..LANES]);
        for chunk in whole[LANES..].chunks_exact(LANES) {
            lanes.iter_mut().zip(chunk).for_each(|(lane, value)| *lane += value);
        }
        let pair = |at: usize| lanes[at] + lanes[at + 1];
        total = (pair(0) + pair(2)) + (pair(4) + pair(6));
    }
    rest.iter().fold(total, |total, value| total + value)
}
