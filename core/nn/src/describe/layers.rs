//! Layers that settings name under "@layers".

use lexpool_error::{Result, limits};

use super::blueprint::FirstWeights;
use super::builder::{Builder, Built};
use super::model_file::NodeIx;
use super::settings::Settings;

/// The layers that networks of spaCy have, whose sizes and first weights are described too.
const OF_NEW_NETWORKS: [&str; 4] =
    ["spacy.LinearLogistic.v1", "spacy.mean_max_reducer.v1", "Softmax.v1", "Softmax.v2"];

/// Builds a registered layer; `None` for another name.
pub(super) fn build(name: &str, settings: &Settings<'_>, builder: &mut Builder) -> Built {
    let layer = match name {
        "spacy.LinearLogistic.v1" => {
            let linear = builder.linear(outputs(settings)?, None);
            builder.then_plain(linear, "logistic")
        }
        "spacy.mean_max_reducer.v1" => mean_max_reducer(builder, settings)?,
        "Softmax.v1" => builder.softmax(outputs(settings)?, None, true),
        "Softmax.v2" => {
            let normalize = settings.flag("normalize_outputs", true)?;
            builder.softmax(outputs(settings)?, None, normalize)
        }
        "Linear.v1" => builder.linear(None, None),
        "Logistic.v1" => builder.plain("logistic"),
        "Maxout.v1" => {
            let maxout = builder.maxout(None, None, None);
            dense(builder, maxout, settings)?
        }
        "Mish.v1" => affine(builder, "mish", settings)?,
        "Relu.v1" => affine(builder, "relu", settings)?,
        "Gelu.v1" => affine(builder, "gelu", settings)?,
        "LayerNorm.v1" => builder.layer_norm(None),
        "Dropout.v1" => builder.dropout(),
        "list2ragged.v1"
        | "noop.v1"
        | "reduce_first.v1"
        | "reduce_last.v1"
        | "reduce_max.v1"
        | "reduce_mean.v1"
        | "reduce_sum.v1"
        | "softmax_activation.v1" => builder.plain(name.trim_end_matches(".v1")),
        "chain.v1" => {
            let layers = arguments(builder, settings)?;
            builder.chain(&layers)
        }
        "concatenate.v1" => {
            let layers = arguments(builder, settings)?;
            builder.concatenate(&layers)
        }
        "residual.v1" => {
            let layer = builder.inner(settings, "layer")?;
            builder.residual(layer)
        }
        "with_array.v1" => {
            let layer = builder.inner(settings, "layer")?;
            builder.with_array(layer, 0)
        }
        _ => return Ok(None),
    };
    if settings.is_for_new() && !OF_NEW_NETWORKS.contains(&name) {
        return Err(settings.only_loaded(name));
    }
    Ok(Some(layer))
}

/// Returns a number of outputs, if it is set.
pub(super) fn outputs(settings: &Settings<'_>) -> Result<Option<usize>> {
    settings.optional_size("nO", limits::NETWORK_WIDTH)
}

fn arguments(builder: &mut Builder, settings: &Settings<'_>) -> Result<Vec<NodeIx>> {
    settings.arguments()?.iter().map(|argument| builder.layer(argument)).collect()
}

fn affine(builder: &mut Builder, name: &str, settings: &Settings<'_>) -> Result<NodeIx> {
    let layer = builder.affine(name, FirstWeights::Glorot, None, None);
    dense(builder, layer, settings)
}

/// Builds a dense layer with the settings `normalize` and `dropout`.
fn dense(builder: &mut Builder, layer: NodeIx, settings: &Settings<'_>) -> Result<NodeIx> {
    let mut dense = layer;
    if settings.flag("normalize", false)? {
        dense = builder.normalized(dense);
    }
    if settings.get("dropout").is_some() {
        dense = builder.then_dropout(dense);
    }
    Ok(dense)
}

fn mean_max_reducer(builder: &mut Builder, settings: &Settings<'_>) -> Result<NodeIx> {
    let kinds = ["reduce_last", "reduce_first", "reduce_mean", "reduce_max"];
    let reductions = kinds.map(|kind| builder.plain(kind));
    let reductions = builder.concatenate(&reductions);
    let hidden = settings.size("hidden_size", limits::NETWORK_WIDTH)?;
    let maxout = builder.maxout(hidden, None, Some(3));
    let hidden = builder.normalized_with_dropout(maxout);
    Ok(builder.then(reductions, hidden))
}
