//! Networks as they run: from a document to rows of numbers.
//!
//! The layers repeat thinc's arithmetic. With the [`GemmOrder`] of the kernel that BLIS chooses on
//! a processor, every sum has the order of additions that NumPy and BLIS have in spaCy's wheels, so
//! that results are equal in every bit; the default order is faster.
//!
//! | module | purpose |
//! | --- | --- |
//! | `embedding_rows` | [`embedding_rows`]: the rows of a hash embedding for an id |
//! | `sums` | [`GemmOrder`], [`multiply`], [`pairwise_sum`]: sums in the order of BLIS and NumPy |
//! | `packed` | [`PackedWeights`]: weights packed for products of many rows |
//! | `gemm` | [`gemm`], [`Matrix`]: products of matrices that are not packed |
//! | `array_ops` | [`maxout`], [`gather_add`], [`axpy`]: loops of thinc's backends |
//! | `activations` | [`exp`] as NumPy computes it, and the functions above it: [`Activation`] |
//! | `convolution` | windows over rows, finished in the first cache |
//! | `winograd` | such windows with half of the products |
//! | `weights` | the parameters of layers, and products with them |
//! | `processor` | [`vectorized`]: functions compiled for the instructions that a processor has |
//! | `pooling` | [`Pooling`]: rows of a document reduced to one |
//! | `sparse_linear` | [`SparseLinear`]: an affine layer over hashed keys |
//! | `scaled_rows` | [`add_scaled_rows`]: sums of rows of a table, each times a number |
//! | `scratch` | buffers that a thread uses again |
//! | `rows`, `tokens` | [`Rows`]; [`TokenSource`]: what a network reads of a document |
//! | `modules` | [`Module`](modules::Module): a layer as it runs |
//! | `network` | [`Network`]: from a document to rows of numbers |
//! | `state_network` | [`StateNetwork`]: scores of the states of a parse |
//! | `token_products` | the first layer of that network, a block of tokens at a time |

mod activations;
mod array_ops;
mod convolution;
mod embedding_rows;
mod gemm;
mod modules;
mod network;
mod packed;
mod panels;
mod pooling;
mod processor;
mod rows;
mod scaled_rows;
mod scratch;
mod sparse_linear;
mod state_network;
mod sums;
mod table;
mod token_products;
mod tokens;
mod weights;
mod winograd;

pub(crate) use activations::normal_distribution;
pub use activations::{Activation, exp};
pub use array_ops::{axpy, gather_add, maxout};
pub use embedding_rows::{ROWS_PER_ID, embedding_rows};
pub use gemm::{Matrix, gemm, has_fast_gemm};
pub use modules::{Needs, RowUnit, word_bytes};
pub use network::Network;
pub use packed::PackedWeights;
pub use pooling::Pooling;
#[cfg(target_arch = "x86_64")]
pub use processor::Avx2;
pub use processor::{InstructionSet, limit_instructions, vectorized};
pub use rows::Rows;
pub use scaled_rows::{ScaledRow, add_scaled_rows};
pub use sparse_linear::{SparseLinear, key_hash};
pub use state_network::{StateNetwork, TokenProducts};
pub use sums::{GemmOrder, multiply, pairwise_sum, pairwise_sum_of};
pub use tokens::{TensorView, TokenSource, WordVectors, wrong_vectors};
pub use weights::{HashEmbed, LayerNorm, Linear, Maxout, expand_window, normalize};
