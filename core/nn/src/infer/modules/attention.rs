//! Parametric attention: rows weighted by their similarity to a learned vector.

use lexpool_error::Result;

use super::dense::check_width;
use super::{Context, Module, Needs, Shape, Value};
use crate::infer::activations::exp;
use crate::infer::rows::Rows;
use crate::infer::sums::multiply;

/// Multiplies each row by its share in its sequence.
#[derive(Debug)]
pub(super) struct Attention {
    pub(super) query: Vec<f32>,
    /// Changes the rows that are compared with the query; the weighted rows are unchanged.
    pub(super) key_transform: Option<Box<dyn Module>>,
}

impl Module for Attention {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        let keys = match &self.key_transform {
            Some(transform) => transform.output_shape(input)?,
            None => input,
        };
        check_width(keys, self.query.len())?;
        Ok(input)
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        let keys = match &self.key_transform {
            Some(transform) => transform.run(context, value.clone())?.into_rows(),
            None => value.clone().into_rows(),
        };
        let rows = value.into_rows();
        let mut shares = multiply(context.order, keys.numbers(), &self.query, self.query.len());
        let mut rest = &mut shares[..];
        for length in rows.lengths() {
            let (sequence, after) = rest.split_at_mut(*length);
            normalize(sequence);
            rest = after;
        }
        let width = rows.width();
        Ok(Value::Rows(weighted(rows, width, &shares)))
    }

    fn collect_needs(&self, needs: &mut Needs) {
        if let Some(transform) = &self.key_transform {
            transform.collect_needs(needs);
        }
    }
}

fn weighted(rows: Rows, width: usize, shares: &[f32]) -> Rows {
    rows.map(width, |mut numbers| {
        for (row, share) in numbers.chunks_exact_mut(width).zip(shares) {
            for number in row {
                *number *= share;
            }
        }
        numbers
    })
}

/// The softmax of a sequence, as thinc computes it: without a shift by the maximum, clipped
/// instead.
fn normalize(sequence: &mut [f32]) {
    for x in sequence.iter_mut() {
        *x = exp(x.clamp(-20.0, 20.0));
    }
    let sum = sequence.iter().fold(0.0, |sum, x| sum + x);
    for x in sequence {
        *x /= sum;
    }
}
