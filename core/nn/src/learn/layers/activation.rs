//! Functions of single numbers and of rows, and their derivatives.
//!
//! Sources: `backprop_mish`, `backprop_gelu`, `backprop_relu`, `backprop_softmax` and `dsigmoid` of
//! thinc 8.

use lexpool_error::Result;

use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};

use crate::infer::{Activation, Rows, exp, normal_distribution, pairwise_sum};

/// A function as a layer: logistic, softmax.
#[derive(Debug)]
pub(super) struct Function(pub(super) Activation);

impl Layer for Function {
    fn forward(&self, _run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let (width, lengths) = (rows.width(), rows.lengths().to_vec());
        let mut numbers = rows.into_numbers();
        forward(self.0, &mut numbers, width, tape);
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, _run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let (width, lengths) = (d.width(), d.lengths().to_vec());
        let mut d = d.into_numbers();
        backward(self.0, &mut d, width, tape);
        Ok(Some(Rows::with_lengths(width, d, lengths)))
    }
}

/// Applies a function, and keeps its input or its result, whichever the derivative needs.
pub(super) fn forward(activation: Activation, numbers: &mut [f32], width: usize, tape: &mut Tape) {
    if matches!(activation, Activation::Mish | Activation::Gelu) {
        tape.push(Saved::Numbers(numbers.to_vec()));
    }
    activation.apply(numbers, width.max(1));
    if matches!(activation, Activation::Relu | Activation::Logistic | Activation::Softmax(_)) {
        tape.push(Saved::Numbers(numbers.to_vec()));
    }
}

/// Multiplies a gradient with the derivative of the function.
pub(super) fn backward(activation: Activation, d: &mut [f32], width: usize, tape: &mut Tape) {
    if activation == Activation::Linear {
        return;
    }
    let outputs = pop!(tape, Numbers);
    let pairs = d.iter_mut().zip(&outputs);
    match activation {
        Activation::Linear => {}
        Activation::Relu => pairs.for_each(|(d, y)| *d *= if *y > 0.0 { 1.0 } else { 0.0 }),
        Activation::Mish => pairs.for_each(|(d, x)| *d = d_mish(*d, *x)),
        Activation::Gelu => pairs.for_each(|(d, x)| *d *= gelu_slope(*x)),
        Activation::Logistic => pairs.for_each(|(d, y)| *d *= y * (1.0 - y)),
        Activation::Softmax(_) => {
            let width = width.max(1);
            for (d, y) in d.chunks_exact_mut(width).zip(outputs.chunks_exact(width)) {
                d.iter_mut().zip(y).for_each(|(d, y)| *d *= y);
                let sum = pairwise_sum(d);
                d.iter_mut().zip(y).for_each(|(d, y)| *d -= y * sum);
            }
        }
    }
}

/// Beyond a threshold the function is the number itself.
fn d_mish(d: f32, x: f32) -> f32 {
    const THRESHOLD: f32 = 20.0;
    if x >= THRESHOLD {
        return d;
    }
    let power = x.exp();
    let omega =
        4.0 * (x + 1.0) + 4.0 * (power * power) + power * power * power + power * (4.0 * x + 6.0);
    let delta = (power + 1.0) * (power + 1.0) + 1.0;
    d * ((power * omega) / (delta * delta))
}

/// `P(x) + x p(x)` with the distribution P and the density p of normal numbers.
#[expect(clippy::excessive_precision, reason = "the published digits")]
fn gelu_slope(x: f32) -> f32 {
    let density = 0.398_942_280_4 * exp(-0.5 * x * x);
    normal_distribution(x) + x * density
}
