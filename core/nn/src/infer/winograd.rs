//! Convolutions of three rows by Winograd's minimal filtering algorithm F(4, 3).
//!
//! Four rows of a result are computed from six products of sums of rows with sums of weights, where
//! the direct form takes twelve products. Results differ from those of the direct form by about
//! 2e-5 for numbers of order 1, which is twice the difference between two BLAS libraries. A row's
//! rounding depends on its place in its tile of four, so tiles begin with a document.
//!
//! Sources: Winograd, *Arithmetic Complexity of Computations* (1980); Lavin and Gray, *Fast
//! Algorithms for Convolutional Neural Networks* (2016).

use std::sync::OnceLock;

use crate::infer::packed::PackedWeights;
use crate::infer::processor::vectorized;
use crate::infer::scratch::Scratch;
use crate::infer::sums::GemmOrder;
use crate::infer::weights::{MaxoutRows, larger};

/// The number of rows of a tile.
pub(crate) const TILE: usize = 4;
/// The number of rows that a tile reads: one more on each side.
const INPUTS: usize = TILE + 2;
/// The number of products of a tile.
const PRODUCTS: usize = 6;
/// The number of outputs that are computed together; their pieces are in the first cache.
const PANEL: usize = 16;
/// The number of tiles that are computed together: the weights are read once for them.
const BLOCK: usize = 48;

/// The weights of a maxout layer of a row and its two neighbours, which are transformed for the
/// first rows: transforming takes longer than all else that loading a network does, and twice the
/// memory of the weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LazyTiledWeights {
    maxout: MaxoutRows,
    tiled: OnceLock<TiledWeights>,
}

impl LazyTiledWeights {
    pub(crate) fn new(maxout: &MaxoutRows) -> LazyTiledWeights {
        LazyTiledWeights { maxout: maxout.clone(), tiled: OnceLock::new() }
    }

    /// Returns the number of columns of the input, with both neighbours.
    pub(crate) fn input_width(&self) -> usize {
        self.maxout.input_width()
    }

    /// Returns the number of columns of the result.
    pub(crate) fn n_outputs(&self) -> usize {
        self.maxout.width()
    }

    /// Computes tiles; see [`TiledWeights::apply`].
    pub(crate) fn apply(&self, source: &[f32], starts: &[usize], out: &mut [f32]) {
        let tiled = self.tiled.get_or_init(|| TiledWeights::new(&self.maxout));
        tiled.apply(source, starts, out);
    }
}

/// The weights of a maxout layer of a row and its two neighbours, transformed.
#[derive(Clone, Debug, PartialEq)]
struct TiledWeights {
    panels: Vec<WeightPanel>,
    /// The number of columns of a row of the input.
    width: usize,
    outputs: usize,
    pieces: usize,
}

/// The weights of [`PANEL`] outputs: those of their first pieces, then those of their second
/// pieces. Outputs beyond the last one have zeros.
#[derive(Clone, Debug, PartialEq)]
struct WeightPanel {
    weights: [PackedWeights; PRODUCTS],
    /// The bias of each piece.
    bias: Vec<[f32; PANEL]>,
}

impl TiledWeights {
    /// Transforms the weights of a layer, in double precision.
    fn new(maxout: &MaxoutRows) -> TiledWeights {
        let (outputs, width) = (maxout.width(), maxout.input_width() / 3);
        let pieces = maxout.pieces();
        let mut transformed: [Vec<f32>; PRODUCTS] =
            std::array::from_fn(|_| vec![0.0; pieces * PANEL * width]);
        let mut panel = |first: usize| {
            let mut bias = vec![[0.0; PANEL]; pieces];
            for rows in &mut transformed {
                rows.fill(0.0);
            }
            for (piece, bias) in bias.iter_mut().enumerate() {
                for (lane, bias) in bias.iter_mut().take(outputs - first).enumerate() {
                    let (row, own_bias) = maxout.row(first + lane, piece);
                    *bias = own_bias;
                    let start = (piece * PANEL + lane) * width;
                    let rows = transformed.each_mut().map(|rows| &mut rows[start..start + width]);
                    transform_row(&row, rows);
                }
            }
            let weights = transformed.each_ref().map(|rows| PackedWeights::new(rows, width));
            WeightPanel { weights, bias }
        };
        let panels = (0..outputs).step_by(PANEL).map(&mut panel).collect();
        TiledWeights { panels, width, outputs, pieces }
    }

    /// Computes tiles of four rows: those from each of `starts` in `source` on. Writes the largest
    /// pieces to the same places of `out`.
    ///
    /// # Panics
    ///
    /// If a row that a tile reads is outside of `source`, or one that it writes outside of `out`.
    fn apply(&self, source: &[f32], starts: &[usize], out: &mut [f32]) {
        let n_sums = self.pieces * PANEL;
        let mut inputs = Scratch::any(PRODUCTS * BLOCK * self.width);
        let mut products = Scratch::any(PRODUCTS * BLOCK * n_sums);
        let places: Vec<usize> = (0..BLOCK).map(|tile| tile * self.width).collect();
        for starts in starts.chunks(BLOCK) {
            vectorized(|| self.transform_inputs(source, starts, &mut inputs));
            for (number, panel) in self.panels.iter().enumerate() {
                let places = &places[..starts.len()];
                let inputs = inputs.chunks_exact(BLOCK * self.width);
                let all = products.chunks_exact_mut(BLOCK * n_sums);
                for ((weights, inputs), products) in panel.weights.iter().zip(inputs).zip(all) {
                    let products = &mut products[..starts.len() * n_sums];
                    weights.multiply_at(GemmOrder::Chain, inputs, places, products);
                }
                vectorized(|| self.finish(panel, number * PANEL, &products, starts, out));
            }
        }
    }

    /// Computes the six sums of rows of each tile.
    #[inline]
    fn transform_inputs(&self, source: &[f32], starts: &[usize], out: &mut [f32]) {
        let width = self.width;
        let mut out = out.chunks_exact_mut(BLOCK * width);
        let [t0, t1, t2, t3, t4, t5] = std::array::from_fn(|_| out.next().unwrap_or_default());
        for (tile, start) in starts.iter().enumerate() {
            let rows = &source[(start - 1) * width..][..INPUTS * width];
            let row = |at: usize| &rows[at * width..][..width];
            let [d0, d1, d2, d3, d4, d5] = std::array::from_fn(row);
            let place = tile * width..(tile + 1) * width;
            let [t0, t1, t2] = [&mut *t0, &mut *t1, &mut *t2].map(|t| &mut t[place.clone()]);
            let [t3, t4, t5] = [&mut *t3, &mut *t4, &mut *t5].map(|t| &mut t[place.clone()]);
            for at in 0..width {
                t0[at] = 4.0 * d0[at] - 5.0 * d2[at] + d4[at];
                let (even, odd) = (d4[at] - 4.0 * d2[at], d3[at] - 4.0 * d1[at]);
                t1[at] = even + odd;
                t2[at] = even - odd;
                let (even, odd) = (d4[at] - d2[at], 2.0 * (d3[at] - d1[at]));
                t3[at] = even + odd;
                t4[at] = even - odd;
                t5[at] = 4.0 * d1[at] - 5.0 * d3[at] + d5[at];
            }
        }
    }

    /// Computes the outputs of a panel from the products of its tiles.
    #[inline]
    fn finish(
        &self,
        panel: &WeightPanel,
        first: usize,
        products: &[f32],
        starts: &[usize],
        out: &mut [f32],
    ) {
        let n_sums = self.pieces * PANEL;
        let n_outputs = PANEL.min(self.outputs - first);
        let of_product = |at: usize| &products[at * BLOCK * n_sums..][..BLOCK * n_sums];
        let all: [&[f32]; PRODUCTS] = std::array::from_fn(of_product);
        for (tile, start) in starts.iter().enumerate() {
            let tile = all.map(|products| products[tile * n_sums..][..n_sums].chunks_exact(PANEL));
            let mut largest = [[f32::NEG_INFINITY; PANEL]; TILE];
            let [mut p0, mut p1, mut p2, mut p3, mut p4, mut p5] = tile;
            for bias in &panel.bias {
                let next = [&mut p0, &mut p1, &mut p2, &mut p3, &mut p4, &mut p5];
                let Some(m) = all_next(next) else { break };
                for at in 0..PANEL {
                    let [m0, m1, m2, m3, m4, m5] = m.map(|products| products[at]);
                    let (plus, minus) = (m1 + m2, m1 - m2);
                    let (plus_far, minus_far) = (m3 + m4, m3 - m4);
                    let rows = [
                        m0 + plus + plus_far,
                        minus + 2.0 * minus_far,
                        plus + 4.0 * plus_far,
                        minus + 8.0 * minus_far + m5,
                    ];
                    for row in 0..TILE {
                        largest[row][at] = larger(largest[row][at], rows[row] + bias[at]);
                    }
                }
            }
            for (row, largest) in largest.iter().enumerate() {
                let out = &mut out[(start + row) * self.outputs + first..][..n_outputs];
                match out.first_chunk_mut() {
                    Some(out) => *out = *largest,
                    None => out.copy_from_slice(&largest[..n_outputs]),
                }
            }
        }
    }
}

/// Returns the next panel of each product.
#[inline]
fn all_next<'p>(
    products: [&mut std::slice::ChunksExact<'p, f32>; PRODUCTS],
) -> Option<[&'p [f32; PANEL]; PRODUCTS]> {
    let mut panels = [&[0.0; PANEL]; PRODUCTS];
    for (panel, product) in panels.iter_mut().zip(products) {
        *panel = product.next()?.first_chunk()?;
    }
    Some(panels)
}

/// Transforms a row of weights: those of the left neighbours, the rows and the right neighbours.
fn transform_row(row: &[f32], out: [&mut [f32]; PRODUCTS]) {
    let [t0, t1, t2, t3, t4, t5] = out;
    let (left, rest) = row.split_at(t0.len());
    let (middle, right) = rest.split_at(t0.len());
    for at in 0..t0.len() {
        let thirds = [left[at], middle[at], right[at]].map(f64::from);
        [t0[at], t1[at], t2[at], t3[at], t4[at], t5[at]] = transform_weights(thirds);
    }
}

/// Transforms the weights of a left neighbour, the row itself and a right neighbour.
#[expect(clippy::cast_possible_truncation, reason = "rounded once, at the end")]
fn transform_weights([left, middle, right]: [f64; 3]) -> [f32; PRODUCTS] {
    [
        left / 4.0,
        -(left + middle + right) / 6.0,
        -(left - middle + right) / 6.0,
        left / 24.0 + middle / 12.0 + right / 6.0,
        left / 24.0 - middle / 12.0 + right / 6.0,
        right,
    ]
    .map(|weight| weight as f32)
}
