//! Products of gradients that are mostly zeros: behind a maxout layer of `n` pieces, one number in
//! `n` is the gradient of the winning piece, and the others are left out.
//!
//! Each number is one chain of fused operations in a fixed order: gradients of weights over the
//! rows in order, those of inputs over the outputs in order. So neither threads nor tiles change a
//! bit.

mod aligned;
mod maxout;

pub(crate) use aligned::Aligned;
pub(crate) use maxout::{
    Windows, Winners, add_weight_gradients, add_windows, input_gradients, largest_pieces,
    piece_by_piece, place, starts,
};
