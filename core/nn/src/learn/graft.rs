//! A network in which copies of another one stand in the place of its listeners.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::infer::architectures::{self, ConfigValue};
use crate::infer::tree::{self, Layer};
use crate::infer::{ModelFile, NodeIx};
use lexpool_error::{Error, Result, codes};

use crate::learn::model_bytes;
use crate::learn::parameters::Parameters;
use crate::learn::records::{Record, Records};

/// The name of the layers that read the rows of a shared network.
pub(crate) const LISTENER: &str = "tok2vec-listener";

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
    let tree = architectures::build(settings, section)?;
    let outer_tree = architectures::build(outer.settings, section)?;
    let inner_tree = architectures::build(inner.settings, section)?;
    let (outer_file, inner_file) = (ModelFile::parse(outer.file)?, ModelFile::parse(inner.file)?);
    let (outer_records, outer_parameters) = Records::read(&outer_tree, &outer_file);
    let (inner_records, inner_parameters) = Records::read(&inner_tree, &inner_file);
    let inner_places = places(&inner_tree);
    let places = Places { whole: places(&tree), outer: places(&outer_tree) };
    let mut sources: BTreeMap<usize, (bool, usize)> = BTreeMap::new();
    pair(&tree, &outer_tree, &inner_tree, &places, &inner_places, &mut sources)?;
    let mut parameters = Parameters::default();
    let mut records = Vec::with_capacity(sources.len());
    let layers = tree::walk(&tree);
    // The place that each node of the sources has gone to first.
    let targets: BTreeMap<(bool, usize), usize> =
        sources.iter().rev().map(|(to, from)| (*from, *to)).collect();
    for (at, layer) in layers.iter().enumerate() {
        let (is_inner, from) = *sources.get(&at).ok_or_else(|| unfit(layer.name()))?;
        let (all, values) = if is_inner {
            (&inner_records, &inner_parameters)
        } else {
            (&outer_records, &outer_parameters)
        };
        let record = all.0.get(from).ok_or_else(|| unfit(layer.name()))?;
        let mut params = Vec::with_capacity(record.params.len());
        for (name, ix) in &record.params {
            let ix = ix.map(|ix| {
                let shape = values.tensor(ix).shape().to_vec();
                parameters.push(node(at), name, &shape, values.values(ix))
            });
            params.push((name.clone(), ix));
        }
        let target = |ix: &Option<NodeIx>| -> Result<Option<NodeIx>> {
            let Some(ix) = ix else { return Ok(None) };
            let found = targets.get(&(is_inner, ix.get())).copied();
            // A reference to a listener is one to the network in its place.
            let found = found.or_else(|| {
                let is_listener = !is_inner && outer_records.0.get(ix.get())?.name == LISTENER;
                is_listener.then(|| targets.get(&(true, 0)).copied()).flatten()
            });
            found.map(|at| Some(node(at))).ok_or_else(|| unfit(layer.name()))
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

fn node(at: usize) -> NodeIx {
    NodeIx::new(u32::try_from(at).unwrap_or(u32::MAX))
}

/// The positions of layers in the order of a file, by their addresses.
struct Places {
    whole: BTreeMap<usize, usize>,
    outer: BTreeMap<usize, usize>,
}

fn places(root: &Rc<Layer>) -> BTreeMap<usize, usize> {
    let all = tree::walk(root).into_iter().enumerate();
    all.map(|(at, layer)| (std::ptr::from_ref(layer).addr(), at)).collect()
}

fn address(layer: &Rc<Layer>) -> usize {
    Rc::as_ptr(layer).addr()
}

/// Notes for each layer of the whole which layer of the two networks it is.
fn pair(
    whole: &Rc<Layer>,
    outer: &Rc<Layer>,
    inner: &Rc<Layer>,
    places: &Places,
    inner_places: &BTreeMap<usize, usize>,
    sources: &mut BTreeMap<usize, (bool, usize)>,
) -> Result<()> {
    if outer.name() == LISTENER {
        return pair_inner(whole, inner, places, inner_places, sources);
    }
    if whole.layers().len() != outer.layers().len() {
        return Err(unfit(outer.name()));
    }
    sources.insert(places.whole[&address(whole)], (false, places.outer[&address(outer)]));
    for (whole, outer) in whole.layers().iter().zip(outer.layers()) {
        pair(whole, outer, inner, places, inner_places, sources)?;
    }
    Ok(())
}

fn pair_inner(
    whole: &Rc<Layer>,
    inner: &Rc<Layer>,
    places: &Places,
    inner_places: &BTreeMap<usize, usize>,
    sources: &mut BTreeMap<usize, (bool, usize)>,
) -> Result<()> {
    if whole.layers().len() != inner.layers().len() || whole.name() != inner.name() {
        return Err(unfit(inner.name()));
    }
    sources.insert(places.whole[&address(whole)], (true, inner_places[&address(inner)]));
    for (whole, inner) in whole.layers().iter().zip(inner.layers()) {
        pair_inner(whole, inner, places, inner_places, sources)?;
    }
    Ok(())
}

fn unfit(name: &str) -> Error {
    let text = format!("the layer {name:?} has no counterpart in the network that is put together");
    Error::value(codes::MODEL_STRUCTURE, text)
}
