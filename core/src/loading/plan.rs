//! The plan of a pipeline: what its configuration asks for, from which Rust makes steps and Python
//! makes objects.

use super::defaults::default_config;
use super::names::check_name;
use super::selection::LoadOptions;
use super::tokenizer_choice::TokenizerChoice;
use crate::codes;
use crate::config::{Config, Section, Value};
use crate::escape::shown;
use crate::pipeline_files::PipelineFiles;
use crate::{Error, ErrorKind, Result};

/// What a configuration asks for, after the choice of a caller.
#[derive(Clone, Debug)]
pub struct LoadingPlan {
    /// The code of the language.
    pub lang: String,
    /// The configuration with the defaults of keys that the file lacks; references are kept.
    pub config: Config,
    /// The same without references.
    pub resolved: Config,
    /// The tokenizer.
    pub tokenizer: TokenizerChoice,
    /// The number of documents in a batch; `None` for that of the caller.
    pub batch_size: Option<i64>,
    /// The components that are not excluded, in order.
    pub components: Vec<PlannedComponent>,
    /// The names of those that do not run.
    pub disabled: Vec<String>,
}

/// A component of a configuration.
#[derive(Clone, Debug)]
pub struct PlannedComponent {
    /// The name in the pipeline, which may be invalid.
    pub name: String,
    /// The factory; empty for a component from another pipeline.
    pub factory: String,
    /// The other settings without references.
    pub settings: Section,
}

impl LoadingPlan {
    /// Reads the file `config.cfg` of a pipeline.
    ///
    /// # Errors
    ///
    /// `E053` without such a file; those of reading it, and of [`new`](LoadingPlan::new).
    pub fn read(files: &PipelineFiles, options: &LoadOptions) -> Result<LoadingPlan> {
        let Some(bytes) = files.read_optional("config.cfg")? else {
            let root = shown(files.root());
            let text = format!("{root} has no file config.cfg, which nlp.to_disk writes");
            return Err(Error::new(ErrorKind::Io, codes::E053, text));
        };
        let path = shown(&files.path("config.cfg")).to_string();
        LoadingPlan::new(Config::parse_bytes(&bytes, &path)?, options)
    }

    /// Makes the plan of a configuration.
    ///
    /// # Errors
    ///
    /// `config-syntax` for an override of a missing section, `config-reference`, `config-value` for
    /// values of another kind; `E985` without a section `[nlp]`, `E956` and `E984` for a component
    /// without a section or a factory, `E1042` for a component that is enabled and disabled.
    pub fn new(mut config: Config, options: &LoadOptions) -> Result<LoadingPlan> {
        for (name, value) in &options.config {
            config.set(name, value.clone())?;
        }
        let Some(nlp) = config.section("nlp") else {
            let text = format!("{} has no section [nlp]", config.origin());
            return Err(Error::value(codes::E985, text));
        };
        let Some(lang) = nlp.get("lang").and_then(Value::as_text).map(str::to_owned) else {
            let found = nlp.get("lang").unwrap_or(&Value::Null);
            return Err(config.value_error("nlp", "lang", found, "the code of a language"));
        };
        let mut config = default_config(&lang)?.merge(&config);
        let resolved = config.interpolate()?;
        let tokenizer = TokenizerChoice::of(&lang, &resolved)?;
        tokenizer.name_in(&mut config, &lang)?;
        let batch_size = resolved.section("nlp").and_then(|nlp| nlp.get("batch_size"));
        let batch_size = match batch_size {
            None | Some(Value::Null) => None,
            Some(Value::Int(size)) => Some(*size),
            Some(other) => {
                let expected = "an integer or null";
                return Err(config.value_error("nlp", "batch_size", other, expected));
            }
        };
        let components = planned_components(&resolved, options)?;
        let component_names = components.iter().map(|component| component.name.as_str());
        let disabled = options.disabled(component_names, &names(&resolved, "disabled")?)?;
        Ok(LoadingPlan { lang, config, resolved, tokenizer, batch_size, components, disabled })
    }
}

/// Returns the components of a configuration without references that are not excluded.
pub(super) fn planned_components(
    config: &Config,
    options: &LoadOptions,
) -> Result<Vec<PlannedComponent>> {
    let none = Section::default();
    let sections = config.section("components").unwrap_or(&none);
    let listed = names(config, "pipeline")?.into_iter().filter(|name| !options.excludes(name));
    let planned = |name: &str| {
        let Some(section) = sections.get(name).and_then(Value::as_section) else {
            let place = || format!("{}, [nlp], 'pipeline'", config.origin());
            check_name(name).map_err(|error| error.context(place()))?;
            let known = sections.keys().collect::<Vec<_>>().join(", ");
            let text = format!(
                "{}, [nlp], 'pipeline' lists {name:?}, but [components.{name}] is missing; \
                 sections exist for: {known}",
                config.origin()
            );
            return Err(Error::value(codes::E956, text));
        };
        let factory = match (section.get("factory"), section.get("source")) {
            (Some(Value::Text(factory)), _) => factory.clone(),
            (None, Some(_)) => String::new(),
            _ => {
                let text = format!(
                    "{}, [components.{name}]: expected the key 'factory' or 'source'",
                    config.origin()
                );
                return Err(Error::value(codes::E984, text));
            }
        };
        let settings = section.iter().filter(|(key, _)| *key != "factory");
        let settings = settings.map(|(key, value)| (key.to_owned(), value.clone())).collect();
        Ok(PlannedComponent { name: name.to_owned(), factory, settings })
    };
    listed.map(planned).collect()
}

/// Returns a list of names of `[nlp]`.
pub(super) fn names<'a>(config: &'a Config, key: &str) -> Result<Vec<&'a str>> {
    let value = config.section("nlp").and_then(|nlp| nlp.get(key)).unwrap_or(&Value::Null);
    value.as_texts().ok_or_else(|| config.value_error("nlp", key, value, "a list of names"))
}
