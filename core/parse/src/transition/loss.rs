//! The loss of a row of scores against costs, and its gradient.

use super::INVALID_COST;

/// Writes the gradient of the log loss of a row of scores: spaCy's `cpu_log_loss`.
///
/// Several classes may be right: those that cost at most as much as the valid class of the highest
/// score among the cheapest ones. The loss is the negative logarithm of their probability, so the
/// gradient of a score is the probability of its class, less its probability among the right ones.
/// Sums include classes that are not valid. Where each valid class costs more than 1, nothing is
/// right and the gradient is 0.
///
/// `exponentials` is memory for a row. Cost: an exponential function for each class, and one more
/// for each that is right, in double precision.
///
/// # Panics
///
/// If the rows have different lengths.
///
/// ```
/// use lexpool_parse::transition::log_loss;
///
/// let mut gradient = [0.0; 3];
/// log_loss(&[0.0; 3], &[true; 3], &[0.0, 0.0, 1.0], &mut gradient, &mut Vec::new());
/// let expected = [1.0 / 3.0 - 1.0 / 2.0, 1.0 / 3.0 - 1.0 / 2.0, 1.0 / 3.0];
/// assert!(gradient.iter().zip(expected).all(|(found, x)| (found - x).abs() < 1e-6));
/// ```
pub fn log_loss(
    scores: &[f32],
    valid: &[bool],
    costs: &[f32],
    gradient: &mut [f32],
    exponentials: &mut Vec<f64>,
) {
    let n_classes = scores.len();
    let lengths = [valid.len(), costs.len(), gradient.len()];
    assert_eq!(lengths, [n_classes; 3], "a row of {n_classes} classes");
    let Some(best) = best_right(scores, valid, costs) else {
        gradient.fill(0.0);
        return;
    };
    let (highest, highest_right) = (highest(scores), f64::from(scores[best]));
    exponentials.clear();
    // thinc adds to a small number, so that nothing is divided by 0.
    let (mut sum, mut right_sum) = (1e-10, 1e-10);
    for (score, cost) in scores.iter().zip(costs) {
        let exponential = (f64::from(*score) - highest).exp();
        sum += exponential;
        exponentials.push(exponential);
        if *cost <= costs[best] {
            right_sum += (f64::from(*score) - highest_right).exp();
        }
    }
    for (at, gradient) in gradient.iter_mut().enumerate() {
        let mut difference = exponentials[at] / sum;
        if costs[at] <= costs[best] {
            difference -= (f64::from(scores[at]) - highest_right).exp() / right_sum;
        }
        *gradient = rounded(difference);
    }
}

/// Returns the valid class of the highest score among those that cost least, but at most 1.
fn best_right(scores: &[f32], valid: &[bool], costs: &[f32]) -> Option<usize> {
    let pairs = || valid.iter().zip(costs).map(|(valid, cost)| (*valid, *cost));
    let costs_of_valid = pairs().map(|(valid, cost)| if valid { cost } else { INVALID_COST });
    let least = costs_of_valid.fold(1.0, f32::min);
    let mut best: Option<usize> = None;
    for (at, _) in pairs().enumerate().filter(|(_, (valid, cost))| *valid && *cost <= least) {
        if best.is_none_or(|best| scores[at] > scores[best]) {
            best = Some(at);
        }
    }
    best
}

fn highest(scores: &[f32]) -> f64 {
    f64::from(scores.iter().copied().fold(f32::NEG_INFINITY, f32::max))
}

#[expect(clippy::cast_possible_truncation, reason = "gradients have single precision")]
fn rounded(number: f64) -> f32 {
    number as f32
}
