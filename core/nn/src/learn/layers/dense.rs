//! Affine layers with a function of their results.

use lexpool_error::Result;

use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};
use crate::infer::{Activation, Matrix, PackedWeights, Rows, gemm};
use crate::learn::layers::activation;
use crate::learn::parameters::{Parameters, TensorIx};
use crate::learn::workers::{Workers, even_size};

/// The number of rows that a thread computes together.
const ROWS: usize = 48;
/// The most outputs whose weights have their gradient computed together.
const OUTPUTS: usize = 32;

/// `f(x W^T + b)`: Linear, Relu, Mish, Gelu.
#[derive(Debug)]
pub(super) struct Dense {
    pub(super) weights: TensorIx,
    pub(super) bias: TensorIx,
    pub(super) activation: Activation,
}

impl Layer for Dense {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let width = run.parameters.values(self.bias).len();
        let lengths = rows.lengths().to_vec();
        let mut numbers = affine(run, self.weights, self.bias, &rows, |_| {})?;
        tape.push(Saved::Lengths(lengths.clone()));
        tape.push(Saved::Numbers(rows.into_numbers()));
        activation::forward(self.activation, &mut numbers, width, tape);
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let width = d.width();
        let mut d = d.into_numbers();
        activation::backward(self.activation, &mut d, width, tape);
        affine_backward(run, self.weights, self.bias, &d, tape).map(Some)
    }
}

/// A distribution over the outputs of an affine layer. Its gradient is that of the affine layer:
/// losses give the difference of the distribution and the truth, which is the gradient before the
/// softmax already.
#[derive(Debug)]
pub(super) struct Softmax {
    pub(super) weights: TensorIx,
    pub(super) bias: TensorIx,
    pub(super) temperature: f32,
}

impl Layer for Softmax {
    /// Normalizes always: `softmax_normalize` is for inference.
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let width = run.parameters.values(self.bias).len();
        let lengths = rows.lengths().to_vec();
        let softmax = Activation::Softmax(self.temperature);
        let normalize = |rows: &mut [f32]| softmax.apply(rows, width);
        let numbers = affine(run, self.weights, self.bias, &rows, normalize)?;
        tape.push(Saved::Lengths(lengths.clone()));
        tape.push(Saved::Numbers(rows.into_numbers()));
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let mut d = d.into_numbers();
        #[expect(clippy::float_cmp, reason = "thinc divides unless it is exactly 1")]
        if self.temperature != 1.0 {
            for d in &mut d {
                *d /= self.temperature;
            }
        }
        affine_backward(run, self.weights, self.bias, &d, tape).map(Some)
    }
}

/// Computes a function of the rows of `x W^T + b`.
fn affine(
    run: &Forward<'_>,
    weights: TensorIx,
    bias: TensorIx,
    rows: &Rows,
    apply: impl Fn(&mut [f32]) + Sync,
) -> Result<Vec<f32>> {
    let (width, bias) = (rows.width(), run.parameters.values(bias));
    let weights = PackedWeights::new(run.parameters.values(weights), width);
    let mut out = vec![0.0; rows.len() * bias.len()];
    let order = run.order;
    run.workers.tiles(&mut out, ROWS * bias.len(), |tile, out| {
        let n = out.len() / bias.len();
        let starts: Vec<usize> = (tile * ROWS..tile * ROWS + n).map(|row| row * width).collect();
        weights.multiply_at(order, rows.numbers(), &starts, out);
        for row in out.chunks_exact_mut(bias.len()) {
            row.iter_mut().zip(bias).for_each(|(x, bias)| *x += bias);
        }
        apply(out);
    })?;
    Ok(out)
}

/// Adds the gradients of weights and bias, and returns that of the input, which is on the tape.
fn affine_backward(
    run: &mut Backward<'_>,
    weights: TensorIx,
    bias: TensorIx,
    d: &[f32],
    tape: &mut Tape,
) -> Result<Rows> {
    let (inputs, lengths) = (pop!(tape, Numbers), pop!(tape, Lengths));
    let (d_weights, d_bias) = run.gradients.two_mut(weights, bias);
    let outputs = d_bias.len();
    let width = d_weights.len() / outputs.max(1);
    add_columns(d, d_bias);
    add_products(run.workers, (d, outputs), (&inputs, width), d_weights)?;
    let d_input = multiply_back(run.workers, run.parameters, weights, (d, outputs), width)?;
    Ok(Rows::with_lengths(width, d_input, lengths))
}

/// Adds `d^T x` to the gradient of weights, by outputs: each number is a sum over all rows in
/// order.
pub(super) fn add_products(
    workers: Workers,
    (d, outputs): (&[f32], usize),
    (inputs, width): (&[f32], usize),
    d_weights: &mut [f32],
) -> Result<()> {
    if d.is_empty() {
        return Ok(());
    }
    let n = d.len() / outputs;
    let in_tile = even_size(outputs, OUTPUTS);
    workers.tiles(d_weights, in_tile * width, |tile, sums| {
        let count = sums.len() / width;
        let columns = Matrix::new(&d[tile * in_tile..], n, count, outputs).expect("own columns");
        let mut products = vec![0.0; sums.len()];
        gemm(columns.transpose(), matrix(inputs, n, width), &mut products, width);
        sums.iter_mut().zip(&products).for_each(|(sum, product)| *sum += product);
    })
}

/// Computes `d W`, by rows.
pub(super) fn multiply_back(
    workers: Workers,
    parameters: &Parameters,
    weights: TensorIx,
    (d, outputs): (&[f32], usize),
    width: usize,
) -> Result<Vec<f32>> {
    let weights = parameters.values(weights);
    let n = d.len() / outputs.max(1);
    let mut d_input = vec![0.0; n * width];
    // As many rows a tile that the weights, which each tile packs, cost little beside them.
    workers.tiles(&mut d_input, 4 * ROWS * width, |tile, out| {
        let n_rows = out.len() / width;
        let d = &d[tile * 4 * ROWS * outputs..][..n_rows * outputs];
        gemm(matrix(d, n_rows, outputs), matrix(weights, outputs, width), out, width);
    })?;
    Ok(d_input)
}

/// Makes a matrix of rows that lie behind each other.
pub(super) fn matrix(numbers: &[f32], rows: usize, width: usize) -> Matrix<'_> {
    Matrix::new(numbers, rows, width, width).expect("rows of this width")
}

/// Adds all rows to one, in order.
pub(super) fn add_columns(rows: &[f32], sums: &mut [f32]) {
    for row in rows.chunks_exact(sums.len().max(1)) {
        sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
}
