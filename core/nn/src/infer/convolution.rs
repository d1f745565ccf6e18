//! Convolutions over the rows of sequences.
//!
//! A row and its neighbours lie side by side in a buffer of rows, so that the input of an output
//! row is a slice of the buffer, which overlaps with those of other rows; nothing is copied. The
//! sums of some rows are finished (bias, largest piece, normalization, residual connection) while
//! they are in the processor's first cache.

use std::ops::Range;

use crate::infer::processor::vectorized;
use crate::infer::scratch::Scratch;
use crate::infer::sums::{GemmOrder, add};
use crate::infer::weights::{LayerNorm, Maxout, MaxoutRows, Pieces};
use crate::infer::winograd::{LazyTiledWeights, TILE};

/// The number of rows behind a range that a convolution reads or writes beside its window.
pub(crate) const MARGIN: usize = TILE - 1;
/// The number of rows that are computed together: their inputs and sums fit into 64 KB.
const BLOCK: usize = 24;

/// A maxout layer of each row with its neighbours.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Convolution {
    window: usize,
    weights: Weights,
    norm: Option<LayerNorm>,
    /// True to add the row itself to the result.
    residual: bool,
}

/// The weights of a maxout layer, in the form of its products.
#[derive(Clone, Debug, PartialEq)]
enum Weights {
    Direct(Maxout),
    /// For tiles of rows, if the order of additions permits them.
    Tiled(LazyTiledWeights),
}

impl Convolution {
    /// Makes a layer of a row and `window` neighbours on each side; `None` if the width of the
    /// maxout layer is not a multiple of their number. A norm must have the width of the result.
    pub(crate) fn new(
        window: usize,
        maxout: &MaxoutRows,
        norm: Option<LayerNorm>,
        order: GemmOrder,
    ) -> Option<Convolution> {
        let n_rows = 2 * window + 1;
        if maxout.input_width() % n_rows != 0 {
            return None;
        }
        let weights = match order {
            GemmOrder::Chain if window == 1 => Weights::Tiled(LazyTiledWeights::new(maxout)),
            _ => Weights::Direct(Maxout::new(maxout)),
        };
        Some(Convolution { window, weights, norm, residual: false })
    }

    /// Adds a residual connection, if input and result have one width; returns whether it did.
    pub(crate) fn add_residual(&mut self) -> bool {
        let fits = !self.residual && self.input_width() == self.width();
        self.residual |= fits;
        fits
    }

    /// Returns the number of neighbours on each side.
    pub(crate) fn window(&self) -> usize {
        self.window
    }

    /// Returns the number of columns of the input.
    pub(crate) fn input_width(&self) -> usize {
        let with_neighbours = match &self.weights {
            Weights::Direct(maxout) => maxout.input_width(),
            Weights::Tiled(tiled) => tiled.input_width(),
        };
        with_neighbours / (2 * self.window + 1)
    }

    /// Returns the number of columns of the result.
    pub(crate) fn width(&self) -> usize {
        match &self.weights {
            Weights::Direct(maxout) => maxout.width(),
            Weights::Tiled(tiled) => tiled.n_outputs(),
        }
    }

    /// Computes some rows: those of `ranges` in `source`. Writes them to the same places of `out`.
    /// Up to [`MARGIN`] rows behind a range may change the rounding of its results; what is written
    /// to their places is undefined.
    ///
    /// # Panics
    ///
    /// If a row, a neighbour or a row of the margin is outside of `source` or `out`.
    pub(crate) fn apply(
        &self,
        order: GemmOrder,
        source: &[f32],
        ranges: &[Range<usize>],
        out: &mut [f32],
    ) {
        match &self.weights {
            Weights::Tiled(tiled) => {
                let starts = ranges.iter().flat_map(|range| range.clone().step_by(TILE));
                tiled.apply(source, &starts.collect::<Vec<_>>(), out);
                vectorized(|| self.normalize(source, ranges, out));
            }
            Weights::Direct(maxout) => self.apply_directly(maxout, order, source, ranges, out),
        }
    }

    /// Normalizes rows, and adds those of `source`.
    #[inline]
    fn normalize(&self, source: &[f32], ranges: &[Range<usize>], out: &mut [f32]) {
        let width = self.width();
        for row in ranges.iter().cloned().flatten() {
            self.finish_row(source, row * width, &mut out[row * width..(row + 1) * width]);
        }
    }

    /// Computes rows from the products of each with all weights.
    fn apply_directly(
        &self,
        maxout: &Maxout,
        order: GemmOrder,
        source: &[f32],
        ranges: &[Range<usize>],
        out: &mut [f32],
    ) {
        let (pieces, width) = (maxout.pieces(), self.input_width());
        let mut sums = Scratch::any(BLOCK * pieces.n_sums());
        let (mut rows, mut starts) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        let mut left = ranges.iter().cloned().flatten();
        loop {
            rows.clear();
            rows.extend(left.by_ref().take(BLOCK));
            if rows.is_empty() {
                return;
            }
            starts.clear();
            starts.extend(rows.iter().map(|row| (row - self.window) * width));
            let sums = &mut sums[..rows.len() * pieces.n_sums()];
            maxout.weights().multiply_at(order, source, &starts, sums);
            vectorized(|| self.finish(pieces, source, &rows, sums, out));
        }
    }

    /// Computes the results of rows from the sums of their products.
    #[inline]
    fn finish(
        &self,
        pieces: &Pieces,
        source: &[f32],
        rows: &[usize],
        sums: &[f32],
        out: &mut [f32],
    ) {
        let width = pieces.width();
        for (row, sums) in rows.iter().zip(sums.chunks_exact(pieces.n_sums())) {
            let out = &mut out[row * width..(row + 1) * width];
            pieces.finish(sums, out);
            self.finish_row(source, row * width, out);
        }
    }

    /// Normalizes a row, and adds the one that begins at `start` in `source`.
    #[inline]
    fn finish_row(&self, source: &[f32], start: usize, out: &mut [f32]) {
        if let Some(norm) = &self.norm {
            norm.apply(out);
        }
        if self.residual {
            add(out, &source[start..start + out.len()]);
        }
    }
}
