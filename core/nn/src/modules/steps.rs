//! The steps of a chain, in which layers that are computed together are one.

use std::iter;
use std::rc::Rc;

use lexpool_error::Result;

use super::containers::{Chain, Identity, Padded, Residual};
use super::encoder::WindowEncoder;
use super::word_rows::WordRows;
use super::{Module, Source, WordInputs, reading};
use crate::convolution::Convolution;
use crate::layers::{LayerNorm, Maxout};
use crate::sums::GemmOrder;
use crate::tree::{Kind, Layer};

/// A step of a chain.
pub(super) enum Step {
    Convolution(Convolution),
    Other(Box<dyn Module>),
}

/// Reads the steps of layers that run one after another. Chains in them are flattened, and a window,
/// a maxout layer and a normalization become one convolution.
pub(super) fn read(source: Source<'_>, layers: &[Rc<Layer>]) -> Result<Vec<Step>> {
    let mut flat = Vec::new();
    for layer in layers {
        flatten(layer, &mut flat);
    }
    let (mut steps, mut rest) = (Vec::with_capacity(flat.len()), &flat[..]);
    while let [first, after @ ..] = rest {
        if let Some((convolution, n_layers)) = read_convolution(source, rest)? {
            steps.push(Step::Convolution(convolution));
            rest = &rest[n_layers..];
        } else {
            match first.kind() {
                Kind::Residual => steps.push(residual(read(source, first.layers())?)),
                Kind::WithArray => push_with_array(source, first, &mut steps)?,
                _ => steps.push(Step::Other(reading::read_layer(source, first)?)),
            }
            rest = after;
        }
    }
    Ok(steps)
}

/// Adds the steps of a layer that takes the rows of documents between rows of zeros.
fn push_with_array(source: Source<'_>, layer: &Rc<Layer>, steps: &mut Vec<Step>) -> Result<()> {
    let padding = reading::padding(source.node(layer))?;
    let inner = read(source, layer.layers())?;
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

/// Caches the rows of the first steps of a network, as far as each depends on one token.
pub(super) fn with_cached_words(mut steps: Vec<Step>) -> Vec<Step> {
    let is_word_wise = |step: &Step| match step {
        Step::Convolution(convolution) => convolution.window() == 0,
        Step::Other(module) => module.collect_word_inputs(&mut WordInputs::default()),
    };
    let n_first = steps.iter().take_while(|step| is_word_wise(step)).count();
    let rest = steps.split_off(n_first);
    let first = match WordRows::new(into_module(steps)) {
        Ok(rows) => Box::new(rows),
        Err(module) => module,
    };
    iter::once(Step::Other(first)).chain(rest).collect()
}

/// Makes a module of steps.
pub(super) fn into_module(steps: Vec<Step>) -> Box<dyn Module> {
    let mut modules: Vec<Box<dyn Module>> = steps.into_iter().map(Step::into_module).collect();
    match modules.len() {
        0 => Box::new(Identity),
        1 => modules.remove(0),
        _ => Box::new(Chain(modules)),
    }
}

/// Makes an encoder of steps that are convolutions, if the padding covers their reach; else returns
/// the steps.
fn into_encoder(
    steps: Vec<Step>,
    padding: usize,
    order: GemmOrder,
) -> Result<WindowEncoder, Vec<Step>> {
    let windows = steps.iter().map(|step| match step {
        Step::Convolution(convolution) => Some(convolution.window()),
        Step::Other(_) => None,
    });
    match windows.sum::<Option<usize>>() {
        Some(reach) if reach <= padding && !steps.is_empty() => {
            let layers = steps.into_iter().filter_map(|step| match step {
                Step::Convolution(convolution) => Some(convolution),
                Step::Other(_) => None,
            });
            Ok(WindowEncoder::new(layers.collect(), order))
        }
        _ => Err(steps),
    }
}

impl Step {
    fn into_module(self) -> Box<dyn Module> {
        match self {
            Step::Convolution(convolution) => Box::new(convolution),
            Step::Other(module) => module,
        }
    }
}

fn flatten<'l>(layer: &'l Rc<Layer>, flat: &mut Vec<&'l Rc<Layer>>) {
    match layer.kind() {
        Kind::Chain => layer.layers().iter().for_each(|part| flatten(part, flat)),
        Kind::Wrapper => layer.layers().iter().take(1).for_each(|part| flatten(part, flat)),
        Kind::Named if reading::is_identity(layer.name()) => {}
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
    let window = if n_windows == 0 { 0 } else { reading::window(source.node(layers[0]))? };
    let maxout = Maxout::read(source.node(layers[n_windows]))?;
    let norm = match layers.get(n_windows + 1) {
        Some(layer) if layer.name() == "layernorm" => Some(LayerNorm::read(source.node(layer))?),
        _ => None,
    };
    let norm = norm.filter(|norm| norm.width() == maxout.width());
    let n_layers = n_windows + 1 + usize::from(norm.is_some());
    let convolution = Convolution::new(window, maxout, norm, source.order);
    Ok(convolution.map(|convolution| (convolution, n_layers)))
}

/// Adds the input of steps to their result.
fn residual(mut steps: Vec<Step>) -> Step {
    if let [Step::Convolution(convolution)] = &mut steps[..] {
        if convolution.add_residual() {
            return steps.remove(0);
        }
    }
    Step::Other(Box::new(Residual(into_module(steps))))
}
