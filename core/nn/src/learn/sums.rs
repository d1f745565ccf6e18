//! Sums for norms and losses.

use crate::infer::vectorized;

/// Sums squares in double precision, in eight sums.
///
/// ```
/// assert_eq!(lexpool_nn::learn::sum_of_squares(&[3.0, 4.0]), 25.0);
/// ```
pub fn sum_of_squares(numbers: &[f32]) -> f64 {
    vectorized(
        #[inline(always)]
        || {
            let mut sums = [0.0; 8];
            let chunks = numbers.chunks_exact(8);
            let rest = chunks.remainder();
            for chunk in chunks {
                for (sum, x) in sums.iter_mut().zip(chunk) {
                    *sum += f64::from(*x) * f64::from(*x);
                }
            }
            let rest: f64 = rest.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
            sums.iter().sum::<f64>() + rest
        },
    )
}
