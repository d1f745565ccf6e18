//! Networks of text categorizers.
//!
//! Source: `spacy.ml.models.textcat` of spaCy 3.8 and `spacy_legacy.architectures.textcat` of
//! spacy-legacy 3.

use lexpool_error::{Error, Result, codes, limits};
use lexpool_msgpack::Value;
use lexpool_structs::AttrId;

use super::blueprint::{FirstWeights, Kind, Version};
use super::builder::{Builder, Built};
use super::layers::outputs;
use super::model_file::NodeIx;
use super::settings::Settings;

/// The number of weights of an output in bags of words that set none.
const LENGTH: usize = 1 << 18;
/// The pieces of a hidden layer.
const PIECES: usize = 3;

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(name: &str, settings: &Settings<'_>, builder: &mut Builder) -> Built {
    use Version::{First, Second};
    Ok(Some(match name {
        "spacy.TextCatBOW.v3" => {
            let length = settings.optional_size("length", limits::NETWORK_ROWS)?;
            let length = length.unwrap_or(LENGTH).next_power_of_two();
            bag_of_words(builder, settings, (Second, length), true)?
        }
        "spacy.TextCatBOW.v2" => bag_of_words(builder, settings, (First, LENGTH), true)?,
        "spacy.TextCatBOW.v1" => bag_of_words(builder, settings, (First, LENGTH), false)?,
        "spacy.TextCatReduce.v1" => reduce(builder, settings, &reductions(settings)?, true)?,
        "spacy.TextCatCNN.v2" => reduce(builder, settings, &["reduce_mean"], true)?,
        "spacy.TextCatCNN.v1" => reduce(builder, settings, &["reduce_mean"], false)?,
        "spacy.TextCatEnsemble.v2" => ensemble(builder, settings)?,
        "spacy.TextCatParametricAttention.v1" => attention(builder, settings)?,
        _ => return Ok(None),
    }))
}

fn is_exclusive(settings: &Settings<'_>) -> Result<bool> {
    settings.required_flag("exclusive_classes", false)
}

fn bag_of_words(
    builder: &mut Builder,
    settings: &Settings<'_>,
    table: (Version, usize),
    is_resizable: bool,
) -> Result<NodeIx> {
    let has_output = !settings.required_flag("no_output_layer", false)?;
    Ok(counted_words(builder, settings, table, is_resizable, has_output)?.0)
}

/// Builds a bag of words, whose sparse layer has a version and so many weights for each output.
/// Returns also that layer.
fn counted_words(
    builder: &mut Builder,
    settings: &Settings<'_>,
    (version, length): (Version, usize),
    is_resizable: bool,
    has_output: bool,
) -> Result<(NodeIx, NodeIx)> {
    let linear = builder.sparse_linear(outputs(settings)?, Some(length), version);
    let around = if is_resizable { builder.wrap("resizable", linear) } else { linear };
    let exclusive = is_exclusive(settings)?;
    let longest = settings.size("ngram_size", limits::NETWORK_NGRAM)?.unwrap_or(1);
    let ngrams = builder.named("extract_ngrams", Kind::Ids, &[]);
    builder.set_attr(ngrams, "ngram_size", &Value::UInt(longest as u64));
    builder.set_attr(ngrams, "attr", &Value::UInt(u64::from(AttrId::ORTH.number())));
    let counts = builder.then(ngrams, around);
    let mut root = builder.wrap("with_cpu", counts);
    if has_output {
        let activation = if exclusive { "softmax_activation" } else { "logistic" };
        let activation = builder.plain(activation);
        let activation = builder.wrap("with_cpu", activation);
        root = builder.then(root, activation);
    }
    builder.set_width(root, outputs(settings)?);
    builder.refer(root, &[("output_layer", linear)]);
    builder.set_attr(root, "multi_label", &Value::Bool(!exclusive));
    Ok((root, linear))
}

/// Builds the bag of words of the first ensemble. Returns also its sparse layer.
pub(super) fn first_counted_words(
    builder: &mut Builder,
    settings: &Settings<'_>,
) -> Result<(NodeIx, NodeIx)> {
    counted_words(builder, settings, (Version::First, LENGTH), false, true)
}

/// Returns the names of the reductions that are set.
fn reductions(settings: &Settings<'_>) -> Result<Vec<&'static str>> {
    let mut reductions = Vec::new();
    for (key, name) in [
        ("use_reduce_first", "reduce_first"),
        ("use_reduce_last", "reduce_last"),
        ("use_reduce_max", "reduce_max"),
        ("use_reduce_mean", "reduce_mean"),
    ] {
        if settings.flag(key, false)? {
            reductions.push(name);
        }
    }
    if reductions.is_empty() {
        let text = "it uses no reduction; set use_reduce_mean, for example";
        return Err(Error::value(codes::E1057, format!("[{}]: {text}", settings.section())));
    }
    Ok(reductions)
}

/// Builds reductions of the rows of a document, and outputs whose number can change if they are
/// resizable.
fn reduce(
    builder: &mut Builder,
    settings: &Settings<'_>,
    reductions: &[&str],
    is_resizable: bool,
) -> Result<NodeIx> {
    let exclusive = is_exclusive(settings)?;
    let outputs = outputs(settings)?;
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let parts: Vec<NodeIx> = reductions.iter().map(|name| builder.plain(name)).collect();
    let rows = builder.then_plain(tok2vec, "list2ragged");
    let parts = builder.concatenate(&parts);
    let rows = builder.then(rows, parts);
    let inputs = builder.width(tok2vec).map(|width| width * reductions.len());
    let output = if exclusive {
        builder.softmax(outputs, inputs, true)
    } else {
        builder.linear(outputs, inputs)
    };
    let around = if is_resizable { builder.wrap("resizable", output) } else { output };
    let mut root = builder.then(rows, around);
    if !exclusive {
        root = builder.then_plain(root, "logistic");
    }
    builder.refer(root, &[("output_layer", output), ("tok2vec", tok2vec)]);
    builder.set_width(root, outputs);
    builder.set_attr(root, "multi_label", &Value::Bool(!exclusive));
    Ok(root)
}

/// Builds outputs that are one layer with their function.
fn activated(
    builder: &mut Builder,
    exclusive: bool,
    outputs: Option<usize>,
    inputs: Option<usize>,
) -> NodeIx {
    if exclusive {
        return builder.softmax(outputs, inputs, true);
    }
    let linear = builder.linear(outputs, inputs);
    builder.then_plain(linear, "logistic")
}

fn ensemble(builder: &mut Builder, settings: &Settings<'_>) -> Result<NodeIx> {
    let linear_settings = settings.inner("linear_model")?;
    let exclusive = is_exclusive(&linear_settings)?;
    let outputs = outputs(settings)?;
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let linear_model = builder.layer(&linear_settings)?;
    let width = builder.width(tok2vec);
    let attention = builder.attention(width);
    let (network, maxout, norm) = attend(builder, tok2vec, attention);
    let doubled = outputs.map(|outputs| 2 * outputs);
    let output = activated(builder, exclusive, outputs, doubled);
    let both = builder.concatenate(&[linear_model, network]);
    let root = builder.then(both, output);
    builder.node_mut(root).kind = Kind::Attending;
    builder.set_width(root, outputs);
    builder.refer(root, &[("tok2vec", tok2vec)]);
    if let Some(layer) = builder.node(linear_model).reference("output_layer") {
        builder.refer(root, &[("output_layer", layer)]);
    }
    let refs = [("attention_layer", attention), ("maxout_layer", maxout), ("norm_layer", norm)];
    builder.refer(root, &refs);
    builder.set_attr(root, "multi_label", &Value::Bool(!exclusive));
    Ok(root)
}

/// Sums the rows of a document, weighted by attention, and adds a hidden layer. Returns also the
/// maxout layer and the normalization in it.
fn attend(builder: &mut Builder, tok2vec: NodeIx, attention: NodeIx) -> (NodeIx, NodeIx, NodeIx) {
    let width = builder.width(tok2vec);
    let rows = builder.then_plain(tok2vec, "list2ragged");
    let rows = builder.then(rows, attention);
    let rows = builder.then_plain(rows, "reduce_sum");
    let maxout = builder.maxout(width, width, Some(PIECES));
    let norm = builder.layer_norm(width);
    let hidden = builder.then(maxout, norm);
    let hidden = builder.then_dropout(hidden);
    let hidden = builder.residual(hidden);
    (builder.then(rows, hidden), maxout, norm)
}

fn attention(builder: &mut Builder, settings: &Settings<'_>) -> Result<NodeIx> {
    let exclusive = is_exclusive(settings)?;
    let outputs = outputs(settings)?;
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let width = builder.width(tok2vec);
    let transform = builder.affine("gelu", FirstWeights::He, width, width);
    let attention = builder.attention(width);
    builder.node_mut(attention).layers.push(transform);
    builder.refer(attention, &[("key_transform", transform)]);
    let (rows, maxout, norm) = attend(builder, tok2vec, attention);
    builder.node_mut(rows).kind = Kind::Attending;
    builder.refer(
        rows,
        &[
            ("tok2vec", tok2vec),
            ("attention_layer", attention),
            ("key_transform", transform),
            ("nonlinear_layer", maxout),
            ("norm_layer", norm),
        ],
    );
    let output = activated(builder, exclusive, outputs, None);
    let root = builder.then(rows, output);
    builder.set_width(root, outputs);
    builder.refer(root, &[("output_layer", output)]);
    builder.set_attr(root, "multi_label", &Value::Bool(!exclusive));
    Ok(root)
}
