//! The steps of a chain, in which layers that are computed together are one.

use std::iter;

use super::containers::{Chain, Identity, Residual};
use super::encoder::WindowEncoder;
use super::word_rows::WordRows;
use super::{Module, WordInputs};
use crate::infer::convolution::Convolution;
use crate::infer::sums::GemmOrder;

/// A step of a chain.
pub(super) enum Step {
    Convolution(Convolution),
    Other(Box<dyn Module>),
}

/// Caches the rows of the first steps of a network, as far as each depends on one token.
pub(super) fn with_cached_words(mut steps: Vec<Step>) -> Vec<Step> {
    let n_first = steps.iter().take_while(|step| step.is_word_wise()).count();
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
pub(super) fn into_encoder(
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
    /// Returns whether each row of the result depends on one token.
    pub(super) fn is_word_wise(&self) -> bool {
        match self {
            Step::Convolution(convolution) => convolution.window() == 0,
            Step::Other(module) => module.collect_word_inputs(&mut WordInputs::default()),
        }
    }

    fn into_module(self) -> Box<dyn Module> {
        match self {
            Step::Convolution(convolution) => Box::new(convolution),
            Step::Other(module) => module,
        }
    }
}

/// Adds the input of steps to their result.
pub(super) fn residual(mut steps: Vec<Step>) -> Step {
    if let [Step::Convolution(convolution)] = &mut steps[..] {
        if convolution.add_residual() {
            return steps.remove(0);
        }
    }
    Step::Other(Box::new(Residual(into_module(steps))))
}
