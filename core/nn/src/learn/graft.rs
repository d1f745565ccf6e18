//! A network in which copies of another one stand in the place of its listeners.

use std::collections::BTreeMap;

use lexpool_error::{Error, Result, codes};

use crate::describe::{self, Blueprint, ConfigValue, LISTENER, ModelFile, NodeIx};
use crate::learn::model_bytes;
use crate::learn::parameters::Parameters;
use crate::learn::records::{Record, Records};

/// A network: its settings, and its model file.
#[derive(Clone, Copy)]
pub struct SavedNetwork<'a> {
    /// The section of a configuration that names its architecture.
    pub settings: &'a dyn ConfigValue,
    /// The model file.
    pub file: &'a [u8],
}

/// Returns the model file of a network with these settings: that of `outer`, with those of `inner`
/// in the place of its listeners.
///
/// # Errors
///
/// `model-structure` if the networks do not fit each other so; those of building and reading them.
pub fn graft(
    settings: &dyn ConfigValue,
    section: &str,
    outer: SavedNetwork<'_>,
    inner: SavedNetwork<'_>,
) -> Result<Vec<u8>> {
    let [whole, outer_blueprint, inner_blueprint] =
        [settings, outer.settings, inner.settings].map(|one| describe::build(one, section));
    let (whole, outer_blueprint, inner_blueprint) = (whole?, outer_blueprint?, inner_blueprint?);
    let (outer_file, inner_file) = (ModelFile::parse(outer.file)?, ModelFile::parse(inner.file)?);
    let (outer_records, outer_parameters) = Records::read(&outer_blueprint, &outer_file);
    let (inner_records, inner_parameters) = Records::read(&inner_blueprint, &inner_file);
    let mut pairing = Pairing {
        whole: &whole,
        outer: &outer_blueprint,
        inner: &inner_blueprint,
        sources: BTreeMap::new(),
    };
    pairing.pair(Blueprint::ROOT, (Origin::Outer, Blueprint::ROOT))?;
    let sources = pairing.sources;
    // The place that each node of the sources has gone to first.
    let targets: BTreeMap<(Origin, NodeIx), NodeIx> =
        sources.iter().rev().map(|(to, from)| (*from, *to)).collect();
    let mut parameters = Parameters::default();
    let mut records = Vec::with_capacity(sources.len());
    for (at, layer) in (0..).map(NodeIx::new).zip(whole.nodes()) {
        let (origin, from) = *sources.get(&at).ok_or_else(|| unfit(layer.name()))?;
        let (all, values) = match origin {
            Origin::Inner => (&inner_records, &inner_parameters),
            Origin::Outer => (&outer_records, &outer_parameters),
        };
        let record = all.0.get(from.get()).ok_or_else(|| unfit(layer.name()))?;
        let mut params = Vec::with_capacity(record.params.len());
        for (name, ix) in &record.params {
            let ix = ix.map(|ix| {
                let shape = values.tensor(ix).shape().to_vec();
                parameters.push(at, name, &shape, values.values(ix))
            });
            params.push((name.clone(), ix));
        }
        let target = |ix: &Option<NodeIx>| -> Result<Option<NodeIx>> {
            let Some(ix) = ix else { return Ok(None) };
            let target = targets.get(&(origin, *ix)).copied().or_else(|| {
                // A reference to a listener is one to the network in its place.
                let is_listener =
                    origin == Origin::Outer && outer_records.0.get(ix.get())?.name == LISTENER;
                is_listener.then(|| targets.get(&(Origin::Inner, Blueprint::ROOT)).copied())?
            });
            target.map(Some).ok_or_else(|| unfit(layer.name()))
        };
        let refs = record.refs.iter().map(|(name, ix)| Ok((name.clone(), target(ix)?)));
        records.push(Record {
            name: layer.name().to_owned(),
            dims: record.dims.clone(),
            refs: refs.collect::<Result<_>>()?,
            attrs: record.attrs.clone(),
            params,
        });
    }
    model_bytes::write(&Records(records), &parameters)
}

/// The network that a node comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Outer,
    Inner,
}

/// The search for the node of the two networks that each node of the whole is.
struct Pairing<'a> {
    whole: &'a Blueprint,
    outer: &'a Blueprint,
    inner: &'a Blueprint,
    sources: BTreeMap<NodeIx, (Origin, NodeIx)>,
}

impl Pairing<'_> {
    /// Notes the node that one of the whole is, and those of its layers.
    fn pair(&mut self, at: NodeIx, (origin, from): (Origin, NodeIx)) -> Result<()> {
        let blueprint = match origin {
            Origin::Outer => self.outer,
            Origin::Inner => self.inner,
        };
        let (layer, source) = (self.whole.node(at), blueprint.node(from));
        if origin == Origin::Outer && source.name() == LISTENER {
            return self.pair(at, (Origin::Inner, Blueprint::ROOT));
        }
        // The names of layers around a listener differ.
        let has_other_name = origin == Origin::Inner && layer.name() != source.name();
        if has_other_name || layer.layers().len() != source.layers().len() {
            return Err(unfit(source.name()));
        }
        self.sources.insert(at, (origin, from));
        for (layer, from) in layer.layers().iter().zip(source.layers()) {
            self.pair(*layer, (origin, *from))?;
        }
        Ok(())
    }
}

fn unfit(name: &str) -> Error {
    let text = format!("the layer {name:?} has no counterpart in the network that is put together");
    Error::value(codes::MODEL_STRUCTURE, text)
}
