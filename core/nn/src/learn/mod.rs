//! Training of networks: parameters, gradients, optimizers.
//!
//! A [`TrainableNetwork`] is a network whose parameters change. It reads and writes
//! thinc's model files, runs forward on a [`Batch`] of documents, and backward from the gradient of
//! its result to the gradients of its parameters. Losses, corpora and components are elsewhere: the
//! crate knows no documents but through [`TokenSource`].
//!
//! A step of a component:
//!
//! ```text
//! let (rows, tape) = network.forward(&batch, &Dropout::by_counter(0.1, key), workers)?;
//! let d_rows = ...;                                       // the loss's: a number for each of rows
//! let d_listened = network.backward(tape, d_rows, &mut gradients, workers)?;
//! optimizer.step(network.parameters_mut(), &mut gradients, workers)?;
//! ```
//!
//! `gradients` is made once by [`Parameters::zero_gradients`] and cleared by the optimizer.
//! Backward passes add to it, so several batches may be accumulated. `d_listened` is the gradient
//! of the rows that a `tok2vec-listener` read from [`TokenSource::tensor`], for the backward pass
//! of the shared network. Dropout at rate 0 is [`Dropout::NONE`].
//!
//! For the network of a parser (root `parser_model`), `forward` gives the rows of the part that
//! reads tokens (`tok2vec >> list2array >> linear`); the parameters of the other parts are found by
//! [`TrainableNetwork::referred`] ("lower", "upper") and [`TrainableNetwork::find`].
//!
//! | module | purpose |
//! | --- | --- |
//! | `random` | [`NumpyRandom`], [`PythonRandom`]: the generators of NumPy and Python |
//! | `workers` | [`Workers`]: threads that change no bit of a result |
//! | `parameters` | [`Parameters`], [`Gradients`]: arenas of tensors |
//! | `parameters_state` | the parameters of a training that is paused, as bytes |
//! | `schedules` | [`Schedule`], [`Series`]: learn rates and batch sizes by step |
//! | `optimizer` | [`Optimizer`]: Adam, RAdam and gradient descent |
//! | `dropout` | [`Dropout`], [`Mask`]: masks as functions of their place, or of a sequence |
//! | `batch` | [`Batch`]: documents that are computed together, with their spans |
//! | `records` | the nodes of a network as a file has them |
//! | `model_bytes` | thinc's model file from those records |
//! | `first_weights` | [`InitialSizes`]: new networks, with thinc's first weights |
//! | `sums` | [`sum_of_squares`] |
//! | `kernels` | products of gradients that are mostly zeros |
//! | `layers` | layers with their forward and backward passes |
//! | `graft` | [`graft`](graft()): a network with copies of a shared one in it |
//! | `layer_weights` | [`with_layer_weights`]: a network with pretrained weights |
//! | [`states`] | scores of the states of a parse, and their gradients |
//! | `network` | [`TrainableNetwork`], [`Tape`] |
//!
//! [`TokenSource`]: crate::TokenSource
//! [`TokenSource::tensor`]: crate::TokenSource::tensor

#![forbid(unsafe_code)]

mod batch;
mod dropout;
mod first_weights;
mod graft;
mod kernels;
mod layer_weights;
mod layers;
mod model_bytes;
mod network;
mod optimizer;
mod parameters;
mod parameters_state;
mod random;
mod records;
mod schedules;
pub mod states;
mod sums;
mod workers;

pub use batch::{Batch, SpanRange};
pub use dropout::{Dropout, Mask, StepKey};
pub use first_weights::{InitialSizes, blank_file};
pub use graft::{SavedNetwork, graft};
pub use layer_weights::with_layer_weights;
pub use network::{Tape, TrainableNetwork};
pub use optimizer::{Method, Optimizer, OptimizerSettings};
pub use parameters::{Gradients, Moments, Parameters, Tensor, TensorIx};
pub use random::{NumpyRandom, PythonRandom};
pub use schedules::{Schedule, Series};
pub use sums::sum_of_squares;
pub use workers::Workers;
