//! The recursion over sections, and networks of taggers, parsers and span categorizers.

use lexpool_error::{Result, limits};
use lexpool_msgpack::Value;

use super::initialize::Sample;
use super::nodes::{Blueprint, Kind, NodeId, Weights};
use super::settings::{Build, Settings};
use super::{first_ensemble, pretraining, textcat, tok2vec};

/// Builds the layer of a section.
pub(super) fn build(all: &mut Blueprint, settings: &Settings<'_>) -> Result<NodeId> {
    let name = settings.registered()?;
    let families =
        [tok2vec::build, textcat::build, first_ensemble::build, pretraining::build, build_own];
    for family in families {
        if let Some(id) = family(all, name, settings, build)? {
            return Ok(id);
        }
    }
    Err(settings.unknown(name))
}

/// Returns the input with which a network is initialized.
pub(super) fn sample(all: &Blueprint, root: NodeId) -> Sample {
    let first = all.node(root).layers.first();
    let takes_spans = first.is_some_and(|id| all.node(*id).kind == Kind::WithGetitem);
    if takes_spans { Sample::DocumentsAndSpans } else { Sample::Documents }
}

/// Builds an architecture of this family; `None` for another name.
fn build_own(
    all: &mut Blueprint,
    name: &str,
    settings: &Settings<'_>,
    _build_inner: Build,
) -> Result<Option<NodeId>> {
    Ok(Some(match name {
        "spacy.Tagger.v2" => tagger(all, settings, settings.flag("normalize", Some(false))?)?,
        "spacy.Tagger.v1" => tagger(all, settings, true)?,
        "spacy.TransitionBasedParser.v2" | "spacy.TransitionBasedParser.v1" => {
            parser(all, settings)?
        }
        "spacy.SpanCategorizer.v1" => span_categorizer(all, settings)?,
        "spacy.SpanFinder.v1" => span_finder(all, settings)?,
        "spacy.EntityLinker.v2" => entity_linker(all, settings, true)?,
        "spacy.EntityLinker.v1" => entity_linker(all, settings, false)?,
        "spacy.mean_max_reducer.v1" => mean_max_reducer(all, settings)?,
        "spacy.LinearLogistic.v1" => {
            let inputs = None;
            let linear = all.affine("linear", Weights::Glorot, settings.outputs()?, inputs);
            let logistic = all.plain("logistic", Kind::Plain);
            all.then(linear, logistic)
        }
        "Softmax.v1" => all.softmax(settings.outputs()?, None, true),
        "Softmax.v2" => {
            let normalize = settings.flag("normalize_outputs", Some(true))?;
            all.softmax(settings.outputs()?, None, normalize)
        }
        _ => return Ok(None),
    }))
}

fn tagger(all: &mut Blueprint, settings: &Settings<'_>, normalize: bool) -> Result<NodeId> {
    let tok2vec = build(all, &settings.inner("tok2vec")?)?;
    let width = all.known(tok2vec, "nO");
    let output = all.softmax(settings.outputs()?, width, normalize);
    let softmax = all.with_array(output, 0);
    let id = all.then(tok2vec, softmax);
    all.refer(id, "tok2vec", tok2vec);
    all.refer(id, "softmax", output);
    all.refer(id, "output_layer", output);
    Ok(id)
}

fn parser(all: &mut Blueprint, settings: &Settings<'_>) -> Result<NodeId> {
    let more = settings.flag("extra_state_tokens", None)?;
    let features = match (settings.text("state_type", "")?, more) {
        ("parser", false) => 8,
        ("parser", true) => 13,
        ("ner", false) => 3,
        ("ner", true) => 6,
        _ => return Err(settings.error("\"state_type\" is neither \"parser\" nor \"ner\"")),
    };
    let hidden = settings.size("hidden_width", limits::NETWORK_WIDTH)?;
    let pieces = settings.size("maxout_pieces", limits::NETWORK_PIECES)?;
    let has_upper = settings.flag("use_upper", Some(true))?;
    let outputs = settings.outputs()?;
    let tok2vec = build(all, &settings.inner("tok2vec")?)?;
    let array = all.plain("list2array", Kind::Plain);
    let width = all.known(tok2vec, "nO");
    let linear = all.affine("linear", Weights::Glorot, Some(hidden), width);
    let tokens = all.chain(&[tok2vec, array, linear]);
    let lower_outputs = if has_upper { Some(hidden) } else { outputs };
    let lower = all.precomputable_affine(lower_outputs, hidden, features, pieces);
    let upper = if has_upper {
        all.affine("linear", Weights::Zero, outputs, None)
    } else {
        all.plain("noop", Kind::Plain)
    };
    let id = all.named("parser_model", Kind::Plain, &[tokens, lower, upper]);
    let inputs = all.known(tokens, "nI");
    all.node_mut(id).dims.push(("nI", inputs));
    all.refer(id, "tok2vec", tokens);
    all.refer(id, "lower", lower);
    all.refer(id, "upper", upper);
    all.set_attr(id, "has_upper", &Value::Bool(has_upper));
    Ok(id)
}

fn span_categorizer(all: &mut Blueprint, settings: &Settings<'_>) -> Result<NodeId> {
    let tok2vec = build(all, &settings.inner("tok2vec")?)?;
    let reducer = build(all, &settings.inner("reducer")?)?;
    let scorer = build(all, &settings.inner("scorer")?)?;
    let ragged = all.plain("list2ragged", Kind::Plain);
    let tokens = all.then(tok2vec, ragged);
    let tokens = all.with_getitem(tokens);
    let spans = all.plain("extract_spans", Kind::Plain);
    let id = all.chain(&[tokens, spans, reducer, scorer]);
    all.refer(id, "tok2vec", tok2vec);
    all.refer(id, "reducer", reducer);
    all.refer(id, "scorer", scorer);
    Ok(id)
}

fn span_finder(all: &mut Blueprint, settings: &Settings<'_>) -> Result<NodeId> {
    let tok2vec = build(all, &settings.inner("tok2vec")?)?;
    let scorer = build(all, &settings.inner("scorer")?)?;
    let logistic = all.with_array(scorer, 0);
    let flattener = all.plain("Flattener", Kind::Plain);
    let id = all.chain(&[tok2vec, logistic, flattener]);
    all.refer(id, "tok2vec", tok2vec);
    all.refer(id, "scorer", scorer);
    all.refer(id, "logistic_layer", logistic);
    Ok(id)
}

/// Builds the encoder of contexts: of the sentences of entities, or in the first version of whole
/// documents.
fn entity_linker(all: &mut Blueprint, settings: &Settings<'_>, has_spans: bool) -> Result<NodeId> {
    const PIECES: usize = 2;
    let tok2vec = build(all, &settings.inner("tok2vec")?)?;
    let width = all.known(tok2vec, "nO");
    let ragged = all.plain("list2ragged", Kind::Plain);
    let mut rows = all.then(tok2vec, ragged);
    if has_spans {
        let sentences = all.plain("span_maker", Kind::Plain);
        all.set_attr(sentences, "n_sents", &Value::UInt(0));
        let both = all.tuple(&[rows, sentences]);
        let spans = all.plain("extract_spans", Kind::Plain);
        rows = all.then(both, spans);
    }
    let mean = all.plain("reduce_mean", Kind::Plain);
    let rows = all.then(rows, mean);
    let maxout = all.maxout(width, width, PIECES);
    let dropout = all.dropout();
    let hidden = all.then(maxout, dropout);
    let hidden = all.residual(hidden);
    let hidden = all.then(rows, hidden);
    let output = all.affine("linear", Weights::Glorot, settings.outputs()?, width);
    let id = all.then(hidden, output);
    all.refer(id, "output_layer", output);
    all.refer(id, "tok2vec", tok2vec);
    if has_spans {
        all.set_attr(id, "include_span_maker", &Value::Bool(true));
    }
    Ok(id)
}

fn mean_max_reducer(all: &mut Blueprint, settings: &Settings<'_>) -> Result<NodeId> {
    let kinds = ["reduce_last", "reduce_first", "reduce_mean", "reduce_max"];
    let reductions: Vec<NodeId> = kinds.iter().map(|kind| all.plain(kind, Kind::Plain)).collect();
    let reductions = all.concatenate(&reductions);
    let maxout = all.maxout(Some(settings.size("hidden_size", limits::NETWORK_WIDTH)?), None, 3);
    let normalized = all.normalized_with_dropout(maxout);
    Ok(all.then(reductions, normalized))
}
