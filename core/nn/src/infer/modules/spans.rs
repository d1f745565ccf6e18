//! Modules for sequences of rows: those of spans, and their reduction to one row each.

use lexpool_error::{Error, Result, codes};

use super::{Context, Module, RowUnit, Shape, Value, rows_of};
use crate::infer::pooling::Pooling;
use crate::infer::processor::vectorized;
use crate::infer::rows::Rows;

/// Copies the rows of each span, so that each is a sequence.
#[derive(Debug)]
pub(super) struct ExtractSpans;

impl Module for ExtractSpans {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        match rows_of(input)? {
            (RowUnit::Token, width) => Ok(Shape::Rows(RowUnit::SpanToken, width)),
            (unit, _) => Err(format!("it takes rows for each token, not for {unit}")),
        }
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        let rows = value.into_rows();
        let (width, mut numbers) = (rows.width(), Vec::new());
        let mut lengths = Vec::with_capacity(context.spans.len());
        for (start, end) in context.spans {
            let span = rows.numbers().get(start * width..end * width).ok_or_else(|| {
                let text = format!("a span ({start}, {end}) of {} tokens", rows.len());
                Error::value(codes::MODEL_SPAN, text)
            })?;
            numbers.extend_from_slice(span);
            lengths.push(end - start);
        }
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }
}

impl Module for Pooling {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        let (unit, width) = rows_of(input)?;
        if unit == RowUnit::Sequence {
            return Err("its rows are reduced already".to_owned());
        }
        Ok(Shape::Rows(RowUnit::Sequence, width))
    }

    fn run(&self, _context: &Context<'_>, value: Value) -> Result<Value> {
        let rows = value.into_rows();
        let width = rows.width();
        let mut numbers = vec![0.0; rows.lengths().len() * width];
        vectorized(|| {
            for (sequence, out) in rows.sequences().zip(numbers.chunks_exact_mut(width)) {
                self.apply_to(sequence, out);
            }
        });
        Ok(Value::Rows(Rows::new(width, numbers)))
    }
}
