//! Functions of single numbers and of rows, with the roundings of NumPy and thinc.
//!
//! NumPy computes the exponential function of single precision by a method of its own on every
//! processor with fused multiplication and addition, so it can be repeated bit for bit; Mish calls
//! the C library's functions, as thinc does. Sources: `loops_exponent_log` of NumPy 2,
//! `thinc.backends` of thinc 8.

use lexpool_error::{Error, Result, codes};

use crate::infer::processor::vectorized;
use crate::infer::sums::pairwise_sum;

/// A function of each number of a row, or of the row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// The number itself.
    Linear,
    /// The number, or 0 if that is greater.
    Relu,
    /// Misra (2019).
    Mish,
    /// Hendrycks and Gimpel (2016), with an approximate error function.
    Gelu,
    /// The sigmoid function, of numbers clipped to 20.
    Logistic,
    /// A distribution over the row, with a temperature.
    Softmax(f32),
}

impl Activation {
    /// Returns the activation of a node's name.
    pub fn from_name(name: &str) -> Option<Activation> {
        match name {
            "linear" => Some(Activation::Linear),
            "relu" => Some(Activation::Relu),
            "mish" => Some(Activation::Mish),
            "gelu" => Some(Activation::Gelu),
            "logistic" => Some(Activation::Logistic),
            "softmax_activation" => Some(Activation::Softmax(1.0)),
            _ => None,
        }
    }

    /// Makes a softmax of a temperature.
    ///
    /// # Errors
    ///
    /// `model-structure` for a temperature that is not a positive number.
    pub fn softmax(temperature: f64) -> Result<Activation> {
        #[expect(clippy::cast_possible_truncation, reason = "as thinc computes")]
        let rounded = temperature as f32;
        if rounded.is_finite() && rounded > 0.0 {
            return Ok(Activation::Softmax(rounded));
        }
        let text = format!("the temperature of a softmax is {temperature}; expected more than 0");
        Err(Error::value(codes::MODEL_STRUCTURE, text))
    }

    /// Applies the function to rows in place.
    ///
    /// # Panics
    ///
    /// If `width` is 0.
    pub fn apply(self, numbers: &mut [f32], width: usize) {
        vectorized(
            #[inline(always)]
            || self.apply_here(numbers, width),
        );
    }

    /// Applies the function with the instructions of the caller.
    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    fn apply_here(self, numbers: &mut [f32], width: usize) {
        match self {
            Activation::Linear => {}
            Activation::Relu => each(numbers, |x| if x <= 0.0 { 0.0 } else { x }),
            Activation::Mish => each(numbers, mish),
            Activation::Gelu => each(numbers, gelu),
            Activation::Logistic => each(numbers, logistic),
            Activation::Softmax(temperature) => {
                numbers.chunks_exact_mut(width).for_each(|row| softmax(row, temperature));
            }
        }
    }
}

#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn each(numbers: &mut [f32], function: impl Fn(f32) -> f32) {
    for x in numbers {
        *x = function(*x);
    }
}

/// The exponential function as NumPy computes it: reduction by multiples of ln 2 after Cody and
/// Waite, then a rational minimax approximation.
///
/// ```
/// assert_eq!(lexpool_nn::exp(0.0), 1.0);
/// assert_eq!(lexpool_nn::exp(1.0).to_bits(), 0x402d_f855);
/// ```
#[expect(clippy::excessive_precision, reason = "NumPy's digits")]
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const LN_2_HIGH: f32 = -6.931_457_52e-1;
    const LN_2_LOW: f32 = -1.428_606_77e-6;
    const NUMERATOR: [f32; 6] =
        [5.082_762_53e-4, 6.757_896_99e-3, 5.114_512_08e-2, 2.473_615_43e-1, 7.257_664_61e-1, 1.0];
    const DENOMINATOR: [f32; 3] = [2.159_509_38e-2, -2.742_335_39e-1, 1.0];
    const HIGHEST: f32 = 88.722_84;
    const LOWEST: f32 = -103.972_084;
    // Beyond these a result is infinite or 0. Without branches, a loop is vectorized; NaN stays.
    let bounded = x.clamp(LOWEST, HIGHEST);
    let quadrant = (bounded * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let reduced = quadrant.mul_add(LN_2_LOW, quadrant.mul_add(LN_2_HIGH, bounded));
    let [n0, n1, n2, n3, n4, n5] = NUMERATOR;
    let numerator = n0.mul_add(reduced, n1).mul_add(reduced, n2).mul_add(reduced, n3);
    let numerator = numerator.mul_add(reduced, n4).mul_add(reduced, n5);
    let [d0, d1, d2] = DENOMINATOR;
    let denominator = d0.mul_add(reduced, d1).mul_add(reduced, d2);
    // In two steps, since the whole power may be too small for a normal number.
    let half = (quadrant / 2.0).trunc();
    let power = numerator / denominator * power_of_two(half) * power_of_two(quadrant - half);
    if x >= HIGHEST {
        f32::INFINITY
    } else if x <= LOWEST {
        0.0
    } else {
        power
    }
}

/// 1.5 * 2^23: the last bits of a sum with it are a whole number. Adding and subtracting it rounds
/// to one.
const ROUND: f32 = 12_582_912.0;

/// Returns the power of two of a whole number from -126 to 127.
#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn power_of_two(exponent: f32) -> f32 {
    // The biased exponent is in the last eight bits, which move to its place.
    f32::from_bits((exponent + (ROUND + 127.0)).to_bits() << 23)
}

fn mish(x: f32) -> f32 {
    const THRESHOLD: f32 = 20.0;
    if x >= THRESHOLD {
        return x;
    }
    let factor = (1.0 + f64::from(x.exp())).ln().tanh();
    #[expect(clippy::cast_possible_truncation, reason = "as thinc rounds")]
    let product = (f64::from(x) * factor) as f32;
    product
}

#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn gelu(x: f32) -> f32 {
    x * normal_distribution(x)
}

/// The distribution function of normal numbers, whose error function is approximated by formula
/// 7.1.26 of Abramowitz and Stegun, computed in single precision.
#[expect(clippy::excessive_precision, reason = "the published digits")]
#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
pub(crate) fn normal_distribution(x: f32) -> f32 {
    let scaled = x * std::f32::consts::FRAC_1_SQRT_2;
    let size = scaled.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let sum = ((((1.061_405_429 * t + -1.453_152_027) * t) + 1.421_413_741) * t + -0.284_496_736)
        * t
        + 0.254_829_592;
    let magnitude = 1.0 - sum * t * exp(-size * size);
    let sign = if scaled > 0.0 {
        1.0
    } else if scaled < 0.0 {
        -1.0
    } else {
        0.0
    };
    0.5 * (1.0 + sign * magnitude)
}

#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x.clamp(-20.0, 20.0)))
}

#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn softmax(row: &mut [f32], temperature: f32) {
    #[expect(clippy::float_cmp, reason = "thinc divides unless it is exactly 1")]
    if temperature != 1.0 {
        each(row, |x| x / temperature);
    }
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    each(row, |x| exp(x - largest));
    let sum = pairwise_sum(row);
    each(row, |x| x / sum);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::weights::tests::bits;

    #[test]
    fn the_exponential_has_the_bits_of_numpy() {
        let given = [-103.0, -87.5, -20.0, -1.25, -0.1, 0.3, 2.5, 19.9, 88.5];
        let expected = [
            0x0000_0001,
            0x006c_b2bc,
            0x310d_a433,
            0x3e92_b0c1,
            0x3f67_a36d,
            0x3fac_c82c,
            0x4142_eb7e,
            0x4dd1_5450,
            0x7f4c_dcc3,
        ];
        assert_eq!(bits(&given.map(exp)), expected);
        assert_eq!((exp(89.0), exp(-104.0)), (f32::INFINITY, 0.0));
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn activations_have_the_bits_of_thinc() {
        let given = [-30.0, -2.5, -0.0, 0.7, 3.25, 21.0];
        for (name, expected) in [
            (
                "relu",
                [0x0000_0000, 0x0000_0000, 0x0000_0000, 0x3f33_3333, 0x4050_0000, 0x41a8_0000],
            ),
            (
                "mish",
                [0xac45_5800, 0xbe49_8a30, 0x8000_0000, 0x3f0f_a76b, 0x404f_6bd3, 0x41a8_0000],
            ),
            (
                "gelu",
                [0x8000_0000, 0xbc7e_5920, 0x8000_0000, 0x3f07_d713, 0x404f_e145, 0x41a8_0000],
            ),
            (
                "logistic",
                [0x310d_a432, 0x3d9b_5b89, 0x3f00_0000, 0x3f2b_0e5b, 0x3f76_71be, 0x3f80_0000],
            ),
            (
                "softmax_activation",
                [0x1aab_8edc, 0x2e88_ded2, 0x3050_6d86, 0x30d1_dc79, 0x32a7_fb66, 0x3f80_0000],
            ),
        ] {
            let mut row = given;
            Activation::from_name(name).unwrap().apply(&mut row, 6);
            assert_eq!(bits(&row), expected, "{name}");
        }
    }
}
