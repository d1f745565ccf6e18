//! Training of pipelines from a configuration of spaCy's and corpora, without Python.
//!
//! | module | contains |
//! | --- | --- |
//! | `example` | [`Example`]: a document beside its [`Reference`] |
//! | `update` | [`UpdateBatch`]: the examples of a step, with what networks see of them |
//! | `component` | [`TrainableComponent`]: what the loop asks of a component |
#![forbid(unsafe_code)]

mod component;
mod example;
mod update;

pub use component::{ComponentFiles, Initialization, Learned, TrainableComponent};
pub use example::{Example, Reference};
pub use update::UpdateBatch;
