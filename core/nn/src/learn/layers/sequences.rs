//! Layers of sequences of rows: their reduction to one row each, attention, and the rows of spans.

use lexpool_error::Result;

use super::containers::added;
use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};
use crate::infer::{Pooling, Rows, exp, multiply, pairwise_sum_of};
use crate::learn::parameters::TensorIx;

/// Reduces the rows of each sequence to one. A sequence without rows has zeros.
#[derive(Debug)]
pub(super) struct Reduce(pub(super) Pooling);

impl Layer for Reduce {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let width = rows.width();
        let mut numbers = Vec::with_capacity(rows.lengths().len() * width);
        for sequence in sequences(rows.numbers(), width, rows.lengths()) {
            numbers.extend(self.0.apply(sequence, width));
        }
        let n = rows.lengths().len();
        tape.push(Saved::Lengths(rows.lengths().to_vec()));
        if self.0 == Pooling::Max {
            tape.push(Saved::Numbers(rows.into_numbers()));
        }
        // A row for each document, or rows for the spans of each document.
        let spans = run.batch.spans().iter().map(Vec::len);
        let lengths = if spans.clone().sum::<usize>() == n && !run.batch.spans().is_empty() {
            spans.collect()
        } else {
            vec![1; n]
        };
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, _run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let inputs = if self.0 == Pooling::Max { pop!(tape, Numbers) } else { Vec::new() };
        let lengths = pop!(tape, Lengths);
        let width = d.width();
        let mut numbers = vec![0.0; lengths.iter().sum::<usize>() * width];
        let (mut rest, mut inputs) = (&mut numbers[..], &inputs[..]);
        for (d, length) in d.rows().zip(&lengths) {
            let (own, after) = rest.split_at_mut(length * width);
            rest = after;
            if self.0 == Pooling::Max {
                let (sequence, after) = inputs.split_at(length * width);
                inputs = after;
                to_largest(sequence, d, own);
            } else {
                self.spread(d, own);
            }
        }
        Ok(Some(Rows::with_lengths(width, numbers, lengths)))
    }
}

impl Reduce {
    /// Writes the gradient of the rows of a sequence.
    fn spread(&self, d: &[f32], out: &mut [f32]) {
        let width = d.len().max(1);
        let n_rows = out.len() / width;
        let mut rows = out.chunks_exact_mut(width);
        match self.0 {
            Pooling::Sum => rows.for_each(|row| row.copy_from_slice(d)),
            Pooling::Mean => {
                #[expect(clippy::cast_precision_loss, reason = "as thinc divides")]
                let share = 1.0 / n_rows as f32;
                rows.for_each(|row| row.iter_mut().zip(d).for_each(|(x, d)| *x = d * share));
            }
            Pooling::First => rows.next().into_iter().for_each(|row| row.copy_from_slice(d)),
            Pooling::Last => rows.next_back().into_iter().for_each(|row| row.copy_from_slice(d)),
            Pooling::Max => {}
        }
    }
}

/// Writes the gradient of each column to the first of its largest numbers.
fn to_largest(sequence: &[f32], d: &[f32], out: &mut [f32]) {
    let width = d.len();
    let n_rows = out.len() / width.max(1);
    for (column, d) in d.iter().enumerate().filter(|_| n_rows > 0) {
        let mut best = 0;
        for row in 1..n_rows {
            if sequence[row * width + column] > sequence[best * width + column] {
                best = row;
            }
        }
        out[best * width + column] = *d;
    }
}

/// Returns the numbers of each sequence.
fn sequences<'a>(
    numbers: &'a [f32],
    width: usize,
    lengths: &'a [usize],
) -> impl Iterator<Item = &'a [f32]> {
    let mut rest = numbers;
    lengths.iter().map(move |length| {
        let (sequence, after) = rest.split_at(length * width);
        rest = after;
        sequence
    })
}

/// Multiplies each row by its share in its sequence: the softmax of its product with a query.
#[derive(Debug)]
pub(super) struct Attention {
    pub(super) query: TensorIx,
    /// Changes the rows that are compared with the query; the weighted rows are unchanged.
    pub(super) key_transform: Option<Box<dyn Layer>>,
}

impl Layer for Attention {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let query = run.parameters.values(self.query);
        let keys = match &self.key_transform {
            Some(transform) => transform.forward(run, Value::Rows(rows.clone()), tape)?.into_rows(),
            None => rows.clone(),
        };
        let mut shares = multiply(run.order, keys.numbers(), query, query.len());
        let mut rest = &mut shares[..];
        for length in rows.lengths() {
            let (sequence, after) = rest.split_at_mut(*length);
            normalize_shares(sequence);
            rest = after;
        }
        let (width, lengths) = (rows.width(), rows.lengths().to_vec());
        let mut numbers = rows.numbers().to_vec();
        for (row, share) in numbers.chunks_exact_mut(width).zip(&shares) {
            for x in row {
                *x *= share;
            }
        }
        tape.push(Saved::Numbers(rows.into_numbers()));
        tape.push(Saved::Numbers(keys.into_numbers()));
        tape.push(Saved::Numbers(shares));
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let shares = pop!(tape, Numbers);
        let (keys, inputs) = (pop!(tape, Numbers), pop!(tape, Numbers));
        let (width, lengths) = (d.width(), d.lengths().to_vec());
        let mut d_shares: Vec<f32> = inputs
            .chunks_exact(width)
            .zip(d.rows())
            .map(|(x, d)| {
                let products: Vec<f32> = x.iter().zip(d).map(|(x, d)| x * d).collect();
                pairwise_sum_of(&products, |product| product)
            })
            .collect();
        let mut first = 0;
        for length in &lengths {
            let range = first..first + length;
            softmax_backward(&mut d_shares[range.clone()], &shares[range.clone()]);
            first = range.end;
        }
        let d_query = run.gradients.values_mut(self.query);
        for (key, d) in keys.chunks_exact(width).zip(&d_shares) {
            d_query.iter_mut().zip(key).for_each(|(sum, x)| *sum = d.mul_add(*x, *sum));
        }
        let query = run.parameters.values(self.query);
        let d_keys: Vec<f32> =
            d_shares.iter().flat_map(|d| query.iter().map(move |q| d * q)).collect();
        let d_keys = Rows::with_lengths(width, d_keys, lengths.clone());
        let d_keys = match &self.key_transform {
            Some(transform) => transform.backward(run, d_keys, tape)?,
            None => Some(d_keys),
        };
        let mut numbers = d.into_numbers();
        for (row, share) in numbers.chunks_exact_mut(width).zip(&shares) {
            for x in row {
                *x *= share;
            }
        }
        let d_input = Rows::with_lengths(width, numbers, lengths);
        Ok(Some(match d_keys {
            Some(d_keys) => added(d_input, &d_keys),
            None => d_input,
        }))
    }
}

/// The softmax of a sequence, clipped rather than shifted by the maximum, as thinc has it.
fn normalize_shares(sequence: &mut [f32]) {
    for x in &mut *sequence {
        *x = exp(x.clamp(-20.0, 20.0));
    }
    let sum = sequence.iter().fold(0.0, |sum, x| sum + x);
    for x in sequence {
        *x /= sum;
    }
}

/// The gradient of a sequence before its softmax. The clipping has no gradient of its own, so that
/// numbers beyond it still have one.
fn softmax_backward(d: &mut [f32], shares: &[f32]) {
    d.iter_mut().zip(shares).for_each(|(d, share)| *d *= share);
    let sum = d.iter().fold(0.0, |sum, x| sum + x);
    d.iter_mut().zip(shares).for_each(|(d, share)| *d -= share * sum);
}

/// Copies the rows of each span, so that each is a sequence. Spans may overlap: their gradients are
/// added.
#[derive(Debug)]
pub(super) struct ExtractSpans;

impl Layer for ExtractSpans {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let rows = input.into_rows();
        let width = rows.width();
        let (mut numbers, mut lengths) = (Vec::new(), Vec::new());
        for (start, end) in places(rows.lengths(), run.batch.spans()) {
            numbers.extend_from_slice(&rows.numbers()[start * width..end * width]);
            lengths.push(end - start);
        }
        let places = places(rows.lengths(), run.batch.spans());
        tape.push(Saved::Spans(places.collect()));
        tape.push(Saved::Lengths(rows.lengths().to_vec()));
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, _run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let (lengths, spans) = (pop!(tape, Lengths), pop!(tape, Spans));
        let width = d.width();
        let mut numbers = vec![0.0; lengths.iter().sum::<usize>() * width];
        let mut rest = d.numbers();
        for (start, end) in spans {
            let (own, after) = rest.split_at((end - start) * width);
            let sums = &mut numbers[start * width..end * width];
            sums.iter_mut().zip(own).for_each(|(sum, d)| *sum += d);
            rest = after;
        }
        Ok(Some(Rows::with_lengths(width, numbers, lengths)))
    }
}

/// Returns the places of spans in the rows of all documents. The batch has checked that they lie
/// within their documents.
fn places<'a>(
    lengths: &'a [usize],
    spans: &'a [Vec<(usize, usize)>],
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let mut first = 0;
    lengths.iter().zip(spans).flat_map(move |(length, spans)| {
        let offset = first;
        first += length;
        spans.iter().map(move |(start, end)| (offset + start, offset + end))
    })
}
