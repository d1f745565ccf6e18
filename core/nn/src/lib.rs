//! Networks as thinc has them: spaCy's architectures, saved networks, and their training.
//!
//! A trained component of spaCy has a file `model`, which [`ModelFile`] validates and reads without
//! copying its arrays. A [`Network`] runs it on documents; a
//! [`TrainableNetwork`](learn::TrainableNetwork) changes its parameters and writes it again.
//!
//! ```
//! use lexpool_nn::ModelFile;
//!
//! let error = ModelFile::parse(b"\x80").unwrap_err();
//! assert_eq!(error.code(), "model-file");
//! ```
//!
//! Each module uses only modules above it in this table; a test (`tests/workspace/test_modules.py`)
//! reads the order from here.
//!
//! | module | contents |
//! | --- | --- |
//! | [`describe`] | the description of a network, and the file of a saved one |
//! | `infer` | networks as they run, whose contents are here |
//! | [`learn`] | networks whose parameters change: gradients, optimizers, first weights |
//!
//! A layer has one form in each: a [`Node`](describe::Node) describes it, a `Module` runs, and a
//! `Layer` of [`learn`] runs, and adds to the gradients of its parameters.
//!
//! The crate knows no documents: it reads them through [`TokenSource`].

#![cfg_attr(test, allow(clippy::float_cmp, reason = "equal bits are the promise"))]

pub mod describe;
mod infer;
pub mod learn;

pub use describe::{ArrayView, Dtype, ModelFile, ModelNode, NodeIx};
#[cfg(target_arch = "x86_64")]
pub use infer::Avx2;
pub use infer::{
    Activation, GemmOrder, HashEmbed, InstructionSet, LayerNorm, Linear, Matrix, Maxout, Needs,
    Network, PackedWeights, Pooling, ROWS_PER_ID, RowUnit, Rows, ScaledRow, SparseLinear,
    StateNetwork, TensorView, TokenProducts, TokenSource, WordVectors, add_scaled_rows, axpy,
    embedding_rows, exp, expand_window, gather_add, gemm, has_fast_gemm, key_hash,
    limit_instructions, maxout, multiply, normalize, pairwise_sum, pairwise_sum_of, vectorized,
    word_bytes, wrong_vectors,
};
