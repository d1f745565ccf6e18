//! An affine layer over a set of keys: the bag of words of text categorizers.
//!
//! Each key selects two weights of each output by its hashes, so that the table has a fixed size.
//! Source: `SparseLinear` of thinc 8.

use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::Value;

use crate::describe::ModelNode;
use crate::infer::table::Table;

/// An affine layer over keys with values.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseLinear {
    weights: Table,
    bias: Vec<f32>,
    /// Number of weights of an output.
    length: u32,
    indexing: Indexing,
}

/// The weights that a hash selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Indexing {
    /// One for each output, a table apart.
    ByOutput,
    /// Adjacent ones of the first table: those of `SparseLinear.v1`.
    Adjacent,
}

impl SparseLinear {
    /// Reads the layer from a node `sparse_linear`.
    ///
    /// # Errors
    ///
    /// `model-structure` if the weights are not a table for each output, or the attribute
    /// `v1_indexing` is not a boolean.
    pub fn read(node: &ModelNode<'_>) -> Result<SparseLinear> {
        let (weights, bias) = (node.required_param("W", 1)?, node.required_param("b", 1)?);
        let (n_weights, outputs) = (weights.len(), bias.len());
        let length = n_weights.checked_div(outputs).and_then(|length| u32::try_from(length).ok());
        let length = length.filter(|length| *length > 0 && n_weights % outputs == 0);
        let length = length.ok_or_else(|| {
            let text = format!(
                "the layer {:?}: {n_weights} weights are not a table for each of {outputs} outputs",
                node.name()
            );
            Error::value(codes::MODEL_STRUCTURE, text)
        })?;
        let indexing = match node.attr("v1_indexing")? {
            Some(Value::Bool(true)) => Indexing::Adjacent,
            None | Some(Value::Bool(false)) => Indexing::ByOutput,
            Some(other) => {
                let text = format!(
                    "the layer {:?}: \"v1_indexing\" is {other:?}; expected true or false",
                    node.name()
                );
                return Err(Error::value(codes::MODEL_STRUCTURE, text));
            }
        };
        Ok(SparseLinear {
            weights: Table::new(node, weights),
            bias: bias.to_vec(),
            length,
            indexing,
        })
    }

    /// Returns the number of outputs.
    pub fn width(&self) -> usize {
        self.bias.len()
    }

    /// Computes the outputs for keys with their values, which are added in this order. Cost: two
    /// weights for each key and output.
    pub fn apply(&self, keys: &[(u64, f32)]) -> Vec<f32> {
        let mut outputs = self.bias.clone();
        for (key, value) in keys {
            let hashes = [key_hash(*key, 0), key_hash(*key, 1)];
            for (number, output) in outputs.iter_mut().enumerate() {
                for hash in hashes {
                    *output += self.weights.get(self.place(hash, number)) * value;
                }
            }
        }
        outputs
    }

    /// Returns the position of the weight of an output for a hash. It is in bounds for adjacent
    /// weights too: `(length - 1) + (outputs - 1) < length * outputs`.
    fn place(&self, hash: u32, number: usize) -> usize {
        match self.indexing {
            Indexing::ByOutput => number * self.length as usize + (hash % self.length) as usize,
            Indexing::Adjacent => (hash & (self.length - 1)) as usize + number,
        }
    }
}

/// Returns the `MurmurHash3_x86_32` of the eight bytes of a key.
pub fn key_hash(key: u64, seed: u32) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the halves of the key")]
    let halves = [key as u32, (key >> 32) as u32];
    let mut hash = seed;
    for half in halves {
        hash ^= half.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    hash ^= 8;
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::weights::tests::{bits, layer, numbers};

    #[test]
    fn outputs_have_the_bits_of_thinc_in_both_indexings() {
        let (weights, bias) = (numbers(0..48), numbers(48..51));
        let read = |node: &ModelNode<'_>| SparseLinear::read(node);
        let params: &[(&str, &[usize], &[f32])] = &[("W", &[48], &weights), ("b", &[3], &bias)];
        let mut linear = layer(params, read).unwrap();
        let keys = [(5, 1.0), (u64::MAX, 2.0), (12_646_065_887_601_541_794, 1.0)];
        assert_eq!(bits(&linear.apply(&keys)), [0x4040_0001, 0xc0f6_db6e, 0xc080_0000]);
        linear.indexing = Indexing::Adjacent;
        assert_eq!(bits(&linear.apply(&keys)), [0x4040_0001, 0x41ad_b6dc, 0xc036_db70]);
    }

    #[test]
    fn adjacent_weights_stay_in_the_table() {
        for (length, outputs) in [(1, 5), (2, 1), (3, 7), (16, 16)] {
            let linear = SparseLinear {
                weights: vec![1.0; length as usize * outputs].into(),
                bias: vec![0.0; outputs],
                length,
                indexing: Indexing::Adjacent,
            };
            let keys: Vec<(u64, f32)> = (0..200).map(|key| (key, 1.0)).collect();
            assert_eq!(linear.apply(&keys), vec![400.0; outputs]);
        }
    }

    #[test]
    fn weights_that_are_no_tables_are_refused() {
        let two = [1.0, 2.0];
        for (weights, bias) in [(&two[..], &two[..0]), (&two[..0], &two), (&two, &[0.0; 3])] {
            let params: &[(&str, &[usize], &[f32])] =
                &[("W", &[weights.len()], weights), ("b", &[bias.len()], bias)];
            let error = layer(params, SparseLinear::read).unwrap_err();
            assert_eq!(error.code(), "model-structure", "{error}");
        }
    }
}
