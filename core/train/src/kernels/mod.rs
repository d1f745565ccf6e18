//! Loops of maxout layers: the largest pieces forward, and backward the products of a gradient that
//! is 0 but for the winning piece of each output.
//!
//! Of `n` pieces one in `n` has a gradient, so that the products of the others are left out. Each
//! number is one chain of fused operations in a fixed order: gradients of weights over the rows in
//! order, those of inputs over the outputs in order. So neither threads nor tiles change a bit.

use lexpool_nn::vectorized;

/// Rows of windows in a buffer, which may overlap.
#[derive(Clone, Copy)]
pub(crate) struct Windows<'a> {
    pub(crate) buffer: &'a [f32],
    /// The places at which the windows begin.
    pub(crate) starts: &'a [usize],
    /// The number of numbers of a window.
    pub(crate) width: usize,
}

/// The gradient of the result of a maxout layer, with the winning piece of each output.
#[derive(Clone, Copy)]
pub(crate) struct Winners<'a> {
    pub(crate) d: &'a [f32],
    pub(crate) which: &'a [u8],
    pub(crate) pieces: usize,
}

/// Puts the rows of all outputs' first pieces first, then those of the second pieces.
pub(crate) fn piece_by_piece(rows: &[f32], pieces: usize, width: usize) -> Vec<f32> {
    let mut apart = Vec::with_capacity(rows.len());
    for piece in 0..pieces {
        for row in rows.chunks_exact(width.max(1)).skip(piece).step_by(pieces) {
            apart.extend_from_slice(row);
        }
    }
    apart
}

/// Returns the places of the windows of sequences that lie between `window` rows of zeros.
pub(crate) fn starts(lengths: &[usize], window: usize, width: usize) -> Vec<usize> {
    let mut first = 0;
    let mut starts = Vec::with_capacity(lengths.iter().sum());
    for length in lengths {
        starts.extend((first..first + length).map(|row| row * width));
        first += length + window;
    }
    starts
}

/// Finds the largest piece of each output of some rows, the first of equal ones.
#[inline]
pub(crate) fn largest_pieces(
    sums: &[f32],
    bias: &[f32],
    pieces: usize,
    best: &mut [f32],
    which: &mut [u8],
) {
    let outputs = bias.len() / pieces;
    let rows = best.chunks_exact_mut(outputs).zip(which.chunks_exact_mut(outputs));
    for (sums, (best, which)) in sums.chunks_exact(bias.len()).zip(rows) {
        let mut all = (0..).zip(sums.chunks_exact(outputs).zip(bias.chunks_exact(outputs)));
        if let Some((_, (sums, bias))) = all.next() {
            for ((best, sum), bias) in best.iter_mut().zip(sums).zip(bias) {
                *best = sum + bias;
            }
        }
        for (piece, (sums, bias)) in all {
            let own = best.iter_mut().zip(&mut *which);
            for (((best, which), sum), bias) in own.zip(sums).zip(bias) {
                let number = sum + bias;
                let is_larger = number > *best;
                *best = if is_larger { number } else { *best };
                *which = if is_larger { piece } else { *which };
            }
        }
    }
}

/// Adds the gradients of weights and bias of some outputs, from `first` on.
pub(crate) fn add_weight_gradients(
    windows: Windows<'_>,
    winners: Winners<'_>,
    outputs: usize,
    first: usize,
    d_weights: &mut [f32],
    d_bias: &mut [f32],
) {
    let Windows { buffer, starts, width } = windows;
    let pieces = winners.pieces;
    vectorized(|| {
        let own = d_bias.chunks_exact_mut(pieces).zip(d_weights.chunks_exact_mut(pieces * width));
        for (output, (d_bias, d_weights)) in (first..).zip(own) {
            for (row, start) in starts.iter().enumerate() {
                let at = row * outputs + output;
                let (d, piece) = (winners.d[at], usize::from(winners.which[at]));
                d_bias[piece] += d;
                let window = &buffer[*start..start + width];
                let sums = &mut d_weights[piece * width..(piece + 1) * width];
                sums.iter_mut().zip(window).for_each(|(sum, x)| *sum = d.mul_add(*x, *sum));
            }
        }
    });
}

/// Computes the gradients of the windows of some rows, from `first` on.
pub(crate) fn input_gradients(
    winners: Winners<'_>,
    outputs: usize,
    first: usize,
    weights: &[f32],
    width: usize,
    out: &mut [f32],
) {
    let pieces = winners.pieces;
    vectorized(|| {
        for (row, sums) in (first..).zip(out.chunks_exact_mut(width)) {
            let at = row * outputs..(row + 1) * outputs;
            let all = winners.d[at.clone()].iter().zip(&winners.which[at]);
            for (output, (d, piece)) in all.enumerate() {
                let weights = &weights[(output * pieces + usize::from(*piece)) * width..][..width];
                sums.iter_mut().zip(weights).for_each(|(sum, w)| *sum = d.mul_add(*w, *sum));
            }
        }
    });
}

/// Adds the gradients of windows to those of the rows in them, of one sequence. `out` has the rows
/// from `first` on, which are zeros; the window of a row has the `window` rows before it first.
pub(crate) fn add_windows(
    d_windows: &[f32],
    width: usize,
    window: usize,
    first: usize,
    out: &mut [f32],
) {
    let full = width * (2 * window + 1);
    let n = d_windows.len() / full;
    for (row, sums) in (first..).zip(out.chunks_exact_mut(width)) {
        // A row is the last of the windows of the rows before it.
        for block in 0..=2 * window {
            let Some(center) = (row + window).checked_sub(block).filter(|center| *center < n)
            else {
                continue;
            };
            let d = &d_windows[center * full + block * width..][..width];
            sums.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
        }
    }
}
