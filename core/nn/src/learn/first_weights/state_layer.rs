//! The first weights of the layer that a parser precomputes for its tokens.
//!
//! They are scaled until outputs of random states have variance 1 and mean 0. Source:
//! `_precomputable_affine` of spaCy 3.8, and its peculiar use of random states, which decides the
//! scale: the sums of all states go to the first thousand of 5,000 rows, so that four fifths have
//! the bias alone.

use crate::infer::{GemmOrder, PackedWeights};
use crate::learn::random::NumpyRandom;
use crate::learn::records::Array;

/// The number of random states, and of random tokens.
const STATES: usize = 5000;
/// The number of rows that sums go to.
const ROWS: f64 = 1000.0;
/// The largest difference of the variance from 1 and of the mean from 0.
const TOLERANCE: f64 = 0.01;
/// The most rounds.
const ROUNDS: usize = 10;
/// The number of tokens whose products are computed together.
const BLOCK: usize = 250;

/// The parameters of the layer.
pub(super) struct StateLayer {
    pub(super) weights: Array,
    pub(super) bias: Array,
    pub(super) padding: Array,
}

/// Draws the parameters of a layer of some features, outputs, pieces and inputs.
pub(super) fn draw(
    [features, outputs, pieces, inputs]: [usize; 4],
    random: &mut NumpyRandom,
) -> StateLayer {
    #[expect(clippy::cast_precision_loss, reason = "dimensions are small")]
    let deviation = (1.0 / features as f64 * inputs as f64).sqrt();
    let width = outputs * pieces;
    let mut weights = normals(random, deviation, features * width * inputs);
    let padding = normals(random, 1.0, features * width);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    let rows: Vec<usize> =
        (0..STATES * features).map(|_| random.uniform(0.0, ROWS) as f32 as usize).collect();
    let tokens = normals(random, 1.0, STATES * inputs);
    let mut bias = vec![0.0; width];
    for _ in 0..ROUNDS {
        let sums = sums(&weights, &padding, &rows, &tokens[..(STATES - 1) * inputs], inputs);
        let (mean, variance) = moments(&sums, &bias, pieces);
        if (variance - 1.0).abs() >= TOLERANCE {
            #[expect(clippy::cast_possible_truncation, reason = "NumPy's root is so rounded")]
            let root = (variance as f32).sqrt();
            for weight in &mut weights {
                *weight /= root;
            }
        } else if mean.abs() >= TOLERANCE {
            #[expect(clippy::cast_possible_truncation, reason = "NumPy's mean is so rounded")]
            let mean = mean as f32;
            for bias in &mut bias {
                *bias -= mean;
            }
        } else {
            break;
        }
    }
    StateLayer {
        weights: (vec![features, outputs, pieces, inputs], weights),
        bias: (vec![outputs, pieces], bias),
        padding: (vec![1, features, outputs, pieces], padding),
    }
}

fn normals(random: &mut NumpyRandom, deviation: f64, n: usize) -> Vec<f32> {
    #[expect(clippy::cast_possible_truncation, reason = "parameters have single precision")]
    let mut number = || random.normal(0.0, deviation) as f32;
    (0..n).map(|_| number()).collect()
}

/// Adds the products of each token and feature, and those of the padding first, to rows. Returns
/// the rows that something was added to, and how many others there are, which are zeros.
fn sums(
    weights: &[f32],
    padding: &[f32],
    rows: &[usize],
    tokens: &[f32],
    inputs: usize,
) -> (Vec<f32>, usize) {
    let all = padding.len();
    let width = all * STATES / rows.len();
    let n_rows = rows.iter().max().map_or(0, |last| last + 1);
    let mut sums = vec![0.0; n_rows * width];
    let mut rows = rows.iter();
    let mut add = |products: &[f32]| {
        for (product, row) in products.chunks_exact(width).zip(&mut rows) {
            let sum = &mut sums[row * width..(row + 1) * width];
            sum.iter_mut().zip(product).for_each(|(sum, x)| *sum += x);
        }
    };
    add(padding);
    let weights = PackedWeights::new(weights, inputs);
    for tokens in tokens.chunks(BLOCK * inputs) {
        add(&weights.multiply(GemmOrder::Generic, tokens));
    }
    (sums, STATES.saturating_sub(n_rows))
}

/// Returns the mean and the variance of the outputs of all rows.
fn moments((sums, n_zeros): &(Vec<f32>, usize), bias: &[f32], pieces: usize) -> (f64, f64) {
    let activated = |sum: &[f32], bias: &[f32]| {
        let numbers = sum.iter().zip(bias).map(|(sum, bias)| sum + bias);
        let largest = numbers.fold(f32::NEG_INFINITY, f32::max);
        f64::from(if pieces > 1 { largest } else { largest.max(0.0) })
    };
    let of_row = |row: &[f32]| -> Vec<f64> {
        let outputs = row.chunks_exact(pieces).zip(bias.chunks_exact(pieces));
        outputs.map(|(sum, bias)| activated(sum, bias)).collect()
    };
    let mut outputs: Vec<f64> = sums.chunks_exact(bias.len()).flat_map(of_row).collect();
    let constant = of_row(&vec![0.0; bias.len()]);
    outputs.extend((0..*n_zeros).flat_map(|_| &constant));
    #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52")]
    let n = outputs.len() as f64;
    let mean = outputs.iter().sum::<f64>() / n;
    let variance = outputs.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    (mean, variance)
}
