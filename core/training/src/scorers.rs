//! The scorer of a component, by its section.

use super::fields::Fields;
use crate::scoring::Scorer;

/// Returns the scorer of a component; `None` for a component that scores nothing.
pub(super) fn scorer(factory: &str, fields: &Fields<'_>) -> Option<Scorer> {
    let group = |labeled, allow_overlap| Scorer::Spans {
        key: fields.text("spans_key").unwrap_or_else(|| "sc".to_owned()),
        labeled,
        allow_overlap,
    };
    let cats = |multi_label| Scorer::TextCat {
        labels: Vec::new(),
        multi_label,
        threshold: fields.get("threshold").and_then(lexpool::config::Value::as_float),
        positive_label: None,
    };
    Some(match factory {
        "tagger" => Scorer::Tagger,
        "morphologizer" => Scorer::Morphologizer,
        "trainable_lemmatizer" | "lemmatizer" => Scorer::Lemmatizer,
        "attribute_ruler" => Scorer::AttributeRuler,
        "senter" | "sentencizer" => Scorer::Senter,
        "parser" | "beam_parser" => Scorer::Parser,
        "ner" | "beam_ner" | "entity_ruler" | "future_entity_ruler" => Scorer::Ner,
        "textcat" => cats(false),
        "textcat_multilabel" => cats(true),
        "spancat" => group(true, true),
        "spancat_singlelabel" => {
            let allow_overlap =
                fields.get("allow_overlap").and_then(lexpool::config::Value::as_bool);
            group(true, allow_overlap.unwrap_or(true))
        }
        "span_finder" => group(false, true),
        "entity_linker" => Scorer::Links,
        _ => return None,
    })
}
