//! The cosine distance of encodings from the vectors that they should have the direction of.
//!
//! Source: `thinc.loss.CosineDistance` of thinc 8, without normalization.

/// The number that is added to all numbers, so that no vector is without a direction.
const TINY: f64 = 1e-8;

/// Returns the distance of an encoding from a vector, 1 less the cosine of their angle, and appends
/// its gradient.
pub(crate) fn push_gradient(d: &mut Vec<f32>, encoding: &[f32], vector: &[f32]) -> f64 {
    let wide = |numbers: &[f32]| -> Vec<f64> {
        numbers.iter().map(|number| f64::from(*number) + TINY).collect()
    };
    let (encoding, vector) = (wide(encoding), wide(vector));
    let product =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() };
    let square = product(&encoding, &encoding);
    let norms = square.sqrt() * product(&vector, &vector).sqrt();
    let cosine = product(&encoding, &vector) / norms;
    #[expect(clippy::cast_possible_truncation, reason = "gradients have single precision")]
    let slope = |(x, y): (&f64, &f64)| (cosine * x / square - y / norms) as f32;
    d.extend(encoding.iter().zip(&vector).map(slope));
    (cosine - 1.0).abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_the_slope_of_the_distance() {
        const STEP: f32 = 1e-3;
        let (encoding, vector) = ([0.5, -1.5, 2.0, 0.25], [3.0, 1.0, -1.0, 0.5]);
        let mut d = Vec::new();
        push_gradient(&mut d, &encoding, &vector);
        for (at, d) in d.iter().enumerate() {
            let distance = |step: f32| {
                let mut moved = encoding;
                moved[at] += step;
                push_gradient(&mut Vec::new(), &moved, &vector)
            };
            let slope = (distance(STEP) - distance(-STEP)) / (2.0 * f64::from(STEP));
            assert!((slope - f64::from(*d)).abs() < 1e-5, "{at}: {slope}, {d}");
        }
    }

    #[test]
    fn vectors_without_a_direction_have_a_finite_distance() {
        for (encoding, vector) in [([0.0; 3], [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], [0.0; 3])] {
            let mut d = Vec::new();
            assert!(push_gradient(&mut d, &encoding, &vector).is_finite());
            assert!(d.iter().all(|d| d.is_finite()), "{d:?}");
        }
        let mut d = Vec::new();
        assert!(push_gradient(&mut d, &[1.0, -2.0], &[2.0, -4.0]) < 1e-7);
    }
}
