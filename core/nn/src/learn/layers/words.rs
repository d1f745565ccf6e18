//! Layers that read words: their vectors, and their bytes.

use std::collections::BTreeMap;

use lexpool_error::Result;

use super::dense::add_products;
use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};
use crate::infer::{PackedWeights, Rows, WordVectors, word_bytes, wrong_vectors};
use crate::learn::parameters::TensorIx;

/// The number of values of a byte.
const BYTES: usize = 256;
/// The number of rows that a thread computes together.
const ROWS: usize = 48;

/// Multiplies word vectors with weights.
#[derive(Debug)]
pub(super) struct StaticVectors {
    pub(super) weights: TensorIx,
    pub(super) width: usize,
    /// True if words without a vector have the last one of the table, as in the first version of
    /// the layer; zeros otherwise.
    pub(super) missing_is_last: bool,
    /// The number of the layer, if it has dropout: one mask for all rows of a batch.
    pub(super) dropout: Option<u32>,
}

impl Layer for StaticVectors {
    fn forward(&self, run: &Forward<'_>, _input: Value, tape: &mut Tape) -> Result<Value> {
        let weights = run.parameters.values(self.weights);
        let outputs = weights.len() / self.width;
        let lengths = run.batch.lengths();
        let mut vectors = vec![0.0; lengths.iter().sum::<usize>() * self.width];
        let mut missing = Vec::new();
        let mut rows = vectors.chunks_exact_mut(self.width).enumerate();
        for (document, length) in run.batch.documents().iter().zip(&lengths) {
            if *length == 0 {
                continue;
            }
            let table = document.vectors().filter(|table| table.width() == self.width);
            let table = table.ok_or_else(|| {
                let vocab_width = document.vectors().map_or(0, WordVectors::width);
                wrong_vectors(self.width, vocab_width)
            })?;
            for (token, (at, row)) in (0..*length).zip(&mut rows) {
                if table.read(token, row) {
                    continue;
                }
                // thinc reads the table at row -1 for a word that it lacks, and sets the product to
                // 0 afterwards: the gradient of the weights still has the last row.
                if let Some(last) = table.last_row() {
                    row.copy_from_slice(last);
                }
                missing.push(at);
            }
        }
        let packed = PackedWeights::new(weights, self.width);
        let mut numbers = vec![0.0; vectors.len() / self.width * outputs];
        let order = run.order;
        run.workers.tiles(&mut numbers, ROWS * outputs, |tile, out| {
            let n = out.len() / outputs;
            let starts: Vec<usize> =
                (tile * ROWS..tile * ROWS + n).map(|row| row * self.width).collect();
            packed.multiply_at(order, &vectors, &starts, out);
        })?;
        if !self.missing_is_last {
            for row in missing {
                numbers[row * outputs..(row + 1) * outputs].fill(0.0);
            }
        }
        // thinc draws no mask for a batch without tokens.
        let mask = self.dropout.filter(|_| !numbers.is_empty());
        let mask = mask.and_then(|layer| run.dropout.mask(layer, 1, outputs));
        if let Some(mask) = &mask {
            mask.apply_first_row(&mut numbers);
        }
        tape.push(Saved::Mask(mask));
        tape.push(Saved::Numbers(vectors));
        Ok(Value::Rows(Rows::with_lengths(outputs, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let (vectors, mask) = (pop!(tape, Numbers), pop!(tape, Mask));
        let outputs = d.width();
        let mut d = d.into_numbers();
        if let Some(mask) = &mask {
            mask.apply_first_row(&mut d);
        }
        let d_weights = run.gradients.values_mut(self.weights);
        add_products(run.workers, (&d, outputs), (&vectors, self.width), d_weights)?;
        Ok(None)
    }
}

/// Puts the embeddings of the first, last, second, second last, ... byte of each word side by side.
#[derive(Debug)]
pub(super) struct CharEmbed {
    /// A table of 256 rows for each place.
    pub(super) tables: TensorIx,
    pub(super) n_bytes: usize,
    pub(super) width: usize,
}

impl Layer for CharEmbed {
    fn forward(&self, run: &Forward<'_>, _input: Value, tape: &mut Tape) -> Result<Value> {
        let tables = run.parameters.values(self.tables);
        let lengths = run.batch.lengths();
        let n_tokens = lengths.iter().sum::<usize>();
        let mut numbers = Vec::with_capacity(n_tokens * self.n_bytes * self.width);
        let mut bytes = Vec::with_capacity(n_tokens * self.n_bytes);
        for document in run.batch.documents() {
            for token in 0..document.len() {
                bytes.extend(word_bytes(document.text(token), self.n_bytes));
            }
        }
        for (at, byte) in bytes.iter().enumerate() {
            numbers.extend_from_slice(&tables[self.row(at % self.n_bytes, *byte)..][..self.width]);
        }
        tape.push(Saved::Lengths(lengths.clone()));
        tape.push(Saved::Pieces(bytes));
        Ok(Value::Rows(Rows::with_lengths(self.n_bytes * self.width, numbers, lengths)))
    }

    /// NumPy's `+=` by index does not add twice to a row: of several tokens of a document with the
    /// same byte at a place, only the last has a gradient in thinc, and so here.
    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let (bytes, lengths) = (pop!(tape, Pieces), pop!(tape, Lengths));
        let d_tables = run.gradients.values_mut(self.tables);
        let mut first = 0;
        for length in lengths {
            let range = first * self.n_bytes..(first + length) * self.n_bytes;
            first += length;
            let last: BTreeMap<(usize, u8), usize> =
                range.map(|at| ((at % self.n_bytes, bytes[at]), at)).collect();
            for ((place, byte), at) in last {
                let row = self.row(place, byte);
                let d = &d.numbers()[at * self.width..][..self.width];
                let sums = &mut d_tables[row..row + self.width];
                sums.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
            }
        }
        Ok(None)
    }
}

impl CharEmbed {
    /// Returns where the embedding of a byte at a place begins.
    fn row(&self, place: usize, byte: u8) -> usize {
        (place * BYTES + usize::from(byte)) * self.width
    }
}
