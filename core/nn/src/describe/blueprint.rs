//! The description of a network: its nodes as thinc's constructors make them, with names,
//! dimensions, attributes and references in their order.
//!
//! Source: `thinc.layers` and `Model.walk` of thinc 8.

use std::collections::VecDeque;

use super::model_file::NodeIx;

/// The layers that return what they are given, in another form of thinc's.
const CONVERSIONS: [&str; 7] =
    ["list2ragged", "ragged2list", "list2array", "noop", "ints-getitem", "Flattener", "span_maker"];

/// The use that a node makes of its layers, the way in which it is initialized, and what it makes
/// of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Calls its layers one after another.
    Chain,
    /// A chain whose tok2vec is initialized before all layers, and then once more with them.
    Attending,
    /// Puts the results of its layers side by side.
    Concatenate,
    /// Adds its input to the result of its only layer.
    Residual,
    /// Calls its only layer with the rows of all documents, with padding between them, and takes
    /// over its dimensions.
    WithArray,
    /// Hands everything to its only layer.
    Wrapper,
    /// Hands the first of a pair to its only layer.
    WithGetitem,
    /// Hands the distinct rows of its input to its only layer.
    Uniqued,
    /// Hands everything to all layers; the next one takes the result of the first, and spans.
    Tuple,
    /// A network of states: the part that reads tokens, the precomputed layer, the upper layer.
    Parser,
    /// The largest of several pieces of an affine layer.
    Maxout,
    /// An affine layer with a function, which its name says.
    Affine(FirstWeights),
    /// Normalizes rows.
    LayerNorm,
    /// An affine layer over hashed keys.
    SparseLinear(Version),
    /// A hash embedding of a column of ids.
    HashEmbed,
    /// Embeddings of the bytes of words.
    CharEmbed,
    /// An affine layer over word vectors.
    StaticVectors(Version),
    /// Weights rows by attention; its only layer, if any, transforms the keys.
    Attention,
    /// The layer of a parser that is computed before states ask for it.
    PrecomputableAffine,
    /// Puts each row between so many neighbours on each side.
    ExpandWindow(usize),
    /// Reads so many columns of ids.
    ExtractFeatures(usize),
    /// Reads the rows of a shared network.
    Listener,
    /// Has nothing to initialize, and returns rows as wide as those that it is given.
    Plain,
    /// Returns keys, or one column of ids.
    Ids,
}

/// The first weights of an affine layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstWeights {
    /// Zeros.
    Zero,
    /// Uniform: Glorot and Bengio (2010).
    Glorot,
    /// Normal: He et al. (2015).
    He,
}

/// The version of a layer whose versions have one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// `StaticVectors.v1`, `SparseLinear.v1`.
    First,
    /// `StaticVectors.v2`, `SparseLinear.v2`.
    Second,
}

/// A node of a network: a layer and the layers that it consists of.
#[derive(Clone, Debug)]
pub struct Node {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) layers: Vec<NodeIx>,
    pub(super) dims: Vec<(&'static str, Option<usize>)>,
    pub(super) refs: Vec<(&'static str, Option<NodeIx>)>,
    /// Each value is a message.
    pub(super) attrs: Vec<(&'static str, Vec<u8>)>,
    pub(super) params: &'static [&'static str],
}

impl Node {
    /// Returns the name, as thinc forms it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what the node does with its layers.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the layers that the node consists of. Two nodes may share one.
    pub fn layers(&self) -> &[NodeIx] {
        &self.layers
    }

    /// Returns the dimensions with their sizes; those that only a file or data tell are `None`.
    pub(crate) fn dims(&self) -> &[(&'static str, Option<usize>)] {
        &self.dims
    }

    /// Returns the references; a node outside of the network is `None`.
    pub(crate) fn refs(&self) -> &[(&'static str, Option<NodeIx>)] {
        &self.refs
    }

    /// Returns the node that is referred to by a name.
    pub(crate) fn reference(&self, name: &str) -> Option<NodeIx> {
        self.refs.iter().find(|(key, _)| *key == name).and_then(|(_, ix)| *ix)
    }

    /// Returns the attributes of a new network, as messages.
    pub(crate) fn attrs(&self) -> &[(&'static str, Vec<u8>)] {
        &self.attrs
    }

    /// Returns the attributes, as messages, that a file may lack and the node then has. Weights of
    /// the first version of a sparse layer are adjacent unless a file says otherwise; older files
    /// do not say it.
    pub(crate) fn default_attrs(&self) -> &[(&'static str, Vec<u8>)] {
        match self.kind {
            Kind::SparseLinear(Version::First) => &self.attrs,
            _ => &[],
        }
    }

    /// Returns the names of the parameters.
    pub(crate) fn params(&self) -> &'static [&'static str] {
        self.params
    }

    /// Returns whether the node has a dimension, of any size.
    pub(crate) fn has_dim(&self, name: &str) -> bool {
        self.dims.iter().any(|(key, _)| *key == name)
    }

    /// Returns a dimension; `None` if the node lacks it, or its size is not determined.
    pub(crate) fn dim(&self, name: &str) -> Option<usize> {
        self.dims.iter().find(|(key, _)| *key == name).and_then(|(_, size)| *size)
    }

    /// Returns whether the node has a dimension whose size is not determined.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        self.has_dim(name) && self.dim(name).is_none()
    }

    /// Sets a dimension that the node has.
    pub(crate) fn set_dim(&mut self, name: &str, size: Option<usize>) {
        if let Some((_, dim)) = self.dims.iter_mut().find(|(key, _)| *key == name) {
            *dim = size;
        }
    }
}

/// The nodes of a network in the order of a file: breadth first, each once, the root first.
#[derive(Clone, Debug)]
pub struct Blueprint {
    pub(super) nodes: Vec<Node>,
}

impl Blueprint {
    /// The position of the root.
    pub const ROOT: NodeIx = NodeIx::new(0);

    /// Puts the nodes that `root` consists of in the order of a file. A reference to another node
    /// leads nowhere.
    pub(super) fn new(nodes: &[Node], root: NodeIx) -> Blueprint {
        let order = walk(nodes, root);
        let mut places = vec![None; nodes.len()];
        for (at, ix) in (0..).zip(&order) {
            places[ix.get()] = Some(NodeIx::new(at));
        }
        let nodes = order.iter().map(|ix| {
            let mut node = nodes[ix.get()].clone();
            node.layers = node.layers.iter().filter_map(|ix| places[ix.get()]).collect();
            node.refs.iter_mut().for_each(|(_, ix)| *ix = ix.and_then(|ix| places[ix.get()]));
            node
        });
        Blueprint { nodes: nodes.collect() }
    }

    /// Returns all nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns a node.
    ///
    /// # Panics
    ///
    /// If the position is of another network.
    pub fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix.get()]
    }

    /// Returns a node, to be changed.
    pub(crate) fn node_mut(&mut self, ix: NodeIx) -> &mut Node {
        &mut self.nodes[ix.get()]
    }

    /// Returns the root.
    pub fn root(&self) -> &Node {
        self.node(Blueprint::ROOT)
    }

    /// Returns the layers of parts that run one after another: chains are flattened, wrappers and
    /// tuples stand for their first layer (the other one of a tuple makes spans, which come with
    /// the documents), and conversions between forms that are one here are left out.
    pub(crate) fn steps(&self, parts: &[NodeIx]) -> Vec<NodeIx> {
        let mut steps = Vec::new();
        for part in parts {
            let node = self.node(*part);
            match node.kind {
                Kind::Chain | Kind::Attending => steps.extend(self.steps(&node.layers)),
                Kind::Wrapper | Kind::WithGetitem | Kind::Uniqued | Kind::Tuple => {
                    steps.extend(self.steps(&node.layers[..1]));
                }
                _ if CONVERSIONS.contains(&node.name.as_str()) => {}
                _ => steps.push(*part),
            }
        }
        steps
    }

    /// Returns the nodes of a part of the network in the order of a file of this part alone.
    pub fn walk(&self, part: NodeIx) -> Vec<NodeIx> {
        walk(&self.nodes, part)
    }
}

/// Lists a node and all that it consists of, breadth first, each once.
pub(super) fn walk(nodes: &[Node], root: NodeIx) -> Vec<NodeIx> {
    let (mut queue, mut order) = (VecDeque::from([root]), Vec::new());
    let mut is_listed = vec![false; nodes.len()];
    while let Some(ix) = queue.pop_front() {
        if !std::mem::replace(&mut is_listed[ix.get()], true) {
            order.push(ix);
            queue.extend(&nodes[ix.get()].layers);
        }
    }
    order
}
