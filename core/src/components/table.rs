//! The rows of the table. Those of components of rules come first, then those with weights, each in
//! the order of their names.

use super::kind::{ComponentKind, ComponentRow, ScoreWeight};

const SENTENCES: &[ScoreWeight] =
    &[("sents_f", Some(1.0)), ("sents_p", Some(0.0)), ("sents_r", Some(0.0))];
const LEMMAS: &[ScoreWeight] = &[("lemma_acc", Some(1.0))];
const ENTITIES: &[ScoreWeight] =
    &[("ents_f", Some(1.0)), ("ents_p", Some(0.0)), ("ents_r", Some(0.0)), ("ents_per_type", None)];
const TREES: &[ScoreWeight] = &[
    ("dep_uas", Some(0.5)),
    ("dep_las", Some(0.5)),
    ("dep_las_per_type", None),
    ("sents_p", None),
    ("sents_r", None),
    ("sents_f", Some(0.0)),
];
const CATEGORIES: &[ScoreWeight] = &[
    ("cats_score", Some(1.0)),
    ("cats_score_desc", None),
    ("cats_micro_p", None),
    ("cats_micro_r", None),
    ("cats_micro_f", None),
    ("cats_macro_p", None),
    ("cats_macro_r", None),
    ("cats_macro_f", None),
    ("cats_macro_auc", None),
    ("cats_f_per_type", None),
];
const SPANS: &[ScoreWeight] =
    &[("spans_sc_f", Some(1.0)), ("spans_sc_p", Some(0.0)), ("spans_sc_r", Some(0.0))];
const ENTITY_ATTRS: &[&str] = &["doc.ents", "token.ent_iob", "token.ent_type"];
const TREE_ATTRS: &[&str] = &["token.dep", "token.head", "token.is_sent_start", "doc.sents"];

/// A row whose other fields are those of most components.
const fn row(kind: ComponentKind, factory: &'static str) -> ComponentRow {
    ComponentRow {
        kind,
        factory,
        is_trained: false,
        assigns: &[],
        requires: &[],
        retokenizes: false,
        scores: &[],
    }
}

/// A row of a component with weights.
const fn trained(
    kind: ComponentKind,
    factory: &'static str,
    assigns: &'static [&'static str],
    scores: &'static [ScoreWeight],
) -> ComponentRow {
    ComponentRow { is_trained: true, assigns, scores, ..row(kind, factory) }
}

/// All kinds of components, in the order of [`ComponentKind`].
pub static COMPONENTS: [ComponentRow; 27] = [
    row(ComponentKind::AttributeRuler, "attribute_ruler"),
    row(ComponentKind::DocCleaner, "doc_cleaner"),
    ComponentRow {
        assigns: &["doc.ents", "token.ent_type", "token.ent_iob"],
        scores: ENTITIES,
        ..row(ComponentKind::EntityRuler, "entity_ruler")
    },
    ComponentRow {
        assigns: &["doc.ents"],
        scores: ENTITIES,
        ..row(ComponentKind::FutureEntityRuler, "future_entity_ruler")
    },
    ComponentRow {
        assigns: &["token.lemma"],
        scores: LEMMAS,
        ..row(ComponentKind::Lemmatizer, "lemmatizer")
    },
    ComponentRow {
        requires: ENTITY_ATTRS,
        retokenizes: true,
        ..row(ComponentKind::MergeEntities, "merge_entities")
    },
    ComponentRow {
        requires: &["token.dep", "token.tag", "token.pos"],
        retokenizes: true,
        ..row(ComponentKind::MergeNounChunks, "merge_noun_chunks")
    },
    ComponentRow {
        requires: &["token.dep"],
        retokenizes: true,
        ..row(ComponentKind::MergeSubtokens, "merge_subtokens")
    },
    row(ComponentKind::Op, "op"),
    ComponentRow {
        assigns: &["token.is_sent_start", "doc.sents"],
        scores: SENTENCES,
        ..row(ComponentKind::Sentencizer, "sentencizer")
    },
    ComponentRow {
        assigns: &["doc.spans"],
        scores: &[
            ("spans_ruler_f", Some(1.0)),
            ("spans_ruler_p", Some(0.0)),
            ("spans_ruler_r", Some(0.0)),
            ("spans_ruler_per_type", None),
        ],
        ..row(ComponentKind::SpanRuler, "span_ruler")
    },
    ComponentRow { retokenizes: true, ..row(ComponentKind::TokenSplitter, "token_splitter") },
    trained(ComponentKind::BeamNer, "beam_ner", ENTITY_ATTRS, ENTITIES),
    trained(ComponentKind::BeamParser, "beam_parser", TREE_ATTRS, TREES),
    ComponentRow {
        requires: &["doc.ents", "doc.sents", "token.ent_iob", "token.ent_type"],
        ..trained(
            ComponentKind::EntityLinker,
            "entity_linker",
            &["token.ent_kb_id"],
            &[("nel_micro_f", Some(1.0)), ("nel_micro_r", None), ("nel_micro_p", None)],
        )
    },
    trained(
        ComponentKind::Morphologizer,
        "morphologizer",
        &["token.morph", "token.pos"],
        &[("pos_acc", Some(0.5)), ("morph_acc", Some(0.5)), ("morph_per_feat", None)],
    ),
    trained(ComponentKind::Ner, "ner", ENTITY_ATTRS, ENTITIES),
    trained(ComponentKind::Parser, "parser", TREE_ATTRS, TREES),
    trained(ComponentKind::Senter, "senter", &["token.is_sent_start"], SENTENCES),
    trained(ComponentKind::SpanFinder, "span_finder", &["doc.spans"], SPANS),
    trained(ComponentKind::Spancat, "spancat", &["doc.spans"], SPANS),
    trained(ComponentKind::SpancatSingleLabel, "spancat_singlelabel", &["doc.spans"], SPANS),
    trained(
        ComponentKind::Tagger,
        "tagger",
        &["token.tag"],
        &[
            ("tag_acc", Some(1.0)),
            ("pos_acc", Some(0.0)),
            ("tag_micro_p", None),
            ("tag_micro_r", None),
            ("tag_micro_f", None),
        ],
    ),
    trained(ComponentKind::Textcat, "textcat", &["doc.cats"], CATEGORIES),
    trained(ComponentKind::TextcatMultilabel, "textcat_multilabel", &["doc.cats"], CATEGORIES),
    trained(ComponentKind::Tok2Vec, "tok2vec", &["doc.tensor"], &[]),
    trained(ComponentKind::TrainableLemmatizer, "trainable_lemmatizer", &["token.lemma"], LEMMAS),
];
