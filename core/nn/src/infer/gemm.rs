//! Products of two matrices that are stored plainly, either of them transposed.
//!
//! Unlike [`packed`](super::packed), whose weights never change, both sides are new at each call,
//! as in training. One side is packed into panels of 16 columns, the other is read in tiles of six
//! rows, in blocks that the caches hold. Source: Goto and van de Geijn (2008), "Anatomy of
//! high-performance matrix multiplication".
//!
//! Order of additions: each number is one chain of fused operations over the inner dimension, in
//! order and beginning with 0, as in [`GemmOrder::Chain`](crate::GemmOrder). It depends neither on
//! the other rows and columns, nor on blocks, nor on the processor.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod matrix;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pack;
mod plain;
mod tile;

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use crate::infer::processor::Avx2;
use crate::infer::processor::Instructions;
#[cfg(target_arch = "aarch64")]
use crate::infer::processor::Neon;
use crate::infer::scratch::Scratch;
use matrix::extent;
use tile::{COLUMNS, ROWS, Tile, parts};

pub use matrix::Matrix;

/// The most inner numbers of a block: a panel of them stays in the first cache.
const MAX_INNER: usize = 384;
/// The most columns of a block: its panels stay in the second or third cache.
const MAX_COLUMNS: usize = 1024;
/// The most rows of a block, a multiple of [`ROWS`]: they stay in the second cache.
const MAX_ROWS: usize = 120;

/// Returns whether products use instructions of the processor that fuse a product with its
/// addition. Without them [`gemm`] has the same results and takes long.
pub fn has_fast_gemm() -> bool {
    #[cfg(target_arch = "x86_64")]
    return Avx2::detect().is_some();
    #[cfg(target_arch = "aarch64")]
    return Neon::detect().is_some();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return false;
}

/// Writes the product of two matrices to `out`, whose rows lie `stride` numbers apart. What `out`
/// contained is not read.
///
/// # Panics
///
/// If the inner dimensions differ, or the product does not fit in `out`.
pub fn gemm(a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], stride: usize) {
    assert_eq!(a.columns, b.rows, "the inner dimension of both sides");
    let fits = stride >= b.columns
        && extent(a.rows, b.columns, stride).is_some_and(|extent| extent <= out.len());
    assert!(fits, "{} rows of {} numbers, {stride} apart", a.rows, b.columns);
    if a.rows == 0 || b.columns == 0 {
        return;
    }
    let mut out = Output { numbers: out, stride, transposed: false };
    if a.columns == 0 {
        for row in 0..a.rows {
            out.numbers[row * stride..][..b.columns].fill(0.0);
        }
        return;
    }
    // The product of the transposed matrices in the other order is the transposed product, in the
    // same bits: factors commute. It saves to pack a large matrix for few rows.
    if cost(b.transpose(), a.transpose()) < cost(a, b) {
        out.transposed = true;
        multiply(b.transpose(), a.transpose(), &mut out, Kernel::best());
    } else {
        multiply(a, b, &mut out, Kernel::best());
    }
}

/// Estimates the time of a product, in that of a multiplication and addition, without the inner
/// dimension.
fn cost(a: Matrix<'_>, b: Matrix<'_>) -> usize {
    // Numbers that are moved one by one, and side by side.
    const SCATTERED: usize = 16;
    const COPIED: usize = 4;
    let packing = if b.transposed { SCATTERED } else { COPIED } * b.columns;
    let tiling = if a.transposed { COPIED * a.rows } else { 0 };
    let sums = a.rows.saturating_mul(b.columns.next_multiple_of(COLUMNS));
    sums.saturating_add(packing).saturating_add(tiling)
}

/// The numbers of a product. If it is transposed, a row of it is a column of what is multiplied.
struct Output<'a> {
    numbers: &'a mut [f32],
    stride: usize,
    transposed: bool,
}

impl Output<'_> {
    /// Reads sums from here to a tile.
    fn load(&self, rows: &Range<usize>, columns: &Range<usize>, tile: &mut Tile) {
        for (row, sums) in rows.clone().zip(tile) {
            if self.transposed {
                for (column, sum) in columns.clone().zip(sums) {
                    *sum = self.numbers[column * self.stride + row];
                }
            } else {
                let from = &self.numbers[row * self.stride + columns.start..][..columns.len()];
                sums[..columns.len()].copy_from_slice(from);
            }
        }
    }

    /// Writes the sums of a tile here.
    fn store(&mut self, rows: &Range<usize>, columns: &Range<usize>, tile: &Tile) {
        if self.transposed {
            for (at, column) in columns.clone().enumerate() {
                let out = &mut self.numbers[column * self.stride + rows.start..][..rows.len()];
                out.iter_mut().zip(tile).for_each(|(out, sums)| *out = sums[at]);
            }
            return;
        }
        for (row, sums) in rows.clone().zip(tile) {
            let out = &mut self.numbers[row * self.stride + columns.start..][..columns.len()];
            if let Some(out) = out.first_chunk_mut() {
                *out = *sums;
            } else {
                out.copy_from_slice(&sums[..columns.len()]);
            }
        }
    }
}

/// The instructions that add products to a tile.
#[derive(Clone, Copy)]
enum Kernel {
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
    Plain,
}

impl Kernel {
    fn best() -> Kernel {
        match Instructions::best() {
            #[cfg(avx512)]
            Instructions::Avx512(avx512) => Kernel::Avx2(avx512.avx2()),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(avx2) => Kernel::Avx2(avx2),
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon(neon) => Kernel::Neon(neon),
            Instructions::Plain => Kernel::Plain,
        }
    }

    /// Adds the products of rows that lie side by side in memory.
    #[inline]
    fn add_rows<const N: usize>(self, rows: [&[f32]; N], panel: &[f32], sums: &mut Tile) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(avx2) => avx2::add_rows(avx2, rows, panel, sums),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon(neon) => neon::add_rows(neon, rows, panel, sums),
            Kernel::Plain => plain::add_rows(rows, panel, sums),
        }
    }

    /// Adds the products of packed rows.
    #[inline]
    fn add_packed(self, rows: &[f32], panel: &[f32], sums: &mut Tile) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(avx2) => avx2::add_packed(avx2, rows, panel, sums),
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon(neon) => neon::add_packed(neon, rows, panel, sums),
            Kernel::Plain => plain::add_packed(rows, panel, sums),
        }
    }
}

/// Multiplies block by block; the sums of a block of inner numbers go on from those before it.
fn multiply(a: Matrix<'_>, b: Matrix<'_>, out: &mut Output<'_>, kernel: Kernel) {
    let block = a.columns.div_ceil(a.columns.div_ceil(MAX_INNER));
    let panels = b.columns.min(MAX_COLUMNS).div_ceil(COLUMNS);
    let mut packed = Scratch::any(panels * COLUMNS * block);
    let tiles = if a.transposed { a.rows.min(MAX_ROWS).div_ceil(ROWS) } else { 0 };
    let mut packed_rows = Scratch::any(tiles * ROWS * block);
    for inner in blocks(a.columns, block) {
        for columns in blocks(b.columns, MAX_COLUMNS) {
            pack::panels(b, &inner, &columns, &mut packed);
            for rows in blocks(a.rows, MAX_ROWS) {
                if a.transposed {
                    pack::tiles(a, &rows, &inner, &mut packed_rows);
                }
                let panels = packed.chunks_exact(inner.len() * COLUMNS);
                for (panel, at) in panels.zip(parts(&columns, COLUMNS)) {
                    for (number, rows) in parts(&rows, ROWS).enumerate() {
                        let mut tile = [[0.0; COLUMNS]; ROWS];
                        if inner.start > 0 {
                            out.load(&rows, &at, &mut tile);
                        }
                        if a.transposed {
                            let size = inner.len() * ROWS;
                            kernel.add_packed(
                                &packed_rows[number * size..][..size],
                                panel,
                                &mut tile,
                            );
                        } else {
                            add_rows(kernel, a, &rows, &inner, panel, &mut tile);
                        }
                        out.store(&rows, &at, &tile);
                    }
                }
            }
        }
    }
}

/// Adds the products of some rows, at most [`ROWS`], that are not packed.
fn add_rows(
    kernel: Kernel,
    a: Matrix<'_>,
    rows: &Range<usize>,
    inner: &Range<usize>,
    panel: &[f32],
    tile: &mut Tile,
) {
    let row = |at: usize| &a.numbers[(rows.start + at) * a.stride..][inner.clone()];
    match rows.len() {
        1 => kernel.add_rows([row(0)], panel, tile),
        2 => kernel.add_rows([row(0), row(1)], panel, tile),
        3 => kernel.add_rows([row(0), row(1), row(2)], panel, tile),
        4 => kernel.add_rows([row(0), row(1), row(2), row(3)], panel, tile),
        5 => kernel.add_rows([row(0), row(1), row(2), row(3), row(4)], panel, tile),
        _ => kernel.add_rows([row(0), row(1), row(2), row(3), row(4), row(5)], panel, tile),
    }
}

/// The ranges of at most `size` numbers from 0 to `end`.
fn blocks(end: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    parts(&(0..end), size)
}

#[cfg(test)]
mod tests;
