//! The bag of n-grams of a document, and the sparse layer above it.

use lexpool_error::Result;
use lexpool_structs::{AttrId, hash64};

use super::dense::add_columns;
use super::{Backward, Forward, Layer, Saved, Tape, Value, pop};
use crate::infer::{Rows, key_hash};
use crate::learn::parameters::TensorIx;

/// Counts the n-grams of an attribute: their ids are hashes of the attribute's ids.
#[derive(Debug)]
pub(super) struct ExtractNgrams {
    pub(super) longest: usize,
    pub(super) attr: AttrId,
}

impl Layer for ExtractNgrams {
    fn forward(&self, run: &Forward<'_>, _input: Value, _tape: &mut Tape) -> Result<Value> {
        let mut all = Vec::with_capacity(run.batch.documents().len());
        for document in run.batch.documents() {
            let ids = document.column(self.attr)?;
            let mut keys = ids.clone();
            for n in 2..=self.longest.min(ids.len()) {
                keys.extend(ids.windows(n).map(hash_of_ids));
            }
            keys.sort_unstable();
            #[expect(clippy::cast_precision_loss, reason = "thinc counts in single precision")]
            let counted = keys.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as f32));
            all.push(counted.collect());
        }
        Ok(Value::Keys(all))
    }

    fn backward(&self, _run: &mut Backward<'_>, _: Rows, _: &mut Tape) -> Result<Option<Rows>> {
        Ok(None)
    }
}

/// `MurmurHash64A` of ids, eight bytes each, with the seed 0.
fn hash_of_ids(ids: &[u64]) -> u64 {
    let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    hash64(&bytes, 0)
}

/// An affine layer over keys with counts: each key selects two weights of each output by its
/// hashes.
#[derive(Debug)]
pub(super) struct SparseLinear {
    pub(super) weights: TensorIx,
    pub(super) bias: TensorIx,
    /// The number of weights of an output.
    pub(super) length: u32,
    /// True if a key selects adjacent weights of the first output's: the indexing of the first
    /// version, which is wrong, and kept for its files.
    pub(super) is_adjacent: bool,
}

impl SparseLinear {
    /// Returns the positions of the weights of the first output for a key, and the distance to
    /// those of the next output.
    fn places(&self, key: u64) -> ([usize; 2], usize) {
        let hashes = [key_hash(key, 0), key_hash(key, 1)];
        if self.is_adjacent {
            (hashes.map(|hash| (hash & (self.length - 1)) as usize), 1)
        } else {
            (hashes.map(|hash| (hash % self.length) as usize), self.length as usize)
        }
    }
}

impl Layer for SparseLinear {
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value> {
        let Value::Keys(keys) = input else { unreachable!("shapes were checked: expected keys") };
        let weights = run.parameters.values(self.weights);
        let bias = run.parameters.values(self.bias);
        let mut numbers = Vec::with_capacity(keys.len() * bias.len());
        for keys in &keys {
            let mut outputs = bias.to_vec();
            for (key, count) in keys {
                let (places, distance) = self.places(*key);
                for (number, output) in outputs.iter_mut().enumerate() {
                    for place in places {
                        *output += weights[place + number * distance] * count;
                    }
                }
            }
            numbers.extend(outputs);
        }
        let (width, lengths) = (bias.len(), vec![1; keys.len()]);
        tape.push(Saved::Keys(keys));
        Ok(Value::Rows(Rows::with_lengths(width, numbers, lengths)))
    }

    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>> {
        let keys = pop!(tape, Keys);
        let (d_weights, d_bias) = run.gradients.two_mut(self.weights, self.bias);
        add_columns(d.numbers(), d_bias);
        for (keys, d) in keys.iter().zip(d.rows()) {
            for (key, count) in keys {
                let (places, distance) = self.places(*key);
                for (number, d) in d.iter().enumerate() {
                    for place in places {
                        d_weights[place + number * distance] += d * count;
                    }
                }
            }
        }
        Ok(None)
    }
}
