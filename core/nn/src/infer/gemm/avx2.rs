//! Tiles with AVX2, in the order of additions of the plain ones.
//!
//! Contains unsafe code: functions compiled for AVX2 and FMA. Invariants:
//!
//! - `P1`: a value of [`Avx2`] exists only if the processor has AVX2 and FMA. The functions of this
//!   module are reached through one alone.
//! - `P2`: numbers are loaded and stored by references to arrays of at least `LANES` of them.
//!
//! A tile has two registers of sums a row, 12 of the 16 in all: enough chains to hide the time of
//! an addition.

use std::arch::x86_64::{
    __m256, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
};

use super::tile::{COLUMNS, ROWS, Tile};
use crate::infer::processor::Avx2;

/// The number of floats in a register.
const LANES: usize = 8;
/// The registers of a panel.
const HALVES: usize = COLUMNS / LANES;

/// The sums of `N` rows.
type Sums<const N: usize> = [[__m256; HALVES]; N];

/// Adds the products of some rows with a panel, which has a row for each number of theirs.
pub(super) fn add_rows<const N: usize>(_: Avx2, rows: [&[f32]; N], panel: &[f32], tile: &mut Tile) {
    // SAFETY: P1.
    unsafe { rows_by_panel(rows, panel, tile) };
}

/// Adds the products of packed rows with a panel.
pub(super) fn add_packed(_: Avx2, rows: &[f32], panel: &[f32], tile: &mut Tile) {
    // SAFETY: P1.
    unsafe { packed_by_panel(rows, panel, tile) };
}

/// Adds the products of some rows with a panel.
///
/// # Safety
///
/// The processor must have AVX2 and FMA, as for all functions of this module.
#[target_feature(enable = "avx2,fma")]
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
                let factor = _mm256_set1_ps(inputs[at]);
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = _mm256_fmadd_ps(factor, weights, *sum);
                }
            }
        }
        write(&sums, tile);
    }
}

/// Adds the products of packed rows with a panel.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn packed_by_panel(rows: &[f32], panel: &[f32], tile: &mut Tile) {
    // SAFETY: P1.
    unsafe {
        let mut sums = read::<ROWS>(tile);
        for (factors, weights) in rows.chunks_exact(ROWS).zip(panel.chunks_exact(COLUMNS)) {
            let Some(weights) = weights.first_chunk() else { break };
            let weights = load(weights);
            for (sums, factor) in sums.iter_mut().zip(factors) {
                let factor = _mm256_set1_ps(*factor);
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = _mm256_fmadd_ps(factor, weights, *sum);
                }
            }
        }
        write(&sums, tile);
    }
}

/// Loads the sums of the first rows of a tile.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn read<const N: usize>(tile: &Tile) -> Sums<N> {
    let mut sums = [[_mm256_setzero_ps(); HALVES]; N];
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
/// The processor must have AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn write<const N: usize>(sums: &Sums<N>, tile: &mut Tile) {
    for (sums, row) in sums.iter().zip(tile) {
        for (sum, row) in sums.iter().zip(row.chunks_exact_mut(LANES)) {
            // SAFETY: P2: a chunk has `LANES` numbers.
            unsafe { _mm256_storeu_ps(row.as_mut_ptr(), *sum) };
        }
    }
}

/// Loads a row of a panel or of a tile.
///
/// # Safety
///
/// The processor must have AVX2 and FMA.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn load(row: &[f32; COLUMNS]) -> [__m256; HALVES] {
    let (low, high) = row.split_at(LANES);
    // SAFETY: P2: both halves have `LANES` numbers.
    unsafe { [_mm256_loadu_ps(low.as_ptr()), _mm256_loadu_ps(high.as_ptr())] }
}
