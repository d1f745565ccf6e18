//! Weights of a network that were learned apart from those around it.

use std::collections::HashMap;
use std::rc::Rc;

use crate::infer::architectures;
use crate::infer::tree::{self, Layer};
use crate::infer::{ArrayView, ModelFile, NodeIx};
use lexpool_error::{Error, Result, codes};

use crate::learn::graft::{LISTENER, SavedNetwork};
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
    let tree = architectures::build(network.settings, section)?;
    let file = ModelFile::parse(network.file)?;
    tree::check(&tree, &file)?;
    let (records, mut parameters) = Records::read(&tree, &file);
    let part = find_layer(&tree, &records, layer, section)?;
    let given = ModelFile::parse(weights)?;
    let in_weights = |error: Error| error.context("the weights");
    tree::check(part, &given).map_err(in_weights)?;
    let places: HashMap<*const Layer, u32> =
        tree::walk(&tree).into_iter().map(std::ptr::from_ref).zip(0..).collect();
    for (own, node) in tree::walk(part).into_iter().zip(given.nodes()) {
        let at = NodeIx::new(places[&std::ptr::from_ref(own)]);
        for (name, ix) in &records.0[at.get()].params {
            let given = node.param(name);
            let shape = ix.map(|ix| parameters.tensor(ix).shape());
            let given_shape = given.map(ArrayView::shape);
            if shape != given_shape {
                return Err(different(section, own.name(), name, [shape, given_shape]));
            }
            if let Some((ix, given)) = ix.zip(given) {
                parameters.values_mut(ix).copy_from_slice(&given.to_vec());
            }
        }
    }
    model_bytes::write(&records, &parameters)
}

/// Finds the layer that the root refers to by a name; the root itself for "".
fn find_layer<'t>(
    tree: &'t Rc<Layer>,
    records: &Records,
    name: &str,
    section: &str,
) -> Result<&'t Rc<Layer>> {
    if name.is_empty() {
        return Ok(tree);
    }
    let wrong = |text: String| Error::value(codes::MODEL_STRUCTURE, text);
    let at = records.referred(NodeIx::new(0), name).ok_or_else(|| {
        wrong(format!("the network of [{section}] has no layer that it refers to as {name:?}"))
    })?;
    if records.0[at.get()].name == LISTENER {
        return Err(wrong(format!(
            "the layer {name:?} of [{section}] has no weights: it listens to another component"
        )));
    }
    let wanted = std::ptr::from_ref(tree::walk(tree)[at.get()]);
    let mut layers = vec![tree];
    while let Some(layer) = layers.pop() {
        if Rc::as_ptr(layer) == wanted {
            return Ok(layer);
        }
        layers.extend(layer.layers());
    }
    unreachable!("a walk yields layers of the tree")
}

fn different(section: &str, layer: &str, name: &str, shapes: [Option<&[usize]>; 2]) -> Error {
    let [own, given] = shapes.map(|shape| match shape {
        Some(shape) => format!("the shape {shape:?}"),
        None => "no numbers".to_owned(),
    });
    let text = format!(
        "the weights are not those of [{section}]: the parameter {name:?} of a layer {layer:?} has \
         {given}; expected {own}"
    );
    Error::value(codes::WEIGHTS_DIFFERENT, text)
}
