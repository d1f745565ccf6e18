//! The products of tokens with the weights of features, computed when a state asks for them.
//!
//! A token has some kilobytes of products, so those of a long document would take a gigabyte. A
//! parse moves from the first token to the last: products are computed a block of tokens at a time,
//! and the blocks that were used least recently make room for the next ones. The order of additions
//! does not depend on the size of a block.

use crate::packed::PackedWeights;
use crate::scratch::Scratch;
use crate::sums::GemmOrder;

/// The number of tokens of a block: a group of documents has about as many.
const BLOCK: usize = 512;
/// The number of blocks that are kept: some 32 MB for the parsers of spaCy's pipelines.
const MAX_BLOCKS: usize = 16;

/// The products of some tokens, of which the last blocks that were used are kept.
#[derive(Debug)]
pub(crate) struct ProductBlocks {
    /// The vectors of the tokens.
    vectors: Vec<f32>,
    blocks: Vec<Option<Block>>,
    n_kept: usize,
    /// The number of states that were scored.
    now: u64,
}

/// The products of [`BLOCK`] tokens, or of the last ones.
#[derive(Debug)]
struct Block {
    products: Scratch,
    /// The state that used the block last.
    used: u64,
}

impl ProductBlocks {
    /// Takes the vectors of tokens, rows of `width` numbers, of which no product is computed yet.
    pub(crate) fn new(vectors: Vec<f32>, width: usize) -> ProductBlocks {
        let n_blocks = (vectors.len() / width).div_ceil(BLOCK);
        let blocks = (0..n_blocks).map(|_| None).collect();
        ProductBlocks { vectors, blocks, n_kept: 0, now: 0 }
    }

    /// Computes the products of some tokens that are not kept. [`of_token`](Self::of_token)
    /// returns those of each of them until the next call.
    ///
    /// # Panics
    ///
    /// If a token is outside of the document.
    pub(crate) fn require(
        &mut self,
        weights: &PackedWeights,
        order: GemmOrder,
        tokens: impl Iterator<Item = usize> + Clone,
    ) {
        self.now += 1;
        // Blocks of these tokens are marked first: none of them makes room for another.
        let max_kept = MAX_BLOCKS.max(tokens.clone().count());
        for token in tokens.clone() {
            if let Some(block) = &mut self.blocks[token / BLOCK] {
                block.used = self.now;
            }
        }
        for number in tokens.map(|token| token / BLOCK) {
            if self.blocks[number].is_some() {
                continue;
            }
            let room = if self.n_kept < max_kept { None } else { self.least_recently_used() };
            let mut products = room.unwrap_or_default();
            let width = weights.width();
            let first = number * BLOCK * width;
            let vectors = &self.vectors[first..self.vectors.len().min(first + BLOCK * width)];
            let starts: Vec<usize> = (0..vectors.len()).step_by(width).collect();
            products.set_len(starts.len() * weights.outputs());
            weights.multiply_at(order, vectors, &starts, &mut products);
            self.blocks[number] = Some(Block { products, used: self.now });
            self.n_kept += 1;
        }
    }

    /// Returns the products of a token: `width` numbers. The token was required last.
    #[inline]
    pub(crate) fn of_token(&self, token: usize, width: usize) -> &[f32] {
        let block = self.blocks[token / BLOCK].as_ref().expect("the token was required");
        &block.products[token % BLOCK * width..][..width]
    }

    /// Takes the buffer of the block that was used least recently.
    fn least_recently_used(&mut self) -> Option<Scratch> {
        let used = |block: &&mut Option<Block>| block.as_ref().map_or(u64::MAX, |block| block.used);
        let block = self.blocks.iter_mut().min_by_key(used)?.take()?;
        self.n_kept -= 1;
        Some(block.products)
    }
}
