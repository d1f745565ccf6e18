//! The bag of n-grams of a document, and the sparse layer above it.

use lexpool_error::Result;
use lexpool_structs::AttrId;
use lexpool_structs::hash64;

use super::inputs::tokens_of;
use super::{Context, Module, RowUnit, Shape, Value};
use crate::infer::rows::Rows;
use crate::infer::sparse_linear::SparseLinear;

/// Counts the n-grams of an attribute: their ids are hashes of the attribute's ids.
#[derive(Debug)]
pub(super) struct ExtractNgrams {
    pub(super) longest: usize,
    pub(super) attr: AttrId,
}

impl Module for ExtractNgrams {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        tokens_of(input)?;
        Ok(Shape::Keys)
    }

    fn run(&self, context: &Context<'_>, _value: Value) -> Result<Value> {
        let ids = context.tokens.column(self.attr)?;
        let mut keys = ids.clone();
        for n in 2..=self.longest.min(ids.len()) {
            keys.extend(ids.windows(n).map(hash_of_ids));
        }
        keys.sort_unstable();
        #[expect(clippy::cast_precision_loss, reason = "thinc counts in single precision")]
        let counted = keys.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as f32));
        Ok(Value::Keys(counted.collect()))
    }
}

impl Module for SparseLinear {
    fn output_shape(&self, input: Shape) -> Result<Shape, String> {
        if input == Shape::Keys {
            return Ok(Shape::Rows(RowUnit::Sequence, self.width()));
        }
        Err(format!("it takes keys with counts, not {input}"))
    }

    fn run(&self, _context: &Context<'_>, value: Value) -> Result<Value> {
        let Value::Keys(keys) = value else { unreachable!("shapes were checked") };
        Ok(Value::Rows(Rows::new(self.width(), self.apply(&keys))))
    }
}

/// `MurmurHash64A` of ids, eight bytes each, with the seed 0.
fn hash_of_ids(ids: &[u64]) -> u64 {
    let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    hash64(&bytes, 0)
}
