//! thinc's `initialize`: missing dimensions are found from a sample, and weights are drawn, node by
//! node in thinc's order.
//!
//! Sources: the functions `init` of `thinc.layers`, and `_precomputable_affine` of spaCy 3.8.

use crate::infer::wrong_vectors;
use lexpool_error::{Error, Result, codes, limits};

use super::nodes::{Array, Blueprint, Kind, NodeId, Weights};
use super::state_layer;
use crate::learn::random::NumpyRandom;

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

/// An initialization of the nodes of a network.
pub(super) struct Initialization<'a> {
    pub(super) blueprint: &'a mut Blueprint,
    pub(super) sizes: InitialSizes,
    pub(super) random: &'a mut NumpyRandom,
}

impl Initialization<'_> {
    /// Initializes a node from a sample of its input and of its result.
    ///
    /// # Errors
    ///
    /// `model-settings` for dimensions that do not fit each other or stay unknown;
    /// `model-vectors` if the vocab has no word vectors.
    pub(super) fn node(&mut self, id: NodeId, x: Option<Sample>, y: Option<Sample>) -> Result<()> {
        let node = self.blueprint.node(id);
        let first = node.layers.first().copied();
        match (node.kind, first) {
            (Kind::Chain, _) => self.chain(id, x, y),
            (Kind::Concatenate, _) => self.concatenate(id, x, y),
            (Kind::Attending, _) => {
                self.attending(id, x)?;
                self.chain(id, x, y)
            }
            (Kind::Residual | Kind::Uniqued, Some(layer)) => {
                let y = y.filter(|_| self.blueprint.is_open(layer, "nO"));
                self.node(layer, x, y)?;
                for name in ["nO", "nI"] {
                    if let Some(size) = self.blueprint.known(layer, name) {
                        self.set(id, name, size)?;
                    }
                }
                Ok(())
            }
            (Kind::WithArray, Some(layer)) => {
                self.node(layer, x, y)?;
                for (name, size) in self.blueprint.node(layer).dims.clone() {
                    if let Some(size) = size {
                        self.set(id, name, size)?;
                    }
                }
                Ok(())
            }
            (Kind::Wrapper, Some(layer)) => self.node(layer, x, y),
            (Kind::Tuple, _) => {
                let layers = node.layers.clone();
                layers.into_iter().try_for_each(|layer| self.node(layer, x, None))?;
                let size = first.and_then(|first| self.blueprint.known(first, "nI"));
                self.set_if(id, "nI", size)
            }
            (Kind::WithGetitem, Some(layer)) => {
                let x = x.map(|x| match x {
                    Sample::DocumentsAndSpans => Sample::Documents,
                    other => other,
                });
                self.node(layer, x, None)
            }
            _ => self.leaf(id, x.and_then(Sample::width), y.and_then(Sample::width)),
        }
    }

    fn chain(&mut self, id: NodeId, x: Option<Sample>, y: Option<Sample>) -> Result<()> {
        let layers = self.blueprint.node(id).layers.clone();
        let mut input = x;
        for layer in &layers {
            // Each layer whose output is unknown is given that of the whole.
            let y = y.filter(|_| self.blueprint.is_open(*layer, "nO"));
            self.node(*layer, input, y)?;
            input = input.map(|input| self.output(*layer, input));
        }
        if let Some(size) = layers.first().and_then(|first| self.blueprint.known(*first, "nI")) {
            self.set(id, "nI", size)?;
        }
        if self.blueprint.is_open(id, "nO") {
            let last = || layers.last().and_then(|last| self.blueprint.known(*last, "nO"));
            if let Some(size) = input.and_then(Sample::width).or_else(last) {
                self.set(id, "nO", size)?;
            }
        }
        Ok(())
    }

    fn concatenate(&mut self, id: NodeId, x: Option<Sample>, y: Option<Sample>) -> Result<()> {
        let layers = self.blueprint.node(id).layers.clone();
        if let Some(width) = x.and_then(Sample::width) {
            for node in std::iter::once(id).chain(layers.iter().copied()) {
                if self.blueprint.has_dim(node, "nI") {
                    self.set(node, "nI", width)?;
                }
            }
        }
        for layer in &layers {
            self.node(*layer, x, y)?;
        }
        let sizes = layers.iter().map(|layer| self.blueprint.known(*layer, "nO"));
        if let Some(size) = sizes.sum::<Option<usize>>() {
            self.set(id, "nO", size)?;
        }
        Ok(())
    }

    /// Initializes the tok2vec below attention. The chain does it once more: what is drawn first is
    /// lost, as in spaCy.
    fn attending(&mut self, id: NodeId, x: Option<Sample>) -> Result<()> {
        let refs = self.blueprint.node(id).refs.clone();
        let of_name =
            |name: &str| refs.iter().find(|(own, _)| *own == name).and_then(|(_, id)| *id);
        let Some(tok2vec) = of_name("tok2vec") else { return Ok(()) };
        self.node(tok2vec, x, None)?;
        let Some(width) = self.blueprint.known(tok2vec, "nO") else { return Ok(()) };
        for (name, dims) in [
            ("attention_layer", &["nO"][..]),
            ("key_transform", &["nI", "nO"]),
            ("maxout_layer", &["nO", "nI"]),
            ("nonlinear_layer", &["nI", "nO"]),
            ("norm_layer", &["nI", "nO"]),
        ] {
            for dim in dims {
                if let Some(id) = of_name(name) {
                    self.set(id, dim, width)?;
                }
            }
        }
        Ok(())
    }

    fn leaf(&mut self, id: NodeId, x: Option<usize>, y: Option<usize>) -> Result<()> {
        match self.blueprint.node(id).kind {
            Kind::Maxout => {
                self.set_if(id, "nI", x)?;
                self.set_if(id, "nO", y)?;
                let [outputs, pieces, inputs] = self.sizes_of(id, ["nO", "nP", "nI"])?;
                // Glorot's bound is made of the first two dimensions, whatever they are: of outputs
                // and pieces, not inputs.
                let bound = glorot(outputs, pieces);
                let weights = self.uniform(bound, &[outputs, pieces, inputs]);
                self.set_param(id, "W", weights);
                self.set_param(id, "b", zeros(&[outputs, pieces]));
            }
            Kind::Affine(weights) => {
                let is_open = self.blueprint.is_open(id, "nI");
                let is_softmax = self.blueprint.node(id).name == "softmax";
                self.set_if(id, "nI", x.filter(|_| is_open || !is_softmax))?;
                self.set_if(
                    id,
                    "nO",
                    y.filter(|_| !is_softmax || self.blueprint.is_open(id, "nO")),
                )?;
                let [outputs, inputs] = self.sizes_of(id, ["nO", "nI"])?;
                let weights = self.affine_weights(weights, outputs, inputs);
                self.set_param(id, "W", weights);
                self.set_param(id, "b", zeros(&[outputs]));
            }
            Kind::LayerNorm => {
                let width = x.or(y);
                self.set_if(id, "nI", width)?;
                let [width] = self.sizes_of(id, ["nI"])?;
                self.set(id, "nO", width)?;
                self.set_param(id, "G", (vec![width], vec![1.0; width]));
                self.set_param(id, "b", zeros(&[width]));
            }
            Kind::SparseLinear => {
                self.set_if(id, "nO", y)?;
                let [outputs, length] = self.sizes_of(id, ["nO", "length"])?;
                self.set_param(id, "W", zeros(&[outputs * length]));
                self.set_param(id, "b", zeros(&[outputs]));
            }
            Kind::HashEmbed => {
                let [rows, width] = self.sizes_of(id, ["nV", "nO"])?;
                let table = self.uniform(0.1, &[rows, width]);
                self.set_param(id, "E", table);
            }
            Kind::CharEmbed => {
                let shape = self.sizes_of(id, ["nC", "nV", "nM"])?;
                self.set_param(id, "E", zeros(&shape));
            }
            Kind::StaticVectors => {
                let width = self.sizes.vectors;
                if width == 0 {
                    return Err(wrong_vectors(1, 0));
                }
                self.set(id, "nM", width)?;
                self.set_if(id, "nO", y)?;
                let [outputs] = self.sizes_of(id, ["nO"])?;
                let weights = self.uniform(glorot(outputs, width), &[outputs, width]);
                self.set_param(id, "W", weights);
            }
            Kind::Attention => {
                self.set_if(id, "nO", x)?;
                let transform = self.blueprint.node(id).layers.first().copied();
                if let (Some(transform), Some(width)) = (transform, x) {
                    self.set(transform, "nO", width)?;
                }
                let [width] = self.sizes_of(id, ["nO"])?;
                let query = self.uniform(0.1, &[width]);
                self.set_param(id, "Q", query);
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
    pub(super) fn parser(&mut self, id: NodeId) -> Result<()> {
        let [tokens, lower, upper] = self.blueprint.node(id).layers[..] else { return Ok(()) };
        let has_upper = self.blueprint.node(upper).name != "noop";
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
    fn output(&self, id: NodeId, x: Sample) -> Sample {
        let node = self.blueprint.node(id);
        let rows = |name: &str| self.blueprint.known(id, name).map_or(Sample::Column, Sample::Rows);
        match node.kind {
            Kind::Chain | Kind::Attending => {
                node.layers.iter().fold(x, |x, layer| self.output(*layer, x))
            }
            Kind::Concatenate => {
                let widths = node.layers.iter().map(|layer| self.output(*layer, x).width());
                widths.sum::<Option<usize>>().map_or(Sample::Column, Sample::Rows)
            }
            // The layer behind a tuple takes the rows of its first layer.
            Kind::WithArray | Kind::Wrapper | Kind::Uniqued | Kind::Tuple => {
                node.layers.first().map_or(x, |layer| self.output(*layer, x))
            }
            Kind::WithGetitem => {
                node.layers.first().map_or(x, |layer| self.output(*layer, Sample::Documents))
            }
            Kind::Maxout
            | Kind::Affine(_)
            | Kind::LayerNorm
            | Kind::SparseLinear
            | Kind::HashEmbed
            | Kind::CharEmbed
            | Kind::StaticVectors
            | Kind::Listener => rows("nO"),
            Kind::ExpandWindow(window) => {
                x.width().map_or(x, |width| Sample::Rows(width * (2 * window + 1)))
            }
            Kind::ExtractFeatures(columns) => Sample::Ids(columns),
            Kind::Ids => Sample::Column,
            Kind::Residual | Kind::Attention | Kind::Plain | Kind::PrecomputableAffine => x,
        }
    }

    fn set_if(&mut self, id: NodeId, name: &str, size: Option<usize>) -> Result<()> {
        size.map_or(Ok(()), |size| self.set(id, name, size))
    }

    fn set(&mut self, id: NodeId, name: &str, size: usize) -> Result<()> {
        match self.blueprint.known(id, name) {
            Some(known) if known != size => {
                let layer = &self.blueprint.node(id).name;
                let text = format!(
                    "the dimension {name:?} of {layer:?} is {known}, and the layers beside it have \
                     {size}"
                );
                Err(Error::value(codes::MODEL_SETTINGS, text))
            }
            _ => {
                self.blueprint.set_dim(id, name, size);
                Ok(())
            }
        }
    }

    /// Returns dimensions, all of which must be known and above 0.
    fn sizes_of<const N: usize>(&self, id: NodeId, names: [&str; N]) -> Result<[usize; N]> {
        let mut sizes = [0; N];
        for (size, name) in sizes.iter_mut().zip(names) {
            let known = self.blueprint.known(id, name).filter(|size| *size > 0);
            *size = known.ok_or_else(|| {
                let layer = &self.blueprint.node(id).name;
                let text = format!("the dimension {name:?} of {layer:?} is unknown or 0");
                Error::value(codes::MODEL_SETTINGS, text)
            })?;
        }
        let layer = &self.blueprint.node(id).name;
        let total = sizes.iter().fold(1_usize, |total, size| total.saturating_mul(*size));
        let place = format_args!("the product of the sizes {sizes:?} of the layer {layer:?}");
        limits::NETWORK_NUMBERS.check(total, place)?;
        Ok(sizes)
    }

    fn set_param(&mut self, id: NodeId, name: &str, array: Array) {
        let params = &mut self.blueprint.node_mut(id).params;
        if let Some((_, param)) = params.iter_mut().find(|(own, _)| *own == name) {
            *param = Some(array);
        }
    }

    fn affine_weights(&mut self, weights: Weights, outputs: usize, inputs: usize) -> Array {
        let shape = [outputs, inputs];
        match weights {
            Weights::Zero => zeros(&shape),
            Weights::Glorot => self.uniform(glorot(outputs, inputs), &shape),
            Weights::He => {
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
