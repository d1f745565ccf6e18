//! Layers from the description of a network and the records of its nodes.

use lexpool_error::{Error, Result, codes, limits};
use lexpool_msgpack::Value;

use super::Layer;
use super::activation::Function;
use super::containers::{Chain, Concatenate, Identity, Padded, Residual};
use super::dense::{Dense, Softmax};
use super::ngrams::{ExtractNgrams, SparseLinear};
use super::norm::{Dropout, LayerNorm};
use super::sequences::{Attention, ExtractSpans, Reduce};
use super::tokens::{ExtractFeatures, HashEmbed, Listener};
use super::windows::{Maxout, Window};
use super::words::{CharEmbed, StaticVectors};
use crate::describe::{Attributes, Blueprint, Kind, LISTENER, Node, NodeIx, Version};
use crate::infer::{Activation, Pooling};
use crate::learn::parameters::Parameters;
use crate::learn::records::{Record, Records};

/// The source of layers: a description with the records of its nodes.
pub(crate) struct Source<'a> {
    pub(crate) blueprint: &'a Blueprint,
    pub(crate) records: &'a Records,
    pub(crate) parameters: &'a Parameters,
}

impl<'a> Source<'a> {
    fn layer(&self, ix: NodeIx) -> &'a Node {
        self.blueprint.node(ix)
    }

    fn record(&self, ix: NodeIx) -> &'a Record {
        &self.records.0[ix.get()]
    }
}

/// Makes the layers of a part, with all that it consists of.
///
/// # Errors
///
/// `model-structure` for parameters and attributes that the layer cannot have; `model-layer` for a
/// layer that cannot be trained.
pub(crate) fn read(source: &Source<'_>, part: NodeIx) -> Result<Box<dyn Layer>> {
    read_all(source, &[part])
}

/// Makes layers that run one after another. A window and the maxout layer above it become one
/// layer.
fn read_all(source: &Source<'_>, layers: &[NodeIx]) -> Result<Box<dyn Layer>> {
    let steps = source.blueprint.steps(layers);
    let (mut layers, mut rest) = (Vec::<Box<dyn Layer>>::new(), &steps[..]);
    while let [first, after @ ..] = rest {
        rest = after;
        if let (Kind::ExpandWindow(_), Some(maxout)) = (source.layer(*first).kind(), after.first())
        {
            if source.layer(*maxout).kind() == Kind::Maxout {
                let window = source.record(*first).window()?;
                layers.push(Box::new(read_maxout(source, *maxout, window)?));
                rest = &after[1..];
                continue;
            }
        }
        layers.push(read_layer(source, *first)?);
    }
    Ok(match layers.len() {
        0 => Box::new(Identity),
        1 => layers.remove(0),
        _ => Box::new(Chain(layers)),
    })
}

fn read_layer(source: &Source<'_>, ix: NodeIx) -> Result<Box<dyn Layer>> {
    let parts = source.layer(ix).layers();
    Ok(match source.layer(ix).kind() {
        Kind::Concatenate => {
            let parts = parts.iter().map(|part| read(source, *part));
            Box::new(Concatenate(parts.collect::<Result<_>>()?))
        }
        Kind::Residual => Box::new(Residual(read_all(source, parts)?)),
        Kind::WithArray => {
            let padding = source.record(ix).padding()?;
            let inner = read_all(source, parts)?;
            if padding == 0 { inner } else { Box::new(Padded { padding, inner }) }
        }
        Kind::StaticVectors(version) => {
            Box::new(static_vectors(source, ix, version == Version::First)?)
        }
        _ => leaf(source, ix)?,
    })
}

fn leaf(source: &Source<'_>, ix: NodeIx) -> Result<Box<dyn Layer>> {
    let (layer, record) = (source.layer(ix), source.record(ix));
    if let Some(pooling) = Pooling::from_name(layer.name()) {
        return Ok(Box::new(Reduce(pooling)));
    }
    let affine = || Ok::<_, Error>((record.param("W")?, record.param("b")?));
    Ok(match layer.name() {
        "extract_features" => Box::new(ExtractFeatures(record.columns()?)),
        "hashembed" => Box::new(hash_embed(source, ix)?),
        "charembed" => {
            let tables = record.param("E")?;
            let shape = source.parameters.tensor(tables).shape();
            let &[n_bytes, 256, width] = shape else {
                return Err(record.error(&format!("tables of the shape {shape:?}")));
            };
            Box::new(CharEmbed { tables, n_bytes, width })
        }
        LISTENER => Box::new(Listener { width: record.listened_width()? }),
        "layernorm" => Box::new(LayerNorm { scale: record.param("G")?, shift: record.param("b")? }),
        "dropout" => Box::new(Dropout { layer: ix.number() }),
        "expand_window" => Box::new(Window(record.window()?)),
        "maxout" => Box::new(read_maxout(source, ix, 0)?),
        "softmax" => {
            let (weights, bias) = affine()?;
            Box::new(Softmax { weights, bias, temperature: temperature(record)? })
        }
        "linear" | "relu" | "mish" | "gelu" => {
            let activation = Activation::from_name(layer.name()).unwrap_or(Activation::Linear);
            let (weights, bias) = affine()?;
            Box::new(Dense { weights, bias, activation })
        }
        "logistic" | "softmax_activation" => {
            let activation = Activation::from_name(layer.name()).unwrap_or(Activation::Linear);
            Box::new(Function(activation))
        }
        "para-attn" => {
            let transform = layer.layers();
            let transform = (!transform.is_empty()).then(|| read_all(source, transform));
            let key_transform = transform.transpose()?;
            Box::new(Attention { query: record.param("Q")?, key_transform })
        }
        "extract_ngrams" => {
            let (attr, longest) = record.ngrams()?;
            Box::new(ExtractNgrams { longest, attr })
        }
        "sparse_linear" => Box::new(sparse_linear(source, ix)?),
        "extract_spans" => Box::new(ExtractSpans),
        other => {
            let text = format!("the network has a layer {other:?}, which lexpool cannot train");
            return Err(Error::value(codes::MODEL_LAYER, text));
        }
    })
}

fn read_maxout(source: &Source<'_>, ix: NodeIx, window: usize) -> Result<Maxout> {
    let record = source.record(ix);
    let (weights, bias) = (record.param("W")?, record.param("b")?);
    match *source.parameters.tensor(weights).shape() {
        [_, pieces, width] if pieces > 0 && width % (2 * window + 1) == 0 => {
            // A winner is a byte.
            let place = format_args!("the layer {:?}: the number of pieces", record.name);
            let pieces = limits::NETWORK_PIECES.check(pieces, place)?;
            Ok(Maxout { window, weights, bias, pieces })
        }
        ref shape => Err(record.error(&format!("weights of the shape {shape:?}"))),
    }
}

fn static_vectors(source: &Source<'_>, ix: NodeIx, missing_is_last: bool) -> Result<StaticVectors> {
    let record = source.record(ix);
    let weights = record.param("W")?;
    let shape = source.parameters.tensor(weights).shape();
    let &[_, width] = shape else {
        return Err(record.error(&format!("weights of the shape {shape:?}")));
    };
    // The rate of a loop is set wherever the attribute is, also if it is nil.
    let dropout = record.has_attr("dropout_rate").then(|| ix.number());
    Ok(StaticVectors { weights, width, missing_is_last, dropout })
}

fn sparse_linear(source: &Source<'_>, ix: NodeIx) -> Result<SparseLinear> {
    let record = source.record(ix);
    let (weights, bias) = (record.param("W")?, record.param("b")?);
    let length = source.parameters.values(weights).len();
    let length = length.checked_div(source.parameters.values(bias).len());
    let length = length.and_then(|length| u32::try_from(length).ok()).filter(|length| *length > 0);
    let length = length.ok_or_else(|| record.error("its weights are not a table by output"))?;
    let is_adjacent = record.attribute("v1_indexing")? == Some(Value::Bool(true));
    Ok(SparseLinear { weights, bias, length, is_adjacent })
}

fn temperature(record: &Record) -> Result<f32> {
    match Activation::softmax(record.temperature()?)? {
        Activation::Softmax(temperature) => Ok(temperature),
        other => Err(record.error(&format!("its function is {other:?}"))),
    }
}

fn hash_embed(source: &Source<'_>, ix: NodeIx) -> Result<HashEmbed> {
    let record = source.record(ix);
    let table = record.param("E")?;
    let shape = source.parameters.tensor(table).shape();
    let (n_rows, width) = match *shape {
        [rows, width] if rows > 0 && width > 0 => (u32::try_from(rows).ok(), width),
        _ => (None, 0),
    };
    let n_rows = n_rows.ok_or_else(|| record.error(&format!("a table of the shape {shape:?}")))?;
    let seed = record.seed()?;
    // thinc draws a mask where the attribute is; character embeddings have a table without it.
    let dropout = record.has_attr("dropout_rate").then(|| ix.number());
    let column = record.column()?;
    Ok(HashEmbed { table, column, seed, n_rows, width, dropout })
}
