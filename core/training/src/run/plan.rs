//! A configuration of a training, read and checked as a whole before anything is made.

use std::sync::Arc;

use lexpool::codes;
use lexpool::components::ComponentKind;
use lexpool::config::{Config, Section, Value};
use lexpool::loading::check_name;
use lexpool::{Error, Result, limits};
use lexpool_nn::learn::OptimizerSettings;

use crate::components;
use crate::components::component::TrainableComponent;
use crate::components::knowledge::check_loader;
use crate::components::scorers::scorer;
use crate::components::sources::{Sourced, source};
use crate::corpora::batcher::Batcher;
use crate::corpora::corpus_reader::CorpusReader;
use crate::corpora::example_stream::ReadExamples;
use crate::scoring::Scorer;
use crate::settings::defaults::score_weights;
use crate::settings::fields::{Fields, Problems};
use crate::settings::fill::{
    fill_components, set_score_weights, united_score_weights, with_defaults,
};
use crate::settings::functions::OF_NLP;
use crate::settings::initialize_settings::{self, InitializeSettings};
use crate::settings::loop_settings::{self, LoopSettings};
use crate::settings::schedule_settings::optimizer;

/// A training that was read from a configuration.
///
/// ```
/// use lexpool_training::{Goal, TrainingPlan, starter_config};
///
/// let mut config = starter_config("en", &["tagger"], Goal::Efficiency)?;
/// config.set("paths.train", "train.spacy".into())?;
/// config.set("paths.dev", "dev.spacy".into())?;
/// let plan = TrainingPlan::read(&config)?;
/// assert_eq!(plan.component_names().collect::<Vec<_>>(), ["tok2vec", "tagger"]);
///
/// config.set("training.dropuot", 0.1.into())?;
/// assert_eq!(TrainingPlan::read(&config).err().unwrap().code(), "training-config");
/// # Ok::<(), lexpool::Error>(())
/// ```
pub struct TrainingPlan {
    /// The configuration with spaCy's defaults, and with sourced components written out; references
    /// are kept.
    pub(crate) config: Config,
    /// The configuration without references.
    pub(crate) resolved: Config,
    /// The code of the language.
    pub(crate) lang: String,
    /// The numbers of the loop.
    pub(crate) settings: LoopSettings,
    pub(crate) batcher: Batcher,
    pub(crate) optimizer: OptimizerSettings,
    pub(crate) train: CorpusReader,
    pub(crate) dev: CorpusReader,
    pub(crate) initialize: InitializeSettings,
    pub(crate) components: Vec<PlannedComponent>,
    /// The most bytes of memory; `None` for a share of what is free.
    pub(crate) memory_limit: Option<u64>,
}

/// A component of the pipeline.
pub(crate) struct PlannedComponent {
    pub(crate) name: String,
    pub(crate) factory: String,
    pub(crate) part: Part,
    /// The component of another pipeline whose labels and weights a component that learns begins
    /// with.
    pub(crate) origin: Option<Arc<Sourced>>,
    pub(crate) is_frozen: bool,
    /// `true` if later components see its annotation during training.
    pub(crate) annotates: bool,
    pub(crate) listens: bool,
    /// The scorer; of a categorizer without its labels, which are not known yet.
    pub(crate) scorer: Option<Scorer>,
}

impl PlannedComponent {
    /// Returns the kind; `None` for a factory that lexpool does not have.
    pub(crate) fn kind(&self) -> Option<ComponentKind> {
        ComponentKind::of(&self.factory)
    }

    /// Returns whether others listen to the component.
    fn is_shared(&self) -> bool {
        self.kind() == Some(ComponentKind::Tok2Vec)
    }
}

/// The part of a component in a training.
pub(crate) enum Part {
    /// It learns.
    Trained(Box<dyn TrainableComponent>),
    /// It stays as its files are.
    Fixed(Arc<Sourced>),
}

impl TrainingPlan {
    /// Reads a configuration.
    ///
    /// # Errors
    ///
    /// One error with all unknown keys and wrong values (`training-config`), or else with all that
    /// lexpool does not have (`training-unsupported`), each with its section. `E985` without the
    /// section `[nlp]`, `config-reference` for an invalid reference, `E913` for a corpus without a
    /// path, `E203` for a frozen `tok2vec` whose listeners learn and that does not annotate.
    pub fn read(given: &Config) -> Result<TrainingPlan> {
        let (mut config, lang) = with_defaults(given)?;
        let problems = Problems::default();
        let sources = source(&mut config, &problems)?;
        fill_components(&mut config)?;
        let resolved = config.interpolate()?;
        let section = |name: &str| resolved.section(name).cloned().unwrap_or_default();
        let (training, nlp, initialize) =
            (section("training"), section("nlp"), section("initialize"));
        let fields = Fields::new(&training, "training", &problems);
        let settings = loop_settings::read(&fields);
        let batcher = Batcher::read(fields.inner("batcher"));
        let optimizer = optimizer(fields.inner("optimizer"));
        fields.finish();
        check_nlp(&nlp, &problems);
        let initialize =
            initialize_settings::read(Fields::new(&initialize, "initialize", &problems));
        let names: Vec<String> = names(&nlp, "pipeline");
        for (key, given) in [
            ("frozen_components", &settings.frozen_components),
            ("annotating_components", &settings.annotating_components),
        ] {
            for name in given.iter().filter(|name| !names.contains(name)) {
                let text = format!("[training] {key:?} has {name:?}, which the pipeline lacks");
                problems.add_wrong(text);
            }
        }
        let mut planned = Vec::new();
        for name in &names {
            let component = plan_component(&resolved, name, &settings, &sources, &problems)?;
            planned.extend(component);
        }
        let corpus = |name: &str| corpus(&resolved, name, &problems);
        let (train, dev) = (corpus(&settings.train_corpus), corpus(&settings.dev_corpus));
        // Otherwise the component that is missing may be the shared one.
        if planned.len() == names.len() {
            check_shared(&planned, &problems);
        }
        check_initialize(&initialize, &names, &problems);
        problems.into_result(&resolved)?;
        let (train, dev) = train.zip(dev).expect("a problem was noted");
        let (train, dev) = (train.for_seed(settings.seed), dev.for_seed(settings.seed));
        for (name, reader) in [(&settings.train_corpus, &train), (&settings.dev_corpus, &dev)] {
            if reader.path().as_os_str().is_empty() {
                let text = format!("{}, [{name}]: \"path\" is null", resolved.origin());
                return Err(Error::value(codes::E913, text));
            }
        }
        check_frozen_tok2vec(&planned)?;
        let mut plan = TrainingPlan {
            config,
            resolved,
            lang,
            settings,
            batcher,
            optimizer,
            train,
            dev,
            initialize,
            components: planned,
            memory_limit: None,
        };
        plan.combine_score_weights()?;
        Ok(plan)
    }

    /// Sets the most bytes of memory, above which the training is refused before its first step.
    /// Without it that is 80 % of what is free, or of the limit of the process's control group.
    #[must_use]
    pub fn with_memory_limit(self, bytes: u64) -> TrainingPlan {
        TrainingPlan { memory_limit: Some(bytes), ..self }
    }

    /// Returns the numbers of the loop.
    pub fn settings(&self) -> &LoopSettings {
        &self.settings
    }

    /// Returns the names of the components in order.
    pub fn component_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.components.iter().map(|component| component.name.as_str())
    }

    /// Returns the error for a corpus that is empty.
    pub(crate) fn no_documents(&self, corpus: &str, read: &ReadExamples) -> Error {
        let left_out = match read.too_long {
            0 => String::new(),
            n => format!("; \"max_length\" leaves out {n} documents or sentences"),
        };
        let origin = self.config.origin();
        let text = format!("{origin}, [{corpus}]: the corpus has no documents{left_out}");
        Error::value(codes::E986, text)
    }

    /// Unites the weights of the scores of all components with those that are given, divides them
    /// by their sum, and puts them into the configuration.
    fn combine_score_weights(&mut self) -> Result<()> {
        let of_components = self.components.iter().flat_map(|component| {
            let key = match &component.scorer {
                Some(Scorer::Spans { key, .. }) => key,
                _ => "sc",
            };
            score_weights(&component.factory, key)
        });
        let configured = std::mem::take(&mut self.settings.score_weights);
        self.settings.score_weights = united_score_weights(of_components.chain(configured));
        for config in [&mut self.config, &mut self.resolved] {
            set_score_weights(config, &self.settings.score_weights)?;
        }
        Ok(())
    }
}

fn names(section: &Section, key: &str) -> Vec<String> {
    let names = section.get(key).and_then(Value::as_texts).unwrap_or_default();
    names.into_iter().map(str::to_owned).collect()
}

/// Notes what `[nlp]` has that lexpool does not.
fn check_nlp(nlp: &Section, problems: &Problems) {
    let fields = Fields::new(nlp, "nlp", problems);
    fields.get("lang");
    fields.texts("pipeline");
    for name in fields.texts("disabled") {
        fields.unsupported(&format!("disables {name:?}; a disabled component is not trained"));
    }
    for key in OF_NLP {
        fields.no_function(key);
    }
    fields.count("batch_size", 1000, limits::PIPE_BATCH);
    for (key, registry, known) in [
        ("tokenizer", "@tokenizers", "spacy.Tokenizer.v1"),
        ("vectors", "@vectors", "spacy.Vectors.v1"),
    ] {
        let Some(section) = fields.inner(key) else { continue };
        if let Some(name) = section.function(registry).filter(|name| *name != known) {
            section.unsupported(&format!("has {name:?}; lexpool has {known:?}"));
        } else {
            section.finish();
        }
    }
    fields.finish();
}

/// Notes settings of `[initialize.components]` that no component takes.
fn check_initialize(settings: &InitializeSettings, names: &[String], problems: &Problems) {
    for (name, section) in settings.components.iter() {
        let place = format!("initialize.components.{name}");
        if !names.iter().any(|own| own == name) {
            problems.add_wrong(format!("[{place}] is of a component that the pipeline lacks"));
        }
        let Some(section) = section.as_section() else {
            problems.add_wrong(format!("[{place}] is {section}; expected a section"));
            continue;
        };
        let fields = Fields::new(section, place, problems);
        for key in ["labels", "positive_label"] {
            fields.get(key);
        }
        check_loader(&fields);
        fields.finish();
    }
}

fn plan_component(
    config: &Config,
    name: &str,
    settings: &LoopSettings,
    sources: &[Arc<Sourced>],
    problems: &Problems,
) -> Result<Option<PlannedComponent>> {
    check_name(name)?;
    let Some(section) = config.section("components").and_then(|all| all.get(name)?.as_section())
    else {
        problems.add_wrong(format!("[nlp] lists {name:?}, but [components.{name}] is missing"));
        return Ok(None);
    };
    let fields = Fields::new(section, format!("components.{name}"), problems);
    let Some(factory) = fields.text("factory") else {
        fields.missing("factory");
        return Ok(None);
    };
    let is_frozen = settings.frozen_components.iter().any(|own| own == name);
    let mut scorer = scorer(&factory, &fields);
    let listens = listens(section);
    let mut origin = None;
    let sourced = sources.iter().find(|source| source.name == name);
    let part = match sourced {
        Some(source) if is_frozen || !components::is_trained(&factory) => {
            Some(Part::Fixed(Arc::clone(source)))
        }
        Some(source) => {
            origin = Some(Arc::clone(source));
            components::read(&factory, name, fields).map(Part::Trained)
        }
        None if components::is_trained(&factory) => {
            if is_frozen {
                fields.unsupported("is frozen, but has no 'source', so it would predict nothing");
            }
            components::read(&factory, name, fields).map(Part::Trained)
        }
        None => match components::rule_files(&factory, name, &fields) {
            Some(files) => {
                let name = name.to_owned();
                Some(Part::Fixed(Arc::new(Sourced { name, files, strings: None })))
            }
            None => None,
        },
    };
    if let (Some(Scorer::TextCat { labels, .. }), Some(Part::Fixed(source))) = (&mut scorer, &part)
    {
        *labels = source.labels()?;
    }
    let annotates = settings.annotating_components.iter().any(|own| own == name);
    let name = name.to_owned();
    Ok(part.map(|part| PlannedComponent {
        name,
        factory,
        part,
        origin,
        is_frozen,
        annotates,
        listens,
        scorer,
    }))
}

/// Returns whether settings have a listener at any depth.
fn listens(section: &Section) -> bool {
    let name = section.get("@architectures").and_then(Value::as_text).unwrap_or_default();
    let inner = |(_, value): (&str, &Value)| value.as_section().is_some_and(listens);
    name.contains("Tok2VecListener") || section.iter().any(inner)
}

fn corpus(config: &Config, name: &str, problems: &Problems) -> Option<CorpusReader> {
    if let Some(section) = config.section(name) {
        return CorpusReader::read_settings(Fields::new(section, name, problems));
    }
    problems.add_wrong(format!("[training] names the corpus {name:?}, which is missing"));
    None
}

/// Notes listeners without a shared component before them, and more than one such component.
fn check_shared(components: &[PlannedComponent], problems: &Problems) {
    let mut all = components.iter().filter(|component| component.is_shared());
    if let (Some(first), Some(second)) = (all.next(), all.next()) {
        problems.add_unsupported(format!(
            "[components.{}] and [components.{}] are shared both; lexpool trains one",
            first.name, second.name
        ));
    }
    let place = components.iter().position(PlannedComponent::is_shared);
    for (at, component) in components.iter().enumerate().filter(|(_, own)| own.listens) {
        if place.is_none_or(|place| place > at) {
            problems.add_wrong(format!(
                "[components.{}] listens to a tok2vec, of which the pipeline has none before it",
                component.name
            ));
        }
    }
}

/// Checks that listeners that learn see the rows of a shared component that does not.
fn check_frozen_tok2vec(components: &[PlannedComponent]) -> Result<()> {
    let shared = components.iter().find(|component| component.is_shared());
    let Some(shared) = shared.filter(|shared| shared.is_frozen && !shared.annotates) else {
        return Ok(());
    };
    match components.iter().find(|component| component.listens && !component.is_frozen) {
        None => Ok(()),
        Some(listener) => {
            let text = format!(
                "{:?} is frozen, and {:?} listens to it: add {:?} to \"annotating_components\" of \
                 [training]",
                shared.name, listener.name, shared.name
            );
            Err(Error::value(codes::E203, text))
        }
    }
}
