//! Products with AVX2, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for AVX2 and FMA. Invariants:
//!
//! - `P1`: a value of [`Avx2`] exists only if the processor has AVX2 and FMA. The functions of this
//!   module are reached through one alone.
//! - `P2`: numbers are loaded and stored by references to arrays of at least `LANES` of them.
//!
//! A tile of `N` rows by `P` panels has `2 N P` registers of sums, 8 to 12 of the 16: that keeps
//! both multipliers and adders busy, since an addition takes three to four cycles. One to three
//! rows therefore take several panels at once.

use std::arch::x86_64::{
    __m256, _mm256_add_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_mul_ps, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_storeu_ps,
};
use std::ops::Range;

use crate::infer::panels::{PANEL, Panel, Panels};
use crate::infer::processor::Avx2;
use crate::infer::sums::GemmOrder;

/// The number of floats in a register.
const LANES: usize = 8;
/// The registers of a panel.
const HALVES: usize = PANEL / LANES;
/// The number of rows of a whole group.
const ROWS: usize = 6;

/// The sums of `N` rows for the outputs of `P` panels.
type Tile<const N: usize, const P: usize> = [[[__m256; HALVES]; P]; N];

/// Multiplies the rows that begin at `starts` with weights.
///
/// # Panics
///
/// If a row ends outside of `source`.
pub(super) fn multiply(
    _: Avx2,
    panels: &Panels<f32>,
    order: GemmOrder,
    source: &[f32],
    starts: &[usize],
    out: &mut [f32],
) {
    if out.is_empty() {
        return;
    }
    // SAFETY: P1.
    unsafe {
        if order.is_fused() {
            groups::<true>(panels, order, source, starts, out);
        } else {
            groups::<false>(panels, order, source, starts, out);
        }
    }
}

/// Multiplies whole groups of rows, and then those that are left.
///
/// # Safety
///
/// The processor must have AVX2 and FMA, as for all functions of this module.
#[target_feature(enable = "avx2,fma")]
unsafe fn groups<const FUSED: bool>(
    panels: &Panels<f32>,
    order: GemmOrder,
    source: &[f32],
    starts: &[usize],
    out: &mut [f32],
) {
    let (starts, rest) = starts.split_at(starts.len() / ROWS * ROWS);
    let (out, rest_out) = out.split_at_mut(starts.len() * panels.outputs);
    // SAFETY: P1.
    unsafe {
        rows_by_panels::<ROWS, 1, FUSED>(panels, order, source, starts, out);
        match rest.len() {
            0 => {}
            1 => rows_by_panels::<1, 4, FUSED>(panels, order, source, rest, rest_out),
            2 => rows_by_panels::<2, 3, FUSED>(panels, order, source, rest, rest_out),
            3 => rows_by_panels::<3, 2, FUSED>(panels, order, source, rest, rest_out),
            4 => rows_by_panels::<4, 1, FUSED>(panels, order, source, rest, rest_out),
            _ => rows_by_panels::<5, 1, FUSED>(panels, order, source, rest, rest_out),
        }
    }
}

/// Multiplies groups of `N` rows with `P` panels at a time.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn rows_by_panels<const N: usize, const P: usize, const FUSED: bool>(
    panels: &Panels<f32>,
    order: GemmOrder,
    source: &[f32],
    starts: &[usize],
    out: &mut [f32],
) {
    let mut groups = panels.weights.chunks_exact(P * panels.width);
    let mut first = 0;
    for group in groups.by_ref() {
        // SAFETY: P1.
        unsafe { tiles::<N, P, FUSED>(panels, group, order, (source, starts), first, out) };
        first += P * PANEL;
    }
    for panel in groups.remainder().chunks_exact(panels.width) {
        // SAFETY: P1.
        unsafe { tiles::<N, 1, FUSED>(panels, panel, order, (source, starts), first, out) };
        first += PANEL;
    }
}

/// Multiplies groups of `N` rows with a group of `P` panels, whose outputs begin at `first`.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn tiles<const N: usize, const P: usize, const FUSED: bool>(
    panels: &Panels<f32>,
    group: &[Panel<f32>],
    order: GemmOrder,
    (source, starts): (&[f32], &[usize]),
    first: usize,
    out: &mut [f32],
) {
    let (width, outputs) = (panels.width, panels.outputs);
    for (starts, out) in starts.chunks_exact(N).zip(out.chunks_exact_mut(N * outputs)) {
        let mut rows: [&[f32]; N] = [&[]; N];
        for (row, start) in rows.iter_mut().zip(starts) {
            *row = &source[*start..start + width];
        }
        let mut blocks = order.blocks(width);
        let Some(block) = blocks.next() else { return };
        // SAFETY: P1.
        unsafe {
            let mut tile = sums::<N, P, FUSED>(rows, group, width, block);
            let Some(block) = blocks.next() else {
                // The usual case, apart so that the sums stay in registers until they are stored.
                store_tile(&tile, first, outputs, out);
                continue;
            };
            for block in std::iter::once(block).chain(blocks) {
                let next = sums::<N, P, FUSED>(rows, group, width, block);
                for (tile, next) in
                    tile.iter_mut().flatten().flatten().zip(next.iter().flatten().flatten())
                {
                    *tile = _mm256_add_ps(*tile, *next);
                }
            }
            store_tile(&tile, first, outputs, out);
        }
    }
}

/// Stores the sums of some panels, whose outputs begin at `first`, for each row of `out`.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn store_tile<const N: usize, const P: usize>(
    tile: &Tile<N, P>,
    first: usize,
    outputs: usize,
    out: &mut [f32],
) {
    for (sums, out) in tile.iter().zip(out.chunks_exact_mut(outputs)) {
        for (panel, sums) in sums.iter().enumerate() {
            let out = &mut out[first + panel * PANEL..];
            if let Some(out) = out.first_chunk_mut() {
                // SAFETY: P1.
                unsafe { store(sums, out) };
            } else {
                let mut numbers = [0.0; PANEL];
                // SAFETY: P1.
                unsafe { store(sums, &mut numbers) };
                out.copy_from_slice(&numbers[..out.len()]);
            }
        }
    }
}

/// Stores the sums of a panel.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn store(sums: &[__m256; HALVES], out: &mut Panel<f32>) {
    for (sums, out) in sums.iter().zip(out.chunks_exact_mut(LANES)) {
        // SAFETY: P2: a chunk has `LANES` numbers.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), *sums) };
    }
}

/// Returns the sums over a block of inputs.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn sums<const N: usize, const P: usize, const FUSED: bool>(
    rows: [&[f32]; N],
    panels: &[Panel<f32>],
    width: usize,
    block: Range<usize>,
) -> Tile<N, P> {
    let len = block.len();
    // Slices of one length, so that the loop has no check of a bound.
    let mut weights: [&[Panel<f32>]; P] = [&[]; P];
    for (panel, weights) in weights.iter_mut().enumerate() {
        *weights = &panels[panel * width..][block.clone()][..len];
    }
    let mut inputs: [&[f32]; N] = [&[]; N];
    for (row, inputs) in rows.iter().zip(&mut inputs) {
        *inputs = &row[block.clone()][..len];
    }
    // SAFETY: P1; P2: a half of a panel's weights has `LANES` numbers.
    unsafe {
        let mut sums = [[[_mm256_setzero_ps(); HALVES]; P]; N];
        for at in 0..len {
            let mut factors = [[_mm256_setzero_ps(); HALVES]; P];
            for (factors, weights) in factors.iter_mut().zip(weights) {
                for (half, factor) in factors.iter_mut().enumerate() {
                    *factor = _mm256_loadu_ps(weights[at].as_ptr().add(half * LANES));
                }
            }
            for row in 0..N {
                let input = _mm256_set1_ps(inputs[row][at]);
                for panel in 0..P {
                    for half in 0..HALVES {
                        let (sum, factor) = (sums[row][panel][half], factors[panel][half]);
                        sums[row][panel][half] = if FUSED {
                            _mm256_fmadd_ps(input, factor, sum)
                        } else {
                            _mm256_add_ps(sum, _mm256_mul_ps(input, factor))
                        };
                    }
                }
            }
        }
        sums
    }
}
