//! Tiles with the instructions that each processor of the target has.

use super::tile::{COLUMNS, ROWS, Tile};

/// Adds the products of some rows with a panel, which has a row for each number of theirs.
pub(super) fn add_rows<const N: usize>(rows: [&[f32]; N], panel: &[f32], sums: &mut Tile) {
    for (at, weights) in panel.chunks_exact(COLUMNS).enumerate() {
        for (row, sums) in rows.iter().zip(&mut *sums) {
            add(row[at], weights, sums);
        }
    }
}

/// Adds the products of packed rows with a panel.
pub(super) fn add_packed(rows: &[f32], panel: &[f32], sums: &mut Tile) {
    for (factors, weights) in rows.chunks_exact(ROWS).zip(panel.chunks_exact(COLUMNS)) {
        for (factor, sums) in factors.iter().zip(&mut *sums) {
            add(*factor, weights, sums);
        }
    }
}

#[inline]
fn add(factor: f32, weights: &[f32], sums: &mut [f32; COLUMNS]) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum = factor.mul_add(*weight, *sum);
    }
}
