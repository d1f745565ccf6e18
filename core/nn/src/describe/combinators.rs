//! Nodes that are made of others, whose names follow from the names of their parts.
//!
//! Source: `thinc.layers` of thinc 8.

use lexpool_msgpack::{Value, Writer};

use super::blueprint::{Kind, Node};
use super::builder::Builder;
use super::model_file::NodeIx;

impl Builder {
    pub(super) fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix.get()]
    }

    pub(super) fn node_mut(&mut self, ix: NodeIx) -> &mut Node {
        &mut self.nodes[ix.get()]
    }

    /// Returns the width of the rows that a node makes, if it is determined.
    pub(super) fn width(&self, ix: NodeIx) -> Option<usize> {
        self.node(ix).dim("nO")
    }

    /// Sets the width of the rows that a node makes, if it is determined.
    pub(super) fn set_width(&mut self, ix: NodeIx, width: Option<usize>) {
        if width.is_some() {
            self.node_mut(ix).set_dim("nO", width);
        }
    }

    /// Sets references, behind those that the node has.
    pub(super) fn refer(&mut self, ix: NodeIx, refs: &[(&'static str, NodeIx)]) {
        self.node_mut(ix).refs.extend(refs.iter().map(|(name, to)| (*name, Some(*to))));
    }

    /// Sets an attribute, behind those that the node has.
    pub(super) fn set_attr(&mut self, ix: NodeIx, name: &'static str, value: &Value) {
        self.node_mut(ix).attrs.push((name, message(value)));
    }

    /// Makes a node without dimensions and parameters.
    pub(super) fn named(&mut self, name: &str, kind: Kind, layers: &[NodeIx]) -> NodeIx {
        let (dims, refs, attrs) = (Vec::new(), Vec::new(), Vec::new());
        let (name, layers) = (name.to_owned(), layers.to_vec());
        self.push(Node { name, kind, layers, dims, refs, attrs, params: &[] })
    }

    /// Makes such a node without layers and without anything to initialize.
    pub(super) fn plain(&mut self, name: &str) -> NodeIx {
        self.named(name, Kind::Plain, &[])
    }

    /// Makes a node that calls layers one after the other. A chain in a chain is not flattened.
    pub(super) fn chain(&mut self, layers: &[NodeIx]) -> NodeIx {
        let ix = self.named(&self.joined(layers, ">>"), Kind::Chain, layers);
        let output = layers.last().and_then(|last| self.width(*last));
        let mut dims = vec![("nO", output)];
        if let Some(first) = layers.first().filter(|first| self.node(**first).has_dim("nI")) {
            dims.push(("nI", self.node(*first).dim("nI")));
        }
        self.node_mut(ix).dims = dims;
        ix
    }

    /// Makes a chain of two, as thinc's operator does: a chain of more is one within another.
    pub(super) fn then(&mut self, first: NodeIx, next: NodeIx) -> NodeIx {
        self.chain(&[first, next])
    }

    /// Makes a chain of a node and a new one without dimensions and parameters.
    pub(super) fn then_plain(&mut self, first: NodeIx, name: &str) -> NodeIx {
        let next = self.plain(name);
        self.then(first, next)
    }

    /// Makes a node that puts the results of layers side by side. The only layer is returned as it
    /// is, and a first one that is a concatenation takes in the others.
    pub(super) fn concatenate(&mut self, layers: &[NodeIx]) -> NodeIx {
        if let [only] = layers {
            return *only;
        }
        if let Some(first) = layers.first().filter(|ix| self.node(**ix).kind == Kind::Concatenate) {
            self.node_mut(*first).layers.extend(&layers[1..]);
            return *first;
        }
        let ix = self.named(&self.joined(layers, "|"), Kind::Concatenate, layers);
        let mut dims = vec![("nO", None)];
        if layers.iter().all(|layer| self.node(*layer).has_dim("nI")) {
            dims.push(("nI", None));
        }
        self.node_mut(ix).dims = dims;
        ix
    }

    /// Makes a node that adds its input to the result of a layer.
    pub(super) fn residual(&mut self, layer: NodeIx) -> NodeIx {
        let ix = self.around("residual", Kind::Residual, layer);
        let dims = ["nO", "nI"].map(|name| (name, self.node(layer).dim(name)));
        self.node_mut(ix).dims = dims.to_vec();
        ix
    }

    /// Makes a node that calls a layer with the rows of all documents.
    pub(super) fn with_array(&mut self, layer: NodeIx, padding: usize) -> NodeIx {
        let ix = self.around("with_array", Kind::WithArray, layer);
        self.take_dims(ix, layer);
        self.set_attr(ix, "pad", &Value::UInt(padding as u64));
        ix
    }

    /// Makes a node that calls a layer with what it is given, and is named after it:
    /// `resizable(...)`, `with_cpu(...)`.
    pub(super) fn wrap(&mut self, name: &str, layer: NodeIx) -> NodeIx {
        let ix = self.around(name, Kind::Wrapper, layer);
        self.take_dims(ix, layer);
        ix
    }

    pub(super) fn with_getitem(&mut self, layer: NodeIx) -> NodeIx {
        let ix = self.around("with_getitem", Kind::WithGetitem, layer);
        self.set_attr(ix, "idx", &Value::UInt(0));
        ix
    }

    /// Makes a node that runs a layer on distinct rows: those with distinct ids in a column.
    pub(super) fn uniqued(&mut self, layer: NodeIx, column: usize) -> NodeIx {
        let ix = self.around("uniqued", Kind::Uniqued, layer);
        self.node_mut(ix).dims = vec![("nO", None), ("nI", None)];
        self.set_attr(ix, "column", &Value::UInt(column as u64));
        ix
    }

    /// Makes a node that hands its input to each of several.
    pub(super) fn tuple(&mut self, layers: &[NodeIx]) -> NodeIx {
        let name = format!("tuple({})", self.joined(layers, ", "));
        let ix = self.named(&name, Kind::Tuple, layers);
        self.node_mut(ix).dims = vec![("nI", None)];
        ix
    }

    /// Makes a chain of a layer and copies of it, `n` in all: the layer itself for 1, "noop" for 0.
    pub(super) fn repeat(&mut self, layer: NodeIx, n: usize) -> NodeIx {
        match n {
            0 => self.plain("noop"),
            1 => layer,
            _ => {
                let copies: Vec<NodeIx> = (1..n).map(|_| self.copy(layer)).collect();
                self.chain(&[&[layer], &copies[..]].concat())
            }
        }
    }

    fn copy(&mut self, ix: NodeIx) -> NodeIx {
        let mut node = self.node(ix).clone();
        for layer in &mut node.layers {
            *layer = self.copy(*layer);
        }
        self.push(node)
    }

    fn around(&mut self, name: &str, kind: Kind, layer: NodeIx) -> NodeIx {
        let name = format!("{name}({})", self.node(layer).name);
        self.named(&name, kind, &[layer])
    }

    fn take_dims(&mut self, ix: NodeIx, layer: NodeIx) {
        let dims = self.node(layer).dims.clone();
        self.node_mut(ix).dims = dims;
    }

    pub(super) fn push(&mut self, node: Node) -> NodeIx {
        let at = u32::try_from(self.nodes.len()).expect("depths have a bound");
        self.nodes.push(node);
        NodeIx::new(at)
    }

    fn joined(&self, layers: &[NodeIx], by: &str) -> String {
        let names: Vec<&str> = layers.iter().map(|ix| self.node(*ix).name.as_str()).collect();
        names.join(by)
    }
}

/// Returns a value as a message. Values of attributes are small, so that the format holds them.
fn message(value: &Value) -> Vec<u8> {
    let mut out = Writer::new();
    out.value(value).expect("a small value");
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use lexpool_error::limits;

    use super::*;
    use crate::describe::blueprint::Blueprint;
    use crate::describe::builder::LayerBound;

    fn builder() -> Builder {
        Builder::new(&[], |_, _, _| Ok(None), LayerBound::Fixed(limits::NETWORK_LAYERS))
    }

    fn leaves<const N: usize>(builder: &mut Builder, names: [&str; N]) -> [NodeIx; N] {
        names.map(|name| builder.plain(name))
    }

    #[test]
    fn names_are_made_of_the_names_of_parts() {
        let mut all = builder();
        let [a, b, c] = leaves(&mut all, ["a", "b", "c"]);
        let inner = all.then(a, b);
        let outer = all.then(inner, c);
        assert_eq!((all.node(outer).name(), all.node(outer).layers().len()), ("a>>b>>c", 2));
        let pair = all.concatenate(&[inner, c]);
        assert_eq!(all.node(pair).name(), "a>>b|c");
        assert_eq!(all.concatenate(&[inner]), inner);
        let array = all.with_array(inner, 0);
        let residual = all.residual(array);
        assert_eq!(all.node(residual).name(), "residual(with_array(a>>b))");
        for (n, name) in [(3, "a>>a>>a"), (1, "a"), (0, "noop")] {
            let copies = all.repeat(a, n);
            assert_eq!(all.node(copies).name(), name);
        }
    }

    #[test]
    fn a_concatenation_in_front_takes_in_the_others_and_keeps_its_name() {
        let mut all = builder();
        let [a, b, c, d] = leaves(&mut all, ["a", "b", "c", "d"]);
        let pair = all.concatenate(&[a, b]);
        let behind = all.concatenate(&[c, pair]);
        assert_eq!((all.node(behind).name(), all.node(behind).layers().len()), ("c|a|b", 2));
        for (other, n) in [(c, 3), (d, 4)] {
            let more = all.concatenate(&[pair, other]);
            assert_eq!((all.node(more).name(), all.node(more).layers().len()), ("a|b", n));
        }
    }

    #[test]
    fn nodes_are_listed_breadth_first_and_shared_ones_once() {
        let mut all = builder();
        let [a, b, c] = leaves(&mut all, ["a", "b", "c"]);
        let (first, last) = (all.then(a, b), all.then(b, a));
        let root = all.chain(&[first, c, last]);
        let network = Blueprint::new(&all.nodes, root);
        let names: Vec<&str> = network.nodes().iter().map(Node::name).collect();
        assert_eq!(names, ["a>>b>>c>>b>>a", "a>>b", "c", "b>>a", "a", "b"]);
        let part: Vec<usize> = network.walk(NodeIx::new(3)).iter().map(|ix| ix.get()).collect();
        assert_eq!(part, [3, 5, 4]);
    }
}
