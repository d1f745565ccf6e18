//! Networks that are trained.

use std::sync::atomic::{AtomicU64, Ordering};

use lexpool_error::{Error, Result, codes};

use crate::describe::{self, Attributes, Blueprint, ConfigValue, Kind, ModelFile, NodeIx};
use crate::infer::{GemmOrder, Network, RowUnit, Rows, StateNetwork};
use crate::learn::batch::Batch;
use crate::learn::dropout::Dropout;
use crate::learn::first_weights::{self, InitialSizes};
use crate::learn::layers::{self, Backward, Forward, Layer, Saved, Source, Tape as Stack, Value};
use crate::learn::model_bytes;
use crate::learn::parameters::{Gradients, Parameters, TensorIx};
use crate::learn::random::NumpyRandom;
use crate::learn::records::Records;
use crate::learn::states::StateLayers;
use crate::learn::workers::Workers;

/// A network whose parameters change.
///
/// The network of a state model (`parser_model`) has the parameters of all its nodes, and runs the
/// part that makes a row of each token; states are scored by its owner.
#[derive(Debug)]
pub struct TrainableNetwork {
    records: Records,
    parameters: Parameters,
    layer: Box<dyn Layer>,
    row_unit: RowUnit,
    width: usize,
    order: GemmOrder,
    /// Tells the tapes of networks apart.
    identity: u64,
}

/// The values that a forward pass keeps for the backward pass. It belongs to the network and to the
/// values that its parameters had.
#[derive(Debug)]
pub struct Tape {
    network: u64,
    stack: Stack,
    /// The lengths of the result's sequences.
    lengths: Vec<usize>,
    width: usize,
}

impl Tape {
    /// Returns the bytes of the values.
    pub fn n_bytes(&self) -> usize {
        self.stack.iter().map(Saved::n_bytes).sum()
    }

    /// Returns an estimate of the bytes that the backward pass needs beside the tape: the gradients
    /// of the layer with the largest input, of its neighbours, and a copy.
    pub fn n_backward_bytes(&self) -> usize {
        const ARRAYS: usize = 3;
        ARRAYS * self.stack.iter().map(Saved::n_bytes).max().unwrap_or(0)
    }
}

/// The number of the next network.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl TrainableNetwork {
    /// Reads a network from a file.
    ///
    /// # Errors
    ///
    /// Those of [`Network::read`] and [`StateNetwork::read`]; `model-layer` for a layer that cannot
    /// be trained.
    pub fn from_file(blueprint: &Blueprint, file: &ModelFile<'_>) -> Result<TrainableNetwork> {
        TrainableNetwork::in_order(blueprint, file, GemmOrder::default())
    }

    /// Makes a new network of the section of a configuration that names its architecture, with
    /// thinc's first weights. `section` is its name, for errors: "components.tagger.model". The
    /// generator makes NumPy's numbers in thinc's order, so that its seed gives spaCy's weights.
    ///
    /// # Errors
    ///
    /// As for [`describe::build`]; `model-architecture` also for architectures of older
    /// versions that lexpool only loads; `model-settings` for sizes that are missing or do not fit
    /// each other; `model-vectors` for a network of word vectors without any.
    pub fn new(
        settings: &dyn ConfigValue,
        section: &str,
        sizes: InitialSizes,
        random: &mut NumpyRandom,
    ) -> Result<TrainableNetwork> {
        let mut blueprint = describe::build_new(settings, section)?;
        let bytes = first_weights::model_file(&mut blueprint, sizes, random)?;
        TrainableNetwork::from_file(&blueprint, &ModelFile::parse(&bytes)?)
    }

    /// Reads a network from a file, whose forward pass adds products in this order.
    ///
    /// # Errors
    ///
    /// Those of [`from_file`](TrainableNetwork::from_file).
    pub fn in_order(
        blueprint: &Blueprint,
        file: &ModelFile<'_>,
        order: GemmOrder,
    ) -> Result<TrainableNetwork> {
        let (part, row_unit, width) = if blueprint.root().kind() == Kind::Parser {
            let network = StateNetwork::read(blueprint, file, order)?;
            (blueprint.root().layers()[0], RowUnit::Token, network.n_token_columns())
        } else {
            let network = Network::read(blueprint, file, order)?;
            (Blueprint::ROOT, network.unit(), network.width())
        };
        let (records, parameters) = Records::read(blueprint, file);
        let source = Source { blueprint, records: &records, parameters: &parameters };
        let layer = layers::read(&source, part)?;
        let identity = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(TrainableNetwork { records, parameters, layer, row_unit, width, order, identity })
    }

    /// Returns what has a row in the result.
    pub fn unit(&self) -> RowUnit {
        self.row_unit
    }

    /// Returns the number of columns of the result.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the parameters, to be changed.
    pub fn parameters_mut(&mut self) -> &mut Parameters {
        &mut self.parameters
    }

    /// Returns the number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.records.0.len()
    }

    /// Returns the name of a node, such as "maxout"; `None` beyond the last node.
    pub fn node_name(&self, node: NodeIx) -> Option<&str> {
        self.records.0.get(node.get()).map(|record| record.name.as_str())
    }

    /// Returns the node that another one refers to by a name, such as "upper". The root is node 0.
    pub fn referred(&self, node: NodeIx, name: &str) -> Option<NodeIx> {
        self.records.referred(node, name)
    }

    /// Returns the parameter of a node by its name.
    pub fn find(&self, node: NodeIx, name: &str) -> Option<TensorIx> {
        self.parameters.find(node, name)
    }

    /// Gives the output layer another number of outputs, as when labels are added: the node that
    /// the root refers to as "`output_layer`". New outputs of exclusive classes and of bags of
    /// words begin so low that they change no probability.
    ///
    /// # Errors
    ///
    /// `model-structure` if the network has no output layer of a variable size.
    pub fn resize_output(&mut self, outputs: usize) -> Result<()> {
        /// The bias of a class that was never seen.
        const LEAST: f32 = -5000.0;
        let root = NodeIx::new(0);
        let node = self.referred(root, "output_layer");
        let name = node.and_then(|node| self.node_name(node)).unwrap_or_default();
        let has_activation = self.node_name(root).is_some_and(|name| name.contains(">>with_cpu("));
        let fill = match name {
            "softmax" => LEAST,
            "sparse_linear" if has_activation => LEAST,
            _ => 0.0,
        };
        match node {
            Some(node) => self.resize_node(node, outputs, fill),
            None => Err(self.not_resizable("its root has no reference \"output_layer\"")),
        }
    }

    /// Gives a layer another number of outputs: "linear", "softmax", "`sparse_linear`", or the
    /// "`precomputable_affine`" of a parser. New weights are 0, new biases `fill`. An optimizer
    /// begins anew with the layer; gradients are made to fit by [`Gradients::fit`].
    ///
    /// # Errors
    ///
    /// `model-structure` for another layer, and for 0 outputs.
    pub fn resize_node(&mut self, node: NodeIx, outputs: usize, fill: f32) -> Result<()> {
        let Some(record) = self.records.0.get(node.get()).filter(|_| outputs > 0) else {
            return Err(self.not_resizable(&format!("node {} with {outputs} outputs", node.get())));
        };
        let old = record.dimension("nO").and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        match record.name.as_str() {
            "linear" | "softmax" => {
                let (weights, bias) = (record.param("W")?, record.param("b")?);
                self.parameters.resize(weights, 0, outputs, 0.0);
                self.parameters.resize(bias, 0, outputs, fill);
            }
            "sparse_linear" => {
                let (weights, bias) = (record.param("W")?, record.param("b")?);
                let length = self.parameters.values(weights).len() / old.max(1);
                self.parameters.resize(weights, 0, outputs * length, 0.0);
                self.parameters.resize(bias, 0, outputs, fill);
            }
            "precomputable_affine" => {
                let (weights, bias) = (record.param("W")?, record.param("b")?);
                let padding = record.param("pad")?;
                self.parameters.resize(weights, 1, outputs, 0.0);
                self.parameters.resize(bias, 0, outputs, fill);
                self.parameters.resize(padding, 2, outputs, 0.0);
            }
            other => return Err(self.not_resizable(&format!("the layer {other:?}"))),
        }
        let is_output = self.referred(NodeIx::new(0), "output_layer") == Some(node);
        self.records.set_dim(node, "nO", outputs);
        if is_output {
            self.records.set_dim(NodeIx::new(0), "nO", outputs);
            self.width = outputs;
        }
        self.identity = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Gives a network of states another number of classes; scores of new ones are 0. As for
    /// [`resize_node`](TrainableNetwork::resize_node).
    ///
    /// # Errors
    ///
    /// `model-structure` for a network of another kind, and for 0 classes.
    pub fn resize_classes(&mut self, classes: usize) -> Result<()> {
        let (lower, upper) = self.state_nodes()?;
        self.resize_node(upper.unwrap_or(lower), classes, 0.0)
    }

    /// Finds the layers of a network of states.
    ///
    /// # Errors
    ///
    /// `model-structure` for a network of another kind, or tensors that do not fit each other.
    pub fn state_layers(&self) -> Result<StateLayers> {
        let (lower, upper) = self.state_nodes()?;
        StateLayers::find(&self.parameters, lower, upper)
    }

    /// Returns the nodes of the lower and the upper layer.
    fn state_nodes(&self) -> Result<(NodeIx, Option<NodeIx>)> {
        let root = NodeIx::new(0);
        let nodes = self.referred(root, "lower").zip(self.referred(root, "upper"));
        let (lower, upper) = nodes.ok_or_else(|| {
            let text = "the network has no layers \"lower\" and \"upper\"";
            Error::value(codes::MODEL_STRUCTURE, text)
        })?;
        Ok((lower, (self.node_name(upper) != Some("noop")).then_some(upper)))
    }

    fn not_resizable(&self, text: &str) -> Error {
        let root = self.node_name(NodeIx::new(0)).unwrap_or_default();
        Error::value(codes::MODEL_STRUCTURE, format!("{root:?} cannot get outputs: {text}"))
    }

    /// Returns the network as a model file of thinc: the bytes that spaCy writes of it. Cost:
    /// linear.
    ///
    /// # Errors
    ///
    /// Those of [`Writer`](lexpool_msgpack::Writer): a network that the format cannot hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        model_bytes::write(&self.records, &self.parameters)
    }

    /// Runs the network on documents: a row for each token, span or document, whose sequences are
    /// those of the documents. The tape is for [`backward`](TrainableNetwork::backward).
    ///
    /// # Errors
    ///
    /// `model-vectors` if the vocab has no word vectors of the width that the network takes;
    /// `model-tensor` for a tensor of another shape; those of [`TokenSource::column`].
    ///
    /// [`TokenSource::column`]: crate::infer::TokenSource::column
    pub fn forward(
        &self,
        batch: &Batch<'_>,
        dropout: &Dropout<'_>,
        workers: Workers,
    ) -> Result<(Rows, Tape)> {
        let (parameters, order) = (&self.parameters, self.order);
        let run = Forward { parameters, batch, dropout, order, workers };
        let mut stack = Vec::new();
        let rows = self.layer.forward(&run, Value::Tokens, &mut stack)?.into_rows();
        let lengths = rows.lengths().to_vec();
        Ok((rows, Tape { network: self.identity, stack, lengths, width: self.width }))
    }

    /// Adds to the gradients of all parameters that the result depends on, from the gradient of the
    /// result. Returns the gradient of the rows that listeners have read; `None` without listeners.
    ///
    /// Parameters must have the values that they had in the forward pass.
    ///
    /// # Errors
    ///
    /// `gradient-shape` for the tape of another network and a gradient of another size;
    /// `threads` if the system cannot start them.
    pub fn backward(
        &self,
        tape: Tape,
        d_output: Vec<f32>,
        gradients: &mut Gradients,
        workers: Workers,
    ) -> Result<Option<Rows>> {
        let n_rows = tape.lengths.iter().sum::<usize>();
        let fits = gradients.arena().len() == self.parameters.arena().len();
        if tape.network != self.identity || d_output.len() != n_rows * tape.width || !fits {
            let text = format!(
                "a gradient of {} numbers for {n_rows} rows of {}, or a tape or gradients of another \
                 network",
                d_output.len(),
                tape.width
            );
            return Err(Error::value(codes::GRADIENT_SHAPE, text));
        }
        let mut stack = tape.stack;
        let d = Rows::with_lengths(tape.width, d_output, tape.lengths);
        let parameters = &self.parameters;
        let mut run = Backward { parameters, gradients, workers, d_listened: None };
        self.layer.backward(&mut run, d, &mut stack)?;
        debug_assert!(stack.is_empty(), "each layer took what it had pushed");
        Ok(run.d_listened)
    }
}
