//! thinc's `initialize`: missing dimensions are found from a sample, and weights are drawn, node by
//! node in thinc's order.
//!
//! Sources: the functions `init` of `thinc.layers`, and `_precomputable_affine` of spaCy 3.8.

use std::collections::BTreeMap;

use lexpool_error::{Error, Result, codes, limits};

use super::state_layer;
use crate::describe::{Blueprint, FirstWeights, Kind, NodeIx};
use crate::infer::wrong_vectors;
use crate::learn::random::NumpyRandom;
use crate::learn::records::Array;

/// The sizes that data decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InitialSizes {
    /// The number of columns of the result: the number of labels or moves. `None` for a network
    /// without labels.
    pub outputs: Option<usize>,
    /// The width of the vocab's word vectors.
    pub vectors: usize,
}

/// The form of a sample of data, from which dimensions are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sample {
    Documents,
    DocumentsAndSpans,
    /// Columns of ids.
    Ids(usize),
    /// A column of ids, or keys: its width depends on the data, and nothing asks for it.
    Column,
    /// Rows of so many numbers.
    Rows(usize),
}

impl Sample {
    /// Returns the width, if the sample has one.
    fn width(self) -> Option<usize> {
        match self {
            Sample::Ids(width) | Sample::Rows(width) => Some(width),
            Sample::Documents | Sample::DocumentsAndSpans | Sample::Column => None,
        }
    }
}

/// The arrays of a network's parameters.
pub(super) type Weights = BTreeMap<(NodeIx, &'static str), Array>;

/// An initialization of the nodes of a network.
pub(super) struct Initialization<'a> {
    pub(super) blueprint: &'a mut Blueprint,
    pub(super) sizes: InitialSizes,
    pub(super) random: &'a mut NumpyRandom,
    pub(super) weights: Weights,
}

impl Initialization<'_> {
    /// Initializes a node from a sample of its input and of its result.
    ///
    /// # Errors
    ///
    /// `model-settings` for dimensions that do not fit each other or stay unknown;
    /// `model-vectors` if the vocab has no word vectors.
    pub(super) fn node(&mut self, ix: NodeIx, x: Option<Sample>, y: Option<Sample>) -> Result<()> {
        let node = self.blueprint.node(ix);
        let first = node.layers().first().copied();
        match (node.kind(), first) {
            (Kind::Chain, _) => self.chain(ix, x, y),
            (Kind::Concatenate, _) => self.concatenate(ix, x, y),
            (Kind::Attending, _) => {
                self.attending(ix, x)?;
                self.chain(ix, x, y)
            }
            (Kind::Residual | Kind::Uniqued, Some(layer)) => {
                let y = y.filter(|_| self.blueprint.node(layer).is_open("nO"));
                self.node(layer, x, y)?;
                self.set_if(ix, "nO", self.dim(layer, "nO"))?;
                self.set_if(ix, "nI", self.dim(layer, "nI"))
            }
            (Kind::WithArray, Some(layer)) => {
                self.node(layer, x, y)?;
                let dims = self.blueprint.node(layer).dims().to_vec();
                dims.into_iter().try_for_each(|(name, size)| self.set_if(ix, name, size))
            }
            (Kind::Wrapper, Some(layer)) => self.node(layer, x, y),
            (Kind::Tuple, _) => {
                let layers = node.layers().to_vec();
                layers.into_iter().try_for_each(|layer| self.node(layer, x, None))?;
                self.set_if(ix, "nI", first.and_then(|first| self.dim(first, "nI")))
            }
            (Kind::WithGetitem, Some(layer)) => {
                let x = x.map(|x| match x {
                    Sample::DocumentsAndSpans => Sample::Documents,
                    other => other,
                });
                self.node(layer, x, None)
            }
            _ => self.leaf(ix, x.and_then(Sample::width), y.and_then(Sample::width)),
        }
    }

    fn chain(&mut self, ix: NodeIx, x: Option<Sample>, y: Option<Sample>) -> Result<()> {
        let layers = self.blueprint.node(ix).layers().to_vec();
        let mut input = x;
        for layer in &layers {
            // Each layer whose output is unknown is given that of the whole.
            let y = y.filter(|_| self.blueprint.node(*layer).is_open("nO"));
            self.node(*layer, input, y)?;
            input = input.map(|input| self.output(*layer, input));
        }
        self.set_if(ix, "nI", layers.first().and_then(|first| self.dim(*first, "nI")))?;
        if !self.blueprint.node(ix).is_open("nO") {
            return Ok(());
        }
        let last = layers.last().and_then(|last| self.dim(*last, "nO"));
        self.set_if(ix, "nO", input.and_then(Sample::width).or(last))
    }

    fn concatenate(&mut self, ix: NodeIx, x: Option<Sample>, y: Option<Sample>) -> Result<()> {
        let layers = self.blueprint.node(ix).layers().to_vec();
        if let Some(width) = x.and_then(Sample::width) {
            for node in std::iter::once(ix).chain(layers.iter().copied()) {
                if self.blueprint.node(node).has_dim("nI") {
                    self.set(node, "nI", width)?;
                }
            }
        }
        for layer in &layers {
            self.node(*layer, x, y)?;
        }
        let size = layers.iter().map(|layer| self.dim(*layer, "nO")).sum();
        self.set_if(ix, "nO", size)
    }

    /// Initializes the tok2vec below attention. The chain does it once more: what is drawn first is
    /// lost, as in spaCy.
    fn attending(&mut self, ix: NodeIx, x: Option<Sample>) -> Result<()> {
        let reference = |blueprint: &Blueprint, name| blueprint.node(ix).reference(name);
        let Some(tok2vec) = reference(self.blueprint, "tok2vec") else { return Ok(()) };
        self.node(tok2vec, x, None)?;
        let Some(width) = self.dim(tok2vec, "nO") else { return Ok(()) };
        for (name, dims) in [
            ("attention_layer", &["nO"][..]),
            ("key_transform", &["nI", "nO"]),
            ("maxout_layer", &["nO", "nI"]),
            ("nonlinear_layer", &["nI", "nO"]),
            ("norm_layer", &["nI", "nO"]),
        ] {
            if let Some(layer) = reference(self.blueprint, name) {
                dims.iter().try_for_each(|dim| self.set(layer, dim, width))?;
            }
        }
        Ok(())
    }

    fn leaf(&mut self, ix: NodeIx, x: Option<usize>, y: Option<usize>) -> Result<()> {
        match self.blueprint.node(ix).kind() {
            Kind::Maxout => {
                self.set_if(ix, "nI", x)?;
                self.set_if(ix, "nO", y)?;
                let [outputs, pieces, inputs] = self.sizes_of(ix, ["nO", "nP", "nI"])?;
                // Glorot's bound is made of the first two dimensions, whatever they are: of outputs
                // and pieces, not inputs.
                let bound = glorot(outputs, pieces);
                let weights = self.uniform(bound, &[outputs, pieces, inputs]);
                self.set_param(ix, "W", weights);
                self.set_param(ix, "b", zeros(&[outputs, pieces]));
            }
            Kind::Affine(weights) => {
                let is_open = self.blueprint.node(ix).is_open("nI");
                let is_softmax = self.blueprint.node(ix).name() == "softmax";
                self.set_if(ix, "nI", x.filter(|_| is_open || !is_softmax))?;
                self.set_if(
                    ix,
                    "nO",
                    y.filter(|_| !is_softmax || self.blueprint.node(ix).is_open("nO")),
                )?;
                let [outputs, inputs] = self.sizes_of(ix, ["nO", "nI"])?;
                let weights = self.affine_weights(weights, outputs, inputs);
                self.set_param(ix, "W", weights);
                self.set_param(ix, "b", zeros(&[outputs]));
            }
            Kind::LayerNorm => {
                let width = x.or(y);
                self.set_if(ix, "nI", width)?;
                let [width] = self.sizes_of(ix, ["nI"])?;
                self.set(ix, "nO", width)?;
                self.set_param(ix, "G", (vec![width], vec![1.0; width]));
                self.set_param(ix, "b", zeros(&[width]));
            }
            Kind::SparseLinear(_) => {
                self.set_if(ix, "nO", y)?;
                let [outputs, length] = self.sizes_of(ix, ["nO", "length"])?;
                self.set_param(ix, "W", zeros(&[outputs * length]));
                self.set_param(ix, "b", zeros(&[outputs]));
            }
            Kind::HashEmbed => {
                let [rows, width] = self.sizes_of(ix, ["nV", "nO"])?;
                let table = self.uniform(0.1, &[rows, width]);
                self.set_param(ix, "E", table);
            }
            Kind::CharEmbed => {
                let shape = self.sizes_of(ix, ["nC", "nV", "nM"])?;
                self.set_param(ix, "E", zeros(&shape));
            }
            Kind::StaticVectors(_) => {
                let width = self.sizes.vectors;
                if width == 0 {
                    return Err(wrong_vectors(1, 0));
                }
                self.set(ix, "nM", width)?;
                self.set_if(ix, "nO", y)?;
                let [outputs] = self.sizes_of(ix, ["nO"])?;
                let weights = self.uniform(glorot(outputs, width), &[outputs, width]);
                self.set_param(ix, "W", weights);
            }
            Kind::Attention => {
                self.set_if(ix, "nO", x)?;
                let transform = self.blueprint.node(ix).layers().first().copied();
                if let (Some(transform), Some(width)) = (transform, x) {
                    self.set(transform, "nO", width)?;
                }
                let [width] = self.sizes_of(ix, ["nO"])?;
                let query = self.uniform(0.1, &[width]);
                self.set_param(ix, "Q", query);
                if let Some(transform) = transform {
                    self.node(transform, x.map(Sample::Rows), None)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Initializes the network of a parser.
    ///
    /// # Errors
    ///
    /// Those of [`node`](Initialization::node).
    pub(super) fn parser(&mut self) -> Result<()> {
        let [tokens, lower, upper] = *self.blueprint.root().layers() else { return Ok(()) };
        let has_upper = self.blueprint.node(upper).name() != "noop";
        if let Some(outputs) = self.sizes.outputs {
            self.set(if has_upper { upper } else { lower }, "nO", outputs)?;
        }
        self.node(tokens, Some(Sample::Documents), None)?;
        let sizes = self.sizes_of(lower, ["nF", "nO", "nP", "nI"])?;
        let layer = state_layer::draw(sizes, self.random);
        self.set_param(lower, "W", layer.weights);
        self.set_param(lower, "b", layer.bias);
        self.set_param(lower, "pad", layer.padding);
        if has_upper {
            self.node(upper, Some(Sample::Rows(sizes[1])), None)?;
        }
        Ok(())
    }

    /// Returns what a layer makes of a sample.
    fn output(&self, ix: NodeIx, x: Sample) -> Sample {
        let node = self.blueprint.node(ix);
        let rows = |name: &str| self.dim(ix, name).map_or(Sample::Column, Sample::Rows);
        match node.kind() {
            Kind::Chain | Kind::Attending => {
                node.layers().iter().fold(x, |x, layer| self.output(*layer, x))
            }
            Kind::Concatenate => {
                let widths = node.layers().iter().map(|layer| self.output(*layer, x).width());
                widths.sum::<Option<usize>>().map_or(Sample::Column, Sample::Rows)
            }
            // The layer behind a tuple takes the rows of its first layer.
            Kind::WithArray | Kind::Wrapper | Kind::Uniqued | Kind::Tuple => {
                node.layers().first().map_or(x, |layer| self.output(*layer, x))
            }
            Kind::WithGetitem => {
                node.layers().first().map_or(x, |layer| self.output(*layer, Sample::Documents))
            }
            Kind::Maxout
            | Kind::Affine(_)
            | Kind::LayerNorm
            | Kind::SparseLinear(_)
            | Kind::HashEmbed
            | Kind::CharEmbed
            | Kind::StaticVectors(_)
            | Kind::Listener => rows("nO"),
            Kind::ExpandWindow(window) => {
                x.width().map_or(x, |width| Sample::Rows(width * (2 * window + 1)))
            }
            Kind::ExtractFeatures(columns) => Sample::Ids(columns),
            Kind::Ids => Sample::Column,
            Kind::Residual
            | Kind::Attention
            | Kind::Plain
            | Kind::PrecomputableAffine
            | Kind::Parser => x,
        }
    }

    fn dim(&self, ix: NodeIx, name: &str) -> Option<usize> {
        self.blueprint.node(ix).dim(name)
    }

    fn set_if(&mut self, ix: NodeIx, name: &str, size: Option<usize>) -> Result<()> {
        size.map_or(Ok(()), |size| self.set(ix, name, size))
    }

    fn set(&mut self, ix: NodeIx, name: &str, size: usize) -> Result<()> {
        match self.dim(ix, name) {
            Some(dim) if dim != size => {
                let layer = self.blueprint.node(ix).name();
                let text = format!(
                    "the dimension {name:?} of {layer:?} is {dim}, and the layers beside it have \
                     {size}"
                );
                Err(Error::value(codes::MODEL_SETTINGS, text))
            }
            _ => {
                self.blueprint.node_mut(ix).set_dim(name, Some(size));
                Ok(())
            }
        }
    }

    /// Returns dimensions, all of which must be known and above 0.
    fn sizes_of<const N: usize>(&self, ix: NodeIx, names: [&str; N]) -> Result<[usize; N]> {
        let mut sizes = [0; N];
        for (size, name) in sizes.iter_mut().zip(names) {
            let dim = self.dim(ix, name).filter(|size| *size > 0);
            *size = dim.ok_or_else(|| {
                let layer = self.blueprint.node(ix).name();
                let text = format!("the dimension {name:?} of {layer:?} is unknown or 0");
                Error::value(codes::MODEL_SETTINGS, text)
            })?;
        }
        let layer = self.blueprint.node(ix).name();
        let total = sizes.iter().fold(1_usize, |total, size| total.saturating_mul(*size));
        let place = format_args!("the product of the sizes {sizes:?} of the layer {layer:?}");
        limits::NETWORK_NUMBERS.check(total, place)?;
        Ok(sizes)
    }

    fn set_param(&mut self, ix: NodeIx, name: &'static str, array: Array) {
        self.weights.insert((ix, name), array);
    }

    fn affine_weights(&mut self, weights: FirstWeights, outputs: usize, inputs: usize) -> Array {
        let shape = [outputs, inputs];
        match weights {
            FirstWeights::Zero => zeros(&shape),
            FirstWeights::Glorot => self.uniform(glorot(outputs, inputs), &shape),
            FirstWeights::He => {
                let deviation = (2.0 / float(inputs)).sqrt();
                let mut number = || rounded(self.random.normal(0.0, deviation));
                (shape.to_vec(), (0..outputs * inputs).map(|_| number()).collect())
            }
        }
    }

    fn uniform(&mut self, bound: f64, shape: &[usize]) -> Array {
        let mut number = || rounded(self.random.uniform(-bound, bound));
        (shape.to_vec(), (0..shape.iter().product()).map(|_| number()).collect())
    }
}

fn zeros(shape: &[usize]) -> Array {
    (shape.to_vec(), vec![0.0; shape.iter().product()])
}

fn glorot(first: usize, second: usize) -> f64 {
    (6.0 / float(first + second)).sqrt()
}

#[expect(clippy::cast_precision_loss, reason = "dimensions are small")]
fn float(size: usize) -> f64 {
    size as f64
}

#[expect(clippy::cast_possible_truncation, reason = "parameters have single precision")]
fn rounded(number: f64) -> f32 {
    number as f32
}
