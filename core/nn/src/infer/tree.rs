//! The tree of a network's layers, built from a configuration as thinc builds it, and laid beside
//! the nodes of a file.
//!
//! A model file has the nodes of a network in breadth-first order, but not the edges. So a loader
//! makes the same tree by the same combinators ([`chain`], [`concatenate`], [`residual`], ...),
//! whose names follow from the names of their parts, and compares it with the file, node by node.
//! Source: `thinc.layers` and `Model.walk` of thinc 8.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use lexpool_error::{Error, Result, codes};

use crate::infer::model_file::{ModelFile, ModelNode};

/// `true` as a message.
const TRUE: &[u8] = b"\xc3";

/// A layer and the layers that it consists of. Two layers may share one.
#[derive(Clone, Debug)]
pub struct Layer {
    name: String,
    kind: Kind,
    layers: Vec<Rc<Layer>>,
    /// Attributes, as messages, that a file may lack: thinc then keeps those of the layer.
    default_attrs: &'static [(&'static str, &'static [u8])],
}

/// The use that a layer makes of those that it consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It has none, or uses them in its own way; its name says what it does.
    Named,
    /// Calls them one after another.
    Chain,
    /// Puts their results side by side.
    Concatenate,
    /// Adds its input to the result of the only one.
    Residual,
    /// Calls the only one with the rows of all documents, with padding between them.
    WithArray,
    /// Calls the only one with what it is given.
    Wrapper,
    /// Calls all with its input; what follows takes the result of the first and spans.
    Tuple,
    /// `spacy.StaticVectors.v1`, whose name is that of the second version.
    FirstStaticVectors,
}

impl Layer {
    /// Makes a layer without layers, such as "linear".
    pub fn leaf(name: &str) -> Rc<Layer> {
        Layer::of(name.to_owned(), Kind::Named, Vec::new())
    }

    /// Returns the name, as thinc forms it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what the layer does with those that it consists of.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the layers that this one consists of.
    pub fn layers(&self) -> &[Rc<Layer>] {
        &self.layers
    }

    /// Returns the attributes, as messages, that a file may lack and the layer then has.
    pub fn default_attrs(&self) -> &'static [(&'static str, &'static [u8])] {
        self.default_attrs
    }

    fn of(name: String, kind: Kind, layers: Vec<Rc<Layer>>) -> Rc<Layer> {
        Rc::new(Layer { name, kind, layers, default_attrs: &[] })
    }
}

/// Makes a layer that calls layers one after the other. A chain in a chain is not flattened.
pub fn chain(layers: impl Into<Vec<Rc<Layer>>>) -> Rc<Layer> {
    let layers = layers.into();
    Layer::of(joined(&layers, ">>"), Kind::Chain, layers)
}

/// Makes a layer that puts the results of layers side by side. The only layer is returned as it is,
/// and the parts of a first one that is a concatenation are joined by the others.
pub fn concatenate(layers: impl Into<Vec<Rc<Layer>>>) -> Rc<Layer> {
    let mut layers = layers.into();
    if layers.len() == 1 {
        return layers.remove(0);
    }
    let (name, layers) = match layers.first() {
        Some(first) if first.kind == Kind::Concatenate => {
            let others = layers[1..].iter().cloned();
            (first.name.clone(), first.layers.iter().cloned().chain(others).collect())
        }
        _ => (joined(&layers, "|"), layers),
    };
    Layer::of(name, Kind::Concatenate, layers)
}

/// Makes a chain of `n` layers of the same form: the layer itself for 1, "noop" for 0.
pub fn clone(make: impl Fn() -> Rc<Layer>, n: usize) -> Rc<Layer> {
    match n {
        0 => Layer::leaf("noop"),
        1 => make(),
        _ => chain((0..n).map(|_| make()).collect::<Vec<_>>()),
    }
}

/// Makes a layer that adds its input to the result of a layer.
pub fn residual(layer: Rc<Layer>) -> Rc<Layer> {
    around("residual", Kind::Residual, layer)
}

/// Makes a layer that calls another one with the rows of all documents.
pub fn with_array(layer: Rc<Layer>) -> Rc<Layer> {
    around("with_array", Kind::WithArray, layer)
}

/// Makes a layer that calls another one with what it is given, and is named after it:
/// `resizable(...)`, `with_cpu(...)`.
pub fn wrap(name: &str, layer: Rc<Layer>) -> Rc<Layer> {
    around(name, Kind::Wrapper, layer)
}

/// Makes a layer that calls others with its input each.
pub fn tuple(layers: impl Into<Vec<Rc<Layer>>>) -> Rc<Layer> {
    let layers = layers.into();
    Layer::of(format!("tuple({})", joined(&layers, ", ")), Kind::Tuple, layers)
}

/// Makes a layer of this name, whatever the names of its layers are.
pub fn named(name: &str, layers: impl Into<Vec<Rc<Layer>>>) -> Rc<Layer> {
    Layer::of(name.to_owned(), Kind::Named, layers.into())
}

/// Makes `spacy.StaticVectors.v1`.
pub fn first_static_vectors() -> Rc<Layer> {
    Layer::of("static_vectors".to_owned(), Kind::FirstStaticVectors, Vec::new())
}

/// Makes `SparseLinear.v1`, which has the name of the second version. Its weights are adjacent
/// unless a file says otherwise; older files do not say it.
pub fn first_sparse_linear() -> Rc<Layer> {
    Rc::new(Layer {
        name: "sparse_linear".to_owned(),
        kind: Kind::Named,
        layers: Vec::new(),
        default_attrs: &[("v1_indexing", TRUE)],
    })
}

fn around(name: &str, kind: Kind, layer: Rc<Layer>) -> Rc<Layer> {
    Layer::of(format!("{name}({})", layer.name), kind, vec![layer])
}

/// Returns all layers in the order of a file: breadth first, each once.
pub fn walk(root: &Rc<Layer>) -> Vec<&Layer> {
    let mut queue = VecDeque::from([root]);
    let (mut seen, mut all) = (HashSet::new(), Vec::new());
    while let Some(layer) = queue.pop_front() {
        if seen.insert(Rc::as_ptr(layer)) {
            all.push(&**layer);
            queue.extend(&layer.layers);
        }
    }
    all
}

/// A tree with the nodes of a file beside its layers.
#[derive(Debug)]
pub(crate) struct BoundTree<'n, 'f> {
    file: &'n ModelFile<'f>,
    /// The position in the file by the address of a layer.
    places: HashMap<*const Layer, usize>,
    /// The nodes that lack attributes of their layers, with these attributes, by position.
    completed: HashMap<usize, ModelNode<'f>>,
}

impl<'f> BoundTree<'_, 'f> {
    /// Returns the node of a layer of this tree.
    pub(crate) fn node(&self, layer: &Rc<Layer>) -> &ModelNode<'f> {
        let place = self.places[&Rc::as_ptr(layer)];
        self.completed.get(&place).unwrap_or(&self.file.nodes()[place])
    }
}

/// Checks that the nodes of a file are those of a tree. Cost: linear.
///
/// # Errors
///
/// `model-structure` if the file has another number of nodes, or a node another name, with both.
pub fn check(root: &Rc<Layer>, file: &ModelFile<'_>) -> Result<()> {
    bind(root, file).map(drop)
}

/// Lays a tree beside a file. Cost: linear.
///
/// # Errors
///
/// `model-structure` if the file has another number of nodes, or a node another name, with both.
pub(crate) fn bind<'n, 'f>(
    root: &'n Rc<Layer>,
    file: &'n ModelFile<'f>,
) -> Result<BoundTree<'n, 'f>> {
    let layers = walk(root);
    let mut pairs = layers.iter().zip(file.nodes()).enumerate();
    if let Some((at, (layer, node))) = pairs.find(|(_, (layer, node))| layer.name != node.name()) {
        let text = format!(
            "node {at} is {:?} in the file and {:?} in the configuration",
            node.name(),
            layer.name
        );
        return Err(Error::value(codes::MODEL_STRUCTURE, text));
    }
    if layers.len() != file.nodes().len() {
        let text = format!(
            "the file has {} nodes, the network of the configuration {}",
            file.nodes().len(),
            layers.len()
        );
        return Err(Error::value(codes::MODEL_STRUCTURE, text));
    }
    let places = layers.iter().enumerate().map(|(at, layer)| (std::ptr::from_ref(*layer), at));
    let completed =
        layers.iter().zip(file.nodes()).enumerate().filter_map(|(at, (layer, node))| {
            let defaults = layer.default_attrs.iter().filter(|(name, _)| !node.has_attr(name));
            let defaults: Vec<_> = defaults.copied().collect();
            (!defaults.is_empty()).then(|| (at, node.with_attrs(&defaults)))
        });
    Ok(BoundTree { file, places: places.collect(), completed: completed.collect() })
}

fn joined(layers: &[Rc<Layer>], by: &str) -> String {
    layers.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>().join(by)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(root: &Rc<Layer>) -> Vec<String> {
        walk(root).iter().map(|layer| layer.name.clone()).collect()
    }

    #[test]
    fn names_are_made_of_the_names_of_parts() {
        let (a, b, c) = (Layer::leaf("a"), Layer::leaf("b"), Layer::leaf("c"));
        let inner = chain([a.clone(), b.clone()]);
        assert_eq!(chain([inner.clone(), c.clone()]).name(), "a>>b>>c");
        assert_eq!(chain([inner.clone(), c.clone()]).layers().len(), 2);
        assert_eq!(concatenate([inner.clone(), c.clone()]).name(), "a>>b|c");
        assert_eq!(concatenate([inner.clone()]).name(), "a>>b");
        assert_eq!(residual(with_array(inner)).name(), "residual(with_array(a>>b))");
        assert_eq!(clone(|| Layer::leaf("a"), 3).name(), "a>>a>>a");
        assert_eq!(clone(|| Layer::leaf("a"), 1).name(), "a");
        assert_eq!(clone(|| Layer::leaf("a"), 0).name(), "noop");
    }

    #[test]
    fn a_concatenation_in_front_takes_in_the_others_and_keeps_its_name() {
        let pair = concatenate([Layer::leaf("a"), Layer::leaf("b")]);
        let all = concatenate([pair.clone(), Layer::leaf("c")]);
        assert_eq!((all.name(), all.layers().len()), ("a|b", 3));
        let more = concatenate([all, Layer::leaf("d")]);
        assert_eq!((more.name(), more.layers().len()), ("a|b", 4));
        let behind = concatenate([Layer::leaf("c"), pair]);
        assert_eq!((behind.name(), behind.layers().len()), ("c|a|b", 2));
    }

    #[test]
    fn layers_are_walked_breadth_first_and_shared_ones_once() {
        let (a, b, c) = (Layer::leaf("a"), Layer::leaf("b"), Layer::leaf("c"));
        let root = chain([chain([a.clone(), b.clone()]), c.clone(), chain([b, a])]);
        assert_eq!(names(&root), ["a>>b>>c>>b>>a", "a>>b", "c", "b>>a", "a", "b"]);
    }
}
