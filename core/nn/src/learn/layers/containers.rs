//! Layers that consist of layers.

use lexpool_error::Result;

use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};

use crate::infer::Rows;

/// Returns what it is given: conversions between forms that are one here.
#[derive(Debug)]
pub(super) struct Identity;

impl Layer for Identity {
    fn forward(&self, _run: &Forward<'_>, input: Value, _tape: &mut Tape) -> Result<Value> {
        Ok(input)
    }

    fn backward(&self, _run: &mut Backward<'_>, d: Rows, _tape: &mut Tape) -> Result<Option<Rows>> {
        Ok(Some(d))
    }
}

/// Calls layers one after another.
#[derive(Debug)]
pub(super) struct Chain(pub(super) Vec<Box<dyn Layer>>);

impl Layer for Chain {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        self.0.iter().try_fold(input, |value, layer| layer.forward(run, value, tape))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let mut d = d;
        for layer in self.0.iter().rev() {
            match layer.backward(run, d, tape)? {
                Some(next) => d = next,
                // Layers below it give no rows: ids and keys.
                None => return Ok(None),
            }
        }
        Ok(Some(d))
    }
}

/// Puts the results of layers side by side.
#[derive(Debug)]
pub(super) struct Concatenate(pub(super) Vec<Box<dyn Layer>>);

impl Layer for Concatenate {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let mut parts = Vec::with_capacity(self.0.len());
        for layer in &self.0 {
            parts.push(layer.forward(run, input.clone(), tape)?.into_rows());
        }
        let widths = parts.iter().map(Rows::width).collect();
        tape.push(Saved::Lengths(widths));
        Ok(Value::Rows(side_by_side(&parts)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let widths = pop!(tape, Lengths);
        let mut parts = Vec::with_capacity(widths.len());
        let mut end = d.width();
        for (layer, width) in self.0.iter().zip(widths).rev() {
            let mut numbers = Vec::with_capacity(d.len() * width);
            d.rows().for_each(|row| numbers.extend_from_slice(&row[end - width..end]));
            end -= width;
            let part = Rows::with_lengths(width, numbers, d.lengths().to_vec());
            parts.extend(layer.backward(run, part, tape)?);
        }
        // In the order of the layers, as thinc adds.
        Ok(parts.into_iter().rev().reduce(|sum, part| added(sum, &part)))
    }
}

fn side_by_side(parts: &[Rows]) -> Rows {
    let width = parts.iter().map(Rows::width).sum();
    let n_rows = parts.first().map_or(0, Rows::len);
    let mut numbers = Vec::with_capacity(n_rows * width);
    let mut rows: Vec<_> = parts.iter().map(Rows::rows).collect();
    for _ in 0..n_rows {
        rows.iter_mut().filter_map(Iterator::next).for_each(|row| numbers.extend_from_slice(row));
    }
    Rows::with_lengths(
        width,
        numbers,
        parts.first().map_or(Vec::new(), |rows| rows.lengths().to_vec()),
    )
}

/// Adds rows to rows.
pub(super) fn added(rows: Rows, others: &Rows) -> Rows {
    let (width, lengths) = (rows.width(), rows.lengths().to_vec());
    let mut numbers = rows.into_numbers();
    numbers.iter_mut().zip(others.numbers()).for_each(|(sum, number)| *sum += number);
    Rows::with_lengths(width, numbers, lengths)
}

/// Adds its input to the result of a layer.
#[derive(Debug)]
pub(super) struct Residual(pub(super) Box<dyn Layer>);

impl Layer for Residual {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let result = self.0.forward(run, Value::Rows(rows.clone()), tape)?.into_rows();
        Ok(Value::Rows(added(rows, &result)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let d_input = self.0.backward(run, d.clone(), tape)?;
        Ok(Some(match d_input {
            Some(d_input) => added(d, &d_input),
            None => d,
        }))
    }
}

/// Calls a layer with the rows of all documents, with rows of zeros before, between and behind
/// them. The rows that the layer makes of zeros take part, forward and backward, as in thinc.
#[derive(Debug)]
pub(super) struct Padded {
    pub(super) padding: usize,
    pub(super) inner: Box<dyn Layer>,
}

impl Padded {
    /// Puts rows between zeros, as one sequence. Empty documents have none of their own.
    fn pad(&self, rows: &Rows) -> Rows {
        let width = rows.width();
        let zeros = vec![0.0; self.padding * width];
        let mut numbers = zeros.clone();
        let mut rest = rows.numbers();
        for length in rows.lengths().iter().filter(|length| **length > 0) {
            let (sequence, after) = rest.split_at(length * width);
            numbers.extend_from_slice(sequence);
            numbers.extend_from_slice(&zeros);
            rest = after;
        }
        Rows::new(width, numbers)
    }

    /// Drops the padding.
    fn unpad(&self, padded: &Rows, lengths: Vec<usize>) -> Rows {
        let width = padded.width();
        let mut numbers = Vec::with_capacity(lengths.iter().sum::<usize>() * width);
        let mut rest = padded.numbers();
        for length in lengths.iter().filter(|length| **length > 0) {
            let sequence = &rest[self.padding * width..];
            numbers.extend_from_slice(&sequence[..length * width]);
            rest = &sequence[length * width..];
        }
        Rows::with_lengths(width, numbers, lengths)
    }
}

impl Layer for Padded {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = match input {
            Value::Rows(rows) if !rows.is_empty() => rows,
            // Ids have no zeros around them, and no rows have no padding.
            other => {
                let result = self.inner.forward(run, other, tape)?;
                tape.push(Saved::Padding(None));
                return Ok(result);
            }
        };
        let lengths = rows.lengths().to_vec();
        let result = self.inner.forward(run, Value::Rows(self.pad(&rows)), tape)?.into_rows();
        tape.push(Saved::Padding(Some(lengths.clone())));
        Ok(Value::Rows(self.unpad(&result, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let Some(lengths) = pop!(tape, Padding) else { return self.inner.backward(run, d, tape) };
        let d_input = self.inner.backward(run, self.pad(&d), tape)?;
        Ok(d_input.map(|d_input| self.unpad(&d_input, lengths)))
    }
}
