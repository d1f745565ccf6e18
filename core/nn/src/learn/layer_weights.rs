//! Weights of a network that were learned apart from those around it.

use lexpool_error::{Error, Result, codes};

use crate::describe::{self, ArrayView, Blueprint, LISTENER, ModelFile, NodeIx};
use crate::learn::graft::SavedNetwork;
use crate::learn::model_bytes;
use crate::learn::records::Records;

/// Returns the model file of a network in which one layer has the weights of another file. `layer`
/// is the name by which the root refers to it, such as "tok2vec"; "" stands for the whole network.
/// `section` is the name of the network's section, for errors.
///
/// # Errors
///
/// `model-structure` if the root refers to no such layer, or to a listener; `weights-different` for
/// the file of another network than the layer; those of building and reading them.
pub fn with_layer_weights(
    network: SavedNetwork<'_>,
    section: &str,
    layer: &str,
    weights: &[u8],
) -> Result<Vec<u8>> {
    let blueprint = describe::build(network.settings, section)?;
    let file = ModelFile::parse(network.file)?;
    blueprint.check(&file)?;
    let (records, mut parameters) = Records::read(&blueprint, &file);
    let part = find_layer(&records, layer, section)?;
    let learned = ModelFile::parse(weights)?;
    let in_weights = |error: Error| error.context("the weights");
    blueprint.check_part(part, &learned).map_err(in_weights)?;
    for (layer, node) in blueprint.walk(part).into_iter().zip(learned.nodes()) {
        let record = &records.0[layer.get()];
        for (name, ix) in &record.params {
            let param = node.param(name);
            let shapes = [ix.map(|ix| parameters.tensor(ix).shape()), param.map(ArrayView::shape)];
            if shapes[0] != shapes[1] {
                return Err(different(section, &record.name, name, shapes));
            }
            if let Some((ix, param)) = ix.zip(param) {
                parameters.values_mut(ix).copy_from_slice(&param.to_vec());
            }
        }
    }
    model_bytes::write(&records, &parameters)
}

/// Finds the layer that the root refers to by a name; the root itself for "".
fn find_layer(records: &Records, name: &str, section: &str) -> Result<NodeIx> {
    if name.is_empty() {
        return Ok(Blueprint::ROOT);
    }
    let wrong = |text: String| Error::value(codes::MODEL_STRUCTURE, text);
    let layer = records.referred(Blueprint::ROOT, name).ok_or_else(|| {
        wrong(format!("the network of [{section}] has no layer that it refers to as {name:?}"))
    })?;
    if records.0[layer.get()].name == LISTENER {
        return Err(wrong(format!(
            "the layer {name:?} of [{section}] has no weights: it listens to another component"
        )));
    }
    Ok(layer)
}

fn different(section: &str, layer: &str, name: &str, shapes: [Option<&[usize]>; 2]) -> Error {
    let [expected, actual] = shapes.map(|shape| match shape {
        Some(shape) => format!("the shape {shape:?}"),
        None => "no numbers".to_owned(),
    });
    let text = format!(
        "the weights are not those of [{section}]: the parameter {name:?} of a layer {layer:?} has \
         {actual}; expected {expected}"
    );
    Error::value(codes::WEIGHTS_DIFFERENT, text)
}
