//! Scores of candidates, in the types and the order of NumPy that spaCy's `EntityLinker` uses.

use super::base::Candidate;
use crate::codes;
use crate::{Error, Result};

/// The encoding of a context, with its norm.
pub(super) struct Encoding {
    numbers: Vec<f32>,
    /// The norm is that of 32-bit numbers: `numpy.linalg.norm` of the encoder's output.
    norm: f32,
}

impl Encoding {
    pub(super) fn new(numbers: Vec<f32>) -> Encoding {
        let squares = numbers.iter().map(|&number| f64::from(number) * f64::from(number));
        #[expect(clippy::cast_possible_truncation, reason = "the norm has 32 bits")]
        let square = squares.sum::<f64>() as f32;
        Encoding { numbers, norm: square.sqrt() }
    }

    /// Returns the cosine similarity to a vector: that of two zero vectors is NaN.
    ///
    /// # Errors
    ///
    /// `kb-encoding` for a vector of another width.
    fn similarity(&self, vector: &[f32]) -> Result<f64> {
        if vector.len() != self.numbers.len() {
            let (found, expected) = (self.numbers.len(), vector.len());
            let text = format!(
                "the encoding of a context has {found} numbers; expected {expected}, the width of \
                 the vectors of the knowledge base"
            );
            return Err(Error::value(codes::KB_ENCODING, text));
        }
        let pairs = vector.iter().zip(&self.numbers);
        let dot: f64 = pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        let squares: Vec<f64> = vector.iter().map(|&a| f64::from(a) * f64::from(a)).collect();
        Ok(dot / (f64::from(self.norm) * pairwise_sum(&squares).sqrt()))
    }
}

/// Returns the scores of candidates: the prior probabilities (0 unless `incl_prior`), combined with
/// the similarity of their vectors to the context, if given, as `p + s - p s`.
///
/// # Errors
///
/// `kb-encoding` for an encoding of another width than the vectors.
pub(super) fn scores(
    candidates: &[Candidate<'_>],
    incl_prior: bool,
    context: Option<&Encoding>,
) -> Result<Vec<f64>> {
    let score = |candidate: &Candidate<'_>| {
        let prior = if incl_prior { f64::from(candidate.prior) } else { 0.0 };
        let Some(context) = context else { return Ok(prior) };
        let similarity = context.similarity(candidate.vector)?;
        Ok(prior + similarity - prior * similarity)
    };
    candidates.iter().map(score).collect()
}

/// Returns the position of the highest score and the score; the first of equal ones. As in NumPy a
/// NaN is higher than any number.
pub(super) fn highest(scores: &[f64]) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for (at, &score) in scores.iter().enumerate() {
        match best {
            Some((_, highest)) if highest.is_nan() || score <= highest => {}
            _ => best = Some((at, score)),
        }
    }
    best
}

/// Adds numbers in the order of `numpy.add.reduce`: eight sums over blocks of up to 128 numbers,
/// and halves of longer rows.
fn pairwise_sum(numbers: &[f64]) -> f64 {
    const BLOCK: usize = 128;
    if numbers.len() < 8 {
        return numbers.iter().sum();
    }
    if numbers.len() > BLOCK {
        let half = numbers.len() / 2;
        let (left, right) = numbers.split_at(half - half % 8);
        return pairwise_sum(left) + pairwise_sum(right);
    }
    let (eights, rest) = numbers.split_at(numbers.len() / 8 * 8);
    let mut sums = [0.0; 8];
    for eight in eights.chunks_exact(8) {
        for (sum, number) in sums.iter_mut().zip(eight) {
            *sum += number;
        }
    }
    let pairs = [0, 2, 4, 6].map(|at| sums[at] + sums[at + 1]);
    let sum = (pairs[0] + pairs[1]) + (pairs[2] + pairs[3]);
    rest.iter().fold(sum, |sum, number| sum + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_highest_scores_wins_and_nan_is_higher_than_numbers() {
        let nan = f64::NAN;
        let at = |scores: &[f64]| highest(scores).map(|(at, _)| at);
        assert_eq!(at(&[]), None);
        assert_eq!(at(&[0.5, 0.7, 0.7, 0.1]), Some(1));
        assert_eq!(at(&[0.5, nan, 0.7, nan]), Some(1));
        assert_eq!(at(&[f64::NEG_INFINITY]), Some(0));
        assert_eq!(at(&[-0.0, 0.0]), Some(0));
    }

    #[test]
    fn sums_have_the_order_of_numpy() {
        // 1 / (i + 3) for i in range(n), by numpy.add.reduce and one after another.
        let cases = [
            (7, 1.328_968_253_968_254, 1.328_968_253_968_254),
            (8, 1.428_968_253_968_253_8, 1.428_968_253_968_254),
            (100, 3.707_082_429_307_257, 3.707_082_429_307_255),
            (129, 3.956_224_926_052_236, 3.956_224_926_052_233_3),
            (300, 4.789_297_397_713_862, 4.789_297_397_713_856),
        ];
        for (n, by_numpy, in_order) in cases {
            let numbers: Vec<f64> = (0..n).map(|i| 1.0 / (f64::from(i) + 3.0)).collect();
            let sums = (pairwise_sum(&numbers), numbers.iter().sum::<f64>());
            assert_eq!(sums, (by_numpy, in_order), "{n}");
        }
    }
}
