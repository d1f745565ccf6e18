//! Networks with a result for each token or each state of a parse: taggers, span finders, parsers.
//!
//! Source: `spacy.ml.models` of spaCy 3.8.

use lexpool_error::{Result, limits};
use lexpool_msgpack::Value;

use super::blueprint::{FirstWeights, Kind};
use super::builder::{Builder, Built};
use super::layers::outputs;
use super::model_file::NodeIx;
use super::settings::Settings;

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(name: &str, settings: &Settings<'_>, builder: &mut Builder) -> Built {
    Ok(Some(match name {
        "spacy.Tagger.v2" => {
            let normalize = settings.flag("normalize", false)?;
            tagger(builder, settings, normalize)?
        }
        "spacy.Tagger.v1" => tagger(builder, settings, true)?,
        "spacy.SpanFinder.v1" => span_finder(builder, settings)?,
        "spacy.TransitionBasedParser.v2" | "spacy.TransitionBasedParser.v1" => {
            parser(builder, settings)?
        }
        _ => return Ok(None),
    }))
}

fn tagger(builder: &mut Builder, settings: &Settings<'_>, normalize: bool) -> Result<NodeIx> {
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let output = builder.softmax(outputs(settings)?, builder.width(tok2vec), normalize);
    let softmax = builder.with_array(output, 0);
    let root = builder.then(tok2vec, softmax);
    builder.refer(root, &[("tok2vec", tok2vec), ("softmax", output), ("output_layer", output)]);
    Ok(root)
}

fn span_finder(builder: &mut Builder, settings: &Settings<'_>) -> Result<NodeIx> {
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let scorer = builder.inner(settings, "scorer")?;
    let logistic = builder.with_array(scorer, 0);
    let flattener = builder.plain("Flattener");
    let root = builder.chain(&[tok2vec, logistic, flattener]);
    builder.refer(root, &[("tok2vec", tok2vec), ("scorer", scorer), ("logistic_layer", logistic)]);
    Ok(root)
}

fn parser(builder: &mut Builder, settings: &Settings<'_>) -> Result<NodeIx> {
    let features = n_features(settings)?;
    let hidden = settings.size("hidden_width", limits::NETWORK_WIDTH)?;
    let pieces = settings.size("maxout_pieces", limits::NETWORK_PIECES)?;
    let has_upper = settings.flag("use_upper", true)?;
    let outputs = outputs(settings)?;
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let array = builder.plain("list2array");
    let linear = builder.linear(hidden, builder.width(tok2vec));
    let tokens = builder.chain(&[tok2vec, array, linear]);
    let lower = builder.precomputable_affine([
        ("nO", if has_upper { hidden } else { outputs }),
        ("nI", hidden),
        ("nF", features),
        ("nP", pieces),
    ]);
    let upper = if has_upper {
        builder.affine("linear", FirstWeights::Zero, outputs, None)
    } else {
        builder.plain("noop")
    };
    let root = builder.named("parser_model", Kind::Parser, &[tokens, lower, upper]);
    let inputs = builder.node(tokens).dim("nI");
    builder.node_mut(root).dims.push(("nI", inputs));
    builder.refer(root, &[("tok2vec", tokens), ("lower", lower), ("upper", upper)]);
    builder.set_attr(root, "has_upper", &Value::Bool(has_upper));
    Ok(root)
}

/// Returns the number of features of a state; `None` if the file has it.
fn n_features(settings: &Settings<'_>) -> Result<Option<usize>> {
    if !settings.is_for_new() {
        return Ok(None);
    }
    let has_extra_tokens = settings.required_flag("extra_state_tokens", false)?;
    Ok(Some(match (settings.text("state_type", "")?, has_extra_tokens) {
        ("parser", false) => 8,
        ("parser", true) => 13,
        ("ner", false) => 3,
        ("ner", true) => 6,
        _ => return Err(settings.error("\"state_type\" is neither \"parser\" nor \"ner\"")),
    }))
}
