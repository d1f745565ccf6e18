//! Modules of single layers, from the nodes of a file.

use lexpool_error::{Error, Result, codes};
use lexpool_msgpack::Value;

use super::Module;
use super::attention::Attention;
use super::char_embed::CharEmbed;
use super::dense::{Dense, Window};
use super::inputs::{ColumnEmbed, ExtractFeatures, Listener, StaticVectors};
use super::ngrams::ExtractNgrams;
use super::spans::ExtractSpans;
use crate::describe::{Attributes, LISTENER, ModelNode};
use crate::infer::activations::Activation;
use crate::infer::packed::PackedWeights;
use crate::infer::pooling::Pooling;
use crate::infer::sparse_linear::SparseLinear;
use crate::infer::table::Table;
use crate::infer::weights::{HashEmbed, LayerNorm, Linear};

/// Reads the module of a layer that its name describes. `part` is the module of the layer that it
/// consists of.
pub(super) fn read(node: &ModelNode<'_>, part: Option<Box<dyn Module>>) -> Result<Box<dyn Module>> {
    if let Some(pooling) = Pooling::from_name(node.name()) {
        return Ok(Box::new(pooling));
    }
    Ok(match node.name() {
        "extract_features" => Box::new(ExtractFeatures(node.columns()?)),
        "hashembed" => {
            Box::new(ColumnEmbed { column: node.column()?, embed: HashEmbed::read(node)? })
        }
        "charembed" => {
            let tables = node.required_param("E", 3)?;
            let embed = CharEmbed::new(tables.shape(), Table::new(node, tables));
            Box::new(embed.map_err(|text| node.error(&text))?)
        }
        LISTENER => Box::new(Listener { width: node.listened_width()? }),
        "layernorm" => Box::new(LayerNorm::read(node)?),
        "expand_window" => Box::new(Window(node.window()?)),
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
            let (attr, longest) = node.ngrams()?;
            Box::new(ExtractNgrams { longest, attr })
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
        return Err(node.error("its weights are empty"));
    }
    let weights = PackedWeights::new(&weights.to_vec(), weights.shape()[1]);
    Ok(StaticVectors { weights, missing_is_last })
}

fn softmax(node: &ModelNode<'_>) -> Result<Dense> {
    let linear = Linear::read(node)?;
    if node.attr("softmax_normalize")? == Some(Value::Bool(false)) {
        return Ok(Dense { linear, activation: Activation::Linear });
    }
    Ok(Dense { linear, activation: Activation::softmax(node.temperature()?)? })
}
