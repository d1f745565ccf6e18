//! Sums over winners: the gradient behind a maximum is zero but for the largest piece, and only
//! that piece is multiplied.
//!
//! Each number is one sum in the order of the states, or of features, states and outputs; so it
//! does not depend on how rows and outputs are cut into tiles.

use lexpool_nn::vectorized;

/// The number of sums that stay in registers.
const SUMS: usize = 64;
/// The number of sums of a register.
const LANES: usize = 8;
/// The number of pairs whose tokens stay in a cache while all outputs read them.
const PAIRS: usize = 96;

/// A state that has a feature, and the token of the feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) state: u32,
    pub(super) token: u32,
}

/// The gradients of the hidden outputs of all states, and which piece they belong to, with a row
/// for each output: what the gradients of weights are summed from.
pub(super) struct ByOutput<'a> {
    /// Zero where the output is silent.
    pub(super) gradients: &'a [f32],
    pub(super) winners: &'a [u8],
    pub(super) n_states: usize,
    pub(super) pieces: usize,
    /// The vectors of the tokens.
    pub(super) vectors: &'a [f32],
    pub(super) inputs: usize,
}

impl ByOutput<'_> {
    /// Adds the products of gradients and tokens to rows of weights: all pieces of some outputs,
    /// from the output `first` on, of the feature that `pairs` have.
    pub(super) fn add_to_weights(&self, first: usize, pairs: &[Pair], weights: &mut [f32]) {
        vectorized(
            #[inline(always)]
            || self.add_all(first, pairs, weights),
        );
    }

    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    fn add_all(&self, first: usize, pairs: &[Pair], weights: &mut [f32]) {
        let mut lists: Vec<Vec<(u32, f32)>> = vec![Vec::with_capacity(PAIRS); self.pieces];
        for pairs in pairs.chunks(PAIRS) {
            let outputs = weights.chunks_exact_mut(self.pieces * self.inputs);
            for (output, weights) in (first..).zip(outputs) {
                let gradients = &self.gradients[output * self.n_states..][..self.n_states];
                let winners = &self.winners[output * self.n_states..][..self.n_states];
                for list in &mut lists {
                    list.clear();
                }
                for pair in pairs {
                    let gradient = gradients[pair.state as usize];
                    if gradient != 0.0 {
                        lists[usize::from(winners[pair.state as usize])]
                            .push((pair.token, gradient));
                    }
                }
                for (list, row) in lists.iter().zip(weights.chunks_exact_mut(self.inputs)) {
                    self.add_list(list, row);
                }
            }
        }
    }

    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    fn add_list(&self, list: &[(u32, f32)], row: &mut [f32]) {
        let rows = |(token, gradient): &(u32, f32)| (*token as usize * self.inputs, *gradient);
        let factors = || list.iter().map(rows);
        add_products(factors, self.vectors, row);
    }
}

/// Adds the products of the gradients of states with weights to the vectors of tokens.
pub(super) struct ByState<'a> {
    /// The gradients of the hidden outputs of all states, a row for each; zero where the output is
    /// silent.
    pub(super) gradients: &'a [f32],
    /// The pieces that they belong to.
    pub(super) winners: &'a [u8],
    pub(super) outputs: usize,
    pub(super) pieces: usize,
    pub(super) inputs: usize,
}

impl ByState<'_> {
    /// Adds to the rows of some tokens. `states` has for each of them the states that have it as
    /// the feature with these weights.
    pub(super) fn add_to_tokens<'s>(
        &self,
        weights: &[f32],
        states: impl Iterator<Item = &'s [u32]>,
        tokens: &mut [f32],
    ) {
        vectorized(
            #[inline(always)]
            || {
                for (states, row) in states.zip(tokens.chunks_exact_mut(self.inputs)) {
                    for state in states {
                        self.add_state(weights, *state as usize, row);
                    }
                }
            },
        );
    }

    #[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
    #[inline(always)]
    fn add_state(&self, weights: &[f32], state: usize, row: &mut [f32]) {
        let gradients = &self.gradients[state * self.outputs..][..self.outputs];
        let winners = &self.winners[state * self.outputs..][..self.outputs];
        let (inputs, of_output) = (self.inputs, self.inputs * self.pieces);
        let factors = || {
            let outputs = gradients.iter().zip(winners).enumerate();
            outputs.map(move |(output, (gradient, winner))| {
                (output * of_output + usize::from(*winner) * inputs, *gradient)
            })
        };
        add_products(factors, weights, row);
    }
}

/// Adds rows of a table to one row, each times a factor: a pair of the place where a row begins
/// and its factor.
#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn add_products<I: Iterator<Item = (usize, f32)>>(
    factors: impl Fn() -> I,
    table: &[f32],
    row: &mut [f32],
) {
    let mut blocks = row.chunks_exact_mut(SUMS);
    let mut column = 0;
    for block in &mut blocks {
        add_block::<{ SUMS / LANES }>(factors(), table, column, block);
        column += SUMS;
    }
    let mut blocks = blocks.into_remainder().chunks_exact_mut(LANES);
    for block in &mut blocks {
        add_block::<1>(factors(), table, column, block);
        column += LANES;
    }
    for sum in blocks.into_remainder() {
        for (start, factor) in factors() {
            *sum = factor.mul_add(table[start + column], *sum);
        }
        column += 1;
    }
}

/// Adds `N` registers of each row.
#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn add_block<const N: usize>(
    factors: impl Iterator<Item = (usize, f32)>,
    table: &[f32],
    column: usize,
    block: &mut [f32],
) {
    let mut sums = [[0.0_f32; LANES]; N];
    for (sums, block) in sums.iter_mut().zip(block.chunks_exact(LANES)) {
        sums.copy_from_slice(block);
    }
    for (start, factor) in factors {
        let row = &table[start + column..][..N * LANES];
        for (at, sums) in sums.iter_mut().enumerate() {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum = factor.mul_add(row[at * LANES + lane], *sum);
            }
        }
    }
    for (sums, block) in sums.iter().zip(block.chunks_exact_mut(LANES)) {
        block.copy_from_slice(sums);
    }
}
