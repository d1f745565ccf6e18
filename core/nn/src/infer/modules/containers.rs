//! Modules that consist of modules.

use lexpool_error::Result;

use super::{Context, Module, Needs, Shape, Value, WordInputs, rows_of};
use crate::infer::rows::Rows;

/// Returns what it is given: dropout, and conversions between forms that are one here.
#[derive(Debug)]
pub(super) struct Identity;

impl Module for Identity {
    fn collect_word_inputs(&self, _inputs: &mut WordInputs) -> bool {
        true
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        Ok(input)
    }

    fn run(&self, _context: &Context<'_>, value: Value) -> Result<Value> {
        Ok(value)
    }

    fn reach(&self) -> Option<usize> {
        Some(0)
    }
}

/// Runs modules one after another.
#[derive(Debug)]
pub(super) struct Chain(pub(super) Vec<Box<dyn Module>>);

impl Module for Chain {
    fn collect_word_inputs(&self, inputs: &mut WordInputs) -> bool {
        self.0.iter().all(|module| module.collect_word_inputs(inputs))
    }

    fn takes_ids(&self) -> bool {
        self.0.first().is_some_and(|module| module.takes_ids())
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        self.0.iter().try_fold(input, |shape, module| module.output_shape(shape))
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        self.0.iter().try_fold(value, |value, module| module.run(context, value))
    }

    fn run_all(&self, group: &[Context<'_>], values: Vec<Value>) -> Result<Vec<Value>> {
        self.0.iter().try_fold(values, |values, module| module.run_all(group, values))
    }

    fn reach(&self) -> Option<usize> {
        self.0.iter().map(|module| module.reach()).sum()
    }

    /// Each module leaves out the rows that the next ones do not need.
    fn run_within(&self, context: &Context<'_>, rows: Rows, margin: usize) -> Result<Rows> {
        let (mut rows, mut left) = (rows, margin);
        for module in &self.0 {
            let reach = module.reach().unwrap_or_default().min(left);
            rows = module.run_within(context, rows, reach)?;
            left -= reach;
        }
        Ok(rows.without_margin(left))
    }

    fn collect_needs(&self, needs: &mut Needs) {
        self.0.iter().for_each(|module| module.collect_needs(needs));
    }
}

/// Puts the results of modules side by side.
#[derive(Debug)]
pub(super) struct Concatenate(pub(super) Vec<Box<dyn Module>>);

impl Module for Concatenate {
    fn collect_word_inputs(&self, inputs: &mut WordInputs) -> bool {
        self.0.iter().all(|module| module.collect_word_inputs(inputs))
    }

    fn takes_ids(&self) -> bool {
        self.0.iter().all(|module| module.takes_ids())
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        let parts = self.0.iter().map(|module| rows_of(module.output_shape(input)?));
        let parts = parts.collect::<Result<Vec<_>, String>>()?;
        let Some((unit, _)) = parts.first() else {
            return Err("it puts no rows side by side".to_owned());
        };
        if let Some((other, _)) = parts.iter().find(|(other, _)| other != unit) {
            return Err(format!("it puts rows for {unit} beside rows for {other}"));
        }
        Ok(Shape::Rows(*unit, parts.iter().map(|(_, width)| width).sum()))
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        let Some((last, others)) = self.0.split_last() else { return Ok(value) };
        let mut parts = Vec::with_capacity(self.0.len());
        for module in others {
            parts.push(module.run(context, value.clone())?.into_rows());
        }
        parts.push(last.run(context, value)?.into_rows());
        Ok(Value::Rows(side_by_side(&parts)))
    }

    fn run_all(&self, group: &[Context<'_>], values: Vec<Value>) -> Result<Vec<Value>> {
        let Some((last, others)) = self.0.split_last() else { return Ok(values) };
        let mut parts = vec![Vec::with_capacity(self.0.len()); values.len()];
        let mut add = |results: Vec<Value>| {
            for (parts, result) in parts.iter_mut().zip(results) {
                parts.push(result.into_rows());
            }
        };
        for module in others {
            add(module.run_all(group, values.clone())?);
        }
        add(last.run_all(group, values)?);
        Ok(parts.iter().map(|parts| Value::Rows(side_by_side(parts))).collect())
    }

    fn collect_needs(&self, needs: &mut Needs) {
        self.0.iter().for_each(|module| module.collect_needs(needs));
    }
}

fn side_by_side(parts: &[Rows]) -> Rows {
    let width = parts.iter().map(Rows::width).sum();
    let mut numbers = Vec::with_capacity(parts.iter().map(|part| part.numbers().len()).sum());
    let mut rows: Vec<_> = parts.iter().map(Rows::rows).collect();
    for _ in 0..parts[0].len() {
        rows.iter_mut().filter_map(Iterator::next).for_each(|row| numbers.extend(row));
    }
    Rows::with_lengths(width, numbers, parts[0].lengths().to_vec())
}

/// Adds the result of a module to its input.
#[derive(Debug)]
pub(super) struct Residual(pub(super) Box<dyn Module>);

impl Module for Residual {
    fn collect_word_inputs(&self, inputs: &mut WordInputs) -> bool {
        self.0.collect_word_inputs(inputs)
    }

    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        let output = self.0.output_shape(input)?;
        if rows_of(input)? == rows_of(output)? {
            return Ok(output);
        }
        Err(format!("a residual connection adds {output} to {input}"))
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        self.run_within(context, value.into_rows(), 0).map(Value::Rows)
    }

    fn reach(&self) -> Option<usize> {
        self.0.reach()
    }

    fn run_within(&self, context: &Context<'_>, rows: Rows, margin: usize) -> Result<Rows> {
        let result = self.0.run_within(context, rows.clone(), margin)?;
        let rows = rows.without_margin(margin);
        let width = rows.width();
        Ok(rows.map(width, |mut numbers| {
            crate::infer::sums::add(&mut numbers, result.numbers());
            numbers
        }))
    }

    fn collect_needs(&self, needs: &mut Needs) {
        self.0.collect_needs(needs);
    }
}

/// Runs a module on a document between rows of zeros, which are dropped from the result.
#[derive(Debug)]
pub(super) struct Padded {
    pub(super) padding: usize,
    pub(super) inner: Box<dyn Module>,
}

impl Module for Padded {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        self.inner.output_shape(input)
    }

    fn run(&self, context: &Context<'_>, value: Value) -> Result<Value> {
        let rows = match value {
            Value::Rows(rows) if self.padding > 0 && !rows.is_empty() => rows,
            other => return self.inner.run(context, other),
        };
        let (width, n_rows) = (rows.width(), rows.len());
        let zeros = vec![0.0; self.padding * width];
        let padded = Rows::new(width, [&zeros[..], rows.numbers(), &zeros].concat());
        // Rows of the padding are left out as soon as no row of the document needs them.
        let result = match self.inner.reach() {
            Some(reach) if reach <= self.padding => {
                self.inner.run_within(context, padded, self.padding)?
            }
            _ => {
                let result = self.inner.run(context, Value::Rows(padded))?.into_rows();
                result.without_margin(self.padding)
            }
        };
        debug_assert_eq!(result.len(), n_rows);
        let width = result.width();
        Ok(Value::Rows(rows.map(width, |_| result.into_numbers())))
    }

    fn collect_needs(&self, needs: &mut Needs) {
        self.inner.collect_needs(needs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::modules::RowUnit;
    use crate::infer::pooling::Pooling;

    const TOKENS: Shape = Shape::Rows(RowUnit::Token, 4);

    fn refusal(module: &dyn Module, input: Shape) -> String {
        module.output_shape(input).unwrap_err()
    }

    #[test]
    fn rows_of_tokens_are_not_joined_to_rows_of_documents() {
        let parts: Vec<Box<dyn Module>> = vec![Box::new(Identity), Box::new(Pooling::Mean)];
        let text = refusal(&Concatenate(parts), TOKENS);
        assert_eq!(text, "it puts rows for each token beside rows for each document or span");
        let text = refusal(&Residual(Box::new(Pooling::Mean)), TOKENS);
        assert!(text.contains("adds rows of 4 numbers for each document or span"), "{text}");
        assert_eq!(refusal(&Concatenate(Vec::new()), TOKENS), "it puts no rows side by side");
        let reduced = Shape::Rows(RowUnit::Sequence, 4);
        assert_eq!(refusal(&Pooling::Max, reduced), "its rows are reduced already");
    }
}
