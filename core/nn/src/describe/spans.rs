//! Networks with a result for each span: span categorizers and entity linkers.
//!
//! Source: `spacy.ml.models.spancat` and `entity_linker` of spaCy 3.8.

use lexpool_error::Result;
use lexpool_msgpack::Value;

use super::builder::{Builder, Built};
use super::layers::outputs;
use super::model_file::NodeIx;
use super::settings::Settings;

/// The pieces of the hidden layer of an entity linker.
const PIECES: usize = 2;

/// Builds an architecture of this family; `None` for another name.
pub(super) fn build(name: &str, settings: &Settings<'_>, builder: &mut Builder) -> Built {
    Ok(Some(match name {
        "spacy.SpanCategorizer.v1" => span_categorizer(builder, settings)?,
        "spacy.EntityLinker.v2" => entity_linker(builder, settings, true)?,
        "spacy.EntityLinker.v1" => entity_linker(builder, settings, false)?,
        _ => return Ok(None),
    }))
}

fn span_categorizer(builder: &mut Builder, settings: &Settings<'_>) -> Result<NodeIx> {
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let reducer = builder.inner(settings, "reducer")?;
    let scorer = builder.inner(settings, "scorer")?;
    let tokens = builder.then_plain(tok2vec, "list2ragged");
    let tokens = builder.with_getitem(tokens);
    let spans = builder.plain("extract_spans");
    let root = builder.chain(&[tokens, spans, reducer, scorer]);
    builder.refer(root, &[("tok2vec", tok2vec), ("reducer", reducer), ("scorer", scorer)]);
    Ok(root)
}

/// Builds the encoder of contexts: of the sentences of entities, or in the first version of whole
/// documents.
fn entity_linker(
    builder: &mut Builder,
    settings: &Settings<'_>,
    has_spans: bool,
) -> Result<NodeIx> {
    let tok2vec = builder.inner(settings, "tok2vec")?;
    let width = builder.width(tok2vec);
    let mut rows = builder.then_plain(tok2vec, "list2ragged");
    if has_spans {
        let sentences = builder.plain("span_maker");
        builder.set_attr(sentences, "n_sents", &Value::UInt(0));
        let both = builder.tuple(&[rows, sentences]);
        rows = builder.then_plain(both, "extract_spans");
    }
    let rows = builder.then_plain(rows, "reduce_mean");
    let maxout = builder.maxout(width, width, Some(PIECES));
    let hidden = builder.then_dropout(maxout);
    let hidden = builder.residual(hidden);
    let hidden = builder.then(rows, hidden);
    let output = builder.linear(outputs(settings)?, width);
    let root = builder.then(hidden, output);
    builder.refer(root, &[("output_layer", output), ("tok2vec", tok2vec)]);
    if has_spans {
        builder.set_attr(root, "include_span_maker", &Value::Bool(true));
    }
    Ok(root)
}
