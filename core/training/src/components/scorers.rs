//! The scorer of a component, by its section.

use lexpool::components::ComponentKind;
use lexpool::config::Value;

use crate::scoring::Scorer;
use crate::settings::fields::Fields;

/// Returns the scorer of a component; `None` for a component that scores nothing.
pub(crate) fn scorer(factory: &str, fields: &Fields<'_>) -> Option<Scorer> {
    let group = |default: &str, labeled, allow_overlap| Scorer::Spans {
        key: fields.text("spans_key").unwrap_or_else(|| default.to_owned()),
        labeled,
        allow_overlap,
    };
    let cats = |multi_label| Scorer::TextCat {
        labels: Vec::new(),
        multi_label,
        threshold: fields.get("threshold").and_then(Value::as_float),
        positive_label: None,
    };
    Some(match ComponentKind::of(factory)? {
        ComponentKind::Tagger => Scorer::Tagger,
        ComponentKind::Morphologizer => Scorer::Morphologizer,
        ComponentKind::TrainableLemmatizer | ComponentKind::Lemmatizer => Scorer::Lemmatizer,
        ComponentKind::AttributeRuler => Scorer::AttributeRuler,
        ComponentKind::Senter | ComponentKind::Sentencizer => Scorer::Senter,
        ComponentKind::Parser | ComponentKind::BeamParser => Scorer::Parser,
        ComponentKind::Ner
        | ComponentKind::BeamNer
        | ComponentKind::EntityRuler
        | ComponentKind::FutureEntityRuler => Scorer::Ner,
        ComponentKind::Textcat => cats(false),
        ComponentKind::TextcatMultilabel => cats(true),
        ComponentKind::Spancat => group("sc", true, true),
        ComponentKind::SpancatSingleLabel => {
            let allow_overlap = fields.get("allow_overlap").and_then(Value::as_bool);
            group("sc", true, allow_overlap.unwrap_or(true))
        }
        ComponentKind::SpanFinder => group("sc", false, true),
        ComponentKind::SpanRuler => group("ruler", true, true),
        ComponentKind::EntityLinker => Scorer::Links,
        ComponentKind::DocCleaner
        | ComponentKind::MergeEntities
        | ComponentKind::MergeNounChunks
        | ComponentKind::MergeSubtokens
        | ComponentKind::Op
        | ComponentKind::TokenSplitter
        | ComponentKind::Tok2Vec => return None,
    })
}
