//! Scores of states.

use lexpool_error::{Error, Result, codes};

use super::layers::{StateLayers, StateSizes};
use super::tape::{SILENT, StateTape};
use super::winners::{LANES, add_products};
use crate::infer::{Matrix, gemm, vectorized};
use crate::learn::dropout::Dropout;
use crate::learn::kernels::piece_by_piece;
use crate::learn::parameters::Parameters;
use crate::learn::workers::Workers;

/// The number of the hidden layer among the layers of a component, for dropout.
const LAYER: u32 = u32::MAX;

/// The products of all tokens of a batch with the weights of each feature, and the weights above.
///
/// A row of products has the first pieces of all outputs, then the second pieces, and so on.
pub struct StateForward<'a> {
    sizes: StateSizes,
    /// The vectors of the tokens.
    pub(super) vectors: &'a [f32],
    n_tokens: usize,
    /// The products of all tokens with each feature's weights.
    products: Vec<Vec<f32>>,
    padding: Vec<f32>,
    bias: Vec<f32>,
    upper: Option<Upper<'a>>,
}

/// The upper layer.
struct Upper<'a> {
    /// By output, class; rows are as long as registers divide.
    weights: Vec<f32>,
    stride: usize,
    bias: &'a [f32],
}

impl<'a> StateForward<'a> {
    /// Multiplies the vectors of all tokens of a batch, which states number one after another.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    ///
    /// # Panics
    ///
    /// If the vectors have another width than the weights.
    pub fn new(
        layers: &StateLayers,
        parameters: &'a Parameters,
        vectors: &'a [f32],
        workers: Workers,
    ) -> Result<StateForward<'a>> {
        let sizes = layers.sizes();
        let StateSizes { features, outputs, pieces, inputs, .. } = sizes;
        assert_eq!(vectors.len() % inputs, 0, "rows of {inputs} numbers");
        let n_tokens = vectors.len() / inputs;
        let (width, weights) = (outputs * pieces, parameters.values(layers.weights));
        let mut products = vec![Vec::new(); features];
        workers.tiles(&mut products, 1, |feature, products| {
            let weights = &weights[feature * width * inputs..][..width * inputs];
            let weights = piece_by_piece(weights, pieces, inputs);
            let mut room = vec![0.0; n_tokens * width];
            let matrix = |numbers, rows| {
                Matrix::new(numbers, rows, inputs, inputs).expect("whole rows of inputs")
            };
            let (vectors, weights) = (matrix(vectors, n_tokens), matrix(&weights, width));
            gemm(vectors, weights.transpose(), &mut room, width);
            products[0] = room;
        })?;
        let padding = parameters.values(layers.padding).chunks_exact(width);
        let upper = layers.upper.map(|upper| {
            let (weights, bias) = (parameters.values(upper.weights), parameters.values(upper.bias));
            Upper::new(weights, bias, outputs)
        });
        Ok(StateForward {
            sizes,
            vectors,
            n_tokens,
            products,
            padding: padding.flat_map(|feature| piece_by_piece(feature, pieces, 1)).collect(),
            bias: piece_by_piece(parameters.values(layers.bias), pieces, 1),
            upper,
        })
    }

    /// Returns the sizes of the network.
    pub fn sizes(&self) -> StateSizes {
        self.sizes
    }

    /// Scores states: writes a row of scores for each to `scores`, and notes on the tape what the
    /// backward pass needs. `features` has the positions of the tokens of each state, -1 for a
    /// missing one; `places` tells the states of all steps of an update apart, for dropout by
    /// counter.
    ///
    /// # Errors
    ///
    /// `state-features` for another number of features, or a position outside of the tokens.
    pub fn score(
        &self,
        features: &[i32],
        places: &[usize],
        dropout: &Dropout<'_>,
        tape: &mut StateTape,
        scores: &mut Vec<f32>,
    ) -> Result<()> {
        let StateSizes { outputs, classes, .. } = self.sizes;
        let n_states = self.check(features, places.len())?;
        let first = tape.len(self.sizes) * outputs;
        tape.features.extend_from_slice(features);
        tape.winners.resize(first + n_states * outputs, 0);
        tape.hidden.resize(first + n_states * outputs, 0.0);
        let (winners, hidden) = (&mut tape.winners[first..], &mut tape.hidden[first..]);
        vectorized(
            #[inline(always)]
            || self.write_hidden(features, winners, hidden),
        );
        if self.upper.is_some() {
            if let Some(mask) = dropout.mask(LAYER, n_states, outputs) {
                let mut factors = vec![0.0; outputs];
                let rows = hidden.chunks_exact_mut(outputs).zip(winners.chunks_exact_mut(outputs));
                for ((at, place), (hidden, winners)) in places.iter().enumerate().zip(rows) {
                    factors.fill(1.0);
                    mask.apply(if dropout.is_by_counter() { *place } else { at }, &mut factors);
                    for ((hidden, winner), factor) in hidden.iter_mut().zip(winners).zip(&factors) {
                        *hidden *= factor;
                        *winner |= if *factor == 0.0 { SILENT } else { 0 };
                        tape.scale = tape.scale.max(*factor);
                    }
                }
            }
        }
        scores.clear();
        match &self.upper {
            None => scores.extend_from_slice(hidden),
            Some(upper) => {
                scores.resize(n_states * classes, 0.0);
                let rows = hidden.chunks_exact(outputs).zip(scores.chunks_exact_mut(classes));
                let mut room = vec![0.0; upper.stride];
                vectorized(
                    #[inline(always)]
                    || {
                        for (hidden, scores) in rows {
                            upper.score(hidden, &mut room, scores);
                        }
                    },
                );
            }
        }
        Ok(())
    }

    /// Returns the number of states.
    fn check(&self, features: &[i32], n_states: usize) -> Result<usize> {
        let n_features = self.sizes.features;
        if features.len() != n_states * n_features {
            let text =
                format!("{} features for {n_states} states of {n_features} each", features.len());
            return Err(Error::value(codes::STATE_FEATURES, text));
        }
        let is_known = |at: &i32| usize::try_from(*at).map_or(*at == -1, |at| at < self.n_tokens);
        match features.iter().find(|at| !is_known(at)) {
            None => Ok(n_states),
            Some(at) => {
                let text = format!("a feature at {at}; the batch has {} tokens", self.n_tokens);
                Err(Error::value(codes::STATE_FEATURES, text))
            }
        }
    }

    /// Writes the largest piece of each output and its number.
    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    fn write_hidden(&self, features: &[i32], winners: &mut [u8], hidden: &mut [f32]) {
        let StateSizes { features: n_features, outputs, pieces, .. } = self.sizes;
        let width = outputs * pieces;
        let mut sum = vec![0.0_f32; width];
        let rows = winners.chunks_exact_mut(outputs).zip(hidden.chunks_exact_mut(outputs));
        for (state, (winners, hidden)) in features.chunks_exact(n_features).zip(rows) {
            sum.fill(0.0);
            for (feature, at) in state.iter().enumerate() {
                let products = match usize::try_from(*at) {
                    Ok(token) => &self.products[feature][token * width..][..width],
                    Err(_) => &self.padding[feature * width..][..width],
                };
                sum.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
            }
            sum.iter_mut().zip(&self.bias).for_each(|(sum, bias)| *sum += bias);
            let (first, rest) = sum.split_at(outputs);
            hidden.copy_from_slice(first);
            winners.fill(0);
            for (number, piece) in (1..).zip(rest.chunks_exact(outputs)) {
                for ((largest, winner), value) in hidden.iter_mut().zip(&mut *winners).zip(piece) {
                    let is_larger = *value > *largest;
                    *largest = if is_larger { *value } else { *largest };
                    *winner = if is_larger { number } else { *winner };
                }
            }
            if pieces == 1 {
                // As in spaCy, the sole piece is rectified.
                for (output, winner) in hidden.iter_mut().zip(&mut *winners) {
                    let is_silent = *output < 0.0;
                    *output *= if is_silent { 0.0 } else { 1.0 };
                    *winner = if is_silent { SILENT } else { 0 };
                }
            }
        }
    }
}

impl<'a> Upper<'a> {
    fn new(weights: &[f32], bias: &'a [f32], outputs: usize) -> Upper<'a> {
        let stride = bias.len().next_multiple_of(LANES);
        let mut by_output = vec![0.0; outputs * stride];
        for (class, row) in weights.chunks_exact(outputs).enumerate() {
            for (weights, weight) in by_output.chunks_exact_mut(stride).zip(row) {
                weights[class] = *weight;
            }
        }
        Upper { weights: by_output, stride, bias }
    }

    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    fn score(&self, hidden: &[f32], room: &mut [f32], scores: &mut [f32]) {
        room.fill(0.0);
        let rows = || hidden.iter().enumerate().map(|(output, x)| (output * self.stride, *x));
        add_products(rows, &self.weights, room);
        for ((score, sum), bias) in scores.iter_mut().zip(&*room).zip(self.bias) {
            *score = sum + bias;
        }
    }
}
