//! Modules from the tree of a network: chains, and what is computed together in them.

use std::rc::Rc;

use lexpool_error::Result;

use super::containers::{Concatenate, Identity, Padded};
use super::leaves::{self, is_identity};
use super::steps::{Step, into_encoder, into_module, residual, with_cached_words};
use super::{Module, Source};
use crate::infer::convolution::Convolution;
use crate::infer::layers::{LayerNorm, MaxoutRows};
use crate::infer::tree::{Kind, Layer};

/// Reads the module of a network, with all that it consists of.
///
/// # Errors
///
/// `model-structure` for parameters and attributes that the layer cannot have, with its name;
/// `model-layer` for a layer that lexpool lacks.
pub(crate) fn read_network(source: Source<'_>, layer: &Rc<Layer>) -> Result<Box<dyn Module>> {
    read_from_tokens(source, std::slice::from_ref(layer)).map(into_cached)
}

/// Reads the steps of layers of which the first takes a document. If that one puts networks side by
/// side, of which some see more than one token, each of them caches its own rows of tokens.
fn read_from_tokens(source: Source<'_>, layers: &[Rc<Layer>]) -> Result<Vec<Step>> {
    let mut flat = Vec::new();
    for layer in layers {
        flatten(layer, &mut flat);
    }
    match flat.split_first() {
        Some((first, rest)) if first.kind() == Kind::Concatenate => {
            let parts = first.layers().iter();
            let parts = parts.map(|part| read_from_tokens(source, std::slice::from_ref(part)));
            let parts: Vec<Vec<Step>> = parts.collect::<Result<_>>()?;
            let is_word_wise = parts.iter().flatten().all(Step::is_word_wise);
            let into_part = if is_word_wise { into_module } else { into_cached };
            let parts = parts.into_iter().map(into_part).collect();
            let mut steps = vec![Step::Other(Box::new(Concatenate(parts)))];
            steps.extend(read_flat(source, rest)?);
            Ok(steps)
        }
        _ => read_flat(source, &flat),
    }
}

fn into_cached(steps: Vec<Step>) -> Box<dyn Module> {
    into_module(with_cached_words(steps))
}

/// Reads the module of a part of a network.
fn read(source: Source<'_>, layer: &Rc<Layer>) -> Result<Box<dyn Module>> {
    read_steps(source, std::slice::from_ref(layer)).map(into_module)
}

/// Reads the steps of layers that run one after another. Chains in them are flattened, and a
/// window, a maxout layer and a normalization become one convolution.
fn read_steps(source: Source<'_>, layers: &[Rc<Layer>]) -> Result<Vec<Step>> {
    let mut flat = Vec::new();
    for layer in layers {
        flatten(layer, &mut flat);
    }
    read_flat(source, &flat)
}

fn read_flat(source: Source<'_>, flat: &[&Rc<Layer>]) -> Result<Vec<Step>> {
    let (mut steps, mut rest) = (Vec::with_capacity(flat.len()), flat);
    while let [first, after @ ..] = rest {
        if let Some((convolution, n_layers)) = read_convolution(source, rest)? {
            steps.push(Step::Convolution(convolution));
            rest = &rest[n_layers..];
        } else {
            match first.kind() {
                Kind::Residual => steps.push(residual(read_steps(source, first.layers())?)),
                Kind::WithArray => push_with_array(source, first, &mut steps)?,
                _ => steps.push(Step::Other(read_layer(source, first)?)),
            }
            rest = after;
        }
    }
    Ok(steps)
}

/// Reads the module of one layer, other than a chain of steps.
fn read_layer(source: Source<'_>, layer: &Rc<Layer>) -> Result<Box<dyn Module>> {
    let node = source.node(layer);
    let mut parts = layer.layers().iter().map(|part| read(source, part));
    Ok(match layer.kind() {
        Kind::Concatenate => Box::new(Concatenate(parts.collect::<Result<_>>()?)),
        Kind::FirstStaticVectors => Box::new(leaves::static_vectors(node, true)?),
        Kind::Named => leaves::read(layer, node, parts.next().transpose()?)?,
        Kind::Chain | Kind::Residual | Kind::Tuple | Kind::WithArray | Kind::Wrapper => {
            parts.next().unwrap_or_else(|| Ok(Box::new(Identity)))?
        }
    })
}

/// Adds the steps of a layer that takes the rows of documents between rows of zeros.
fn push_with_array(source: Source<'_>, layer: &Rc<Layer>, steps: &mut Vec<Step>) -> Result<()> {
    let padding = leaves::padding(source.node(layer))?;
    let inner = read_steps(source, layer.layers())?;
    if matches!(inner.first(), Some(Step::Other(module)) if module.takes_ids()) {
        // Ids have no zeros around them.
        steps.extend(inner);
        return Ok(());
    }
    steps.push(Step::Other(match into_encoder(inner, padding, source.order) {
        Ok(encoder) => Box::new(encoder),
        Err(inner) => Box::new(Padded { padding, inner: into_module(inner) }),
    }));
    Ok(())
}

fn flatten<'l>(layer: &'l Rc<Layer>, flat: &mut Vec<&'l Rc<Layer>>) {
    match layer.kind() {
        Kind::Chain => layer.layers().iter().for_each(|part| flatten(part, flat)),
        Kind::Wrapper => layer.layers().iter().take(1).for_each(|part| flatten(part, flat)),
        Kind::Named if is_identity(layer.name()) => {}
        _ => flat.push(layer),
    }
}

/// Reads a convolution from the first layers, and returns the number of those; `None` if they are
/// something else.
fn read_convolution(
    source: Source<'_>,
    layers: &[&Rc<Layer>],
) -> Result<Option<(Convolution, usize)>> {
    let names: Vec<&str> = layers.iter().take(3).map(|layer| layer.name()).collect();
    let n_windows = match names[..] {
        ["expand_window", "maxout", ..] => 1,
        ["maxout", ..] => 0,
        _ => return Ok(None),
    };
    let window = if n_windows == 0 { 0 } else { leaves::window(source.node(layers[0]))? };
    let maxout = MaxoutRows::read(source.node(layers[n_windows]))?;
    let norm = match layers.get(n_windows + 1) {
        Some(layer) if layer.name() == "layernorm" => Some(LayerNorm::read(source.node(layer))?),
        _ => None,
    };
    let norm = norm.filter(|norm| norm.width() == maxout.width());
    let n_layers = n_windows + 1 + usize::from(norm.is_some());
    let convolution = Convolution::new(window, &maxout, norm, source.order);
    Ok(convolution.map(|convolution| (convolution, n_layers)))
}
