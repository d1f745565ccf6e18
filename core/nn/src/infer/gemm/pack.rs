//! The layouts in which a product reads its blocks.

use std::ops::Range;

use super::matrix::Matrix;
use super::tile::{COLUMNS, ROWS, parts};
use crate::infer::processor::vectorized;

/// Packs a block of the second matrix into panels, with zeros beyond its last column. Each panel
/// has a row of [`COLUMNS`] numbers for each inner number.
pub(super) fn panels(
    b: Matrix<'_>,
    inner: &Range<usize>,
    columns: &Range<usize>,
    room: &mut [f32],
) {
    let room = room.chunks_exact_mut(inner.len() * COLUMNS);
    for (panel, columns) in room.zip(parts(columns, COLUMNS)) {
        if b.transposed {
            gather(b, inner, &columns, panel);
        } else {
            copy::<COLUMNS>(b, inner, &columns, panel);
        }
    }
}

/// Packs rows of a transposed first matrix into tiles, with zeros beyond its last row. Each tile
/// has a column of [`ROWS`] numbers for each inner number.
pub(super) fn tiles(a: Matrix<'_>, rows: &Range<usize>, inner: &Range<usize>, room: &mut [f32]) {
    let room = room.chunks_exact_mut(inner.len() * ROWS);
    for (tile, rows) in room.zip(parts(rows, ROWS)) {
        copy::<ROWS>(a, inner, &rows, tile);
    }
}

/// Copies numbers that lie side by side in memory, `N` at most for each inner number.
fn copy<const N: usize>(
    from: Matrix<'_>,
    inner: &Range<usize>,
    beside: &Range<usize>,
    to: &mut [f32],
) {
    for (at, to) in inner.clone().zip(to.chunks_exact_mut(N)) {
        let row = &from.numbers[at * from.stride + beside.start..][..beside.len()];
        if let (Some(row), Some(to)) = (row.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
            *to = *row;
        } else {
            to[..row.len()].copy_from_slice(row);
            to[row.len()..].fill(0.0);
        }
    }
}

/// Copies columns whose numbers lie one behind the other in memory.
fn gather(b: Matrix<'_>, inner: &Range<usize>, columns: &Range<usize>, to: &mut [f32]) {
    let column = |at: usize| &b.numbers[at * b.stride..][inner.clone()];
    if columns.len() == COLUMNS {
        let sources: [&[f32]; COLUMNS] = std::array::from_fn(|at| column(columns.start + at));
        vectorized(
            #[inline(always)]
            || transpose(sources, to),
        );
        return;
    }
    to.fill(0.0);
    for (place, at) in columns.clone().enumerate() {
        for (to, number) in to.chunks_exact_mut(COLUMNS).zip(column(at)) {
            to[place] = *number;
        }
    }
}

/// Transposes columns into rows.
#[expect(clippy::inline_always, reason = "compiled for the instructions of its caller")]
#[inline(always)]
fn transpose(columns: [&[f32]; COLUMNS], to: &mut [f32]) {
    let len = to.len() / COLUMNS;
    let columns = columns.map(|column| &column[..len]);
    for (at, to) in to.chunks_exact_mut(COLUMNS).enumerate() {
        for (to, column) in to.iter_mut().zip(columns) {
            *to = column[at];
        }
    }
}
