//! Tiles with NEON, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for NEON. Invariants:
//!
//! - `P1`: a value of [`Neon`] exists only if the processor has NEON. The functions of this module
//!   are reached through one alone.
//! - `P2`: numbers are loaded and stored by references to arrays of `LANES` of them.
//!
//! A tile has four registers of sums a row, 24 of the 32 in all: enough chains to hide the time of
//! an addition.

use std::arch::aarch64::{float32x4_t, vdupq_n_f32, vfmaq_f32, vld1q_f32, vst1q_f32};

use super::tile::{COLUMNS, ROWS, Tile};
use crate::infer::processor::Neon;

/// The number of floats in a register.
const LANES: usize = 4;
/// The registers of a panel.
const QUARTERS: usize = COLUMNS / LANES;

/// A row of a panel, or the sums of a row.
type Quarters = [float32x4_t; QUARTERS];

/// Adds the products of some rows with a panel, which has a row for each number of theirs.
pub(super) fn add_rows<const N: usize>(_: Neon, rows: [&[f32]; N], panel: &[f32], tile: &mut Tile) {
    // SAFETY: P1.
    unsafe { rows_by_panel(rows, panel, tile) };
}

/// Adds the products of packed rows with a panel.
pub(super) fn add_packed(_: Neon, rows: &[f32], panel: &[f32], tile: &mut Tile) {
    // SAFETY: P1.
    unsafe { packed_by_panel(rows, panel, tile) };
}

/// Adds the products of some rows with a panel.
///
/// # Safety
///
/// The processor must have NEON, as for all functions of this module.
#[target_feature(enable = "neon")]
unsafe fn rows_by_panel<const N: usize>(rows: [&[f32]; N], panel: &[f32], tile: &mut Tile) {
    // Slices of one length, so that the loop has no check of a bound.
    let len = panel.len() / COLUMNS;
    let mut inputs: [&[f32]; N] = [&[]; N];
    for (inputs, row) in inputs.iter_mut().zip(rows) {
        *inputs = &row[..len];
    }
    // SAFETY: P1.
    unsafe {
        let mut sums = read::<N>(tile);
        for (at, weights) in panel.chunks_exact(COLUMNS).enumerate().take(len) {
            let Some(weights) = weights.first_chunk() else { break };
            let weights = load(weights);
            for (sums, inputs) in sums.iter_mut().zip(inputs) {
                add(sums, inputs[at], weights);
            }
        }
        write(&sums, tile);
    }
}

/// Adds the products of packed rows with a panel.
///
/// # Safety
///
/// The processor must have NEON.
#[target_feature(enable = "neon")]
unsafe fn packed_by_panel(rows: &[f32], panel: &[f32], tile: &mut Tile) {
    // SAFETY: P1.
    unsafe {
        let mut sums = read::<ROWS>(tile);
        for (factors, weights) in rows.chunks_exact(ROWS).zip(panel.chunks_exact(COLUMNS)) {
            let Some(weights) = weights.first_chunk() else { break };
            let weights = load(weights);
            for (sums, factor) in sums.iter_mut().zip(factors) {
                add(sums, *factor, weights);
            }
        }
        write(&sums, tile);
    }
}

/// Adds the products of a number with a row of a panel.
///
/// # Safety
///
/// The processor must have NEON.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn add(sums: &mut Quarters, factor: f32, weights: Quarters) {
    for (sum, weights) in sums.iter_mut().zip(weights) {
        *sum = vfmaq_f32(*sum, weights, vdupq_n_f32(factor));
    }
}

/// Loads the sums of the first rows of a tile.
///
/// # Safety
///
/// The processor must have NEON.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn read<const N: usize>(tile: &Tile) -> [Quarters; N] {
    let mut sums = [[vdupq_n_f32(0.0); QUARTERS]; N];
    for (sums, row) in sums.iter_mut().zip(tile) {
        // SAFETY: P1.
        *sums = unsafe { load(row) };
    }
    sums
}

/// Stores the sums of the first rows of a tile.
///
/// # Safety
///
/// The processor must have NEON.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn write<const N: usize>(sums: &[Quarters; N], tile: &mut Tile) {
    for (sums, row) in sums.iter().zip(tile) {
        for (sum, row) in sums.iter().zip(row.chunks_exact_mut(LANES)) {
            // SAFETY: P2: a chunk has `LANES` numbers.
            unsafe { vst1q_f32(row.as_mut_ptr(), *sum) };
        }
    }
}

/// Loads a row of a panel or of a tile.
///
/// # Safety
///
/// The processor must have NEON.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(row: &[f32; COLUMNS]) -> Quarters {
    // SAFETY: P1; P2: a quarter has `LANES` numbers.
    unsafe {
        let mut quarters = [vdupq_n_f32(0.0); QUARTERS];
        for (quarter, row) in quarters.iter_mut().zip(row.chunks_exact(LANES)) {
            *quarter = vld1q_f32(row.as_ptr());
        }
        quarters
    }
}
