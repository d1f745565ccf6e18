//! The area under the receiver operating characteristic of a binary classification: Fawcett (2006),
//! "An introduction to ROC analysis".
//!
//! The curve has a point for each distinct score, from the highest down. The trapezoids are added
//! pairwise, as NumPy adds an array.

use std::cmp::Ordering;

/// NumPy adds up to this many numbers in interleaved sums, and halves longer arrays.
const BLOCK: usize = 128;
const LANES: usize = 8;

/// Returns the area for reference values, of which 1 is positive, and predicted scores; `None`
/// unless the reference has exactly two different values.
pub(super) fn area(gold: &[f64], scores: &[f64]) -> Option<f64> {
    if !is_binary(gold) {
        return None;
    }
    // Descending and NaN first, equal scores from the last to the first, as NumPy sorts them.
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| ascending(scores[*a], scores[*b]));
    order.reverse();
    let last = order.len().checked_sub(1)?;
    let (mut positives, mut true_counts, mut false_counts) = (0.0, vec![0.0], vec![0.0]);
    for (rank, at) in order.iter().enumerate() {
        #[expect(clippy::float_cmp, reason = "all other values are negative")]
        let is_positive = gold[*at] == 1.0;
        positives += if is_positive { 1.0 } else { 0.0 };
        // Scores that differ at all are points of their own.
        if rank == last || scores[order[rank + 1]] - scores[*at] != 0.0 {
            true_counts.push(positives);
            #[expect(clippy::cast_precision_loss, reason = "a number of documents")]
            false_counts.push((1 + rank) as f64 - positives);
        }
    }
    let (x, y) = (rates(&false_counts), rates(&true_counts));
    let strips: Vec<f64> =
        x.windows(2).zip(y.windows(2)).map(|(x, y)| (x[1] - x[0]) * (y[1] + y[0]) / 2.0).collect();
    Some(pairwise_sum(&strips))
}

fn ascending(a: f64, b: f64) -> Ordering {
    a.is_nan().cmp(&b.is_nan()).then(a.partial_cmp(&b).unwrap_or(Ordering::Equal))
}

fn is_binary(values: &[f64]) -> bool {
    let mut numbers: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    numbers.sort_by(f64::total_cmp);
    #[expect(clippy::float_cmp, reason = "different values")]
    numbers.dedup_by(|a, b| a == b);
    numbers.len() + usize::from(values.iter().any(|value| value.is_nan())) == 2
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
