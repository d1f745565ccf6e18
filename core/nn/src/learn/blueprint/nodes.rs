//! Nodes as thinc's constructors make them: names, dimensions, attributes and references in their
//! order.
//!
//! Source: `thinc.layers` of thinc 8.

use lexpool_msgpack::{Value, Writer};

/// The place of a node in its blueprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(usize);

/// The way in which a node is initialized, and what it makes of its input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Chain,
    Concatenate,
    Residual,
    /// Hands everything to its only layer, and takes over its dimensions.
    WithArray,
    /// Hands everything to its only layer.
    Wrapper,
    /// Hands the first of a pair to its only layer.
    WithGetitem,
    /// Hands the distinct rows of its input to its only layer.
    Uniqued,
    /// Hands everything to all layers; the next one takes the result of the first, and spans.
    Tuple,
    /// A chain whose tok2vec is initialized before all layers, and then once more with them.
    Attending,
    Maxout,
    Affine(Weights),
    LayerNorm,
    SparseLinear,
    HashEmbed,
    CharEmbed,
    StaticVectors,
    Attention,
    PrecomputableAffine,
    ExpandWindow(usize),
    /// Reads columns of ids.
    ExtractFeatures(usize),
    Listener,
    /// Has nothing to initialize, and returns rows as wide as those that it is given.
    Plain,
    /// Returns keys, or one column of ids.
    Ids,
}

/// The first weights of an affine layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weights {
    Zero,
    /// Uniform: Glorot and Bengio (2010).
    Glorot,
    /// Normal: He et al. (2015).
    He,
}

/// A parameter: its shape and its numbers.
pub(super) type Array = (Vec<usize>, Vec<f32>);

/// A node.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) layers: Vec<NodeId>,
    pub(super) dims: Vec<(&'static str, Option<usize>)>,
    pub(super) refs: Vec<(&'static str, Option<NodeId>)>,
    /// Each value is a message.
    pub(super) attrs: Vec<(&'static str, Vec<u8>)>,
    pub(super) params: Vec<(&'static str, Option<Array>)>,
}

/// The nodes of a network.
#[derive(Debug, Default)]
pub(super) struct Blueprint(Vec<Node>);

impl Blueprint {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.0[id.0]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.0[id.0]
    }

    /// Returns whether the node has a dimension, known or not.
    pub(super) fn has_dim(&self, id: NodeId, name: &str) -> bool {
        self.node(id).dims.iter().any(|(own, _)| *own == name)
    }

    /// Returns a dimension; `None` if the node lacks it, or it is unknown.
    pub(super) fn known(&self, id: NodeId, name: &str) -> Option<usize> {
        self.node(id).dims.iter().find(|(own, _)| *own == name).and_then(|(_, dim)| *dim)
    }

    /// Returns whether the node has a dimension that is unknown.
    pub(super) fn is_open(&self, id: NodeId, name: &str) -> bool {
        self.has_dim(id, name) && self.known(id, name).is_none()
    }

    /// Sets a reference, behind those that the node has.
    pub(super) fn refer(&mut self, id: NodeId, name: &'static str, to: NodeId) {
        self.node_mut(id).refs.push((name, Some(to)));
    }

    /// Sets an attribute, behind those that the node has.
    pub(super) fn set_attr(&mut self, id: NodeId, name: &'static str, value: &Value) {
        self.node_mut(id).attrs.push((name, message(value)));
    }

    /// Sets a dimension that the node has.
    pub(super) fn set_dim(&mut self, id: NodeId, name: &str, size: usize) {
        if let Some((_, dim)) = self.node_mut(id).dims.iter_mut().find(|(own, _)| *own == name) {
            *dim = Some(size);
        }
    }

    fn push(&mut self, name: impl Into<String>, kind: Kind, layers: Vec<NodeId>) -> NodeId {
        let (dims, refs, attrs, params) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        self.0.push(Node { name: name.into(), kind, layers, dims, refs, attrs, params });
        NodeId(self.0.len() - 1)
    }

    fn leaf(
        &mut self,
        name: &str,
        kind: Kind,
        dims: &[(&'static str, Option<usize>)],
        params: &[&'static str],
    ) -> NodeId {
        let id = self.push(name, kind, Vec::new());
        self.node_mut(id).dims = dims.to_vec();
        self.node_mut(id).params = params.iter().map(|name| (*name, None)).collect();
        id
    }

    /// Makes a layer without dimensions and parameters.
    pub(super) fn plain(&mut self, name: &str, kind: Kind) -> NodeId {
        self.push(name, kind, Vec::new())
    }

    pub(super) fn chain(&mut self, layers: &[NodeId]) -> NodeId {
        let id = self.push(self.joined(layers, ">>"), Kind::Chain, layers.to_vec());
        let output = layers.last().and_then(|last| self.known(*last, "nO"));
        let mut dims = vec![("nO", output)];
        if let Some(first) = layers.first().filter(|first| self.has_dim(**first, "nI")) {
            dims.push(("nI", self.known(*first, "nI")));
        }
        self.node_mut(id).dims = dims;
        id
    }

    /// Makes a chain of two, as thinc's operator does: a chain of more is one within another.
    pub(super) fn then(&mut self, first: NodeId, next: NodeId) -> NodeId {
        self.chain(&[first, next])
    }

    pub(super) fn concatenate(&mut self, layers: &[NodeId]) -> NodeId {
        if let [only] = layers {
            return *only;
        }
        if let Some(first) = layers.first().filter(|id| self.node(**id).kind == Kind::Concatenate) {
            self.node_mut(*first).layers.extend(&layers[1..]);
            return *first;
        }
        let id = self.push(self.joined(layers, "|"), Kind::Concatenate, layers.to_vec());
        let mut dims = vec![("nO", None)];
        if layers.iter().all(|layer| self.has_dim(*layer, "nI")) {
            dims.push(("nI", None));
        }
        self.node_mut(id).dims = dims;
        id
    }

    pub(super) fn residual(&mut self, layer: NodeId) -> NodeId {
        let name = format!("residual({})", self.node(layer).name);
        let id = self.push(name, Kind::Residual, vec![layer]);
        let dims = ["nO", "nI"].map(|name| (name, self.known(layer, name)));
        self.node_mut(id).dims = dims.to_vec();
        id
    }

    pub(super) fn with_array(&mut self, layer: NodeId, padding: usize) -> NodeId {
        let id = self.around("with_array", Kind::WithArray, layer);
        self.set_attr(id, "pad", &Value::UInt(padding as u64));
        id
    }

    /// Makes a layer that is named after its only one: `resizable(...)`, `with_cpu(...)`.
    pub(super) fn wrap(&mut self, name: &str, layer: NodeId) -> NodeId {
        self.around(name, Kind::Wrapper, layer)
    }

    pub(super) fn with_getitem(&mut self, layer: NodeId) -> NodeId {
        let name = format!("with_getitem({})", self.node(layer).name);
        let id = self.push(name, Kind::WithGetitem, vec![layer]);
        self.set_attr(id, "idx", &Value::UInt(0));
        id
    }

    /// Makes a layer that runs another one on distinct rows: those with distinct ids in a column.
    pub(super) fn uniqued(&mut self, layer: NodeId, column: usize) -> NodeId {
        let id = self.around("uniqued", Kind::Uniqued, layer);
        self.node_mut(id).dims = vec![("nO", None), ("nI", None)];
        self.set_attr(id, "column", &Value::UInt(column as u64));
        id
    }

    /// Makes a layer that hands its input to all of several.
    pub(super) fn tuple(&mut self, layers: &[NodeId]) -> NodeId {
        let name = format!("tuple({})", self.joined(layers, ", "));
        let id = self.push(name, Kind::Tuple, layers.to_vec());
        self.node_mut(id).dims = vec![("nI", None)];
        id
    }

    fn around(&mut self, name: &str, kind: Kind, layer: NodeId) -> NodeId {
        let name = format!("{name}({})", self.node(layer).name);
        let id = self.push(name, kind, vec![layer]);
        let dims = self.node(layer).dims.clone();
        self.node_mut(id).dims = dims;
        id
    }

    /// Makes a layer of a name with layers of its own.
    pub(super) fn named(&mut self, name: &str, kind: Kind, layers: &[NodeId]) -> NodeId {
        self.push(name, kind, layers.to_vec())
    }

    /// Makes copies of a layer, one after another: the layer itself for 1.
    pub(super) fn repeat(&mut self, layer: NodeId, n: usize) -> NodeId {
        if n == 1 {
            return layer;
        }
        let mut layers = vec![layer];
        layers.extend((1..n).map(|_| self.copy(layer)).collect::<Vec<_>>());
        self.chain(&layers)
    }

    fn copy(&mut self, id: NodeId) -> NodeId {
        let mut node = self.node(id).clone();
        for layer in &mut node.layers {
            *layer = self.copy(*layer);
        }
        self.0.push(node);
        NodeId(self.0.len() - 1)
    }

    pub(super) fn maxout(
        &mut self,
        outputs: Option<usize>,
        inputs: Option<usize>,
        pieces: usize,
    ) -> NodeId {
        let dims = [("nO", outputs), ("nI", inputs), ("nP", Some(pieces))];
        self.leaf("maxout", Kind::Maxout, &dims, &["W", "b"])
    }

    pub(super) fn affine(
        &mut self,
        name: &str,
        weights: Weights,
        outputs: Option<usize>,
        inputs: Option<usize>,
    ) -> NodeId {
        self.leaf(name, Kind::Affine(weights), &[("nO", outputs), ("nI", inputs)], &["W", "b"])
    }

    pub(super) fn softmax(
        &mut self,
        outputs: Option<usize>,
        inputs: Option<usize>,
        normalize: bool,
    ) -> NodeId {
        let id = self.affine("softmax", Weights::Zero, outputs, inputs);
        self.set_attr(id, "softmax_normalize", &Value::Bool(normalize));
        self.set_attr(id, "softmax_temperature", &Value::Float(1.0));
        id
    }

    pub(super) fn layer_norm(&mut self, width: Option<usize>) -> NodeId {
        self.leaf("layernorm", Kind::LayerNorm, &[("nI", width), ("nO", width)], &["G", "b"])
    }

    pub(super) fn dropout(&mut self) -> NodeId {
        let id = self.plain("dropout", Kind::Plain);
        self.set_attr(id, "dropout_rate", &Value::Float(0.0));
        self.set_attr(id, "is_enabled", &Value::Bool(true));
        id
    }

    /// Makes a layer with normalized results, as the setting `normalize` does.
    pub(super) fn normalized(&mut self, layer: NodeId) -> NodeId {
        let norm = self.layer_norm(self.known(layer, "nO"));
        self.then(layer, norm)
    }

    /// Makes a layer with normalized results and a dropout.
    pub(super) fn normalized_with_dropout(&mut self, layer: NodeId) -> NodeId {
        let normalized = self.normalized(layer);
        let dropout = self.dropout();
        self.then(normalized, dropout)
    }

    pub(super) fn expand_window(&mut self, window: usize) -> NodeId {
        let id = self.plain("expand_window", Kind::ExpandWindow(window));
        self.set_attr(id, "window_size", &Value::UInt(window as u64));
        id
    }

    /// Makes the embedding of a column of ids. `dropout` is the rate that its attributes begin
    /// with; without one the layer has no dropout.
    pub(super) fn hash_embed(
        &mut self,
        width: usize,
        rows: usize,
        column: usize,
        seed: u64,
        dropout: Option<f64>,
    ) -> NodeId {
        let dims = [("nO", Some(width)), ("nV", Some(rows)), ("nI", None)];
        let id = self.leaf("hashembed", Kind::HashEmbed, &dims, &["E"]);
        self.set_attr(id, "column", &Value::UInt(column as u64));
        self.set_attr(id, "seed", &Value::UInt(seed));
        if let Some(rate) = dropout {
            self.set_attr(id, "dropout_rate", &Value::Float(rate));
        }
        let column_of = self.plain("ints-getitem", Kind::Ids);
        let chain = self.then(column_of, id);
        self.set_attr(chain, "column", &Value::UInt(column as u64));
        chain
    }

    pub(super) fn char_embed(&mut self, width: usize, n_bytes: usize) -> NodeId {
        let dims = [
            ("nM", Some(width)),
            ("nC", Some(n_bytes)),
            ("nO", Some(width * n_bytes)),
            ("nV", Some(256)),
        ];
        self.leaf("charembed", Kind::CharEmbed, &dims, &["E"])
    }

    pub(super) fn static_vectors(&mut self, width: usize) -> NodeId {
        let dims = [("nO", Some(width)), ("nM", None)];
        let id = self.leaf("static_vectors", Kind::StaticVectors, &dims, &["W"]);
        self.set_attr(id, "key_attr", &Value::Str("ORTH".to_owned()));
        self.set_attr(id, "dropout_rate", &Value::Float(0.0));
        id
    }

    pub(super) fn attention(&mut self, width: Option<usize>) -> NodeId {
        self.leaf("para-attn", Kind::Attention, &[("nO", width)], &["Q"])
    }

    pub(super) fn sparse_linear(
        &mut self,
        outputs: Option<usize>,
        length: usize,
        is_first_version: bool,
    ) -> NodeId {
        let dims = [("nO", outputs), ("length", Some(length))];
        let id = self.leaf("sparse_linear", Kind::SparseLinear, &dims, &["W", "b"]);
        self.set_attr(id, "v1_indexing", &Value::Bool(is_first_version));
        id
    }

    pub(super) fn precomputable_affine(
        &mut self,
        outputs: Option<usize>,
        inputs: usize,
        features: usize,
        pieces: usize,
    ) -> NodeId {
        let dims =
            [("nO", outputs), ("nI", Some(inputs)), ("nF", Some(features)), ("nP", Some(pieces))];
        let kind = Kind::PrecomputableAffine;
        let id = self.leaf("precomputable_affine", kind, &dims, &["W", "b", "pad"]);
        self.set_attr(id, "dropout_rate", &Value::Float(0.1));
        id
    }

    pub(super) fn listener(&mut self, width: usize) -> NodeId {
        self.leaf("tok2vec-listener", Kind::Listener, &[("nO", Some(width))], &[])
    }

    fn joined(&self, layers: &[NodeId], by: &str) -> String {
        let names: Vec<&str> = layers.iter().map(|id| self.node(*id).name.as_str()).collect();
        names.join(by)
    }
}

/// Returns a value as a message. Values of attributes are small, so that the format holds them.
fn message(value: &Value) -> Vec<u8> {
    let mut out = Writer::new();
    out.value(value).expect("a small value");
    out.into_bytes()
}
