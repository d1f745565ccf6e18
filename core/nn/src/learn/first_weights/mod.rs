//! The first weights of new networks: thinc's `initialize`, which finds the dimensions that
//! settings leave open and draws weights in an order of its own.

mod initialize;
mod state_layer;

use lexpool_error::Result;

use crate::describe::{self, Blueprint, ConfigValue, Kind};
use crate::learn::model_bytes;
use crate::learn::random::NumpyRandom;
use crate::learn::records::Records;
pub use initialize::InitialSizes;
use initialize::{Initialization, Sample, Weights};

/// Makes the model file of a new network.
pub(crate) fn model_file(
    blueprint: &mut Blueprint,
    sizes: InitialSizes,
    random: &mut NumpyRandom,
) -> Result<Vec<u8>> {
    let sample = sample(blueprint);
    let mut initialization = Initialization { blueprint, sizes, random, weights: Weights::new() };
    if initialization.blueprint.root().kind() == Kind::Parser {
        initialization.parser()?;
    } else {
        let outputs = sizes.outputs.map(Sample::Rows);
        initialization.node(Blueprint::ROOT, Some(sample), outputs)?;
    }
    let weights = initialization.weights;
    let (records, parameters) = Records::of_new(blueprint, &weights);
    model_bytes::write(&records, &parameters)
}

/// Makes the model file of a network that has no weights yet: what spaCy writes of a component that
/// was not initialized.
///
/// # Errors
///
/// As for [`TrainableNetwork::new`](crate::learn::TrainableNetwork::new).
pub fn blank_file(settings: &dyn ConfigValue, section: &str) -> Result<Vec<u8>> {
    let blueprint = describe::build_new(settings, section)?;
    let (records, parameters) = Records::of_new(&blueprint, &Weights::new());
    model_bytes::write(&records, &parameters)
}

/// Returns the input with which a network is initialized.
fn sample(blueprint: &Blueprint) -> Sample {
    let first = blueprint.root().layers().first();
    let takes_spans = first.is_some_and(|ix| blueprint.node(*ix).kind() == Kind::WithGetitem);
    if takes_spans { Sample::DocumentsAndSpans } else { Sample::Documents }
}
