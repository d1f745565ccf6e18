//! The pipeline that is trained: a tokenizer, and components with their weights.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use lexpool::components::ComponentKind;
use lexpool::config::{Config, Section, Value};
use lexpool::escape::shown;
use lexpool::loading::{LoadOptions, TokenizerChoice, read_tokenizer, steps_of};
use lexpool::pipeline::Step;
use lexpool::pipeline_files::PipelineFiles;
use lexpool::tokenizer::{RuleSet, Tokenizer, lang};
use lexpool::trained::VectorSource;
use lexpool::vocab::{FolderParts, Getters, Vocab};
use lexpool::{Error, Result, codes};
use lexpool_nn::learn::{NumpyRandom, SavedNetwork, with_layer_weights};
use lexpool_ops::load_options;

use super::evaluation::StepScorer;
use super::plan::{Part, PlannedComponent, TrainingPlan};
use crate::components::component::Initialization;
use crate::components::{no_labels, uses_gold_entities};
use crate::corpora::example::Example;
use crate::scoring::Scorer;
use crate::settings::initialize_settings::pretrained_layer;

/// A pipeline while it is trained.
pub(crate) struct TrainingPipeline {
    pub(crate) tokenizer: Arc<Tokenizer>,
    /// The file of the tokenizer.
    pub(crate) tokenizer_file: Bytes,
    pub(crate) components: Vec<PlannedComponent>,
    /// The configuration without references.
    pub(crate) config: Config,
    /// The components that annotate during training and do not change, by their positions.
    pub(crate) fixed_steps: BTreeMap<usize, Step>,
}

/// Makes the tokenizer of a language, as it is after a pipeline with it was saved and loaded, with
/// the word vectors of `[initialize]` in its vocab.
///
/// # Errors
///
/// `unknown-language`; those of reading the vectors.
pub(crate) fn make_tokenizer(plan: &TrainingPlan) -> Result<(Arc<Tokenizer>, Bytes)> {
    let (tokenizer, file) = tokenizer_of(&plan.lang, &plan.resolved)?;
    let vocab = tokenizer.vocab();
    for component in &plan.components {
        let source = match &component.part {
            Part::Fixed(source) => Some(source),
            Part::Trained(_) => component.origin.as_ref(),
        };
        let Some(source) = source else { continue };
        if let Some(strings) = &source.strings {
            let added = vocab.strings().add_json(strings);
            added.map_err(|error| error.context(format_args!("[components.{}]", source.name)))?;
        }
    }
    if let Some(folder) = &plan.initialize.vectors {
        read_vectors(vocab, folder)?;
    }
    Ok((tokenizer, file))
}

/// Makes the tokenizer of a language with the section `[nlp]` of a configuration; returns it with
/// its file.
///
/// # Errors
///
/// `unknown-language`; those of the tokenizer's settings.
pub(crate) fn tokenizer_of(lang: &str, config: &Config) -> Result<(Arc<Tokenizer>, Bytes)> {
    let data = lang::load(lang)?;
    let vocab = Vocab::new(Getters::from(&data))?;
    let rules = RuleSet::from(&data);
    let written = Tokenizer::new(&vocab, &rules, Tokenizer::DEFAULT_CACHED_CHUNKS)?.to_bytes()?;
    let file = Bytes::from(written);
    let files = PipelineFiles::from_parts([("tokenizer".to_owned(), file.clone())]);
    let (choice, options) = (TokenizerChoice::of(lang, config)?, LoadOptions::default());
    let tokenizer = read_tokenizer(&files, lang, &choice, &options, &mut Vec::new())?;
    Ok((tokenizer, file))
}

/// Reads the word vectors of `[initialize]` into a vocab.
///
/// # Errors
///
/// Those of reading the folder.
pub(crate) fn read_vectors(vocab: &Vocab, folder: &Path) -> Result<()> {
    let parts = FolderParts { lookups: false, ..FolderParts::default() };
    let read = vocab.read_folder(&folder.join("vocab"), parts);
    read.map(drop).map_err(|error: Error| {
        error.context(format_args!("[initialize], the vectors of {}", shown(folder)))
    })
}

impl TrainingPipeline {
    /// Makes the tokenizer of a plan, and takes its components.
    ///
    /// # Errors
    ///
    /// Those of [`make_tokenizer`].
    pub(crate) fn new(plan: &mut TrainingPlan) -> Result<TrainingPipeline> {
        let (tokenizer, tokenizer_file) = make_tokenizer(plan)?;
        Ok(TrainingPipeline {
            tokenizer,
            tokenizer_file,
            components: std::mem::take(&mut plan.components),
            config: plan.resolved.clone(),
            fixed_steps: BTreeMap::new(),
        })
    }

    /// Checks that all weights are finite numbers, after a number of steps.
    ///
    /// # Errors
    ///
    /// `E910` with the first component that has others.
    pub(crate) fn check_weights(&mut self, steps: usize) -> Result<()> {
        for component in &mut self.components {
            let Part::Trained(trained) = &mut component.part else { continue };
            let Some(learned) = trained.learned() else { continue };
            if !learned.parameters.arena().iter().all(|weight| weight.is_finite()) {
                let text = format!(
                    "weights of the component {:?} are NaN or infinite after step {}",
                    component.name,
                    steps.saturating_sub(1)
                );
                return Err(Error::value(codes::E910, text));
            }
        }
        Ok(())
    }

    /// Makes the labels and weights of all components that learn, in the order of the pipeline.
    pub(crate) fn initialize(
        &mut self,
        examples: &[Example],
        settings: &Section,
        seed: u64,
    ) -> Result<()> {
        #[expect(clippy::cast_possible_truncation, reason = "NumPy's seeds have 32 bits")]
        let mut random = NumpyRandom::new(seed as u32);
        let none = Section::default();
        let vocab = Arc::clone(self.tokenizer.vocab());
        for component in &mut self.components {
            let Part::Trained(trained) = &mut component.part else { continue };
            let own = settings.get(&component.name).and_then(Value::as_section);
            let mut start = Initialization {
                examples,
                settings: own.unwrap_or(&none),
                vocab: &vocab,
                vectors: vocab.vectors().map(|vectors| vectors as Arc<dyn VectorSource>),
                random: &mut random,
            };
            match &component.origin {
                Some(origin) => trained.restore(&origin.component_files(), &vocab)?,
                None => trained.initialize(&mut start)?,
            }
            let found = trained.labels();
            if let Some(Scorer::TextCat { labels, .. }) = &mut component.scorer {
                *labels = found;
            }
        }
        Ok(())
    }

    /// Gives the component that `[pretraining]` names the pretrained weights of a file.
    ///
    /// # Errors
    ///
    /// `training-config` if that component does not learn; those of reading the file and of
    /// [`with_layer_weights`].
    pub(crate) fn set_pretrained(&mut self, path: &Path) -> Result<()> {
        let place = format!("[initialize] \"init_tok2vec\", {}", shown(path));
        let weights = std::fs::read(path).map_err(|error| Error::io("read", path, error))?;
        let (name, layer) = pretrained_layer(&self.config);
        let own = self.components.iter_mut().find(|component| component.name == name);
        let Some(Part::Trained(trained)) = own.map(|component| &mut component.part) else {
            let text = format!(
                "{place}: [pretraining] names the component {name:?}, which does not learn; set \
                 \"component\" and \"layer\" as they were when the weights were pretrained"
            );
            return Err(Error::value(codes::TRAINING_CONFIG, text));
        };
        let section = format!("components.{name}.model");
        let settings = Value::Section(self.config.section(&section).cloned().unwrap_or_default());
        let mut files = trained.files()?;
        if let Some((_, file)) = files.iter_mut().find(|(name, _)| name == "model") {
            let network = SavedNetwork { settings: &settings, file };
            let made = with_layer_weights(network, &section, &layer, &weights);
            *file = made.map_err(|error| error.context(&place))?;
        }
        trained.restore(&files, self.tokenizer.vocab())
    }

    /// Checks that each component that learns finds something to learn in examples.
    ///
    /// # Errors
    ///
    /// `E143` for a component that finds nothing; the errors of examples, all as one.
    pub(crate) fn check_examples(&mut self, examples: &[Example]) -> Result<()> {
        for component in &mut self.components {
            let Part::Trained(trained) = &mut component.part else { continue };
            let (mut learns, mut faults) = (false, Vec::new());
            for example in examples {
                match trained.learns_from(example) {
                    Ok(own) => learns |= own,
                    Err(error) => faults.push(error),
                }
            }
            let name = &component.name;
            if let Some(error) = united(faults) {
                return Err(error.context(format_args!("component {name:?}")));
            }
            let kind = ComponentKind::of(&component.factory);
            let is_ner = matches!(kind, Some(ComponentKind::Ner | ComponentKind::BeamNer));
            if !learns || is_ner && trained.labels().is_empty() {
                return Err(no_labels(name));
            }
        }
        Ok(())
    }

    /// Returns the files of all components with the present weights, by their names in the
    /// pipeline's folder.
    pub(crate) fn component_files(&self) -> Result<Vec<(String, Bytes)>> {
        let mut all = Vec::new();
        for component in &self.components {
            all.extend(component.files()?);
        }
        Ok(all)
    }

    /// Makes the components as a loaded pipeline has them.
    pub(crate) fn steps(&self) -> Result<Vec<Step>> {
        let files = PipelineFiles::from_parts(self.component_files()?);
        steps_of(&files, &self.config, &self.tokenizer, &load_options())
    }

    /// Makes a component as a loaded pipeline has it.
    pub(crate) fn step(&self, at: usize) -> Result<Step> {
        let component = &self.components[at];
        let mut config = self.config.clone();
        config.set("nlp.pipeline", Value::List(vec![component.name.as_str().into()]))?;
        let files = PipelineFiles::from_parts(component.files()?);
        let mut steps = steps_of(&files, &config, &self.tokenizer, &load_options())?;
        Ok(steps.remove(0))
    }

    /// Calls a function with the pipeline, whose running means of weights are shown in the place of
    /// these meanwhile, if the optimizer keeps them.
    pub(crate) fn with_averages<T>(&mut self, function: impl FnOnce(&mut Self) -> T) -> T {
        self.show_averages(true);
        let result = function(self);
        self.show_averages(false);
        result
    }

    fn show_averages(&mut self, are_shown: bool) {
        for component in &mut self.components {
            if let Part::Trained(trained) = &mut component.part {
                if let Some(learned) = trained.learned() {
                    learned.parameters.show_averages(are_shown);
                }
            }
        }
    }

    /// Returns the scorers: that of the tokenizer, and those of the components in order.
    pub(crate) fn scorers(&self) -> Vec<StepScorer> {
        let settings = self.config.section("components");
        let own = self.components.iter().enumerate().filter_map(|(at, component)| {
            let section = settings.and_then(|all| all.get(&component.name)?.as_section());
            let is_linked =
                ComponentKind::of(&component.factory) == Some(ComponentKind::EntityLinker);
            let with_gold_entities =
                (is_linked && section.is_some_and(uses_gold_entities)).then_some(at);
            Some(StepScorer { scorer: component.scorer.clone()?, with_gold_entities })
        });
        std::iter::once(Scorer::Tokenizer.into()).chain(own).collect()
    }
}

/// The number of errors that a message lists.
const MAX_FAULTS: usize = 20;

/// Joins errors to one; `None` without any.
fn united(faults: Vec<Error>) -> Option<Error> {
    let count = faults.len();
    let mut faults = faults.into_iter();
    let first = faults.next()?;
    if count == 1 {
        return Some(first);
    }
    let mut text = format!("{count} documents cannot be trained with\n  {}", first.message());
    for fault in faults.take(MAX_FAULTS - 1) {
        text.push_str("\n  ");
        text.push_str(fault.message());
    }
    if count > MAX_FAULTS {
        text.push_str("\n  ...");
    }
    Some(Error::value(codes::TRAINING_CORPUS, text))
}

impl PlannedComponent {
    /// Returns the files with the present weights, by their names in the pipeline's folder.
    fn files(&self) -> Result<Vec<(String, Bytes)>> {
        match &self.part {
            Part::Fixed(source) => Ok(source.files.clone()),
            Part::Trained(trained) => {
                let files = trained.files()?.into_iter();
                Ok(files
                    .map(|(file, bytes)| (format!("{}/{file}", self.name), bytes.into()))
                    .collect())
            }
        }
    }
}
