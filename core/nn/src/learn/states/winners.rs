//! Sums over winners: the gradient behind a maximum is zero but for the largest piece, and only
//! that piece is multiplied.
//!
//! Each number is one sum in the order of the states, or of features, blocks of outputs, states and
//! outputs; so it does not depend on how rows and outputs are cut into tiles.

use crate::infer::{ScaledRow, add_scaled_rows};
use crate::learn::kernels::place;

/// The number of sums of a register.
pub(super) const LANES: usize = 8;
/// The most registers of sums at a time.
const REGISTERS: usize = 10;
/// The number of pairs whose tokens stay in a cache while all outputs read them.
const PAIRS: usize = 64;
/// The most bytes of weights that stay in a cache while all states of some tokens read them.
const WEIGHT_BYTES: usize = 24 << 10;

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
        let mut lists = vec![WinnerList::default(); self.pieces];
        let starts: Vec<u32> =
            pairs.iter().map(|pair| place(pair.token as usize * self.inputs)).collect();
        for (pairs, starts) in pairs.chunks(PAIRS).zip(starts.chunks(PAIRS)) {
            let outputs = weights.chunks_exact_mut(self.pieces * self.inputs);
            for (output, weights) in (first..).zip(outputs) {
                let gradients = &self.gradients[output * self.n_states..][..self.n_states];
                let winners = &self.winners[output * self.n_states..][..self.n_states];
                for list in &mut lists {
                    list.len = 0;
                }
                for (pair, start) in pairs.iter().zip(starts) {
                    let state = pair.state as usize;
                    let row = ScaledRow { factor: gradients[state], start: *start };
                    lists[usize::from(winners[state])].push(row);
                }
                for (list, row) in lists.iter().zip(weights.chunks_exact_mut(self.inputs)) {
                    add_scaled_rows(&list.rows[..list.len], self.vectors, row);
                }
            }
        }
    }
}

/// The tokens of up to [`PAIRS`] pairs with one winning piece, and their gradients.
#[derive(Clone)]
struct WinnerList {
    rows: [ScaledRow; PAIRS],
    len: usize,
}

impl Default for WinnerList {
    fn default() -> WinnerList {
        WinnerList { rows: [ScaledRow::default(); PAIRS], len: 0 }
    }
}

impl WinnerList {
    /// Adds a row unless its factor is zero, without a branch: which are zero cannot be predicted.
    #[inline]
    fn push(&mut self, row: ScaledRow) {
        self.rows[self.len] = row;
        self.len += usize::from(row.factor != 0.0);
    }
}

/// The gradients of the hidden outputs of all states, as factors of the weights of their winning
/// pieces.
pub(super) struct ByState {
    /// A row for each state, with a factor for each output; zero where the output is silent.
    rows: Vec<ScaledRow>,
    outputs: usize,
    inputs: usize,
    /// The number of outputs whose weights are read together.
    block: usize,
}

impl ByState {
    /// Takes the gradients of states, rows of `outputs` numbers, and the winners.
    pub(super) fn new(
        (gradients, winners): (&[f32], &[u8]),
        outputs: usize,
        pieces: usize,
        inputs: usize,
    ) -> ByState {
        let of_output = inputs * pieces;
        let states = gradients.chunks_exact(outputs).zip(winners.chunks_exact(outputs));
        let rows = states.flat_map(|(gradients, winners)| {
            let outputs = gradients.iter().zip(winners).enumerate();
            outputs.map(|(output, (factor, winner))| {
                let start = place(output * of_output + usize::from(*winner) * inputs);
                ScaledRow { factor: *factor, start }
            })
        });
        let block = (WEIGHT_BYTES / (of_output * size_of::<f32>()).max(1)).max(1);
        ByState { rows: rows.collect(), outputs, inputs, block }
    }

    /// Adds the products of the gradients of states with weights to the vectors of some tokens.
    /// `states` returns for each of them, counted from the first, the states that have it as the
    /// feature with these weights.
    pub(super) fn add_to_tokens<'s>(
        &self,
        weights: &[f32],
        states: impl Fn(usize) -> &'s [u32],
        tokens: &mut [f32],
    ) {
        for first in (0..self.outputs).step_by(self.block) {
            let end = self.outputs.min(first + self.block);
            for (token, sums) in tokens.chunks_exact_mut(self.inputs).enumerate() {
                for state in states(token) {
                    let at = *state as usize * self.outputs;
                    add_scaled_rows(&self.rows[at + first..at + end], weights, sums);
                }
            }
        }
    }
}

/// Adds rows of a table to one row, each times a factor: a pair of the place where a row begins
/// and its factor. The columns are divided into blocks of registers of about one size: few sums
/// would wait for each other.
#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
pub(super) fn add_products<I: Iterator<Item = (usize, f32)>>(
    factors: impl Fn() -> I,
    table: &[f32],
    row: &mut [f32],
) {
    let n_registers = row.len() / LANES;
    let n_blocks = n_registers.div_ceil(REGISTERS);
    let (mut rest, mut column) = (row, 0);
    for block in 0..n_blocks {
        let registers = n_registers / n_blocks + usize::from(block < n_registers % n_blocks);
        let (own, after) = rest.split_at_mut(registers * LANES);
        match registers {
            1 => add_block::<1>(factors(), table, column, own),
            2 => add_block::<2>(factors(), table, column, own),
            3 => add_block::<3>(factors(), table, column, own),
            4 => add_block::<4>(factors(), table, column, own),
            5 => add_block::<5>(factors(), table, column, own),
            6 => add_block::<6>(factors(), table, column, own),
            7 => add_block::<7>(factors(), table, column, own),
            8 => add_block::<8>(factors(), table, column, own),
            9 => add_block::<9>(factors(), table, column, own),
            _ => add_block::<REGISTERS>(factors(), table, column, own),
        }
        (rest, column) = (after, column + registers * LANES);
    }
    for sum in rest {
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
        for (sums, row) in sums.iter_mut().zip(row.chunks_exact(LANES)) {
            for (sum, number) in sums.iter_mut().zip(row) {
                *sum = factor.mul_add(*number, *sum);
            }
        }
    }
    for (sums, block) in sums.iter().zip(block.chunks_exact_mut(LANES)) {
        block.copy_from_slice(sums);
    }
}
