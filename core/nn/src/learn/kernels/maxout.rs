//! Loops of maxout layers: the largest pieces forward, and the products of the winners backward.

use crate::infer::{ScaledRow, add_scaled_rows};

/// Rows of windows in a buffer, which may overlap.
#[derive(Clone, Copy)]
pub(crate) struct Windows<'a> {
    pub(crate) buffer: &'a [f32],
    /// The places at which the windows begin.
    pub(crate) starts: &'a [u32],
    /// The number of numbers of a window.
    pub(crate) width: usize,
}

/// The gradient of the result of a maxout layer, with the winning piece of each output.
#[derive(Clone, Copy)]
pub(crate) struct Winners<'a> {
    pub(crate) d: &'a [f32],
    pub(crate) which: &'a [u8],
    pub(crate) outputs: usize,
    pub(crate) pieces: usize,
}

/// The number of rows whose products are added together: their windows are in the first cache.
const BLOCK: usize = 64;
/// The most bytes of weights that stay in the second cache while some rows read them.
const WEIGHT_BYTES: usize = 128 << 10;

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
#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
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
            let pairs = best.iter_mut().zip(&mut *which);
            for (((best, which), sum), bias) in pairs.zip(sums).zip(bias) {
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
    first: usize,
    d_weights: &mut [f32],
    d_bias: &mut [f32],
) {
    let (width, pieces) = (windows.width, winners.pieces);
    let n_outputs = d_bias.len() / pieces;
    // The rows of a block by the piece that won.
    let mut lists: Vec<_> = (0..n_outputs * pieces).map(|_| Vec::with_capacity(BLOCK)).collect();
    for (block, starts) in windows.starts.chunks(BLOCK).enumerate() {
        lists.iter_mut().for_each(Vec::clear);
        for (row, start) in (block * BLOCK..).zip(starts) {
            let at = row * winners.outputs + first;
            let all = winners.d[at..at + n_outputs].iter().zip(&winners.which[at..at + n_outputs]);
            for (output, (d, piece)) in all.enumerate() {
                let piece = output * pieces + usize::from(*piece);
                lists[piece].push(ScaledRow { factor: *d, start: *start });
            }
        }
        let sums = d_weights.chunks_exact_mut(width).zip(&mut *d_bias);
        for (rows, (d_weights, d_bias)) in lists.iter().zip(sums) {
            for row in rows {
                *d_bias += row.factor;
            }
            add_scaled_rows(rows, windows.buffer, d_weights);
        }
    }
}

/// Computes the gradients of the windows of some rows, from `first` on; `out` has zeros.
pub(crate) fn input_gradients(
    winners: Winners<'_>,
    first: usize,
    weights: &[f32],
    width: usize,
    out: &mut [f32],
) {
    let Winners { d, which, outputs, pieces } = winners;
    let in_block = (WEIGHT_BYTES / (pieces * width * size_of::<f32>()).max(1)).max(1);
    let mut rows = Vec::with_capacity(outputs.min(in_block));
    for start in (0..outputs).step_by(in_block) {
        let end = outputs.min(start + in_block);
        for (row, sums) in (first..).zip(out.chunks_exact_mut(width)) {
            let at = row * outputs + start..row * outputs + end;
            rows.clear();
            for ((factor, piece), output) in d[at.clone()].iter().zip(&which[at]).zip(start..) {
                let start = (output * pieces + usize::from(*piece)) * width;
                rows.push(ScaledRow { factor: *factor, start: place(start) });
            }
            add_scaled_rows(&rows, weights, sums);
        }
    }
}

/// Returns a place in a table as it is kept. A table of more numbers, 16 GiB, is not read.
pub(crate) fn place(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2^32 numbers")
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
            let center = (row + window).checked_sub(block).filter(|center| *center < n);
            if let Some(center) = center {
                let d = &d_windows[center * full + block * width..][..width];
                sums.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
            }
        }
    }
}
