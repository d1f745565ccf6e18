//! The loss of components that give each token a label: thinc's
//! `SequenceCategoricalCrossentropy`, with gradients that are not divided by anything.

use lexpool_nn::Rows;
use lexpool_nn::learn::sum_of_squares;

/// The right label of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Unknown.
    Missing,
    /// This label.
    Is(usize),
    /// Another label than this one.
    IsNot(usize),
}

/// Returns the gradient of the scores before the softmax, and the loss: the sum of its squares.
///
/// `smoothing` is the share of probability that other labels should have together.
///
/// # Panics
///
/// Unless there is a target for each row, whose label is a column.
pub(super) fn token_loss(scores: &Rows, targets: &[Target], smoothing: f32) -> (Vec<f32>, f64) {
    assert_eq!(scores.len(), targets.len(), "a target for each row");
    let width = scores.width();
    #[expect(clippy::cast_precision_loss, reason = "a number of labels")]
    let others = if width > 1 { smoothing / (width - 1) as f32 } else { 0.0 };
    let mut d = vec![0.0; scores.numbers().len()];
    for ((d, row), target) in d.chunks_exact_mut(width).zip(scores.rows()).zip(targets) {
        match target {
            Target::Missing => {}
            Target::Is(label) => {
                d.iter_mut().zip(row).for_each(|(d, score)| *d = score - others);
                d[*label] = row[*label] - (1.0 - smoothing);
            }
            Target::IsNot(label) => d[*label] = row[*label],
        }
    }
    let loss = sum_of_squares(&d);
    (d, loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_the_score_less_the_target() {
        let scores = Rows::new(3, vec![0.25, 0.5, 0.25, 0.5, 0.5, 0.0, 0.125, 0.375, 0.5]);
        let targets = [Target::Is(1), Target::Missing, Target::IsNot(2)];
        let (d, loss) = token_loss(&scores, &targets, 0.0);
        assert_eq!(d, [0.25, -0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
        assert_eq!(loss, 0.625);
        let (d, _) = token_loss(&scores, &targets, 0.5);
        assert_eq!(d[..3], [0.0, 0.0, 0.0]);
    }
}
