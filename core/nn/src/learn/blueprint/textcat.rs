//! Networks of text categorizers.

use lexpool_error::{Error, Result, codes, limits};
use lexpool_msgpack::Value;
use lexpool_structs::AttrId;

use super::nodes::{Blueprint, Kind, NodeId, Weights};
use super::settings::{Build, Settings};

/// The number of weights of an output in bags of words that set none.
pub(super) const LENGTH: usize = 1 << 18;

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(
    all: &mut Blueprint,
    name: &str,
    settings: &Settings<'_>,
    build_inner: Build,
) -> Result<Option<NodeId>> {
    Ok(Some(match name {
        "spacy.TextCatBOW.v3" => {
            let length = settings.optional_size("length", limits::NETWORK_ROWS)?;
            let length = length.unwrap_or(LENGTH).next_power_of_two();
            let linear = all.sparse_linear(settings.outputs()?, length, false);
            let resizable = all.wrap("resizable", linear);
            let has_output = !settings.flag("no_output_layer", None)?;
            bag_of_words(all, settings, (linear, resizable), has_output)?
        }
        "spacy.TextCatBOW.v2" => {
            let linear = all.sparse_linear(settings.outputs()?, LENGTH, true);
            let resizable = all.wrap("resizable", linear);
            let has_output = !settings.flag("no_output_layer", None)?;
            bag_of_words(all, settings, (linear, resizable), has_output)?
        }
        "spacy.TextCatBOW.v1" => {
            let linear = all.sparse_linear(settings.outputs()?, LENGTH, true);
            let has_output = !settings.flag("no_output_layer", None)?;
            bag_of_words(all, settings, (linear, linear), has_output)?
        }
        "spacy.TextCatReduce.v1" => {
            let kinds = ["first", "last", "max", "mean"];
            let mut used = Vec::new();
            for kind in kinds {
                if settings.flag(&format!("use_reduce_{kind}"), Some(false))? {
                    used.push(kind);
                }
            }
            reduce(all, settings, &used, build_inner)?
        }
        "spacy.TextCatCNN.v2" => reduce(all, settings, &["mean"], build_inner)?,
        "spacy.TextCatCNN.v1" => mean(all, settings, build_inner)?,
        "spacy.TextCatEnsemble.v2" => ensemble(all, settings, build_inner)?,
        "spacy.TextCatParametricAttention.v1" => attention(all, settings, build_inner)?,
        _ => return Ok(None),
    }))
}

/// Builds a bag of words from its linear layer, and that layer or one around it.
pub(super) fn bag_of_words(
    all: &mut Blueprint,
    settings: &Settings<'_>,
    (linear, counted): (NodeId, NodeId),
    has_output: bool,
) -> Result<NodeId> {
    let exclusive = settings.flag("exclusive_classes", None)?;
    let longest = settings.size("ngram_size", limits::NETWORK_NGRAM)?;
    let ngrams = all.plain("extract_ngrams", Kind::Ids);
    all.set_attr(ngrams, "ngram_size", &Value::UInt(longest as u64));
    all.set_attr(ngrams, "attr", &Value::UInt(u64::from(AttrId::ORTH.number())));
    let counts = all.then(ngrams, counted);
    let mut id = all.wrap("with_cpu", counts);
    if has_output {
        let activation = if exclusive { "softmax_activation" } else { "logistic" };
        let activation = all.plain(activation, Kind::Plain);
        let activation = all.wrap("with_cpu", activation);
        id = all.then(id, activation);
    }
    if let Some(outputs) = settings.outputs()? {
        all.set_dim(id, "nO", outputs);
    }
    all.refer(id, "output_layer", linear);
    all.set_attr(id, "multi_label", &Value::Bool(!exclusive));
    Ok(id)
}

/// Builds the mean of the rows of a document, in a network whose outputs cannot change.
fn mean(all: &mut Blueprint, settings: &Settings<'_>, build_inner: Build) -> Result<NodeId> {
    let exclusive = settings.flag("exclusive_classes", None)?;
    let outputs = settings.outputs()?;
    let tok2vec = build_inner(all, &settings.inner("tok2vec")?)?;
    let ragged = all.plain("list2ragged", Kind::Plain);
    let rows = all.then(tok2vec, ragged);
    let mean = all.plain("reduce_mean", Kind::Plain);
    let rows = all.then(rows, mean);
    let inputs = all.known(tok2vec, "nO");
    let output = if exclusive {
        all.softmax(outputs, inputs, true)
    } else {
        all.affine("linear", Weights::Glorot, outputs, inputs)
    };
    let mut id = all.then(rows, output);
    if !exclusive {
        let logistic = all.plain("logistic", Kind::Plain);
        id = all.then(id, logistic);
    }
    all.refer(id, "output_layer", output);
    all.refer(id, "tok2vec", tok2vec);
    if let Some(outputs) = outputs {
        all.set_dim(id, "nO", outputs);
    }
    all.set_attr(id, "multi_label", &Value::Bool(!exclusive));
    Ok(id)
}

fn reduce(
    all: &mut Blueprint,
    settings: &Settings<'_>,
    used: &[&str],
    build_inner: Build,
) -> Result<NodeId> {
    let exclusive = settings.flag("exclusive_classes", None)?;
    let outputs = settings.outputs()?;
    if used.is_empty() {
        let text = "it uses no reduction; set use_reduce_mean, for example";
        return Err(Error::value(codes::E1057, text));
    }
    let tok2vec = build_inner(all, &settings.inner("tok2vec")?)?;
    let reductions: Vec<NodeId> =
        used.iter().map(|kind| all.plain(&format!("reduce_{kind}"), Kind::Plain)).collect();
    let ragged = all.plain("list2ragged", Kind::Plain);
    let rows = all.then(tok2vec, ragged);
    let reductions = all.concatenate(&reductions);
    let rows = all.then(rows, reductions);
    let inputs = all.known(tok2vec, "nO").map(|width| width * used.len());
    let output = if exclusive {
        all.softmax(outputs, inputs, true)
    } else {
        all.affine("linear", Weights::Glorot, outputs, inputs)
    };
    let resizable = all.wrap("resizable", output);
    let mut id = all.then(rows, resizable);
    if !exclusive {
        let logistic = all.plain("logistic", Kind::Plain);
        id = all.then(id, logistic);
    }
    all.refer(id, "output_layer", output);
    all.refer(id, "tok2vec", tok2vec);
    if let Some(outputs) = outputs {
        all.set_dim(id, "nO", outputs);
    }
    all.set_attr(id, "multi_label", &Value::Bool(!exclusive));
    Ok(id)
}

fn ensemble(all: &mut Blueprint, settings: &Settings<'_>, build_inner: Build) -> Result<NodeId> {
    let linear_settings = settings.inner("linear_model")?;
    let exclusive = linear_settings.flag("exclusive_classes", None)?;
    let outputs = settings.outputs()?;
    let tok2vec = build_inner(all, &settings.inner("tok2vec")?)?;
    let linear_model = build_inner(all, &linear_settings)?;
    let width = all.known(tok2vec, "nO");
    let attention = all.attention(width);
    let maxout = all.maxout(width, width, 3);
    let norm = all.layer_norm(width);
    let network = attended(all, tok2vec, attention, maxout, norm);
    let doubled = outputs.map(|outputs| 2 * outputs);
    let output = if exclusive {
        all.softmax(outputs, doubled, true)
    } else {
        let linear = all.affine("linear", Weights::Glorot, outputs, doubled);
        let logistic = all.plain("logistic", Kind::Plain);
        all.then(linear, logistic)
    };
    let both = all.concatenate(&[linear_model, network]);
    let id = all.then(both, output);
    all.node_mut(id).kind = Kind::Attending;
    all.refer(id, "tok2vec", tok2vec);
    if let Some(outputs) = outputs {
        all.set_dim(id, "nO", outputs);
    }
    let of_words = all.node(linear_model).refs.iter().find(|(name, _)| *name == "output_layer");
    if let Some((_, Some(layer))) = of_words.copied() {
        all.refer(id, "output_layer", layer);
    }
    all.refer(id, "attention_layer", attention);
    all.refer(id, "maxout_layer", maxout);
    all.refer(id, "norm_layer", norm);
    all.set_attr(id, "multi_label", &Value::Bool(!exclusive));
    Ok(id)
}

/// Sums the rows of a document, weighted by attention, and adds a hidden layer.
fn attended(
    all: &mut Blueprint,
    tok2vec: NodeId,
    attention: NodeId,
    hidden: NodeId,
    norm: NodeId,
) -> NodeId {
    let ragged = all.plain("list2ragged", Kind::Plain);
    let rows = all.then(tok2vec, ragged);
    let rows = all.then(rows, attention);
    let sum = all.plain("reduce_sum", Kind::Plain);
    let rows = all.then(rows, sum);
    let hidden = all.then(hidden, norm);
    let dropout = all.dropout();
    let hidden = all.then(hidden, dropout);
    let hidden = all.residual(hidden);
    all.then(rows, hidden)
}

fn attention(all: &mut Blueprint, settings: &Settings<'_>, build_inner: Build) -> Result<NodeId> {
    let exclusive = settings.flag("exclusive_classes", None)?;
    let outputs = settings.outputs()?;
    let tok2vec = build_inner(all, &settings.inner("tok2vec")?)?;
    let width = all.known(tok2vec, "nO");
    let hidden = all.maxout(width, width, 3);
    let transform = all.affine("gelu", Weights::He, width, width);
    let attention = all.attention(width);
    all.node_mut(attention).layers.push(transform);
    all.refer(attention, "key_transform", transform);
    let norm = all.layer_norm(width);
    let rows = attended(all, tok2vec, attention, hidden, norm);
    all.node_mut(rows).kind = Kind::Attending;
    for (name, to) in [
        ("tok2vec", tok2vec),
        ("attention_layer", attention),
        ("key_transform", transform),
        ("nonlinear_layer", hidden),
        ("norm_layer", norm),
    ] {
        all.refer(rows, name, to);
    }
    let output = if exclusive {
        all.softmax(outputs, None, true)
    } else {
        let linear = all.affine("linear", Weights::Glorot, outputs, None);
        let logistic = all.plain("logistic", Kind::Plain);
        all.then(linear, logistic)
    };
    let id = all.then(rows, output);
    if let Some(outputs) = outputs {
        all.set_dim(id, "nO", outputs);
    }
    all.refer(id, "output_layer", output);
    all.set_attr(id, "multi_label", &Value::Bool(!exclusive));
    Ok(id)
}
