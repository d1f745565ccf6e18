//! Layers that read documents.

use lexpool_error::{Error, Result, codes};
use lexpool_structs::AttrId;

use super::containers::added;
use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};
use crate::infer::{ROWS_PER_ID, Rows, embedding_rows};
use crate::learn::parameters::TensorIx;

/// The number of tokens whose embeddings a thread adds together.
const TOKENS: usize = 128;
/// The number of tiles of a table whose gradients are added apart.
const TABLE_TILES: usize = 4;

/// Reads attributes of tokens.
#[derive(Debug)]
pub(super) struct ExtractFeatures(pub(super) Vec<AttrId>);

impl Layer for ExtractFeatures {
    fn forward(&self, run: &Forward<'_>, _input: Value, _tape: &mut Tape) -> Result<Value> {
        let mut columns = vec![Vec::new(); self.0.len()];
        for document in run.batch.documents() {
            for (column, attr) in columns.iter_mut().zip(&self.0) {
                column.extend(document.column(*attr)?);
            }
        }
        Ok(Value::Ids { columns, lengths: run.batch.lengths() })
    }

    fn backward(&self, _run: &mut Backward<'_>, _: Rows, _: &mut Tape) -> Result<Option<Rows>> {
        Ok(None)
    }
}

/// Embeds a column of ids: the sum of the rows of a table that the hash of an id selects.
#[derive(Debug)]
pub(super) struct HashEmbed {
    pub(super) table: TensorIx,
    pub(super) column: usize,
    pub(super) seed: u32,
    pub(super) n_rows: u32,
    pub(super) width: usize,
    /// The number of the layer, if it has dropout: one mask for all rows of a batch.
    pub(super) dropout: Option<u32>,
}

impl Layer for HashEmbed {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let Value::Ids { mut columns, lengths } = input else {
            unreachable!("shapes were checked: expected ids")
        };
        let ids = columns.swap_remove(self.column);
        let table = run.parameters.values(self.table);
        let mut numbers = vec![0.0; ids.len() * self.width];
        run.workers.tiles(&mut numbers, TOKENS * self.width, |tile, numbers| {
            let ids = &ids[tile * TOKENS..];
            for (id, sum) in ids.iter().zip(numbers.chunks_exact_mut(self.width)) {
                for row in embedding_rows(*id, self.seed, self.n_rows) {
                    let row = &table[row as usize * self.width..][..self.width];
                    sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
                }
            }
        })?;
        // thinc draws no mask for a batch without tokens.
        let mask = self.dropout.filter(|_| !ids.is_empty());
        let mask = mask.and_then(|layer| run.dropout.mask(layer, 1, self.width));
        if let Some(mask) = &mask {
            mask.apply_first_row(&mut numbers);
        }
        tape.push(Saved::Mask(mask));
        tape.push(Saved::Ids(ids));
        Ok(Value::Rows(Rows::with_lengths(self.width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let (ids, mask) = (pop!(tape, Ids), pop!(tape, Mask));
        let mut d = d.into_numbers();
        if let Some(mask) = &mask {
            mask.apply_first_row(&mut d);
        }
        let table = run.gradients.values_mut(self.table);
        let rows: Vec<[u32; ROWS_PER_ID]> =
            ids.iter().map(|id| embedding_rows(*id, self.seed, self.n_rows)).collect();
        // Each tile has some rows of the table. thinc adds hash by hash, and rows of one token may
        // be the same: then it adds twice.
        let in_tile = (self.n_rows as usize).div_ceil(TABLE_TILES);
        run.workers.tiles(table, in_tile * self.width, |tile, table| {
            for hash in 0..ROWS_PER_ID {
                for (rows, d) in rows.iter().zip(d.chunks_exact(self.width)) {
                    let row = (rows[hash] as usize).checked_sub(tile * in_tile);
                    let Some(row) = row.filter(|row| *row < in_tile) else { continue };
                    let row = &mut table[row * self.width..][..self.width];
                    row.iter_mut().zip(d).for_each(|(sum, d)| *sum += d);
                }
            }
        })?;
        Ok(None)
    }
}

/// Reads the rows that a shared component has computed; zeros if it has not run.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) width: usize,
}

impl Layer for Listener {
    fn forward(&self, run: &Forward<'_>, _input: Value, tape: &mut Tape) -> Result<Value> {
        let lengths = run.batch.lengths();
        let mut numbers = Vec::with_capacity(lengths.iter().sum::<usize>() * self.width);
        for (document, length) in run.batch.documents().iter().zip(&lengths) {
            let n = length * self.width;
            match document.tensor() {
                None => numbers.resize(numbers.len() + n, 0.0),
                Some(tensor) if tensor.width == self.width && tensor.numbers.len() == n => {
                    numbers.extend_from_slice(tensor.numbers);
                }
                Some(tensor) => {
                    let (found, width) = (tensor.numbers.len(), self.width);
                    let text = format!(
                        "the document's tensor has {found} numbers in rows of {}; expected \
                         {length} rows of {width}",
                        tensor.width
                    );
                    return Err(Error::value(codes::MODEL_TENSOR, text));
                }
            }
        }
        tape.push(Saved::Lengths(lengths.clone()));
        Ok(Value::Rows(Rows::with_lengths(self.width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        _ = pop!(tape, Lengths);
        run.d_listened = Some(match run.d_listened.take() {
            Some(sum) => added(sum, &d),
            None => d,
        });
        Ok(None)
    }
}
