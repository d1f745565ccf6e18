//! New networks: spaCy's architectures with all that a model file says of their nodes, and their
//! first weights.
//!
//! The tree of a network alone does not tell widths, attributes and references, which a file of
//! spaCy's has; so the constructors of thinc are repeated here with them ([`nodes`]), then its
//! `initialize`, which finds the missing dimensions and draws weights in an order of its own
//! ([`initialize`]).

mod architectures;
mod first_ensemble;
mod initialize;
mod nodes;
mod pretraining;
mod settings;
mod state_layer;
mod textcat;
mod tok2vec;

use std::collections::BTreeMap;

use crate::infer::NodeIx;
use crate::infer::architectures::ConfigValue;
use lexpool_error::Result;

use crate::learn::model_bytes;
use crate::learn::parameters::Parameters;
use crate::learn::random::NumpyRandom;
use crate::learn::records::{Record, Records};
pub use initialize::InitialSizes;
use initialize::{Initialization, Sample};
use nodes::{Blueprint, NodeId};
use settings::Settings;

/// Makes the model file of a new network.
pub(crate) fn model_file(
    settings: &dyn ConfigValue,
    section: &str,
    sizes: InitialSizes,
    random: &mut NumpyRandom,
) -> Result<Vec<u8>> {
    let mut blueprint = Blueprint::default();
    let root = Settings::new(settings, section.to_owned())?;
    let root = architectures::build(&mut blueprint, &root)?;
    let sample = architectures::sample(&blueprint, root);
    let mut initialization = Initialization { blueprint: &mut blueprint, sizes, random };
    if initialization.blueprint.node(root).name == "parser_model" {
        initialization.parser(root)?;
    } else {
        let outputs = sizes.outputs.map(Sample::Rows);
        initialization.node(root, Some(sample), outputs)?;
    }
    let (records, parameters) = records(&blueprint, root);
    model_bytes::write(&records, &parameters)
}

/// Makes the model file of a network that has no weights yet: what spaCy writes of a component that
/// was not initialized.
///
/// # Errors
///
/// As for [`TrainableNetwork::new`](crate::learn::TrainableNetwork::new).
pub fn blank_file(settings: &dyn ConfigValue, section: &str) -> Result<Vec<u8>> {
    let mut blueprint = Blueprint::default();
    let root = Settings::new(settings, section.to_owned())?;
    let root = architectures::build(&mut blueprint, &root)?;
    let (records, parameters) = records(&blueprint, root);
    model_bytes::write(&records, &parameters)
}

/// Lists the nodes breadth first, as a file does.
fn records(blueprint: &Blueprint, root: NodeId) -> (Records, Parameters) {
    let mut order = vec![root];
    let mut at = 0;
    while at < order.len() {
        for layer in &blueprint.node(order[at]).layers {
            if !order.contains(layer) {
                order.push(*layer);
            }
        }
        at += 1;
    }
    let places: BTreeMap<NodeId, NodeIx> =
        order.iter().copied().zip((0..).map(NodeIx::new)).collect();
    let mut parameters = Parameters::default();
    let records = order.iter().map(|id| {
        let node = blueprint.node(*id);
        let params = node.params.iter().map(|(name, array)| {
            let ix = array
                .as_ref()
                .map(|(shape, values)| parameters.push(places[id], name, shape, values));
            ((*name).to_owned(), ix)
        });
        let dims = node
            .dims
            .iter()
            .map(|(name, dim)| ((*name).to_owned(), dim.and_then(|dim| u64::try_from(dim).ok())));
        let refs = node
            .refs
            .iter()
            .map(|(name, to)| ((*name).to_owned(), to.and_then(|to| places.get(&to).copied())));
        let attrs = node.attrs.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        Record {
            params: params.collect(),
            name: node.name.clone(),
            dims: dims.collect(),
            refs: refs.collect(),
            attrs: attrs.collect(),
        }
    });
    let records = Records(records.collect());
    (records, parameters)
}
