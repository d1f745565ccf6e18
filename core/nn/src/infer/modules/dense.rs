//! Modules that change each row by itself, or with its neighbours.

use lexpool_error::Result;

use super::{Context, Module, RowUnit, Shape, Value, WordInputs, rows_of};
use crate::infer::activations::Activation;
use crate::infer::rows::Rows;
use crate::infer::weights::{LayerNorm, Linear, expand_window};

/// An affine layer and a function of its results.
#[derive(Debug)]
pub(super) struct Dense {
    pub(super) linear: Linear,
    pub(super) activation: Activation,
}

impl Module for Dense {
    fn collect_word_inputs(&self, _inputs: &mut WordInputs) -> bool {
        true
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        let unit = check_width(input, self.linear.input_width())?;
        Ok(Shape::Rows(unit, self.linear.width()))
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        let width = self.linear.width();
        Ok(Value::Rows(value.into_rows().map(width, |rows| {
            let mut out = self.linear.apply(context.order, &rows);
            self.activation.apply(&mut out, width);
            out
        })))
    }

    fn reach(&self) -> Option<usize> {
        Some(0)
    }
}

impl Module for Activation {
    fn collect_word_inputs(&self, _inputs: &mut WordInputs) -> bool {
        true
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        rows_of(input)?;
        Ok(input)
    }

    fn run(&self, _context: &Context<'_>, value: Value) -> Result<Value> {
        let rows = value.into_rows();
        let width = rows.width();
        Ok(Value::Rows(rows.map(width, |mut rows| {
            self.apply(&mut rows, width);
            rows
        })))
    }

    fn reach(&self) -> Option<usize> {
        Some(0)
    }
}

impl Module for LayerNorm {
    fn collect_word_inputs(&self, _inputs: &mut WordInputs) -> bool {
        true
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        check_width(input, self.width())?;
        Ok(input)
    }

    fn run(&self, _context: &Context<'_>, value: Value) -> Result<Value> {
        Ok(Value::Rows(value.into_rows().map(self.width(), |mut rows| {
            self.apply(&mut rows);
            rows
        })))
    }

    fn reach(&self) -> Option<usize> {
        Some(0)
    }
}

/// Puts each row beside its neighbours.
#[derive(Debug)]
pub(super) struct Window(pub(super) usize);

impl Module for Window {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        let (unit, width) = rows_of(input)?;
        Ok(Shape::Rows(unit, width * (2 * self.0 + 1)))
    }

    fn run(&self, _context: &Context<'_>, value: Value) -> Result<Value> {
        let rows = value.into_rows();
        let width = rows.width();
        Ok(Value::Rows(rows.map(width * (2 * self.0 + 1), |rows| {
            expand_window(&rows, width, self.0, 0..rows.len() / width)
        })))
    }

    fn reach(&self) -> Option<usize> {
        Some(self.0)
    }

    fn run_within(&self, context: &Context<'_>, rows: Rows, margin: usize) -> Result<Rows> {
        if margin == 0 {
            return self.run(context, Value::Rows(rows)).map(Value::into_rows);
        }
        let (width, range) = (rows.width(), margin..rows.len().saturating_sub(margin));
        let expanded = expand_window(rows.numbers(), width, self.0, range);
        Ok(Rows::new(width * (2 * self.0 + 1), expanded))
    }
}

/// Checks that a shape is that of rows of `expected` numbers; returns what has a row.
pub(super) fn check_width(input: Shape, expected: usize) -> Result<RowUnit, String> {
    let (unit, width) = rows_of(input)?;
    if width == expected {
        return Ok(unit);
    }
    Err(format!("it takes rows of {expected} numbers, and is given rows of {width}"))
}
