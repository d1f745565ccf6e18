//! Gradients of a network of states, from those of the scores of all its states.

use lexpool_error::Result;

use super::forward::StateForward;
use super::layers::{StateLayers, StateSizes, UpperLayer};
use super::tape::{SILENT, StateTape};
use super::winners::{ByOutput, ByState, Pair};
use crate::infer::{Matrix, gemm, vectorized};
use crate::learn::kernels::Aligned;
use crate::learn::parameters::{Gradients, Parameters};
use crate::learn::workers::{Workers, even_size};

/// The number of states of a tile.
const STATES: usize = 128;
/// The most tokens of a tile.
const TOKENS: usize = 128;
/// The most classes of a tile.
const CLASSES: usize = 24;
/// The most outputs of a tile.
const OUTPUTS: usize = 16;

/// Adds the gradients of a network's parameters, for all states of some tapes in order. Returns the
/// gradients of the tokens' vectors.
///
/// As in spaCy, the weights of a feature also get the product of its padding's gradient with the
/// last token of the batch: a missing token has the index -1 there.
///
/// Cost: for each state a pass over the winning pieces of the features that it has, for weights and
/// for tokens. Results have the same bits on any number of threads.
///
/// # Errors
///
/// `threads` if the system cannot start them.
pub fn backward(
    layers: &StateLayers,
    parameters: &Parameters,
    forward: &StateForward<'_>,
    tapes: &[StateTape],
    gradients: &mut Gradients,
    workers: Workers,
) -> Result<Vec<f32>> {
    let sizes = layers.sizes();
    let mut tape = StateTape::joined(tapes, sizes, workers)?;
    let outputs = match layers.upper {
        None => std::mem::take(&mut tape.gradients),
        Some(upper) => {
            add_to_upper(upper, &tape, sizes, gradients, workers)?;
            let weights = parameters.values(upper.weights);
            below_upper(weights, &tape, sizes, workers)?
        }
    };
    let hidden = Hidden::new(outputs, tape, sizes, workers)?;
    let padding = add_to_biases(layers, &hidden, gradients, workers)?;
    let features = (0..sizes.features).collect();
    let pairs = workers.map(features, |feature| hidden.pairs(feature))?;
    add_to_weights(layers, &hidden, (&pairs, &padding), forward, gradients, workers)?;
    to_tokens(layers, parameters, &hidden, &pairs, forward, workers)
}

/// The gradients of the hidden layer before the maximum.
struct Hidden {
    sizes: StateSizes,
    n_states: usize,
    /// A row for each state; zero where an output is silent.
    gradients: Vec<f32>,
    winners: Vec<u8>,
    features: Vec<i32>,
}

impl Hidden {
    fn new(
        mut gradients: Vec<f32>,
        tape: StateTape,
        sizes: StateSizes,
        workers: Workers,
    ) -> Result<Hidden> {
        let n_states = tape.len(sizes);
        let scale = if tape.scale == 0.0 { 1.0 } else { tape.scale };
        let StateTape { mut winners, features, .. } = tape;
        let size = STATES * sizes.outputs;
        let tiles = gradients.chunks_mut(size).zip(winners.chunks_mut(size)).collect();
        workers.each(tiles, |(gradients, winners)| silence(gradients, winners, scale))?;
        Ok(Hidden { sizes, n_states, gradients, winners, features })
    }

    /// Returns the states that have a feature, with its token, in order.
    fn pairs(&self, feature: usize) -> Vec<Pair> {
        let of_states = self.features.chunks_exact(self.sizes.features).map(|state| state[feature]);
        let pair =
            |(state, at): (u32, i32)| u32::try_from(at).ok().map(|token| Pair { state, token });
        (0..).zip(of_states).filter_map(pair).collect()
    }

    /// Returns the sums of the gradients of the states for which a condition holds, by output and
    /// piece.
    fn sums(&self, holds: impl Fn(&[i32]) -> bool) -> Vec<f32> {
        let StateSizes { features, outputs, pieces, .. } = self.sizes;
        let mut by_piece = vec![0.0_f32; outputs * pieces];
        vectorized(
            #[inline(always)]
            || {
                let rows = self.gradients.chunks_exact(outputs);
                let rows = rows.zip(self.winners.chunks_exact(outputs));
                for (state, (gradients, winners)) in self.features.chunks_exact(features).zip(rows)
                {
                    if !holds(state) {
                        continue;
                    }
                    for (piece, sums) in (0_u8..).zip(by_piece.chunks_exact_mut(outputs)) {
                        for ((sum, gradient), winner) in sums.iter_mut().zip(gradients).zip(winners)
                        {
                            *sum += if *winner == piece { *gradient } else { 0.0 };
                        }
                    }
                }
            },
        );
        let place = |at: usize| by_piece[at % pieces * outputs + at / pieces];
        (0..outputs * pieces).map(place).collect()
    }
}

fn add_to_upper(
    upper: UpperLayer,
    tape: &StateTape,
    sizes: StateSizes,
    gradients: &mut Gradients,
    workers: Workers,
) -> Result<()> {
    let StateSizes { outputs, classes, .. } = sizes;
    let n_states = tape.len(sizes);
    let hidden = Matrix::new(&tape.hidden, n_states, outputs, outputs).expect("rows of outputs");
    let weights = gradients.values_mut(upper.weights);
    let in_tile = even_size(classes, CLASSES);
    workers.tiles(weights, in_tile * outputs, |tile, weights| {
        let n_rows = weights.len() / outputs;
        let columns = tape.gradients.get(tile * in_tile..).unwrap_or_default();
        let columns = Matrix::new(columns, n_states, n_rows, classes).expect("rows of classes");
        let mut products = vec![0.0; weights.len()];
        gemm(columns.transpose(), hidden, &mut products, outputs);
        weights.iter_mut().zip(products).for_each(|(weight, product)| *weight += product);
    })?;
    let bias = gradients.values_mut(upper.bias);
    for row in tape.gradients.chunks_exact(classes) {
        bias.iter_mut().zip(row).for_each(|(sum, gradient)| *sum += gradient);
    }
    Ok(())
}

/// Returns the gradients of the hidden outputs.
fn below_upper(
    weights: &[f32],
    tape: &StateTape,
    sizes: StateSizes,
    workers: Workers,
) -> Result<Vec<f32>> {
    let StateSizes { outputs, classes, .. } = sizes;
    let weights = Matrix::new(weights, classes, outputs, outputs).expect("rows of outputs");
    let mut below = vec![0.0; tape.len(sizes) * outputs];
    workers.tiles(&mut below, STATES * outputs, |tile, below| {
        let n_rows = below.len() / outputs;
        let rows = &tape.gradients[tile * STATES * classes..][..n_rows * classes];
        let rows = Matrix::new(rows, n_rows, classes, classes).expect("rows of classes");
        gemm(rows, weights, below, outputs);
    })?;
    Ok(below)
}

/// Sets the gradients of silent outputs to 0, multiplies the others, and takes the marks off.
fn silence(gradients: &mut [f32], winners: &mut [u8], scale: f32) {
    for (gradient, winner) in gradients.iter_mut().zip(winners) {
        *gradient *= if *winner & SILENT == 0 { scale } else { 0.0 };
        *winner &= !SILENT;
    }
}

/// Adds the gradients of bias and padding. Returns those of the padding.
fn add_to_biases(
    layers: &StateLayers,
    hidden: &Hidden,
    gradients: &mut Gradients,
    workers: Workers,
) -> Result<Vec<f32>> {
    let StateSizes { features, outputs, pieces, .. } = hidden.sizes;
    let add = |sums: &mut [f32], numbers: &[f32]| {
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    };
    let mut padding = vec![0.0; (features + 1) * outputs * pieces];
    workers.tiles(&mut padding, outputs * pieces, |feature, sums| {
        // The last tile is that of the bias.
        sums.copy_from_slice(&hidden.sums(|state| state.get(feature).is_none_or(|at| *at < 0)));
    })?;
    let bias = padding.split_off(features * outputs * pieces);
    add(gradients.values_mut(layers.bias), &bias);
    add(gradients.values_mut(layers.padding), &padding);
    Ok(padding)
}

/// Adds the gradients of the weights. `pairs` has the states of each feature.
fn add_to_weights(
    layers: &StateLayers,
    hidden: &Hidden,
    (pairs, padding): (&[Vec<Pair>], &[f32]),
    forward: &StateForward<'_>,
    gradients: &mut Gradients,
    workers: Workers,
) -> Result<()> {
    let StateSizes { outputs, pieces, inputs, .. } = hidden.sizes;
    let (mut by_output, mut winners) = (Vec::new(), Vec::new());
    let mut vectors = Aligned::default();
    workers.all(vec![
        Box::new(|| by_output = transposed(&hidden.gradients, outputs)),
        Box::new(|| winners = transposed(&hidden.winners, outputs)),
        Box::new(|| vectors = Aligned::copy_of(forward.vectors)),
    ])?;
    let hidden_by_output = ByOutput {
        gradients: &by_output,
        winners: &winners,
        n_states: hidden.n_states,
        pieces,
        vectors: &vectors,
        inputs,
    };
    let last_token = forward.vectors.rchunks_exact(inputs).next().unwrap_or_default();
    // A tile has outputs of one feature.
    let in_tile = (1..=OUTPUTS).rev().find(|size| outputs % size == 0).unwrap_or(1);
    let (tiles, in_row) = (outputs / in_tile, in_tile * pieces);
    let weights = gradients.values_mut(layers.weights);
    workers.tiles(weights, in_row * inputs, |tile, weights| {
        hidden_by_output.add_to_weights(tile % tiles * in_tile, &pairs[tile / tiles], weights);
        let padding = &padding[tile * in_row..][..in_row];
        for (row, factor) in weights.chunks_exact_mut(inputs).zip(padding) {
            for (weight, number) in row.iter_mut().zip(last_token) {
                *weight += factor * number;
            }
        }
    })
}

/// Returns the gradients of the tokens' vectors. `pairs` has the states of each feature.
fn to_tokens(
    layers: &StateLayers,
    parameters: &Parameters,
    hidden: &Hidden,
    pairs: &[Vec<Pair>],
    forward: &StateForward<'_>,
    workers: Workers,
) -> Result<Vec<f32>> {
    let StateSizes { outputs, pieces, inputs, .. } = hidden.sizes;
    let mut tokens = vec![0.0; forward.vectors.len()];
    let n_tokens = tokens.len() / inputs;
    let (mut by_state, mut weights) = (None, Aligned::default());
    let mut states: Vec<_> = pairs.iter().map(|_| StatesOfTokens::default()).collect();
    let mut jobs: Vec<Box<dyn FnOnce() + Send + '_>> = vec![
        Box::new(|| {
            let of_states = (&hidden.gradients[..], &hidden.winners[..]);
            by_state = Some(ByState::new(of_states, outputs, pieces, inputs));
        }),
        Box::new(|| weights = Aligned::copy_of(parameters.values(layers.weights))),
    ];
    for (states, pairs) in states.iter_mut().zip(pairs) {
        jobs.push(Box::new(|| *states = StatesOfTokens::new(pairs, n_tokens)));
    }
    workers.all(jobs)?;
    let by_state = by_state.expect("all jobs were done");
    let in_tile = even_size(n_tokens, TOKENS);
    workers.tiles(&mut tokens, in_tile * inputs, |tile, tokens| {
        let of_features = weights.chunks_exact(outputs * pieces * inputs);
        for (weights, states) in of_features.zip(&states) {
            let first = tile * in_tile;
            by_state.add_to_tokens(weights, |token| states.of(first + token), tokens);
        }
    })?;
    Ok(tokens)
}

/// The states that have each token as one feature, in order.
#[derive(Default)]
struct StatesOfTokens {
    /// The states of token `t` are `states[bounds[t]..bounds[t + 1]]`.
    bounds: Vec<usize>,
    states: Vec<u32>,
}

impl StatesOfTokens {
    /// Sorts pairs by token: counts, then places.
    fn new(pairs: &[Pair], n_tokens: usize) -> StatesOfTokens {
        let mut bounds = vec![0; n_tokens + 1];
        for pair in pairs {
            bounds[pair.token as usize + 1] += 1;
        }
        for token in 0..n_tokens {
            bounds[token + 1] += bounds[token];
        }
        let (mut next, mut states) = (bounds.clone(), vec![0; pairs.len()]);
        for pair in pairs {
            let place = &mut next[pair.token as usize];
            states[*place] = pair.state;
            *place += 1;
        }
        StatesOfTokens { bounds, states }
    }

    fn of(&self, token: usize) -> &[u32] {
        &self.states[self.bounds[token]..self.bounds[token + 1]]
    }
}

/// Returns rows of `width` numbers as columns.
fn transposed<T: Copy + Default>(rows: &[T], width: usize) -> Vec<T> {
    let n_rows = rows.len() / width;
    let mut columns = vec![T::default(); rows.len()];
    for (block, rows) in rows.chunks(BLOCK * width).enumerate() {
        for (column, of_column) in columns.chunks_exact_mut(n_rows.max(1)).enumerate() {
            let places = of_column[block * BLOCK..].iter_mut();
            for (place, row) in places.zip(rows.chunks_exact(width)) {
                *place = row[column];
            }
        }
    }
    columns
}

/// The number of rows whose cache lines stay while all columns read them.
const BLOCK: usize = 32;
