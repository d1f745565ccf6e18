//! The section `[training]`: the numbers of the loop.

use std::path::PathBuf;

use lexpool::config::Value;
use lexpool::limits::{self, Limit};

use super::fields::{Fields, NumberRange};
use super::functions::OF_TRAINING;

const STEPS: Limit = limits::TRAINING_STEPS;

/// The settings of the loop.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopSettings {
    /// The seed of shuffles, weights and masks.
    pub seed: u64,
    /// The rate of dropout.
    pub dropout: f64,
    /// The number of parts of each batch.
    pub accumulate_gradient: usize,
    /// The number of steps without a better score after which training ends; 0 for no such end.
    pub patience: usize,
    /// The number of epochs: 0 for any number, -1 to read the corpus anew in each, unshuffled.
    pub max_epochs: i64,
    /// The number of the last step; 0 for any number.
    pub max_steps: usize,
    /// The number of steps from one evaluation to the next.
    pub eval_frequency: usize,
    /// The dotted name of the corpus to learn from.
    pub train_corpus: String,
    /// The dotted name of the corpus to evaluate with.
    pub dev_corpus: String,
    /// The components that are not changed.
    pub frozen_components: Vec<String>,
    /// The components whose annotation later ones see during training.
    pub annotating_components: Vec<String>,
    /// The weights of scores in the order of the file; `None` for one that is neither shown nor
    /// counted.
    pub score_weights: Vec<(String, Option<f64>)>,
    /// The settings of the table.
    pub logger: LoggerSettings,
}

/// The settings of the logger of the console.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggerSettings {
    /// `true` to print the table.
    pub console_output: bool,
    /// The file of a JSON line an evaluation.
    pub output_file: Option<PathBuf>,
    /// `true` to show a line of progress.
    pub progress_bar: bool,
}

/// Reads the keys of `[training]` but the batcher and the optimizer.
pub(crate) fn read(fields: &Fields<'_>) -> LoopSettings {
    // Read by others, or without a meaning here.
    fields.get("gpu_allocator");
    for key in OF_TRAINING {
        fields.no_function(key);
    }
    LoopSettings {
        seed: fields.count("seed", 0, limits::TRAINING_SEED) as u64,
        dropout: fields.number_in("dropout", 0.1, NumberRange::BELOW_ONE),
        accumulate_gradient: fields.at_least_one("accumulate_gradient", 1, limits::TRAINING_PARTS),
        patience: fields.count("patience", 1600, STEPS),
        max_epochs: max_epochs(fields),
        max_steps: fields.count("max_steps", 20_000, STEPS),
        eval_frequency: fields.at_least_one("eval_frequency", 200, STEPS),
        train_corpus: fields.text("train_corpus").unwrap_or_else(|| "corpora.train".to_owned()),
        dev_corpus: fields.text("dev_corpus").unwrap_or_else(|| "corpora.dev".to_owned()),
        frozen_components: fields.texts("frozen_components"),
        annotating_components: fields.texts("annotating_components"),
        score_weights: score_weights(fields),
        logger: logger(fields),
    }
}

fn max_epochs(fields: &Fields<'_>) -> i64 {
    match fields.get("max_epochs") {
        Some(Value::Int(-1)) => -1,
        Some(number @ Value::Int(..-1)) => {
            fields.wrong("max_epochs", number, "a whole number from -1 on");
            0
        }
        _ => fields.count("max_epochs", 0, STEPS).try_into().unwrap_or(i64::MAX),
    }
}

fn score_weights(fields: &Fields<'_>) -> Vec<(String, Option<f64>)> {
    let Some(section) = fields.inner("score_weights") else { return Vec::new() };
    let weights = section.entries().map(|(name, value)| {
        let weight = value.as_float().filter(|weight| weight.is_finite());
        if weight.is_none() && !value.is_null() {
            section.wrong(name, value, "a finite number or null");
        }
        (name.to_owned(), weight)
    });
    weights.collect()
}

fn logger(fields: &Fields<'_>) -> LoggerSettings {
    let default = LoggerSettings { console_output: true, ..LoggerSettings::default() };
    let Some(logger) = fields.inner("logger") else { return default };
    let version = match logger.function("@loggers") {
        Some("spacy.ConsoleLogger.v1") => 1,
        Some("spacy.ConsoleLogger.v2") => 2,
        Some("spacy.ConsoleLogger.v3") => 3,
        Some(name) => {
            logger.unsupported(&format!("has the logger {name:?}, which lexpool does not have"));
            return default;
        }
        None => return default,
    };
    let progress_bar = if version == 3 {
        match logger.text("progress_bar").as_deref() {
            None => false,
            Some("train" | "eval") => true,
            Some(other) => {
                logger.wrong("progress_bar", &other.into(), "\"train\", \"eval\" or null");
                false
            }
        }
    } else {
        logger.flag("progress_bar", false)
    };
    let (mut console_output, mut output_file) = (true, None);
    if version > 1 {
        console_output = logger.flag("console_output", true);
        output_file = logger.text("output_file").map(PathBuf::from);
    }
    logger.finish();
    LoggerSettings { console_output, output_file, progress_bar }
}
