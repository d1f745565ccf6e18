//! Modules from the description of a network: chains, and what is computed together in them.

use lexpool_error::Result;

use super::containers::{Concatenate, Padded};
use super::leaves;
use super::steps::{Step, into_encoder, into_module, residual, with_cached_words};
use super::{Module, Source};
use crate::describe::{Attributes, Kind, NodeIx, Version};
use crate::infer::convolution::Convolution;
use crate::infer::weights::{LayerNorm, MaxoutRows};

/// Reads the module of a network, with all that it consists of.
///
/// # Errors
///
/// `model-structure` for parameters and attributes that the layer cannot have, with its name;
/// `model-layer` for a layer that lexpool lacks.
pub(crate) fn read_network(source: Source<'_>, root: NodeIx) -> Result<Box<dyn Module>> {
    read_from_tokens(source, root).map(into_cached)
}

/// Reads the steps of a network that takes a document. If the first of them puts networks side by
/// side, of which some see more than one token, each of those caches its own rows of tokens.
fn read_from_tokens(source: Source<'_>, root: NodeIx) -> Result<Vec<Step>> {
    let steps = steps(source, &[root]);
    match steps.split_first() {
        Some((first, rest)) if source.layer(*first).kind() == Kind::Concatenate => {
            let parts = source.layer(*first).layers().iter();
            let parts = parts.map(|part| read_from_tokens(source, *part));
            let parts: Vec<Vec<Step>> = parts.collect::<Result<_>>()?;
            let is_word_wise = parts.iter().flatten().all(Step::is_word_wise);
            let into_part = if is_word_wise { into_module } else { into_cached };
            let parts = parts.into_iter().map(into_part).collect();
            let mut steps = vec![Step::Other(Box::new(Concatenate(parts)))];
            steps.extend(read_steps(source, rest)?);
            Ok(steps)
        }
        _ => read_steps(source, &steps),
    }
}

fn into_cached(steps: Vec<Step>) -> Box<dyn Module> {
    into_module(with_cached_words(steps))
}

/// Returns the layers that run one after another. A dropout does nothing here.
fn steps(source: Source<'_>, layers: &[NodeIx]) -> Vec<NodeIx> {
    let mut steps = source.bound.blueprint().steps(layers);
    steps.retain(|ix| source.layer(*ix).name() != "dropout");
    steps
}

/// Reads the module of a part of a network.
fn read(source: Source<'_>, part: NodeIx) -> Result<Box<dyn Module>> {
    read_all(source, &[part]).map(into_module)
}

/// Reads the steps of layers that run one after another.
fn read_all(source: Source<'_>, layers: &[NodeIx]) -> Result<Vec<Step>> {
    read_steps(source, &steps(source, layers))
}

/// Reads steps. A window, a maxout layer and a normalization become one convolution.
fn read_steps(source: Source<'_>, layers: &[NodeIx]) -> Result<Vec<Step>> {
    let (mut steps, mut rest) = (Vec::with_capacity(layers.len()), layers);
    while let [first, after @ ..] = rest {
        if let Some((convolution, n_layers)) = read_convolution(source, rest)? {
            steps.push(Step::Convolution(convolution));
            rest = &rest[n_layers..];
        } else {
            let layer = source.layer(*first);
            match layer.kind() {
                Kind::Residual => steps.push(residual(read_all(source, layer.layers())?)),
                Kind::WithArray => push_with_array(source, *first, &mut steps)?,
                _ => steps.push(Step::Other(read_layer(source, *first)?)),
            }
            rest = after;
        }
    }
    Ok(steps)
}

/// Reads the module of one layer, other than a chain of steps.
fn read_layer(source: Source<'_>, ix: NodeIx) -> Result<Box<dyn Module>> {
    let (layer, node) = (source.layer(ix), source.node(ix));
    let mut parts = layer.layers().iter().map(|part| read(source, *part));
    Ok(match layer.kind() {
        Kind::Concatenate => Box::new(Concatenate(parts.collect::<Result<_>>()?)),
        Kind::StaticVectors(version) => {
            Box::new(leaves::static_vectors(node, version == Version::First)?)
        }
        _ => leaves::read(node, parts.next().transpose()?)?,
    })
}

/// Adds the steps of a layer that takes the rows of documents between rows of zeros.
fn push_with_array(source: Source<'_>, ix: NodeIx, steps: &mut Vec<Step>) -> Result<()> {
    let padding = source.node(ix).padding()?;
    let inner = read_all(source, source.layer(ix).layers())?;
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

/// Reads a convolution from the first layers, and returns the number of those; `None` if they are
/// something else.
fn read_convolution(source: Source<'_>, layers: &[NodeIx]) -> Result<Option<(Convolution, usize)>> {
    let names: Vec<&str> = layers.iter().take(3).map(|ix| source.layer(*ix).name()).collect();
    let n_windows = match names[..] {
        ["expand_window", "maxout", ..] => 1,
        ["maxout", ..] => 0,
        _ => return Ok(None),
    };
    let window = if n_windows == 0 { 0 } else { source.node(layers[0]).window()? };
    let maxout = MaxoutRows::read(source.node(layers[n_windows]))?;
    let norm = match layers.get(n_windows + 1) {
        Some(ix) if source.layer(*ix).name() == "layernorm" => {
            Some(LayerNorm::read(source.node(*ix))?)
        }
        _ => None,
    };
    let norm = norm.filter(|norm| norm.width() == maxout.width());
    let n_layers = n_windows + 1 + usize::from(norm.is_some());
    let convolution = Convolution::new(window, &maxout, norm, source.order);
    Ok(convolution.map(|convolution| (convolution, n_layers)))
}
