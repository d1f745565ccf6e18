//! Weights of a network of states at first.

use lexpool_error::Result;
use lexpool_nn::{Matrix, gemm};

use super::layers::{StateLayers, StateSizes};
use crate::parameters::Parameters;
use crate::random::NumpyRandom;
use crate::workers::Workers;

/// Numbers of random tokens, and of the states that they are added to.
const SAMPLES: usize = 5000;
/// Random states are below this number; the others keep the bias alone.
const DRAWN: f64 = 1000.0;
/// The most rounds of normalization.
const ROUNDS: usize = 10;
/// How far variance and mean may be from 1 and 0.
const TOLERANCE: f32 = 0.01;

/// Draws the weights of the lower layer and its padding, and scales and shifts them until its
/// outputs for random input have variance 1 and mean 0. All other parameters become 0.
///
/// Everything is thinc's `PrecomputableAffine` to the letter, for the scale of a parser's outputs
/// comes of it: the deviation of weights is the root of inputs / features, and of 5,000 random
/// states the products are added to 1,000.
///
/// # Errors
///
/// `threads` if the system cannot start them.
pub fn initialize(
    layers: &StateLayers,
    parameters: &mut Parameters,
    random: &mut NumpyRandom,
    workers: Workers,
) -> Result<()> {
    let StateSizes { features, inputs, .. } = layers.sizes();
    #[expect(clippy::cast_precision_loss, reason = "sizes of layers")]
    let deviation = (1.0 / features as f64 * inputs as f64).sqrt();
    fill(parameters.values_mut(layers.weights), || random.normal(0.0, deviation));
    fill(parameters.values_mut(layers.padding), || random.normal(0.0, 1.0));
    parameters.values_mut(layers.bias).fill(0.0);
    if let Some(upper) = layers.upper {
        parameters.values_mut(upper.weights).fill(0.0);
        parameters.values_mut(upper.bias).fill(0.0);
    }
    let state = |number: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 1,000")]
        let state = rounded(number) as usize;
        state
    };
    let states = (0..SAMPLES * features).map(|_| state(random.uniform(0.0, DRAWN)));
    let states: Vec<usize> = states.collect();
    let mut tokens = vec![0.0; SAMPLES * inputs];
    fill(&mut tokens, || random.normal(0.0, 1.0));
    for _ in 0..ROUNDS {
        let outputs = outputs(layers, parameters, &states, &tokens, workers)?;
        let (mean, variance) = mean_and_variance(&outputs);
        if (variance - 1.0).abs() >= TOLERANCE {
            let deviation = variance.sqrt();
            parameters.values_mut(layers.weights).iter_mut().for_each(|x| *x /= deviation);
        } else if mean.abs() >= TOLERANCE {
            parameters.values_mut(layers.bias).iter_mut().for_each(|x| *x -= mean);
        } else {
            break;
        }
    }
    Ok(())
}

/// Returns the outputs of the lower layer for random states. Product `k` of all tokens and features
/// is added to state `states[k]`, where the padding stands before the products of the first token.
fn outputs(
    layers: &StateLayers,
    parameters: &Parameters,
    states: &[usize],
    tokens: &[f32],
    workers: Workers,
) -> Result<Vec<f32>> {
    let StateSizes { features, outputs, pieces, inputs, .. } = layers.sizes();
    let width = outputs * pieces;
    let mut products = vec![0.0; SAMPLES * features * width];
    let (padding, rows) = products.split_at_mut(features * width);
    padding.copy_from_slice(parameters.values(layers.padding));
    let weights = parameters.values(layers.weights);
    let weights = Matrix::new(weights, features * width, inputs, inputs).expect("whole rows");
    let in_tile = SAMPLES / 8;
    workers.tiles(rows, in_tile * features * width, |tile, rows| {
        let n_tokens = rows.len() / (features * width);
        let tokens = &tokens[tile * in_tile * inputs..];
        let tokens = Matrix::new(tokens, n_tokens, inputs, inputs).expect("whole rows");
        gemm(tokens, weights.transpose(), rows, features * width);
    })?;
    let mut sums = vec![0.0; SAMPLES * width];
    for (state, products) in states.iter().zip(products.chunks_exact(width)) {
        let sums = &mut sums[state * width..][..width];
        sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
    }
    let bias = parameters.values(layers.bias);
    for sums in sums.chunks_exact_mut(width) {
        sums.iter_mut().zip(bias).for_each(|(sum, bias)| *sum += bias);
    }
    let largest = |pieces: &[f32]| pieces.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let of_one = |sum: &f32| if *sum >= 0.0 { *sum } else { 0.0 };
    Ok(match pieces {
        1 => sums.iter().map(of_one).collect(),
        _ => sums.chunks_exact(pieces).map(largest).collect(),
    })
}

/// Returns the mean and the variance of numbers, summed in double precision.
#[expect(clippy::cast_precision_loss, reason = "a number of outputs")]
fn mean_and_variance(numbers: &[f32]) -> (f32, f32) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
    let squares = numbers.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>();
    (rounded(mean), rounded(squares / count))
}

fn fill(numbers: &mut [f32], mut draw: impl FnMut() -> f64) {
    for x in numbers {
        *x = rounded(draw());
    }
}

#[expect(clippy::cast_possible_truncation, reason = "weights have single precision")]
fn rounded(number: f64) -> f32 {
    number as f32
}
