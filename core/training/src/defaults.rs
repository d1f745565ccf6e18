//! The values that a configuration of spaCy's may leave out.

use lexpool::config::{Config, Section, Value};
use lexpool::{Error, Result, codes};

const TRAINING: &str = r#"
[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}
gold_preproc = false
max_length = 0
limit = 0
augmenter = null

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.dev}
gold_preproc = false
max_length = 0
limit = 0
augmenter = null

[training]
seed = ${system.seed}
gpu_allocator = ${system.gpu_allocator}
dropout = 0.1
accumulate_gradient = 1
patience = 1600
max_epochs = 0
max_steps = 20000
eval_frequency = 200
score_weights = {}
frozen_components = []
annotating_components = []
dev_corpus = "corpora.dev"
train_corpus = "corpora.train"
before_to_disk = null
before_update = null

[training.logger]
@loggers = "spacy.ConsoleLogger.v1"
progress_bar = false

[training.batcher]
@batchers = "spacy.batch_by_words.v1"
discard_oversize = false
tolerance = 0.2

[training.batcher.size]
@schedules = "compounding.v1"
start = 100
stop = 1000
compound = 1.001

[training.optimizer]
@optimizers = "Adam.v1"
beta1 = 0.9
beta2 = 0.999
L2_is_weight_decay = true
L2 = 0.01
grad_clip = 1.0
use_averages = false
eps = 1e-8
learn_rate = 0.001
"#;

const PRETRAINING: &str = r#"
[paths]
raw_text = null

[corpora]

[corpora.pretrain]
@readers = "spacy.JsonlCorpus.v1"
path = ${paths.raw_text}
min_length = 5
max_length = 500
limit = 0

[pretraining]
max_epochs = 1000
dropout = 0.2
n_save_every = null
n_save_epoch = null
component = "tok2vec"
layer = ""
corpus = "corpora.pretrain"

[pretraining.batcher]
@batchers = "spacy.batch_by_words.v1"
size = 3000
discard_oversize = false
tolerance = 0.2
get_length = null

[pretraining.objective]
@architectures = "spacy.PretrainCharacters.v1"
maxout_pieces = 3
hidden_size = 300
n_characters = 4

[pretraining.optimizer]
@optimizers = "Adam.v1"
beta1 = 0.9
beta2 = 0.999
L2_is_weight_decay = true
L2 = 0.01
grad_clip = 1.0
use_averages = true
eps = 1e-8
learn_rate = 0.001
"#;

/// Returns spaCy's defaults for a pretraining.
pub(super) fn pretraining_defaults() -> Result<Config> {
    Config::parse(PRETRAINING, "the default configuration of a pretraining")
}

/// Returns spaCy's defaults for training.
pub(super) fn training_defaults() -> Result<Config> {
    Config::parse(TRAINING, "the default configuration of training")
}

/// Returns the settings of a factory but for its network and its scorer, as spaCy fills them in.
pub(super) fn component_defaults(factory: &str) -> Result<Section> {
    let json = match factory {
        "tagger" => r#"{"label_smoothing": 0.0, "neg_prefix": "!", "overwrite": false}"#,
        "morphologizer" => r#"{"extend": false, "label_smoothing": 0.0, "overwrite": true}"#,
        "senter" => r#"{"overwrite": false}"#,
        "trainable_lemmatizer" => {
            r#"{"backoff": "orth", "min_tree_freq": 3, "overwrite": false, "top_k": 1}"#
        }
        "textcat" => r#"{"threshold": 0.0}"#,
        "textcat_multilabel" => r#"{"threshold": 0.5}"#,
        "spancat" => {
            r#"{"max_positive": null, "spans_key": "sc", "threshold": 0.5,
            "suggester": {"@misc": "spacy.ngram_suggester.v1", "sizes": [1, 2, 3]}}"#
        }
        "spancat_singlelabel" => {
            r#"{"allow_overlap": true, "negative_weight": 1.0, "spans_key": "sc",
            "suggester": {"@misc": "spacy.ngram_suggester.v1", "sizes": [1, 2, 3]}}"#
        }
        "span_finder" => {
            r#"{"max_length": 25, "min_length": null, "spans_key": "sc", "threshold": 0.5}"#
        }
        "entity_linker" => {
            r#"{"candidates_batch_size": 1, "entity_vector_length": 64,
            "generate_empty_kb": {"@misc": "spacy.EmptyKB.v2"},
            "get_candidates": {"@misc": "spacy.CandidateGenerator.v1"},
            "get_candidates_batch": {"@misc": "spacy.CandidateBatchGenerator.v1"},
            "incl_context": true, "incl_prior": true, "labels_discard": [], "n_sents": 0,
            "overwrite": true, "threshold": null, "use_gold_ents": true}"#
        }
        _ => "{}",
    };
    let defaults = Value::from_json(json);
    let defaults =
        defaults.map_err(|error| Error::value(codes::TRAINING_CONFIG, error.to_string()))?;
    Ok(defaults.as_section().cloned().unwrap_or_default())
}

/// Returns the weights of the scores of a factory, in spaCy's order; `None` for a score that is
/// neither shown nor counted. `key` is the name of the span group of the component.
pub(super) fn score_weights(factory: &str, key: &str) -> Vec<(String, Option<f64>)> {
    let weights: &[(&str, Option<f64>)] = match factory {
        "tagger" => &[
            ("tag_acc", Some(1.0)),
            ("pos_acc", Some(0.0)),
            ("tag_micro_p", None),
            ("tag_micro_r", None),
            ("tag_micro_f", None),
        ],
        "morphologizer" => {
            &[("pos_acc", Some(0.5)), ("morph_acc", Some(0.5)), ("morph_per_feat", None)]
        }
        "lemmatizer" | "trainable_lemmatizer" => &[("lemma_acc", Some(1.0))],
        "sentencizer" | "senter" => {
            &[("sents_f", Some(1.0)), ("sents_p", Some(0.0)), ("sents_r", Some(0.0))]
        }
        "parser" | "beam_parser" => &[
            ("dep_uas", Some(0.5)),
            ("dep_las", Some(0.5)),
            ("dep_las_per_type", None),
            ("sents_p", None),
            ("sents_r", None),
            ("sents_f", Some(0.0)),
        ],
        "ner" | "beam_ner" | "entity_ruler" | "future_entity_ruler" => &[
            ("ents_f", Some(1.0)),
            ("ents_p", Some(0.0)),
            ("ents_r", Some(0.0)),
            ("ents_per_type", None),
        ],
        "textcat" | "textcat_multilabel" => &[
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
        ],
        "entity_linker" => {
            &[("nel_micro_f", Some(1.0)), ("nel_micro_r", None), ("nel_micro_p", None)]
        }
        "spancat" | "spancat_singlelabel" | "span_finder" => {
            // spaCy always names the default group, which then has no figures.
            let weights = [("f", 1.0), ("p", 0.0), ("r", 0.0)];
            return weights
                .iter()
                .map(|(name, weight)| (format!("spans_{key}_{name}"), Some(*weight)))
                .collect();
        }
        _ => &[],
    };
    weights.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect()
}
