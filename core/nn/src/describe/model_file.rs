//! thinc's file of a network: the nodes in breadth-first order, each with its dims, refs, attrs and
//! params.
//!
//! The file is a `MessagePack` map of four lists of one length, `nodes`, `attrs`, `params` and
//! `shims`. Which node is a layer of which other is not written: a loader builds the same network
//! from the configuration and compares it with the file. Source: `Model.to_bytes` of thinc 8.

use bytes::Bytes;
use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::{Reader, Value};

use super::array::ArrayView;

/// The position of a node in its file, and in the description of its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(u32);

impl NodeIx {
    /// Makes the index of a position.
    pub const fn new(at: u32) -> NodeIx {
        NodeIx(at)
    }

    /// Returns the position.
    pub fn get(self) -> usize {
        self.0 as usize
    }

    /// Returns the position as a number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// A validated model file, which borrows names and arrays from the bytes.
///
/// Every reference leads to a node, every array has as many bytes as its shape requires, and no
/// layer needs another framework.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFile<'a> {
    nodes: Vec<ModelNode<'a>>,
}

/// A node of a network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelNode<'a> {
    name: &'a str,
    dims: Vec<(&'a str, Option<u64>)>,
    refs: Vec<(&'a str, Option<NodeIx>)>,
    /// Each value is a message of its own.
    attrs: Vec<(&'a str, &'a [u8])>,
    params: Vec<(&'a str, Option<ArrayView<'a>>)>,
    /// The bytes of the file, if networks may keep parts of them.
    file: Option<&'a Bytes>,
}

impl<'a> ModelFile<'a> {
    /// Parses and validates a file. Arrays are not copied; memory is taken for what was read alone.
    ///
    /// # Errors
    ///
    /// `msgpack-truncated`, `msgpack-format`, `msgpack-type` for bytes that are not such a message;
    /// `model-file` for lists of different lengths, references to a missing node and arrays that do
    /// not fit their shape; `model-dtype` for arrays of other numbers than floats; `model-layer`
    /// for layers of `PyTorch`, `TensorFlow` and `MXNet`. The message names the list and the node.
    pub fn parse(bytes: &'a [u8]) -> Result<ModelFile<'a>> {
        let mut reader = Reader::new(bytes);
        let (mut nodes, mut attrs, mut params, mut shims) = (None, None, None, None);
        for _ in 0..reader.map()? {
            match reader.str()? {
                "nodes" => nodes = Some(list(&mut reader, "nodes", read_node)?),
                "attrs" => attrs = Some(list(&mut reader, "attrs", read_attrs)?),
                "params" => params = Some(list(&mut reader, "params", read_params)?),
                "shims" => shims = Some(list(&mut reader, "shims", check_shims)?),
                other => {
                    let text = format!(
                        "the key {other:?} is none of \"nodes\", \"attrs\", \"params\", \"shims\""
                    );
                    return Err(invalid(text));
                }
            }
        }
        reader.finish()?;
        let (Some(mut nodes), Some(attrs), Some(params), Some(shims)) =
            (nodes, attrs, params, shims)
        else {
            let text = "\"nodes\", \"attrs\", \"params\" or \"shims\" is missing";
            return Err(invalid(text.to_owned()));
        };
        let lens = [nodes.len(), attrs.len(), params.len(), shims.len()];
        if lens != [lens[0]; 4] {
            let [nodes, attrs, params, shims] = lens;
            let text = format!(
                "the file has {nodes} nodes, {attrs} attrs, {params} params and {shims} shims; \
                 expected as many of each"
            );
            return Err(invalid(text));
        }
        for (node, (attrs, params)) in nodes.iter_mut().zip(attrs.into_iter().zip(params)) {
            node.attrs = attrs;
            node.params = params;
        }
        let file = ModelFile { nodes };
        file.check_refs()?;
        Ok(file)
    }

    /// Parses and validates a file as [`parse`](ModelFile::parse) does. Networks that are made of
    /// it keep the bytes, and read tables of embeddings where they lie.
    ///
    /// # Errors
    ///
    /// Those of [`parse`](ModelFile::parse).
    pub fn parse_shared(bytes: &'a Bytes) -> Result<ModelFile<'a>> {
        let mut file = ModelFile::parse(bytes)?;
        file.nodes.iter_mut().for_each(|node| node.file = Some(bytes));
        Ok(file)
    }

    /// Returns the nodes in breadth-first order, the root first.
    pub fn nodes(&self) -> &[ModelNode<'a>] {
        &self.nodes
    }

    /// Returns the node that `node` refers to by a name, such as "tok2vec".
    pub fn referred(&self, node: &ModelNode<'a>, name: &str) -> Option<&ModelNode<'a>> {
        self.nodes.get(node.reference(name)?.get())
    }

    /// Returns the number of the network's parameters.
    pub fn param_count(&self) -> u64 {
        let arrays = self.nodes.iter().flat_map(|node| &node.params);
        arrays.filter_map(|(_, array)| array.as_ref()).map(|array| array.len() as u64).sum()
    }

    /// Checks that all parameters are finite numbers. Cost: one pass over them.
    ///
    /// # Errors
    ///
    /// `model-nan`, with the node and the parameter.
    pub fn check_finite(&self) -> Result<()> {
        for (at, node) in self.nodes.iter().enumerate() {
            let mut arrays =
                node.params.iter().filter_map(|(name, array)| Some((name, array.as_ref()?)));
            if let Some((name, _)) = arrays.find(|(_, array)| !array.is_finite()) {
                let text = format!(
                    "params[{at}], {name:?} of {:?}, has a number that is not finite",
                    node.name
                );
                return Err(Error::value(codes::MODEL_NAN, text));
            }
        }
        Ok(())
    }

    fn check_refs(&self) -> Result<()> {
        for (at, node) in self.nodes.iter().enumerate() {
            let mut targets = node.refs.iter().filter_map(|(name, ix)| Some((name, (*ix)?)));
            if let Some((name, ix)) = targets.find(|(_, ix)| ix.get() >= self.nodes.len()) {
                let (to, len) = (ix.get(), self.nodes.len());
                let text = format!("nodes[{at}] refers by {name:?} to node {to} of {len}");
                return Err(invalid(text));
            }
        }
        Ok(())
    }
}

impl<'a> ModelNode<'a> {
    /// Returns the name, which thinc makes of the names of layers: `maxout>>layernorm`.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the names of all dimensions with their sizes, in the order of the file.
    pub fn dims(&self) -> &[(&'a str, Option<u64>)] {
        &self.dims
    }

    /// Returns the names of all references with their nodes, in the order of the file.
    pub fn refs(&self) -> &[(&'a str, Option<NodeIx>)] {
        &self.refs
    }

    /// Returns the names of all attributes with their messages, in the order of the file.
    pub fn attrs(&self) -> &[(&'a str, &'a [u8])] {
        &self.attrs
    }

    /// Returns the names of all parameters with their arrays, in the order of the file.
    pub fn params(&self) -> &[(&'a str, Option<ArrayView<'a>>)] {
        &self.params
    }

    /// Returns the size of a dimension, such as "nO"; `None` if it is unknown or was not set.
    pub fn dim(&self, name: &str) -> Option<u64> {
        find(&self.dims, name).copied().flatten()
    }

    /// Returns the node that is referred to by a name; `None` if it is unknown or was not set.
    pub fn reference(&self, name: &str) -> Option<NodeIx> {
        find(&self.refs, name).copied().flatten()
    }

    /// Returns an attribute; `None` if the node has no attribute of the name.
    ///
    /// # Errors
    ///
    /// `model-file` if its bytes are not one message.
    pub fn attr(&self, name: &str) -> Result<Option<Value>> {
        let Some(bytes) = find(&self.attrs, name) else { return Ok(None) };
        let value = Value::from_bytes(bytes).map_err(|error| {
            invalid(format!("the attribute {name:?} of {:?}: {}", self.name, error.message()))
        })?;
        Ok(Some(value))
    }

    /// Returns whether the node has an attribute.
    pub(crate) fn has_attr(&self, name: &str) -> bool {
        find(&self.attrs, name).is_some()
    }

    /// Returns the node with further attributes, which are messages.
    pub(crate) fn with_attrs(&self, attrs: &[(&'a str, &'a [u8])]) -> ModelNode<'a> {
        let mut node = self.clone();
        node.attrs.extend(attrs);
        node
    }

    /// Returns a parameter, such as "W"; `None` if it is unknown or was not set.
    pub fn param(&self, name: &str) -> Option<&ArrayView<'a>> {
        find(&self.params, name)?.as_ref()
    }

    /// Returns a parameter that must have this number of dimensions.
    ///
    /// # Errors
    ///
    /// `model-structure` if it is missing or has another number of dimensions.
    pub fn required_param(&self, name: &str, dims: usize) -> Result<&ArrayView<'a>> {
        let param = self.param(name).filter(|array| array.shape().len() == dims);
        param.ok_or_else(|| {
            let problem = match self.param(name) {
                Some(array) => format!("has the shape {:?}", array.shape()),
                None => "is missing".to_owned(),
            };
            let text = format!(
                "the parameter {name:?} of {:?} {problem}; expected {dims} dimensions",
                self.name
            );
            Error::value(codes::MODEL_STRUCTURE, text)
        })
    }
}

impl ModelNode<'_> {
    /// Returns the bytes of the file, if networks may keep parts of them.
    pub(crate) fn file(&self) -> Option<&Bytes> {
        self.file
    }
}

fn find<'v, T>(pairs: &'v [(&str, T)], name: &str) -> Option<&'v T> {
    pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Reads a list, and adds the place to errors of its items.
fn list<'a, T>(
    reader: &mut Reader<'a>,
    name: &str,
    mut read: impl FnMut(&mut Reader<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let len = reader.array()?;
    // Grows with what is read: an item of one byte must not reserve the memory of a node.
    let mut items = Vec::new();
    for at in 0..len {
        items.push(read(reader).map_err(|error| error.context(format_args!("{name}[{at}]")))?);
    }
    Ok(items)
}

/// Reads the pairs of a map whose keys are texts.
fn pairs<'a, T>(
    reader: &mut Reader<'a>,
    mut read: impl FnMut(&mut Reader<'a>) -> Result<T>,
) -> Result<Vec<(&'a str, T)>> {
    let len = reader.map()?;
    let mut pairs = Vec::new();
    for _ in 0..len {
        let key = reader.str()?;
        let value = read(reader).map_err(|error| error.context(format_args!("{key:?}")))?;
        pairs.push((key, value));
    }
    Ok(pairs)
}

fn read_node<'a>(reader: &mut Reader<'a>) -> Result<ModelNode<'a>> {
    let (mut node, mut name) = (ModelNode::default(), None);
    for _ in 0..reader.map()? {
        match reader.str()? {
            "name" => name = Some(reader.str()?),
            "dims" => node.dims = pairs(reader, optional_uint)?,
            "refs" => node.refs = pairs(reader, read_ref)?,
            // The index repeats the position.
            _ => _ = reader.skip()?,
        }
    }
    node.name = name.ok_or_else(|| invalid("a node has no name".to_owned()))?;
    Ok(node)
}

fn read_attrs<'a>(reader: &mut Reader<'a>) -> Result<Vec<(&'a str, &'a [u8])>> {
    pairs(reader, Reader::bytes)
}

fn read_params<'a>(reader: &mut Reader<'a>) -> Result<Vec<(&'a str, Option<ArrayView<'a>>)>> {
    pairs(reader, ArrayView::read)
}

fn check_shims(reader: &mut Reader<'_>) -> Result<()> {
    let shims = reader.array()?;
    if shims > 0 {
        let text = "the layer runs in another framework (PyTorch, TensorFlow or MXNet), which \
                    lexpool does not load";
        return Err(Error::value(codes::MODEL_LAYER, text));
    }
    Ok(())
}

fn read_ref(reader: &mut Reader<'_>) -> Result<Option<NodeIx>> {
    let Some(number) = optional_uint(reader)? else { return Ok(None) };
    let ix = u32::try_from(number).map_err(|_| invalid(format!("a reference to node {number}")))?;
    Ok(Some(NodeIx(ix)))
}

fn optional_uint(reader: &mut Reader<'_>) -> Result<Option<u64>> {
    let mut ahead = reader.clone();
    if ahead.item()? == lexpool_msgpack::Item::Nil {
        *reader = ahead;
        return Ok(None);
    }
    reader.uint().map(Some)
}

fn invalid(text: String) -> Error {
    Error::value(codes::MODEL_FILE, text)
}

#[cfg(test)]
mod tests;
