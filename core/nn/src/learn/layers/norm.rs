//! Normalization of rows, and dropout.

use lexpool_error::Result;

use super::dense::add_columns;
use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};
use crate::infer::{Rows, normalize, pairwise_sum, pairwise_sum_of, vectorized};
use crate::learn::parameters::TensorIx;

/// The number of rows that a thread computes together.
const ROWS: usize = 48;

/// Normalization of each row to mean 0 and variance 1, then scaling and shifting by column.
#[derive(Debug)]
pub(super) struct LayerNorm {
    pub(super) scale: TensorIx,
    pub(super) shift: TensorIx,
}

impl Layer for LayerNorm {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let (width, lengths) = (rows.width(), rows.lengths().to_vec());
        let scale = run.parameters.values(self.scale);
        let shift = run.parameters.values(self.shift);
        let mut numbers = rows.numbers().to_vec();
        run.workers.tiles(&mut numbers, ROWS * width, |_, rows| {
            vectorized(
                #[inline(always)]
                || {
                    for row in rows.chunks_exact_mut(width) {
                        normalize(row, scale, shift);
                    }
                },
            );
        })?;
        tape.push(Saved::Numbers(rows.into_numbers()));
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let mut inputs = pop!(tape, Numbers);
        let (width, lengths) = (d.width(), d.lengths().to_vec());
        let scale = run.parameters.values(self.scale);
        let mut d = d.into_numbers();
        let (d_scale, d_shift) = run.gradients.two_mut(self.scale, self.shift);
        add_columns(&d, d_shift);
        // The rows of the input become the normalized ones times the gradient.
        let size = ROWS * width;
        let tiles = d.chunks_mut(size).zip(inputs.chunks_mut(size)).collect();
        run.workers.each(tiles, |(d, inputs): (&mut [f32], &mut [f32])| {
            let mut memory = vec![0.0; 2 * width];
            vectorized(
                #[inline(always)]
                || {
                    for (d, x) in d.chunks_exact_mut(width).zip(inputs.chunks_exact_mut(width)) {
                        row_backward(d, x, scale, &mut memory);
                    }
                },
            );
        })?;
        add_columns(&inputs, d_scale);
        Ok(Some(Rows::with_lengths(width, d, lengths)))
    }
}

/// Replaces the gradient of a row by that of the input `x`, and `x` by the terms of the gradient of
/// the scale. Each operation is rounded as in thinc. The row has two rows of memory.
#[inline]
fn row_backward(d: &mut [f32], x: &mut [f32], scale: &[f32], memory: &mut [f32]) {
    #[expect(clippy::cast_precision_loss, reason = "as NumPy divides by the number of columns")]
    let n = x.len() as f32;
    let (distances, products) = memory.split_at_mut(x.len());
    let mean = pairwise_sum(x) / n;
    distances.iter_mut().zip(&*x).for_each(|(distance, x)| *distance = x - mean);
    let variance = pairwise_sum_of(distances, |x| x * x) / n + 1e-8;
    let factor = variance.powf(std::hint::black_box(-0.5));
    let inverse = 1.0 / variance;
    for ((x, d), distance) in x.iter_mut().zip(&*d).zip(&*distances) {
        *x = d * (distance * factor);
    }
    d.iter_mut().zip(scale).for_each(|(d, scale)| *d *= scale);
    for ((product, d), distance) in products.iter_mut().zip(&*d).zip(&*distances) {
        *product = d * distance;
    }
    let (sum, along) = (pairwise_sum(d), pairwise_sum(products));
    for (d, distance) in d.iter_mut().zip(&*distances) {
        *d = (n * *d - sum - distance * inverse * along) * factor / n;
    }
}

/// Multiplies rows with a mask of 0 and what makes up for it.
#[derive(Debug)]
pub(super) struct Dropout {
    /// The number of the layer.
    pub(super) layer: u32,
}

impl Layer for Dropout {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let mask = run.dropout.mask(self.layer, rows.len(), rows.width());
        let Some(mask) = mask else {
            tape.push(Saved::Mask(None));
            return Ok(Value::Rows(rows));
        };
        let (width, lengths) = (rows.width(), rows.lengths().to_vec());
        let mut numbers = rows.into_numbers();
        mask.apply_all(&mut numbers, run.workers)?;
        tape.push(Saved::Mask(Some(mask)));
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let Some(mask) = pop!(tape, Mask) else { return Ok(Some(d)) };
        let (width, lengths) = (d.width(), d.lengths().to_vec());
        let mut d = d.into_numbers();
        mask.apply_all(&mut d, run.workers)?;
        Ok(Some(Rows::with_lengths(width, d, lengths)))
    }
}
