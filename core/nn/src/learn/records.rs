//! The nodes of a network as its file has them, with their parameters in an arena.

use std::collections::BTreeMap;

use lexpool_error::Result;
use lexpool_msgpack::Value;

use crate::describe::{Attributes, Blueprint, ModelFile, ModelNode, Node, NodeIx};
use crate::learn::parameters::{Parameters, TensorIx};

/// A node: what a file says of it.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) dims: Vec<(String, Option<u64>)>,
    pub(crate) refs: Vec<(String, Option<NodeIx>)>,
    /// Each value is a message.
    pub(crate) attrs: Vec<(String, Vec<u8>)>,
    /// A parameter that was not set has no tensor.
    pub(crate) params: Vec<(String, Option<TensorIx>)>,
}

/// An array of a new network: its shape and its numbers.
pub(crate) type Array = (Vec<usize>, Vec<f32>);

/// The nodes of a network, breadth first.
#[derive(Clone, Debug)]
pub(crate) struct Records(pub(crate) Vec<Record>);

impl Record {
    /// Reads a node, and appends its parameters to the arena. Attributes that the layer has and
    /// the node lacks are added.
    fn read(layer: &Node, at: NodeIx, node: &ModelNode<'_>, all: &mut Parameters) -> Record {
        let mut params = Vec::with_capacity(node.params().len());
        for (name, array) in node.params() {
            let ix = array.as_ref().map(|array| all.push(at, name, array.shape(), &array.to_vec()));
            params.push(((*name).to_owned(), ix));
        }
        let mut attrs = owned(node.attrs(), |value| value.to_vec());
        let missing = layer.default_attrs().iter();
        let missing = missing.filter(|(name, _)| node.attrs().iter().all(|(has, _)| has != name));
        attrs.extend(missing.map(|(name, value)| ((*name).to_owned(), value.clone())));
        Record {
            name: node.name().to_owned(),
            dims: owned(node.dims(), |size| *size),
            refs: owned(node.refs(), |ix| *ix),
            attrs,
            params,
        }
    }

    /// Returns the parameter of a name.
    ///
    /// # Errors
    ///
    /// `model-structure` if the node lacks it.
    pub(crate) fn param(&self, name: &str) -> Result<TensorIx> {
        let ix = self.params.iter().find(|(key, _)| key == name).and_then(|(_, ix)| *ix);
        ix.ok_or_else(|| self.error(&format!("the parameter {name:?} is missing")))
    }

    /// Returns whether the node has an attribute.
    pub(crate) fn has_attr(&self, name: &str) -> bool {
        self.attrs.iter().any(|(key, _)| key == name)
    }
}

impl Attributes for Record {
    fn node_name(&self) -> &str {
        &self.name
    }

    fn attribute(&self, name: &str) -> Result<Option<Value>> {
        let Some((_, bytes)) = self.attrs.iter().find(|(key, _)| key == name) else {
            return Ok(None);
        };
        Ok(Some(Value::from_bytes(bytes)?).filter(|value| *value != Value::Nil))
    }

    fn dimension(&self, name: &str) -> Option<u64> {
        self.dims.iter().find(|(key, _)| key == name).and_then(|(_, size)| *size)
    }
}

impl Records {
    /// Reads the nodes of a file, whose network is described, and their parameters.
    pub(crate) fn read(blueprint: &Blueprint, file: &ModelFile<'_>) -> (Records, Parameters) {
        let mut all = Parameters::default();
        let pairs = (0..).map(NodeIx::new).zip(blueprint.nodes().iter().zip(file.nodes()));
        let records =
            pairs.map(|(at, (layer, node))| Record::read(layer, at, node, &mut all)).collect();
        (Records(records), all)
    }

    /// Makes the records of a new network, and its parameters from the arrays of its nodes.
    pub(crate) fn of_new(
        blueprint: &Blueprint,
        arrays: &BTreeMap<(NodeIx, &'static str), Array>,
    ) -> (Records, Parameters) {
        let mut all = Parameters::default();
        let nodes = (0..).map(NodeIx::new).zip(blueprint.nodes());
        let records = nodes.map(|(at, node)| {
            let params = node.params().iter().map(|name| {
                let array = arrays.get(&(at, *name));
                let ix = array.map(|(shape, values)| all.push(at, name, shape, values));
                ((*name).to_owned(), ix)
            });
            Record {
                params: params.collect(),
                name: node.name().to_owned(),
                dims: owned(node.dims(), |size| size.and_then(|size| u64::try_from(size).ok())),
                refs: owned(node.refs(), |ix| *ix),
                attrs: owned(node.attrs(), Vec::clone),
            }
        });
        (Records(records.collect()), all)
    }

    /// Sets a dimension that a node has.
    pub(crate) fn set_dim(&mut self, node: NodeIx, name: &str, size: usize) {
        let dims = self.0.get_mut(node.get()).map(|record| &mut record.dims);
        if let Some((_, dim)) = dims.and_then(|dims| dims.iter_mut().find(|(key, _)| key == name)) {
            *dim = u64::try_from(size).ok();
        }
    }

    /// Returns the node that another refers to by a name.
    pub(crate) fn referred(&self, node: NodeIx, name: &str) -> Option<NodeIx> {
        let (_, ix) = self.0.get(node.get())?.refs.iter().find(|(key, _)| key == name)?;
        *ix
    }
}

/// Copies pairs with their names.
fn owned<T, U>(pairs: &[(&str, T)], value: impl Fn(&T) -> U) -> Vec<(String, U)> {
    pairs.iter().map(|(name, item)| ((*name).to_owned(), value(item))).collect()
}
