//! The values that a configuration of spaCy's may leave out.

use lexpool::Result;
use lexpool::components::ComponentKind;
use lexpool::config::{Config, Section, Value};

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
pub(crate) fn pretraining_defaults() -> Result<Config> {
    Config::parse(PRETRAINING, "the default configuration of a pretraining")
}

/// Returns spaCy's defaults for training.
pub(crate) fn training_defaults() -> Result<Config> {
    Config::parse(TRAINING, "the default configuration of training")
}

/// Returns the settings of a factory with weights, but for its network and its scorer, as spaCy
/// fills them in.
pub(crate) fn component_defaults(factory: &str) -> Result<Section> {
    let Some(kind) = ComponentKind::of(factory).filter(|kind| kind.is_trained()) else {
        return Ok(Section::default());
    };
    let settings = kind.settings()?;
    let beside = |(key, _): &(&str, &Value)| !NOT_FILLED_IN.contains(key);
    let settings = settings.iter().filter(beside);
    let mut settings: Vec<_> =
        settings.map(|(key, value)| (key.to_owned(), value.clone())).collect();
    settings.sort_by(|(key, _), (next_key, _)| key.cmp(next_key));
    Ok(settings.into_iter().collect())
}

/// Settings that a trainer completes itself.
const NOT_FILLED_IN: [&str; 2] = ["model", "scorer"];

/// Returns the weights of the scores of a factory, in spaCy's order; `None` for a score that is
/// neither shown nor counted. `key` is the name of the span group of the component.
pub(crate) fn score_weights(factory: &str, key: &str) -> Vec<(String, Option<f64>)> {
    let scores = ComponentKind::of(factory).map_or(&[][..], |kind| kind.row().scores);
    let named = scores.iter().map(|(name, weight)| {
        // spaCy always names the default group, which then has no figures.
        let group = name.strip_prefix("spans_").and_then(|rest| rest.split_once('_'));
        let name = match group {
            Some((_, figure)) => format!("spans_{key}_{figure}"),
            None => (*name).to_owned(),
        };
        (name, *weight)
    });
    named.collect()
}
