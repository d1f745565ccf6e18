//! The products of tokens with the weights of features, computed when states ask for them.
//!
//! A token has some kilobytes of products, so those of a long document would take a gigabyte. A
//! parse moves from the first token to the last: products are computed a block of tokens at a time,
//! and the blocks that were used least recently make room for the next ones. The order of additions
//! does not depend on the size of a block.

use std::sync::Arc;

use crate::infer::packed::PackedWeights;
use crate::infer::sums::GemmOrder;

/// The number of tokens of a block: a group of documents has about as many.
const BLOCK: usize = 512;
/// The bytes of products that are kept, unless the states of one call need more.
const MAX_BYTES: usize = 32 << 20;

/// The weights of features, with the order of additions of their products.
#[derive(Debug)]
pub(crate) struct FeatureWeights {
    weights: PackedWeights,
    order: GemmOrder,
}

impl FeatureWeights {
    /// Packs rows of `width` numbers, one for each output.
    pub(crate) fn new(weights: &[f32], width: usize, order: GemmOrder) -> FeatureWeights {
        FeatureWeights { weights: PackedWeights::new(weights, width), order }
    }

    /// Returns the number of numbers of a token.
    pub(crate) fn width(&self) -> usize {
        self.weights.width()
    }

    /// Returns the number of products of a token.
    fn outputs(&self) -> usize {
        self.weights.outputs()
    }

    /// Writes the products of the vectors of tokens.
    fn multiply(&self, vectors: &[f32], products: &mut [f32]) {
        let width = self.width();
        let starts: Vec<usize> = (0..vectors.len() / width).map(|token| token * width).collect();
        self.weights.multiply_at(self.order, vectors, &starts, products);
    }
}

/// The products of some tokens, of which those that were used last are kept.
#[derive(Debug)]
pub(crate) struct ProductBlocks {
    /// The vectors of the tokens.
    vectors: Vec<f32>,
    blocks: Vec<Option<Block>>,
    n_kept: usize,
    /// The number of calls that asked for products.
    now: u64,
}

/// The products of [`BLOCK`] tokens, or of the last ones.
#[derive(Debug)]
struct Block {
    products: Arc<Vec<f32>>,
    /// The call that used the block last.
    used: u64,
}

/// The products of the tokens of one call, which stay while others compute theirs.
#[derive(Debug)]
pub(crate) struct TokenRows {
    /// The number of the first block.
    first: usize,
    blocks: Vec<Option<Arc<Vec<f32>>>>,
    /// The number of products of a token.
    width: usize,
}

impl ProductBlocks {
    /// Takes the vectors of tokens, rows of `width` numbers, of which no product is computed yet.
    pub(crate) fn new(vectors: Vec<f32>, width: usize) -> ProductBlocks {
        let n_blocks = (vectors.len() / width).div_ceil(BLOCK);
        let blocks = (0..n_blocks).map(|_| None).collect();
        ProductBlocks { vectors, blocks, n_kept: 0, now: 0 }
    }

    /// Returns the products of some tokens. Cost: the weights for each token of a block that is not
    /// kept. At most 32 MB are kept, or the blocks of these tokens.
    ///
    /// # Panics
    ///
    /// If a token is outside of the document.
    pub(crate) fn rows(
        &mut self,
        weights: &FeatureWeights,
        tokens: impl Iterator<Item = usize>,
    ) -> TokenRows {
        self.now += 1;
        let (mut first, mut end, mut n_used) = (usize::MAX, 0, 0);
        let mut missing = Vec::new();
        for number in tokens.map(|token| token / BLOCK) {
            (first, end) = (first.min(number), end.max(number + 1));
            match &mut self.blocks[number] {
                Some(block) if block.used == self.now => {}
                Some(block) => {
                    block.used = self.now;
                    n_used += 1;
                }
                None => missing.push(number),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        // Blocks of these tokens are marked: none of them makes room for another.
        let max_kept = (MAX_BYTES / (BLOCK * weights.outputs() * size_of::<f32>()).max(1))
            .max(n_used + missing.len());
        for number in missing {
            let room = if self.n_kept < max_kept { None } else { self.least_recently_used() };
            let products = self.products_of(weights, number, room.unwrap_or_default());
            self.blocks[number] = Some(Block { products: Arc::new(products), used: self.now });
            self.n_kept += 1;
        }
        let products = |block: &Option<Block>| {
            let block = block.as_ref().filter(|block| block.used == self.now)?;
            Some(Arc::clone(&block.products))
        };
        let blocks = self.blocks.get(first..end).unwrap_or_default().iter().map(products).collect();
        TokenRows { first, blocks, width: weights.outputs() }
    }

    fn products_of(
        &self,
        weights: &FeatureWeights,
        number: usize,
        mut products: Vec<f32>,
    ) -> Vec<f32> {
        let width = weights.width();
        let first = number * BLOCK * width;
        let vectors = &self.vectors[first..self.vectors.len().min(first + BLOCK * width)];
        products.resize(vectors.len() / width * weights.outputs(), 0.0);
        weights.multiply(vectors, &mut products);
        products
    }

    /// Drops the block that was used least recently. Returns its buffer unless a call reads it.
    fn least_recently_used(&mut self) -> Option<Vec<f32>> {
        let used = |block: &&mut Option<Block>| block.as_ref().map_or(u64::MAX, |block| block.used);
        let block = self.blocks.iter_mut().min_by_key(used)?.take()?;
        self.n_kept -= 1;
        Arc::try_unwrap(block.products).ok()
    }
}

impl TokenRows {
    /// Returns the products of a token of the call.
    #[inline]
    pub(crate) fn of_token(&self, token: usize) -> &[f32] {
        let block = self.blocks[token / BLOCK - self.first].as_ref();
        let block = block.expect("the call named the token");
        &block[token % BLOCK * self.width..][..self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights of one input and as many outputs that 16 blocks are kept, and vectors of tokens.
    fn blocks(n_blocks: usize) -> (FeatureWeights, ProductBlocks) {
        let ones = vec![1.0; MAX_BYTES / 16 / BLOCK / 4];
        let weights = FeatureWeights::new(&ones, 1, GemmOrder::Generic);
        let vectors = (0..n_blocks * BLOCK).map(value_of).collect();
        (weights, ProductBlocks::new(vectors, 1))
    }

    /// The vector of a token, which has one number, and thus each of its products.
    fn value_of(token: usize) -> f32 {
        f32::from(u16::try_from(token).unwrap())
    }

    /// Asks for the first token of some blocks; returns how many of them were computed.
    fn computed(blocks: &mut ProductBlocks, weights: &FeatureWeights, numbers: &[usize]) -> usize {
        let missing: Vec<_> = numbers.iter().filter(|at| blocks.blocks[**at].is_none()).collect();
        let n_missing = missing.len();
        let rows = blocks.rows(weights, numbers.iter().map(|number| number * BLOCK));
        for number in numbers {
            assert_eq!(rows.of_token(number * BLOCK)[0], value_of(number * BLOCK));
        }
        n_missing
    }

    #[test]
    fn the_blocks_that_were_used_last_are_kept() {
        let (weights, mut blocks) = blocks(40);
        for number in 0..40 {
            assert_eq!(computed(&mut blocks, &weights, &[number]), 1);
            assert_eq!(blocks.n_kept, 16.min(number + 1));
        }
        assert_eq!(computed(&mut blocks, &weights, &(24..40).collect::<Vec<_>>()), 0);
        assert_eq!(computed(&mut blocks, &weights, &[0]), 1);
        assert_eq!(computed(&mut blocks, &weights, &(25..40).collect::<Vec<_>>()), 0);
    }

    #[test]
    fn documents_that_are_stepped_together_compute_each_block_once() {
        let (weights, mut blocks) = blocks(40);
        let all: Vec<usize> = (0..40).collect();
        assert_eq!(computed(&mut blocks, &weights, &all), 40);
        for _ in 0..3 {
            assert_eq!(computed(&mut blocks, &weights, &all), 0);
        }
        // The next call that needs fewer makes room only for its own.
        assert_eq!(computed(&mut blocks, &weights, &[3, 39]), 0);
    }

    #[test]
    fn products_of_a_call_outlive_their_block() {
        let (weights, mut blocks) = blocks(40);
        let rows = blocks.rows(&weights, [0, 1].into_iter());
        for number in 1..40 {
            computed(&mut blocks, &weights, &[number]);
        }
        assert!(blocks.blocks[0].is_none());
        assert_eq!(rows.of_token(1)[0], 1.0);
    }

    #[test]
    fn no_tokens_have_no_products() {
        let (weights, mut blocks) = blocks(1);
        assert!(blocks.rows(&weights, std::iter::empty()).blocks.is_empty());
    }
}
