//! Weights of layers: plain structs that are read from the nodes of a [`ModelFile`].
//!
//! A layer's input is a slice of rows of one width, and so is its result. Sources: the layers of
//! the same names in thinc 8.
//!
//! [`ModelFile`]: crate::ModelFile

use std::ops::Range;

use lexpool_error::Result;

use crate::describe::{Attributes, ModelNode};
use crate::infer::embedding_rows::embedding_rows;
use crate::infer::packed::PackedWeights;
use crate::infer::sums::{GemmOrder, add, pairwise_sum, pairwise_sum_of};
use crate::infer::table::Table;

/// An embedding of ids: the sum of four rows of a table, which the hash of an id selects.
#[derive(Clone, Debug, PartialEq)]
pub struct HashEmbed {
    table: Table,
    width: usize,
    n_rows: u32,
    seed: u32,
}

impl HashEmbed {
    /// Reads the layer from a node `hashembed`.
    ///
    /// # Errors
    ///
    /// `model-structure` for a table without rows or columns or with more than 2^32 rows, and for a
    /// missing seed.
    pub fn read(node: &ModelNode<'_>) -> Result<HashEmbed> {
        let table = node.required_param("E", 2)?;
        let (rows, width) = (table.shape()[0], table.shape()[1]);
        let n_rows = u32::try_from(rows).ok().filter(|rows| *rows > 0 && width > 0);
        let n_rows = n_rows.ok_or_else(|| {
            node.error(&format!("a table of {rows} rows of {width} numbers embeds nothing"))
        })?;
        Ok(HashEmbed { table: Table::new(node, table), width, n_rows, seed: node.seed()? })
    }

    /// Returns the number of columns of the result.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Embeds ids, one row each.
    pub fn apply(&self, ids: &[u64]) -> Vec<f32> {
        let mut out = vec![0.0; ids.len() * self.width];
        for (id, sum) in ids.iter().zip(out.chunks_exact_mut(self.width)) {
            for row in embedding_rows(*id, self.seed, self.n_rows) {
                self.table.add_to(row as usize * self.width, sum);
            }
        }
        out
    }
}

/// An affine transformation: `x W^T + b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    weights: PackedWeights,
    bias: Vec<f32>,
}

impl Linear {
    /// Reads the layer from a node `linear` or `softmax`.
    ///
    /// # Errors
    ///
    /// `model-structure` if weights and bias do not fit each other, or one is empty.
    pub fn read(node: &ModelNode<'_>) -> Result<Linear> {
        let (weights, bias) = (node.required_param("W", 2)?, node.required_param("b", 1)?);
        let width = weights.shape()[1];
        check_bias(node, width, &weights.shape()[..1], bias.shape())?;
        Ok(Linear { weights: PackedWeights::new(&weights.to_vec(), width), bias: bias.to_vec() })
    }

    /// Returns the number of columns of the input.
    pub fn input_width(&self) -> usize {
        self.weights.width()
    }

    /// Returns the number of columns of the result.
    pub fn width(&self) -> usize {
        self.bias.len()
    }

    /// Applies the layer to rows of [`input_width`](Linear::input_width) numbers.
    ///
    /// # Panics
    ///
    /// If `rows` is not a whole number of rows.
    pub fn apply(&self, order: GemmOrder, rows: &[f32]) -> Vec<f32> {
        let mut out = self.weights.multiply(order, rows);
        out.chunks_exact_mut(self.bias.len()).for_each(|row| add(row, &self.bias));
        out
    }
}

/// The parameters of a maxout layer as a file has them: the rows of an output's pieces lie side by
/// side. The weights stay in the bytes of the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MaxoutRows {
    weights: Table,
    bias: Vec<f32>,
    pieces: usize,
    width: usize,
}

impl MaxoutRows {
    /// Reads the parameters from a node `maxout`. Errors are those of [`Maxout::read`].
    pub(crate) fn read(node: &ModelNode<'_>) -> Result<MaxoutRows> {
        let (weights, bias) = (node.required_param("W", 3)?, node.required_param("b", 2)?);
        let (pieces, width) = (weights.shape()[1], weights.shape()[2]);
        check_bias(node, width, &weights.shape()[..2], bias.shape())?;
        Ok(MaxoutRows { weights: Table::new(node, weights), bias: bias.to_vec(), pieces, width })
    }

    /// Returns the number of columns of the input.
    pub(crate) fn input_width(&self) -> usize {
        self.width
    }

    /// Returns the number of columns of the result.
    pub(crate) fn width(&self) -> usize {
        self.bias.len() / self.pieces
    }

    /// Returns the number of pieces of an output.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces
    }

    /// Returns the weights and biases of all outputs' first pieces, then those of the second
    /// pieces.
    pub(crate) fn by_piece(&self) -> (Vec<f32>, Pieces) {
        let weights: Vec<f32> = self.weights.numbers(0, self.bias.len() * self.width).collect();
        let bias = piece_by_piece(&self.bias, self.pieces, 1);
        let pieces = Pieces { bias, pieces: self.pieces };
        (piece_by_piece(&weights, self.pieces, self.width), pieces)
    }

    /// Returns the weights and the bias of a piece of an output.
    ///
    /// # Panics
    ///
    /// If the output or the piece is out of bounds.
    pub(crate) fn row(&self, output: usize, piece: usize) -> (Vec<f32>, f32) {
        let row = output * self.pieces + piece;
        (self.weights.numbers(row * self.width, self.width).collect(), self.bias[row])
    }
}

/// An affine transformation with several pieces for each output, of which the largest is the
/// result.
#[derive(Clone, Debug, PartialEq)]
pub struct Maxout {
    /// The weights of the first piece of each output, then those of the second piece.
    weights: PackedWeights,
    pieces: Pieces,
}

/// The biases of a maxout layer, and how the sums of its products become a result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pieces {
    /// The biases of all outputs' first pieces, then those of the second pieces.
    bias: Vec<f32>,
    pieces: usize,
}

impl Maxout {
    /// Reads the layer from a node `maxout`.
    ///
    /// # Errors
    ///
    /// `model-structure` if weights and bias do not fit each other, or one is empty.
    pub fn read(node: &ModelNode<'_>) -> Result<Maxout> {
        MaxoutRows::read(node).map(|rows| Maxout::new(&rows))
    }

    pub(crate) fn new(rows: &MaxoutRows) -> Maxout {
        let (weights, pieces) = rows.by_piece();
        Maxout { weights: PackedWeights::new(&weights, rows.width), pieces }
    }

    /// Returns the number of columns of the input.
    pub fn input_width(&self) -> usize {
        self.weights.width()
    }

    /// Returns the number of columns of the result.
    pub fn width(&self) -> usize {
        self.pieces.width()
    }

    /// Applies the layer to rows of [`input_width`](Maxout::input_width) numbers.
    ///
    /// # Panics
    ///
    /// If `rows` is not a whole number of rows.
    pub fn apply(&self, order: GemmOrder, rows: &[f32]) -> Vec<f32> {
        let sums = self.weights.multiply(order, rows);
        let mut out = vec![0.0; sums.len() / self.pieces.pieces];
        let rows = sums.chunks_exact(self.pieces.n_sums()).zip(out.chunks_exact_mut(self.width()));
        rows.for_each(|(sums, out)| self.pieces.finish(sums, out));
        out
    }

    /// Returns the weights of all pieces.
    pub(crate) fn weights(&self) -> &PackedWeights {
        &self.weights
    }

    /// Returns the pieces.
    pub(crate) fn pieces(&self) -> &Pieces {
        &self.pieces
    }
}

impl Pieces {
    /// Returns the number of columns of the result.
    pub(crate) fn width(&self) -> usize {
        self.bias.len() / self.pieces
    }

    /// Returns the number of outputs of the weights.
    pub(crate) fn n_sums(&self) -> usize {
        self.bias.len()
    }

    /// Computes a row of the result from the sums of its products. As in thinc's loop, a later
    /// piece replaces the first only if it is greater.
    #[inline]
    pub(crate) fn finish(&self, sums: &[f32], out: &mut [f32]) {
        let width = self.width();
        let mut pieces = sums.chunks_exact(width).zip(self.bias.chunks_exact(width));
        if let Some((sums, bias)) = pieces.next() {
            for ((out, sum), bias) in out.iter_mut().zip(sums).zip(bias) {
                *out = sum + bias;
            }
        }
        for (sums, bias) in pieces {
            for ((out, sum), bias) in out.iter_mut().zip(sums).zip(bias) {
                *out = larger(*out, sum + bias);
            }
        }
    }
}

/// Puts the rows of all outputs' first pieces first, then those of the second pieces.
pub(crate) fn piece_by_piece(rows: &[f32], pieces: usize, width: usize) -> Vec<f32> {
    let mut apart = Vec::with_capacity(rows.len());
    for piece in 0..pieces {
        for row in rows.chunks_exact(width).skip(piece).step_by(pieces) {
            apart.extend_from_slice(row);
        }
    }
    apart
}

/// Normalization of each row to mean 0 and variance 1, then scaling and shifting by column.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNorm {
    scale: Vec<f32>,
    shift: Vec<f32>,
}

impl LayerNorm {
    /// Reads the layer from a node `layernorm`.
    ///
    /// # Errors
    ///
    /// `model-structure` if the parameters differ in length or are empty.
    pub fn read(node: &ModelNode<'_>) -> Result<LayerNorm> {
        let (scale, shift) = (node.required_param("G", 1)?, node.required_param("b", 1)?);
        if scale.len() != shift.len() || scale.is_empty() {
            let text = format!("\"G\" has {} numbers, \"b\" has {}", scale.len(), shift.len());
            return Err(node.error(&text));
        }
        Ok(LayerNorm { scale: scale.to_vec(), shift: shift.to_vec() })
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.scale.len()
    }

    /// Normalizes rows in place.
    #[inline]
    pub fn apply(&self, rows: &mut [f32]) {
        for row in rows.chunks_exact_mut(self.scale.len()) {
            normalize(row, &self.scale, &self.shift);
        }
    }
}

/// Normalizes a row to mean 0 and variance 1, then scales and shifts it, in the order of additions
/// of NumPy. Returns the mean and the factor of the normalization.
#[inline]
pub fn normalize(row: &mut [f32], scale: &[f32], shift: &[f32]) -> (f32, f32) {
    #[expect(clippy::cast_precision_loss, reason = "as NumPy divides by the number of columns")]
    let n = row.len() as f32;
    let mean = pairwise_sum(row) / n;
    for x in row.iter_mut() {
        *x -= mean;
    }
    let variance = pairwise_sum_of(row, |x| x * x) / n + 1e-8;
    // The exponent is hidden from the compiler, which knows a square root that rounds differently
    // from the C library's power.
    let factor = variance.powf(std::hint::black_box(-0.5));
    for ((x, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
        *x = *x * factor * scale + shift;
    }
    (mean, factor)
}

/// Puts each row of a range beside its neighbours at a distance of up to `window`, in order; rows
/// beyond the ends are zeros.
///
/// # Panics
///
/// If `width` is 0 or does not divide the number of `rows`' numbers.
///
/// ```
/// use lexpool_nn::expand_window;
///
/// assert_eq!(expand_window(&[1.0, 2.0], 1, 1, 0..2), [0.0, 1.0, 2.0, 1.0, 2.0, 0.0]);
/// assert_eq!(expand_window(&[1.0, 2.0], 1, 1, 1..2), [1.0, 2.0, 0.0]);
/// ```
pub fn expand_window(rows: &[f32], width: usize, window: usize, range: Range<usize>) -> Vec<f32> {
    assert!(width > 0 && rows.len() % width == 0, "rows of {width} numbers");
    let n = rows.len() / width;
    let mut out = Vec::with_capacity(range.len() * width * (2 * window + 1));
    for at in range {
        for neighbour in at..=at + 2 * window {
            match neighbour.checked_sub(window).filter(|place| *place < n) {
                Some(place) => out.extend_from_slice(&rows[place * width..(place + 1) * width]),
                None => out.extend(std::iter::repeat_n(0.0, width)),
            }
        }
    }
    out
}

/// Returns the second number if it is greater, else the first.
#[inline]
pub(crate) fn larger(first: f32, second: f32) -> f32 {
    if second > first { second } else { first }
}

fn check_bias(node: &ModelNode<'_>, width: usize, outputs: &[usize], bias: &[usize]) -> Result<()> {
    if width == 0 || outputs.contains(&0) || bias != outputs {
        let text = format!(
            "\"W\" has outputs of shape {outputs:?} from {width} numbers, \"b\" the shape {bias:?}"
        );
        return Err(node.error(&text));
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
