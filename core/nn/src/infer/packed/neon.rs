//! Products with NEON, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for NEON. Invariants:
//!
//! - `P1`: a value of [`Neon`] exists only if the processor has NEON. The functions of this module
//!   are reached through one alone.
//! - `P2`: numbers are loaded and stored by references to arrays of `LANES` of them.
//!
//! A tile of `N` rows by `P` panels has `4 N P` registers of sums, 16 to 24 of the 32: an addition
//! takes four cycles, and two to four begin in a cycle. One to three rows therefore take several
//! panels at once. The others hold the weights of a panel and the inputs.

use std::arch::aarch64::{
    float32x4_t, vaddq_f32, vdupq_n_f32, vfmaq_f32, vld1q_f32, vmulq_f32, vst1q_f32,
};
use std::ops::Range;

use crate::infer::panels::{PANEL, Panel, Panels};
use crate::infer::processor::Neon;
use crate::infer::sums::GemmOrder;

/// The number of floats in a register.
const LANES: usize = 4;
/// The registers of a panel.
const QUARTERS: usize = PANEL / LANES;
/// The number of rows of a whole group.
const ROWS: usize = 6;

/// The sums of a row for the outputs of a panel.
type Sums = [float32x4_t; QUARTERS];
/// The sums of `N` rows for the outputs of `P` panels.
type Tile<const N: usize, const P: usize> = [[Sums; P]; N];

/// Multiplies the rows that begin at `starts` with weights.
///
/// # Panics
///
/// If a row ends outside of `source`.
pub(super) fn multiply(
    _: Neon,
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
/// The processor must have NEON, as for all functions of this module.
#[target_feature(enable = "neon")]
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
            2 => rows_by_panels::<2, 2, FUSED>(panels, order, source, rest, rest_out),
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
/// The processor must have NEON.
#[target_feature(enable = "neon")]
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
/// The processor must have NEON.
#[target_feature(enable = "neon")]
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
                    *tile = vaddq_f32(*tile, *next);
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
/// The processor must have NEON.
#[inline]
#[target_feature(enable = "neon")]
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
/// The processor must have NEON.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn store(sums: &Sums, out: &mut Panel<f32>) {
    for (sums, out) in sums.iter().zip(out.chunks_exact_mut(LANES)) {
        // SAFETY: P2: a chunk has `LANES` numbers.
        unsafe { vst1q_f32(out.as_mut_ptr(), *sums) };
    }
}

/// Returns the sums over a block of inputs.
///
/// # Safety
///
/// The processor must have NEON.
#[inline]
#[target_feature(enable = "neon")]
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
    // SAFETY: P1; P2: a chunk of a panel's weights has `LANES` numbers.
    unsafe {
        let mut sums = [[[vdupq_n_f32(0.0); QUARTERS]; P]; N];
        for at in 0..len {
            let factors = inputs.map(|inputs| inputs[at]);
            for panel in 0..P {
                for (quarter, weights) in weights[panel][at].chunks_exact(LANES).enumerate() {
                    let weights = vld1q_f32(weights.as_ptr());
                    for row in 0..N {
                        let (sum, factor) = (sums[row][panel][quarter], vdupq_n_f32(factors[row]));
                        sums[row][panel][quarter] = if FUSED {
                            vfmaq_f32(sum, weights, factor)
                        } else {
                            vaddq_f32(sum, vmulq_f32(weights, factor))
                        };
                    }
                }
            }
        }
        sums
    }
}
