//! A configuration of a pretraining, read and checked as a whole.

use std::path::PathBuf;

use lexpool::config::{Config, Section, Value};
use lexpool::{Error, Result, codes, limits};
use lexpool_nn::describe;
use lexpool_nn::learn::OptimizerSettings;

use super::objective::{Distance, Objective};
use crate::corpora::batcher::Batcher;
use crate::corpora::corpus_reader::CorpusReader;
use crate::settings::fields::{Fields, NumberRange, Problems};
use crate::settings::fill::with_pretraining_defaults;
use crate::settings::schedule_settings::optimizer;

/// A pretraining that was read from a configuration.
pub struct PretrainingPlan {
    /// The configuration as it was given, which is written beside the weights.
    pub(super) given: Config,
    /// The configuration with defaults and without references.
    pub(super) resolved: Config,
    pub(super) lang: String,
    pub(super) vectors: Option<PathBuf>,
    pub(super) seed: u64,
    pub(super) max_epochs: usize,
    pub(super) dropout: f64,
    /// The number of batches of an epoch from one temporary file of weights to the next; 0 for
    /// none.
    pub(super) n_save_every: usize,
    /// The number of epochs from one file of weights to the next.
    pub(super) n_save_epoch: usize,
    pub(super) batcher: Batcher,
    pub(super) optimizer: OptimizerSettings,
    pub(super) objective: Objective,
    pub(super) maxout_pieces: usize,
    pub(super) hidden_size: usize,
    pub(super) corpus: CorpusReader,
    /// The dotted name of the corpus.
    pub(super) corpus_name: String,
    /// The settings of the network that learns, and the name of their section.
    pub(super) network: Value,
    pub(super) section: String,
}

impl PretrainingPlan {
    /// Reads a configuration.
    ///
    /// # Errors
    ///
    /// One error with all unknown keys and wrong values of `[pretraining]` (`training-config`), or
    /// else with all that lexpool does not have (`training-unsupported`); `pretraining-missing`
    /// without that section; `E985` without the section `[nlp]`, `config-reference` for an invalid
    /// reference, `E913` for a corpus without a path.
    pub fn read(given: &Config) -> Result<PretrainingPlan> {
        if given.section("pretraining").is_none_or(|own| own.iter().next().is_none()) {
            let text = format!("{} has no section [pretraining]", given.origin());
            return Err(Error::value(codes::PRETRAINING_MISSING, text));
        }
        let (config, lang) = with_pretraining_defaults(given)?;
        let resolved = config.interpolate()?;
        let problems = Problems::default();
        let section = |name: &str| resolved.section(name).cloned().unwrap_or_default();
        let (pretraining, training) = (section("pretraining"), section("training"));
        let fields = Fields::new(&pretraining, "pretraining", &problems);
        let max_epochs = fields.count("max_epochs", 1000, limits::TRAINING_STEPS);
        let dropout = fields.number_in("dropout", 0.2, NumberRange::BELOW_ONE);
        let n_save_every = fields.count("n_save_every", 0, limits::TRAINING_STEPS);
        let n_save_epoch = fields.count("n_save_epoch", 1, limits::TRAINING_STEPS).max(1);
        let batcher = Batcher::read(fields.inner("batcher"));
        let optimizer = optimizer(fields.inner("optimizer"));
        let objective = fields.inner("objective").and_then(objective);
        let corpus_name = fields.text("corpus").unwrap_or_else(|| "corpora.pretrain".to_owned());
        let network = network(&resolved, &fields, &problems);
        fields.finish();
        let corpus = if let Some(own) = resolved.section(&corpus_name) {
            CorpusReader::read_settings(Fields::new(own, &*corpus_name, &problems))
        } else {
            let text = format!("[pretraining] names the corpus {corpus_name:?}, which is missing");
            problems.add_wrong(text);
            None
        };
        let seed = Fields::new(&training, "training", &problems);
        let seed = seed.count("seed", 0, limits::TRAINING_SEED) as u64;
        let initialize = section("initialize");
        let vectors = Fields::new(&initialize, "initialize", &problems).text("vectors");
        problems.into_result(&resolved)?;
        let noted = "a problem was noted";
        let (objective, maxout_pieces, hidden_size) = objective.expect(noted);
        let (network, section) = network.expect(noted);
        let corpus = corpus.expect(noted).for_seed(seed);
        if corpus.path().as_os_str().is_empty() {
            let text = format!(
                "{}, [{corpus_name}]: \"path\" is null; give it: --paths.raw_text texts.jsonl",
                resolved.origin()
            );
            return Err(Error::value(codes::E913, text));
        }
        Ok(PretrainingPlan {
            given: given.clone(),
            resolved,
            lang,
            vectors: vectors.map(PathBuf::from),
            seed,
            max_epochs,
            dropout,
            n_save_every,
            n_save_epoch,
            batcher,
            optimizer,
            objective,
            maxout_pieces,
            hidden_size,
            corpus,
            corpus_name,
            network,
            section,
        })
    }

    /// Returns the number of epochs.
    pub fn max_epochs(&self) -> usize {
        self.max_epochs
    }

    /// Returns the error for a network that cannot be pretrained.
    pub(super) fn not_shared(&self, reason: &str) -> Error {
        let text = format!(
            "[{}] cannot be pretrained: {reason}; set \"component\" and \"layer\" of [pretraining] \
             to a shared network, such as \"tok2vec\" and \"\"",
            self.section
        );
        Error::value(codes::E874, text)
    }
}

/// Reads the objective, with the pieces and the outputs of its hidden layer.
fn objective(fields: Fields<'_>) -> Option<(Objective, usize, usize)> {
    let pieces = fields.at_least_one("maxout_pieces", 3, limits::NETWORK_PIECES);
    let hidden = fields.at_least_one("hidden_size", 300, limits::NETWORK_WIDTH);
    let objective = match fields.function("@architectures")? {
        "spacy.PretrainVectors.v1" => {
            let distance = match fields.text("loss").as_deref() {
                None | Some("cosine") => Distance::Cosine,
                Some("L2") => Distance::L2,
                Some(other) => {
                    fields.wrong("loss", &other.into(), "\"cosine\" or \"L2\"");
                    Distance::Cosine
                }
            };
            Objective::Vectors(distance)
        }
        "spacy.PretrainCharacters.v1" => {
            let n = fields.at_least_one("n_characters", 4, limits::NETWORK_CHARACTERS);
            Objective::Characters(n)
        }
        name => {
            fields.unsupported(&format!("has {name:?}, which lexpool does not have"));
            return None;
        }
    };
    fields.finish();
    Some((objective, pieces, hidden))
}

/// Finds the network that learns: that of a component, or the shared one that it listens to.
fn network(config: &Config, fields: &Fields<'_>, problems: &Problems) -> Option<(Value, String)> {
    let component = fields.text("component");
    let layer = fields.text("layer").unwrap_or_default();
    let Some(component) = component else {
        fields.wrong("component", &Value::Null, "the name of a component");
        return None;
    };
    let found = find_network(config, &component, &layer);
    let (settings, section) = match found {
        Ok(found) => found,
        Err(text) => {
            problems.add_wrong(text);
            return None;
        }
    };
    let value = Value::Section(settings);
    if let Err(error) = describe::build(&value, &section) {
        problems.add_refusal(&section, &error);
        return None;
    }
    Some((value, section))
}

/// Returns the settings of a network with the name of their section, or what is wrong.
fn find_network(
    config: &Config,
    component: &str,
    layer: &str,
) -> std::result::Result<(Section, String), String> {
    let own = format!("components.{component}.model");
    if !["", "tok2vec"].contains(&layer) {
        return Err(format!(
            "[pretraining] \"layer\" is {layer:?}; expected \"\" for the whole network of the \
             component, or \"tok2vec\""
        ));
    }
    let section = if layer.is_empty() { own } else { format!("{own}.{layer}") };
    let missing = |section: &str| format!("[pretraining] needs [{section}], which is missing");
    let settings = config.section(&section).ok_or_else(|| missing(&section))?;
    let text = |key: &str| settings.get(key).and_then(Value::as_text).unwrap_or_default();
    if !text("@architectures").contains("Tok2VecListener") {
        return Ok((settings.clone(), section));
    }
    let upstream = Some(text("upstream")).filter(|name| !["", "*"].contains(name));
    let section = format!("components.{}.model", upstream.unwrap_or("tok2vec"));
    let settings = config.section(&section).ok_or_else(|| missing(&section))?;
    Ok((settings.clone(), section))
}
