//! Layers with their forward and backward passes.
//!
//! A forward pass pushes what its backward pass needs on a [`Tape`], and the backward pass takes it
//! off again in reverse order. Values are those of a whole batch.

mod activation;
mod containers;
mod dense;
mod ngrams;
mod norm;
mod reading;
mod sequences;
mod tokens;
mod windows;
mod words;

use std::fmt;

use lexpool_error::Result;

use crate::infer::{GemmOrder, Rows};
use crate::learn::batch::Batch;
use crate::learn::dropout::{Dropout, Mask};
use crate::learn::parameters::{Gradients, Parameters};
use crate::learn::workers::Workers;

pub(crate) use reading::{Source, read};

/// The view of all layers in a forward pass.
#[derive(Clone, Copy)]
pub(crate) struct Forward<'a> {
    pub(crate) parameters: &'a Parameters,
    pub(crate) batch: &'a Batch<'a>,
    pub(crate) dropout: &'a Dropout<'a>,
    pub(crate) order: GemmOrder,
    pub(crate) workers: Workers,
}

/// The view of all layers in a backward pass.
pub(crate) struct Backward<'a> {
    pub(crate) parameters: &'a Parameters,
    pub(crate) gradients: &'a mut Gradients,
    pub(crate) workers: Workers,
    /// The gradient of the rows that listeners have read: the sum over all listeners.
    pub(crate) d_listened: Option<Rows>,
}

/// The input or result of a layer, of all documents of a batch.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// The documents of the batch.
    Tokens,
    /// Columns of ids, one number for each token, with the number of tokens of each document.
    Ids {
        columns: Vec<Vec<u64>>,
        lengths: Vec<usize>,
    },
    /// The keys of each document with their counts.
    Keys(Vec<Vec<(u64, f32)>>),
    Rows(Rows),
}

/// A value that a layer keeps for its backward pass.
#[derive(Debug)]
pub(crate) enum Saved {
    Lengths(Vec<usize>),
    Ids(Vec<u64>),
    Keys(Vec<Vec<(u64, f32)>>),
    Numbers(Vec<f32>),
    /// The winning piece of each output, or bytes.
    Pieces(Vec<u8>),
    /// The number of rows of each document, if they were put between rows of zeros.
    Padding(Option<Vec<usize>>),
    Spans(Vec<(usize, usize)>),
    Mask(Option<Mask>),
}

impl Saved {
    /// Returns the bytes of the values.
    pub(crate) fn n_bytes(&self) -> usize {
        match self {
            Saved::Lengths(lengths) | Saved::Padding(Some(lengths)) => size_of_val(&**lengths),
            Saved::Ids(ids) => size_of_val(&**ids),
            Saved::Keys(keys) => keys.iter().map(|keys| size_of_val(&**keys)).sum(),
            Saved::Numbers(numbers) => size_of_val(&**numbers),
            Saved::Pieces(pieces) => pieces.len(),
            Saved::Padding(None) | Saved::Mask(None) => 0,
            Saved::Spans(spans) => size_of_val(&**spans),
            Saved::Mask(Some(mask)) => mask.n_bytes(),
        }
    }
}

/// The stack of values that the layers of a forward pass have kept, the last on top.
pub(crate) type Tape = Vec<Saved>;

/// A layer.
pub(crate) trait Layer: fmt::Debug + Send + Sync {
    /// Computes the result, and pushes what the backward pass needs.
    ///
    /// # Errors
    ///
    /// A reason that lies in a document, such as missing word vectors.
    fn forward(&self, run: &Forward<'_>, input: Value, tape: &mut Tape) -> Result<Value>;

    /// Adds to the gradients of parameters, and returns the gradient of the input; `None` if the
    /// input has no gradient, as documents and ids.
    ///
    /// # Errors
    ///
    /// `threads` if the system cannot start them.
    fn backward(&self, run: &mut Backward<'_>, d: Rows, tape: &mut Tape) -> Result<Option<Rows>>;
}

impl Value {
    /// Returns rows. The network was validated, so that the layer is given them.
    pub(crate) fn into_rows(self) -> Rows {
        match self {
            Value::Rows(rows) => rows,
            other => unreachable!("shapes were checked: expected rows, not {other:?}"),
        }
    }
}

/// Takes what a layer of a kind has pushed. A tape belongs to its network, so that the kinds agree.
macro_rules! pop {
    ($tape:expr, $kind:ident) => {
        match $tape.pop() {
            Some($crate::learn::layers::Saved::$kind(saved)) => saved,
            other => unreachable!("the tape of this network has {other:?} here"),
        }
    };
}
pub(crate) use pop;
