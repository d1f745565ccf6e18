//! Products of numbers that are rounded to bf16: the upper half of a float, with 8 significant
//! bits.
//!
//! Numbers lie in pairs, as the instruction `VDPBF16PS` takes them: it adds two products to each of
//! 16 sums, and so multiplies twice as many numbers as one of floats. Each sum is one chain over
//! the pairs in order, that of the second numbers of a pair before that of the first, whatever the
//! number of rows and the instructions. A product of two such numbers is exact as a float, so fused
//! and separate additions have the same bits. Numbers are limited to a range ([`round`]) in which
//! neither products nor sums are denormal, since that instruction takes those for zero.

#[cfg(avx512)]
#[clippy::msrv = "1.89"]
mod avx512;

use crate::panels::{PANEL, Panel, Panels};
#[cfg(avx512)]
use crate::processor::Avx512Bf16;
use crate::processor::{Instructions, vectorized};
use crate::scratch::Scratch;

/// The number of rows that are multiplied together without special instructions.
const ROWS: usize = 4;
/// The least magnitude; smaller numbers become 0. Numbers of the range are multiples of 2^-63, thus
/// products and sums are multiples of 2^-126, the least normal float.
const LEAST: f32 = f32::from_bits((127 - 56) << 23);
/// The greatest magnitude, 2^62; greater numbers become it, so that no product overflows.
const GREATEST: f32 = f32::from_bits((127 + 62) << 23);

/// Rows of numbers in bf16: pairs in words, the first number in the lower half. A row of an odd
/// number ends with 0.
#[derive(Debug)]
pub(crate) struct Bf16Rows {
    pairs: Scratch<u32>,
    /// The number of pairs of a row.
    n_pairs: usize,
}

/// The weights of some outputs, which take one row or several rows that lie side by side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bf16Weights {
    panels: Panels<u32>,
    /// The number of numbers of a row.
    width: usize,
}

impl Bf16Rows {
    /// Rounds rows of `width` numbers.
    pub(crate) fn new(rows: &[f32], width: usize) -> Bf16Rows {
        let n_pairs = width.div_ceil(2);
        let mut pairs = Scratch::any(rows.len() / width * n_pairs);
        vectorized(|| {
            if width % 2 == 0 {
                round_pairs(rows, &mut pairs);
                return;
            }
            for (row, pairs) in rows.chunks_exact(width).zip(pairs.chunks_exact_mut(n_pairs)) {
                round_pairs(row, pairs);
            }
        });
        Bf16Rows { pairs, n_pairs }
    }

    /// Returns the number of pairs of a row.
    pub(crate) fn n_pairs(&self) -> usize {
        self.n_pairs
    }
}

impl Bf16Weights {
    /// Rounds and packs the weights of outputs, each for `n_rows` rows of `width` numbers.
    ///
    /// # Panics
    ///
    /// If `n_rows` or `width` is 0.
    pub(crate) fn new(weights: &[f32], n_rows: usize, width: usize) -> Bf16Weights {
        let rows = Bf16Rows::new(weights, width);
        Bf16Weights { panels: Panels::new(&rows.pairs, n_rows * rows.n_pairs), width }
    }

    /// Returns the number of numbers of a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        self.panels.outputs
    }

    /// Multiplies the rows whose pairs begin at `starts`; they may overlap. Writes a row of outputs
    /// for each to `out`.
    ///
    /// # Panics
    ///
    /// If a row ends outside of `rows`, or `out` has another length.
    pub(crate) fn multiply_at(&self, rows: &Bf16Rows, starts: &[usize], out: &mut [f32]) {
        self.multiply_with(Instructions::best(), &rows.pairs, starts, out);
    }

    fn multiply_with(
        &self,
        instructions: Instructions,
        pairs: &[u32],
        starts: &[usize],
        out: &mut [f32],
    ) {
        assert_eq!(out.len(), starts.len() * self.outputs(), "a row of outputs for each start");
        match instructions {
            #[cfg(avx512)]
            Instructions::Avx512(avx512) => match Avx512Bf16::detect(avx512) {
                Some(bf16) => avx512::multiply(bf16, &self.panels, pairs, starts, out),
                None => vectorized(|| self.multiply_plainly(pairs, starts, out)),
            },
            Instructions::Plain => self.multiply_plainly(pairs, starts, out),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            _ => vectorized(|| self.multiply_plainly(pairs, starts, out)),
        }
    }

    /// Multiplies without instructions for bf16.
    #[inline]
    fn multiply_plainly(&self, pairs: &[u32], starts: &[usize], out: &mut [f32]) {
        if out.is_empty() {
            return;
        }
        let Panels { weights, width: n_pairs, outputs } = &self.panels;
        for (number, panel) in weights.chunks_exact(*n_pairs).enumerate() {
            let first = number * PANEL;
            let end = (first + PANEL).min(*outputs);
            let row = |start: &usize| &pairs[*start..start + n_pairs];
            let groups = starts.chunks(ROWS).zip(out.chunks_mut(ROWS * outputs));
            for (starts, out) in groups {
                let out = out.chunks_exact_mut(*outputs).map(|out| &mut out[first..end]);
                if let Some(starts) = starts.first_chunk::<ROWS>() {
                    let sums = sums(starts.each_ref().map(row), panel);
                    out.zip(sums).for_each(|(out, sums)| out.copy_from_slice(&sums[..out.len()]));
                } else {
                    for (start, out) in starts.iter().zip(out) {
                        let [sums] = sums([row(start)], panel);
                        out.copy_from_slice(&sums[..out.len()]);
                    }
                }
            }
        }
    }
}

/// Returns the sums of `N` rows for the outputs of a panel.
#[inline]
fn sums<const N: usize>(rows: [&[u32]; N], panel: &[Panel<u32>]) -> [[f32; PANEL]; N] {
    // Slices of one length, so that the loop over pairs has no check of a bound.
    let rows = rows.map(|row| &row[..panel.len()]);
    let mut sums = [[0.0; PANEL]; N];
    for (at, weights) in panel.iter().enumerate() {
        let (first, second) = (weights.map(first), weights.map(second));
        for (sums, row) in sums.iter_mut().zip(rows) {
            let inputs = (self::first(row[at]), self::second(row[at]));
            for lane in 0..PANEL {
                sums[lane] = (sums[lane] + inputs.1 * second[lane]) + inputs.0 * first[lane];
            }
        }
    }
    sums
}

/// Returns the first number of a pair.
#[inline]
fn first(pair: u32) -> f32 {
    f32::from_bits(pair << 16)
}

/// Returns the second number of a pair.
#[inline]
fn second(pair: u32) -> f32 {
    f32::from_bits(pair & 0xffff_0000)
}

/// Rounds numbers to pairs; the last one may lack its second number.
#[inline]
fn round_pairs(numbers: &[f32], pairs: &mut [u32]) {
    let whole = numbers.chunks_exact(2);
    if let ([number], Some(pair)) = (whole.remainder(), pairs.last_mut()) {
        *pair = round(*number);
    }
    for (pair, numbers) in pairs.iter_mut().zip(whole) {
        *pair = round(numbers[0]) | round(numbers[1]) << 16;
    }
}

/// Rounds a number to bf16, to the nearest, ties to even: its 16 bits. Its magnitude becomes 0 or
/// one from [`LEAST`] to [`GREATEST`]; what is not a number stays so.
#[inline]
fn round(number: f32) -> u32 {
    let limited = number.clamp(-GREATEST, GREATEST);
    let limited = if limited.abs() < LEAST { 0.0 } else { limited };
    let bits = limited.to_bits();
    let rounded = (bits.wrapping_add(0x7fff + (bits >> 16 & 1))) >> 16;
    if number.is_nan() { f32::NAN.to_bits() >> 16 } else { rounded }
}

#[cfg(test)]
mod tests;
