//! Modules of single layers, from the nodes of a file.

use lexpool_error::limits::{self, Limit};
use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::Value;
use lexpool_structs::AttrId;

use super::Module;
use super::attention::Attention;
use super::char_embed::CharEmbed;
use super::dense::{Dense, Window};
use super::inputs::{ColumnEmbed, ExtractFeatures, Listener, StaticVectors};
use super::ngrams::ExtractNgrams;
use super::spans::ExtractSpans;
use crate::describe::{LISTENER, ModelNode};
use crate::infer::activations::Activation;
use crate::infer::layers::{HashEmbed, LayerNorm, Linear};
use crate::infer::packed::PackedWeights;
use crate::infer::pooling::Pooling;
use crate::infer::sparse_linear::SparseLinear;
use crate::infer::table::Table;

/// Returns the number of rows of zeros around a document.
pub(super) fn padding(node: &ModelNode<'_>) -> Result<usize> {
    count(node, "pad", 0, limits::NETWORK_WINDOW)
}

/// Returns the number of neighbours on each side.
pub(super) fn window(node: &ModelNode<'_>) -> Result<usize> {
    count(node, "window_size", 1, limits::NETWORK_WINDOW)
}

/// Reads the module of a layer that its name describes. `part` is the module of the layer that it
/// consists of.
pub(super) fn read(node: &ModelNode<'_>, part: Option<Box<dyn Module>>) -> Result<Box<dyn Module>> {
    if let Some(pooling) = Pooling::from_name(node.name()) {
        return Ok(Box::new(pooling));
    }
    Ok(match node.name() {
        "extract_features" => Box::new(ExtractFeatures(columns(node)?)),
        "hashembed" => {
            let column = count(node, "column", 0, limits::NETWORK_COLUMN)?;
            Box::new(ColumnEmbed { column, embed: HashEmbed::read(node)? })
        }
        "charembed" => {
            let tables = node.required_param("E", 3)?;
            let embed = CharEmbed::new(tables.shape(), Table::new(node, tables));
            Box::new(embed.map_err(|text| mismatch(node, &text))?)
        }
        LISTENER => Box::new(listener(node)?),
        "layernorm" => Box::new(LayerNorm::read(node)?),
        "expand_window" => Box::new(Window(window(node)?)),
        "softmax" => Box::new(softmax(node)?),
        "linear" | "relu" | "mish" | "gelu" => {
            let activation = Activation::from_name(node.name()).unwrap_or(Activation::Linear);
            Box::new(Dense { linear: Linear::read(node)?, activation })
        }
        "logistic" => Box::new(Activation::Logistic),
        "softmax_activation" => Box::new(Activation::softmax(1.0)?),
        "para-attn" => {
            let query = node.required_param("Q", 1)?.to_vec();
            Box::new(Attention { query, key_transform: part })
        }
        "extract_ngrams" => {
            let longest = count(node, "ngram_size", 1, limits::NETWORK_NGRAM)?;
            let attr = node.attr("attr")?.unwrap_or(Value::Nil);
            Box::new(ExtractNgrams { longest, attr: attribute(node, &attr)? })
        }
        "sparse_linear" => Box::new(SparseLinear::read(node)?),
        "extract_spans" => Box::new(ExtractSpans),
        other => {
            let text = format!("the network has a layer {other:?}, which lexpool lacks");
            return Err(Error::value(codes::MODEL_LAYER, text));
        }
    })
}

pub(super) fn static_vectors(node: &ModelNode<'_>, missing_is_last: bool) -> Result<StaticVectors> {
    let weights = node.required_param("W", 2)?;
    if weights.shape().contains(&0) {
        return Err(mismatch(node, "its weights are empty"));
    }
    let weights = PackedWeights::new(&weights.to_vec(), weights.shape()[1]);
    Ok(StaticVectors { weights, missing_is_last })
}

fn listener(node: &ModelNode<'_>) -> Result<Listener> {
    let width = node.dim("nO").filter(|width| *width > 0);
    let width = width.ok_or_else(|| mismatch(node, "its dimension \"nO\" is missing or 0"))?;
    let place = format_args!("the layer {:?}: its dimension \"nO\"", node.name());
    Ok(Listener { width: limits::NETWORK_WIDTH.check(width, place)? })
}

fn softmax(node: &ModelNode<'_>) -> Result<Dense> {
    let linear = Linear::read(node)?;
    if node.attr("softmax_normalize")? == Some(Value::Bool(false)) {
        return Ok(Dense { linear, activation: Activation::Linear });
    }
    let temperature = match node.attr("softmax_temperature")? {
        Some(Value::Float(temperature)) => temperature,
        #[expect(clippy::cast_precision_loss, reason = "temperatures are small")]
        Some(Value::UInt(temperature)) => temperature as f64,
        None => 1.0,
        Some(other) => {
            let text = format!("its temperature is {other:?}; expected a number above 0");
            return Err(mismatch(node, &text));
        }
    };
    Ok(Dense { linear, activation: Activation::softmax(temperature)? })
}

fn columns(node: &ModelNode<'_>) -> Result<Vec<AttrId>> {
    match node.attr("columns")? {
        Some(Value::Array(columns)) => {
            columns.iter().map(|column| attribute(node, column)).collect()
        }
        other => Err(mismatch(node, &format!("its columns are {other:?}, not a list"))),
    }
}

/// Reads an attribute by its name or its number.
fn attribute(node: &ModelNode<'_>, value: &Value) -> Result<AttrId> {
    let attr = match value {
        Value::Str(name) => AttrId::from_name(name),
        Value::UInt(number) => u32::try_from(*number).ok().map(AttrId::new),
        _ => None,
    };
    let named = attr.filter(|attr| attr.name().is_some_and(|name| !name.is_empty()));
    named.ok_or_else(|| mismatch(node, &format!("{value:?} is not an attribute of tokens")))
}

/// Reads a whole number up to a limit.
fn count(node: &ModelNode<'_>, name: &str, default: usize, limit: Limit) -> Result<usize> {
    match node.attr(name)? {
        None | Some(Value::Nil) => Ok(default),
        Some(Value::UInt(number)) => {
            limit.check(number, format_args!("the layer {:?}: {name:?}", node.name()))
        }
        Some(other) => {
            let text = format!("{name:?} is {other:?}; expected a whole number");
            Err(mismatch(node, &text))
        }
    }
}

fn mismatch(node: &ModelNode<'_>, text: &str) -> Error {
    Error::value(codes::MODEL_STRUCTURE, format!("the layer {:?}: {text}", node.name()))
}
