//! Affine layers.

use lexpool_error::Result;
use lexpool_nn::{Matrix, Rows, gemm};

use super::{Backward, Forward, Saved, Tape, Unit, Value, pop};
use crate::parameters::TensorIx;

/// An affine transformation: `x W^T + b`.
#[derive(Debug)]
pub(super) struct Linear {
    pub(super) weights: TensorIx,
    pub(super) bias: TensorIx,
}

impl Unit for Linear {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let (bias, lengths) = (run.parameters.values(self.bias), rows.lengths().to_vec());
        let numbers = affine(run, self.weights, bias, &rows);
        let width = bias.len();
        tape.push(Saved::Lengths(lengths.clone()));
        tape.push(Saved::Numbers(rows.into_numbers()));
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let (inputs, lengths) = (pop!(tape, Numbers), pop!(tape, Lengths));
        let (d_weights, d_bias) = run.gradients.two_mut(self.weights, self.bias);
        let (n, outputs) = (d.len(), d_bias.len());
        let width = d_weights.len() / outputs;
        add_columns(d.numbers(), d_bias);
        let d_rows = matrix(d.numbers(), n, outputs);
        let mut product = vec![0.0; d_weights.len()];
        gemm(d_rows.transpose(), matrix(&inputs, n, width), &mut product, width);
        d_weights.iter_mut().zip(&product).for_each(|(sum, number)| *sum += number);
        let mut d_input = vec![0.0; n * width];
        let weights = run.parameters.values(self.weights);
        gemm(d_rows, matrix(weights, outputs, width), &mut d_input, width);
        Ok(Some(Rows::with_lengths(width, d_input, lengths)))
    }
}

/// Computes `x W^T + b`.
fn affine(run: &Forward<'_>, weights: TensorIx, bias: &[f32], rows: &Rows) -> Vec<f32> {
    let width = rows.width();
    let weights = matrix(run.parameters.values(weights), bias.len(), width);
    let mut out = vec![0.0; rows.len() * bias.len()];
    gemm(matrix(rows.numbers(), rows.len(), width), weights.transpose(), &mut out, bias.len());
    for row in out.chunks_exact_mut(bias.len().max(1)) {
        row.iter_mut().zip(bias).for_each(|(x, bias)| *x += bias);
    }
    out
}

/// Makes a matrix of rows that lie behind each other.
fn matrix(numbers: &[f32], rows: usize, width: usize) -> Matrix<'_> {
    Matrix::new(numbers, rows, width, width).expect("rows of this width")
}

/// Adds all rows to one, in order.
fn add_columns(rows: &[f32], sums: &mut [f32]) {
    for row in rows.chunks_exact(sums.len().max(1)) {
        sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
}
