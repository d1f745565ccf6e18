//! A description laid beside the nodes of a file.
//!
//! A file has the nodes of a network in breadth-first order, but not which consists of which. So
//! the description of the same network is compared with it, node by node: their names say which
//! layers they are made of.

use std::collections::HashMap;

use lexpool_error::{Error, Result, codes};

use super::blueprint::{Blueprint, Node};
use super::model_file::{ModelFile, ModelNode, NodeIx};

/// A description with the nodes of a file.
#[derive(Debug)]
pub(crate) struct BoundBlueprint<'a> {
    blueprint: &'a Blueprint,
    file: &'a ModelFile<'a>,
    /// The nodes of the file that lack attributes of their layers, with these attributes.
    completed: HashMap<NodeIx, ModelNode<'a>>,
}

impl<'a> BoundBlueprint<'a> {
    /// Returns the description.
    pub(crate) fn blueprint(&self) -> &'a Blueprint {
        self.blueprint
    }

    /// Returns a node of the file.
    pub(crate) fn node(&self, ix: NodeIx) -> &ModelNode<'a> {
        self.completed.get(&ix).unwrap_or(&self.file.nodes()[ix.get()])
    }
}

impl Blueprint {
    /// Checks that the nodes of a file are those of the network. Cost: linear.
    ///
    /// # Errors
    ///
    /// `model-structure` if the file has another number of nodes, or a node another name, with
    /// both.
    pub fn check(&self, file: &ModelFile<'_>) -> Result<()> {
        check(self.nodes(), file)
    }

    /// Checks that the nodes of a file are those of a part of the network. Cost: linear.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Blueprint::check).
    pub(crate) fn check_part(&self, part: NodeIx, file: &ModelFile<'_>) -> Result<()> {
        check(self.walk(part).into_iter().map(|ix| self.node(ix)), file)
    }

    /// Lays the description beside a file. Cost: linear.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Blueprint::check).
    pub(crate) fn bind<'a>(&'a self, file: &'a ModelFile<'a>) -> Result<BoundBlueprint<'a>> {
        self.check(file)?;
        let pairs = (0..).map(NodeIx::new).zip(self.nodes().iter().zip(file.nodes()));
        let completed = pairs.filter_map(|(ix, (layer, node))| {
            let missing = layer.default_attrs().iter().filter(|(name, _)| !node.has_attr(name));
            let missing: Vec<_> = missing.map(|(name, value)| (*name, &value[..])).collect();
            (!missing.is_empty()).then(|| (ix, node.with_attrs(&missing)))
        });
        Ok(BoundBlueprint { blueprint: self, file, completed: completed.collect() })
    }
}

fn check<'b>(layers: impl IntoIterator<Item = &'b Node>, file: &ModelFile<'_>) -> Result<()> {
    let layers: Vec<&Node> = layers.into_iter().collect();
    let mut pairs = layers.iter().zip(file.nodes()).enumerate();
    if let Some((at, (layer, node))) = pairs.find(|(_, (layer, node))| layer.name() != node.name())
    {
        let text = format!(
            "node {at} is {:?} in the file and {:?} in the configuration",
            node.name(),
            layer.name()
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
    Ok(())
}
