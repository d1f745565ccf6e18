//! Products with AVX-512, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for AVX-512. Invariants:
//!
//! - `P1`: a value of [`Avx512`] exists only if the processor has AVX-512 F. The functions of this
//!   module are reached through one alone.
//! - `P2`: numbers are loaded and stored by references to arrays of [`PANEL`] of them, which fill a
//!   register.
//!
//! A whole tile of 8 rows by 3 panels has 24 of the 32 registers for its sums. For each input
//! number it takes 3 loads of weights and 8 of inputs to 24 additions; an addition takes four
//! cycles, and two begin in a cycle, so that 8 sums at least are to be added to at a time. A
//! convolution has three pieces of 16 outputs, which are the panels of one tile. Blocks of inputs,
//! which the orders of BLIS have, are computed one after another and added.

use std::arch::x86_64::{
    __m512, _mm512_add_ps, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_mul_ps, _mm512_set1_ps,
    _mm512_setzero_ps, _mm512_storeu_ps,
};
use std::ops::Range;

use crate::infer::panels::{PANEL, Panel, Panels};
use crate::infer::processor::{Avx512, vectorized};
use crate::infer::scratch::Scratch;
use crate::infer::sums::{GemmOrder, add};

/// The number of rows of a whole tile.
const ROWS: usize = 8;
/// The number of panels of a whole tile.
const WIDE: usize = 3;

/// The sums of `N` rows for the outputs of `P` panels.
type Tile<const N: usize, const P: usize> = [[__m512; P]; N];

/// Rows of a product: where each begins in a source, and their results.
struct Rows<'a> {
    source: &'a [f32],
    starts: &'a [usize],
    out: &'a mut [f32],
}

/// Multiplies the rows that begin at `starts` with weights.
///
/// # Panics
///
/// If a row ends outside of `source`.
pub(super) fn multiply(
    avx512: Avx512,
    panels: &Panels<f32>,
    order: GemmOrder,
    source: &[f32],
    starts: &[usize],
    out: &mut [f32],
) {
    if out.is_empty() {
        return;
    }
    let mut blocks = order.blocks(panels.width);
    if let Some(block) = blocks.next() {
        block_sums(avx512, panels, order, &block, Rows { source, starts, out });
    }
    for block in blocks {
        let mut sums = Scratch::any(out.len());
        block_sums(avx512, panels, order, &block, Rows { source, starts, out: &mut sums });
        vectorized(|| add(out, &sums));
    }
}

/// Writes the sums over a block of inputs.
fn block_sums(
    _: Avx512,
    panels: &Panels<f32>,
    order: GemmOrder,
    block: &Range<usize>,
    rows: Rows<'_>,
) {
    // SAFETY: P1.
    unsafe {
        if order.is_fused() {
            all_rows::<true>(panels, block, rows);
        } else {
            all_rows::<false>(panels, block, rows);
        }
    }
}

/// Multiplies whole groups of rows, and then those that are left: four, two and one.
#[target_feature(enable = "avx512f")]
fn all_rows<const FUSED: bool>(panels: &Panels<f32>, block: &Range<usize>, mut rows: Rows<'_>) {
    let outputs = panels.outputs;
    let groups = rows.take(rows.starts.len() / ROWS * ROWS, outputs);
    by_panels::<ROWS, FUSED>(panels, block, groups);
    let four = rows.take(rows.starts.len() / 4 * 4, outputs);
    by_panels::<4, FUSED>(panels, block, four);
    let two = rows.take(rows.starts.len() / 2 * 2, outputs);
    by_panels::<2, FUSED>(panels, block, two);
    by_panels::<1, FUSED>(panels, block, rows);
}

impl<'a> Rows<'a> {
    /// Splits off the first rows.
    fn take(&mut self, n_rows: usize, outputs: usize) -> Rows<'a> {
        let (starts, rest) = self.starts.split_at(n_rows);
        let (out, rest_out) = std::mem::take(&mut self.out).split_at_mut(n_rows * outputs);
        (self.starts, self.out) = (rest, rest_out);
        Rows { source: self.source, starts, out }
    }
}

/// Multiplies groups of `N` rows with all panels.
#[target_feature(enable = "avx512f")]
fn by_panels<const N: usize, const FUSED: bool>(
    panels: &Panels<f32>,
    block: &Range<usize>,
    mut rows: Rows<'_>,
) {
    if rows.starts.is_empty() {
        return;
    }
    let mut groups = panels.weights.chunks_exact(WIDE * panels.width);
    let mut first = 0;
    for group in groups.by_ref() {
        tiles::<N, WIDE, FUSED>(panels, group, block, &mut rows, first);
        first += WIDE * PANEL;
    }
    let rest = groups.remainder();
    match rest.len() / panels.width {
        0 => {}
        1 => tiles::<N, 1, FUSED>(panels, rest, block, &mut rows, first),
        _ => tiles::<N, 2, FUSED>(panels, rest, block, &mut rows, first),
    }
}

/// Multiplies groups of `N` rows with a group of `P` panels, whose outputs begin at `first`.
#[target_feature(enable = "avx512f")]
fn tiles<const N: usize, const P: usize, const FUSED: bool>(
    panels: &Panels<f32>,
    group: &[Panel<f32>],
    block: &Range<usize>,
    rows: &mut Rows<'_>,
    first: usize,
) {
    let (width, outputs) = (panels.width, panels.outputs);
    // Slices of one length, so that the loop over inputs has no check of a bound.
    let mut weights: [&[Panel<f32>]; P] = [&[]; P];
    for (weights, panel) in weights.iter_mut().zip(group.chunks_exact(width)) {
        *weights = &panel[block.clone()];
    }
    let all = rows.starts.chunks_exact(N).zip(rows.out.chunks_exact_mut(N * outputs));
    for (starts, out) in all {
        let mut inputs: [&[f32]; N] = [&[]; N];
        for (inputs, start) in inputs.iter_mut().zip(starts) {
            *inputs = &rows.source[*start..*start + width][block.clone()];
        }
        let tile = sums::<N, P, FUSED>(inputs, weights, block.len());
        for (sums, out) in tile.iter().zip(out.chunks_exact_mut(outputs)) {
            for (panel, sums) in sums.iter().enumerate() {
                let out = &mut out[first + panel * PANEL..];
                if let Some(out) = out.first_chunk_mut() {
                    store(*sums, out);
                } else {
                    let mut numbers = [0.0; PANEL];
                    store(*sums, &mut numbers);
                    out.copy_from_slice(&numbers[..out.len()]);
                }
            }
        }
    }
}

/// Returns the sums over `len` inputs of some rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn sums<const N: usize, const P: usize, const FUSED: bool>(
    mut inputs: [&[f32]; N],
    mut weights: [&[Panel<f32>]; P],
    len: usize,
) -> Tile<N, P> {
    for inputs in &mut inputs {
        *inputs = &inputs[..len];
    }
    for weights in &mut weights {
        *weights = &weights[..len];
    }
    let mut sums = [[_mm512_setzero_ps(); P]; N];
    for at in 0..len {
        let mut factors = [_mm512_setzero_ps(); P];
        for (factor, weights) in factors.iter_mut().zip(weights) {
            *factor = load(&weights[at]);
        }
        for row in 0..N {
            let input = _mm512_set1_ps(inputs[row][at]);
            for panel in 0..P {
                let sum = sums[row][panel];
                sums[row][panel] = if FUSED {
                    _mm512_fmadd_ps(input, factors[panel], sum)
                } else {
                    _mm512_add_ps(sum, _mm512_mul_ps(input, factors[panel]))
                };
            }
        }
    }
    sums
}

/// Loads the weights of a panel.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(weights: &Panel<f32>) -> __m512 {
    // SAFETY: P2.
    unsafe { _mm512_loadu_ps(weights.as_ptr()) }
}

/// Stores the sums of a panel.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(sums: __m512, out: &mut Panel<f32>) {
    // SAFETY: P2.
    unsafe { _mm512_storeu_ps(out.as_mut_ptr(), sums) };
}
