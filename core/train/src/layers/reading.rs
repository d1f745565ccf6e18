//! Layers from the tree of a network and the records of its nodes.

use std::collections::BTreeMap;
use std::rc::Rc;

use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::Value;
use lexpool_nn::tree::{self, Kind, Layer};
use lexpool_structs::AttrId;

use super::Unit;
use super::containers::{Chain, Concatenate, Identity, Padded, Residual};
use super::dense::Linear;
use super::tokens::{ExtractFeatures, HashEmbed, Listener};
use crate::parameters::Parameters;
use crate::records::{Record, Records};

/// The source of layers: the records, with the place of each layer of the tree.
pub(crate) struct Source<'a> {
    records: &'a Records,
    parameters: &'a Parameters,
    /// The number of the node by the address of its layer.
    places: BTreeMap<*const Layer, u32>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(
        root: &Rc<Layer>,
        records: &'a Records,
        parameters: &'a Parameters,
    ) -> Source<'a> {
        let layers = tree::walk(root).into_iter().map(std::ptr::from_ref);
        Source { records, parameters, places: layers.zip(0..).collect() }
    }

    /// Returns the number of a layer's node.
    fn place(&self, layer: &Rc<Layer>) -> u32 {
        self.places[&Rc::as_ptr(layer)]
    }

    fn record(&self, layer: &Rc<Layer>) -> &'a Record {
        &self.records.0[self.place(layer) as usize]
    }
}

/// Makes a layer, with all that it consists of.
///
/// # Errors
///
/// `model-structure` for parameters and attributes that the layer cannot have; `model-layer` for a
/// layer that cannot be trained.
pub(crate) fn read(source: &Source<'_>, layer: &Rc<Layer>) -> Result<Box<dyn Unit>> {
    let record = source.record(layer);
    let mut parts = layer.layers().iter().map(|part| read(source, part));
    Ok(match layer.kind() {
        Kind::Chain => Box::new(Chain(parts.collect::<Result<_>>()?)),
        Kind::Concatenate => Box::new(Concatenate(parts.collect::<Result<_>>()?)),
        Kind::Residual => match parts.next() {
            Some(inner) => Box::new(Residual(inner?)),
            None => Box::new(Identity),
        },
        Kind::WithArray => {
            let inner = parts.next().unwrap_or_else(|| Ok(Box::new(Identity)))?;
            match record.count("pad", 0)? {
                0 => inner,
                padding => Box::new(Padded { padding, inner }),
            }
        }
        Kind::Wrapper | Kind::Tuple => parts.next().unwrap_or_else(|| Ok(Box::new(Identity)))?,
        Kind::Named | Kind::FirstStaticVectors => leaf(source, layer)?,
    })
}

fn leaf(source: &Source<'_>, layer: &Rc<Layer>) -> Result<Box<dyn Unit>> {
    let record = source.record(layer);
    Ok(match layer.name() {
        "list2ragged" | "ragged2list" | "list2array" | "noop" | "ints-getitem" | "Flattener"
        | "span_maker" => Box::new(Identity),
        "extract_features" => Box::new(ExtractFeatures(columns(record)?)),
        "hashembed" => Box::new(hash_embed(source, layer)?),
        "tok2vec-listener" => {
            let width = record.dim("nO").filter(|width| *width > 0);
            let width = width.ok_or_else(|| record.error("its dimension \"nO\" is missing"))?;
            Box::new(Listener { width })
        }
        "linear" => Box::new(Linear { weights: record.param("W")?, bias: record.param("b")? }),
        other => {
            let text = format!("the network has a layer {other:?}, which lexpool cannot train");
            return Err(Error::value(codes::MODEL_LAYER, text));
        }
    })
}

fn hash_embed(source: &Source<'_>, layer: &Rc<Layer>) -> Result<HashEmbed> {
    let record = source.record(layer);
    let table = record.param("E")?;
    let shape = source.parameters.tensor(table).shape();
    let (n_rows, width) = match *shape {
        [rows, width] if rows > 0 && width > 0 => (u32::try_from(rows).ok(), width),
        _ => (None, 0),
    };
    let n_rows = n_rows.ok_or_else(|| record.error(&format!("a table of the shape {shape:?}")))?;
    let seed = record.count("seed", usize::MAX)?;
    let seed = u32::try_from(seed).map_err(|_| record.error("its seed is not a 32-bit number"))?;
    // thinc draws a mask where the attribute is; character embeddings have a table without it.
    let dropout = record.has_attr("dropout_rate").then(|| source.place(layer));
    Ok(HashEmbed { table, column: record.count("column", 0)?, seed, n_rows, width, dropout })
}

fn columns(record: &Record) -> Result<Vec<AttrId>> {
    match record.attr("columns")? {
        Some(Value::Array(columns)) => {
            columns.iter().map(|column| attribute(record, column)).collect()
        }
        other => Err(record.error(&format!("its columns are {other:?}, not a list"))),
    }
}

/// Reads an attribute by its name or its number.
fn attribute(record: &Record, value: &Value) -> Result<AttrId> {
    let attr = match value {
        Value::Str(name) => AttrId::from_name(name),
        Value::UInt(number) => u32::try_from(*number).ok().map(AttrId::new),
        _ => None,
    };
    let named = attr.filter(|attr| attr.name().is_some_and(|name| !name.is_empty()));
    named.ok_or_else(|| record.error(&format!("{value:?} is not an attribute of tokens")))
}
