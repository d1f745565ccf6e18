//! A pipeline from its files.

use std::path::Path;
use std::sync::Arc;

use super::defaults::default_config;
use super::factories;
use super::language::{ANY, read_tokenizer};
use super::names::check_name;
use super::networks::{self, trained_component};
use super::refusals::Refusals;
use super::selection::LoadOptions;
use crate::codes;
use crate::components::ComponentKind;
use crate::config::{Config, Section, Value};
use crate::escape::shown;
use crate::pipeline::{ComponentSource, Pipeline, Step, json_object};
use crate::pipeline_files::PipelineFiles;
use crate::tokenizer::Tokenizer;
use crate::{Error, ErrorKind, Result};

/// Number of attempts at a folder that is replaced while it is loaded.
pub const MAX_LOADS: usize = 50;

/// A pipeline with what its folder says about it.
pub struct LoadedPipeline {
    /// The tokenizer and the components that run.
    pub pipeline: Pipeline,
    /// The code of the language.
    pub lang: String,
    /// The contents of `meta.json`; empty if the file is missing or excluded.
    pub meta: Section,
    /// The configuration with the defaults of keys that the file lacks; references are kept.
    pub config: Config,
    /// The names of all components that are not excluded, in order.
    pub component_names: Vec<String>,
    /// The names of the components that do not run.
    pub disabled: Vec<String>,
    /// Differences from spaCy, as for a language of which lexpool lacks data.
    pub warnings: Vec<String>,
}

/// A component of the configuration.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) factory: String,
    pub(super) settings: Section,
}

/// Loads a folder that `nlp.to_disk` of spaCy or lexpool wrote, or a file of
/// [`pack`](super::pack).
///
/// Cost: reading the files; compiling the tokenizer's patterns and the rules.
///
/// # Errors
///
/// `E050` if the path is not a folder, `E053` if it has no `config.cfg`.
///
/// `pipeline-unsupported` if the pipeline has components, functions or callbacks that lexpool
/// cannot run: one error lists all of them with their sections and the way out.
///
/// `config-syntax`, `config-reference` and `config-value` for an invalid configuration, `E985`
/// without a section `[nlp]`, `E956` and `E984` for a component without a section or a factory,
/// `component-name` and `E007` for a name that is invalid or occurs twice, `E1042` for a name that
/// is enabled, and disabled by an option or the configuration.
///
/// `save-mixed` for parts of different saves, `save-replaced` for a folder that other processes
/// replace all the time.
///
/// Those of reading the vocab, the tokenizer and the components, each with the path of the file or
/// the section of the component.
pub fn load(path: &Path, options: &LoadOptions) -> Result<LoadedPipeline> {
    let mut loads = 0;
    loop {
        let files = PipelineFiles::open(path)?;
        let loaded = load_files(&files, options);
        loads += 1;
        match files.check_current() {
            Ok(()) => return loaded,
            // Another process has saved to the folder, and parts of both may have been read.
            Err(error) if loads == MAX_LOADS => return Err(error),
            Err(_) => {}
        }
    }
}

/// Loads a pipeline from its files. Networks and vectors of a packed file stay in it, and keep it
/// open.
///
/// # Errors
///
/// Those of [`load`].
pub fn load_files(files: &PipelineFiles, options: &LoadOptions) -> Result<LoadedPipeline> {
    let raw = read_config(files, options)?;
    let config = raw.interpolate()?;
    let nlp = config.section("nlp").cloned().unwrap_or_default();
    let lang = nlp.get("lang").and_then(Value::as_text).unwrap_or_default().to_owned();
    let entries = entries(&config, &nlp, options)?;
    let component_names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    let by_config = names(&config, &nlp, "disabled")?;
    let disabled = options.disabled(&component_names, &by_config)?;
    let vocab = (!options.excludes("vocab")).then_some("vocab");
    files.check_parts(component_names.iter().map(String::as_str).chain(vocab))?;
    let active = entries.into_iter().filter(|entry| !disabled.contains(&entry.name));
    let active: Vec<Entry> = active.collect();

    let mut refusals = Refusals::default();
    refusals.add_nlp(&nlp);
    for Entry { name, factory, settings } in &active {
        let of_rules = factories::refusals(factory, settings, &lang);
        let of_networks = networks::refusals(ComponentKind::of(factory), settings);
        for reason in of_rules.into_iter().chain(of_networks) {
            refusals.add_component(name, &reason);
        }
    }
    let mut warnings = Vec::new();
    let read = if refusals.has_tokenizer {
        Tokenizer::blank(ANY).map(Arc::new)
    } else {
        read_tokenizer(files, &lang, &nlp, options, &mut warnings)
    };
    let tokenizer = match read {
        // Any tokenizer will do to find the other refusals.
        Err(_) if !refusals.is_empty() => Arc::new(Tokenizer::blank(ANY)?),
        read => read?,
    };
    let place = (files, &config, lang.as_str(), &tokenizer);
    let steps = make_steps(place, options, &active, &mut refusals)?;
    refusals.into_result(&config)?;
    let has_meta =
        !options.excludes("meta.json") && !options.excludes("meta") && files.contains("meta.json");
    Ok(LoadedPipeline {
        pipeline: Pipeline::new(tokenizer, steps),
        lang,
        meta: if has_meta { json_object(files, "meta.json")? } else { Section::default() },
        config: raw,
        component_names,
        disabled,
        warnings,
    })
}

/// Makes the components of a pipeline whose tokenizer and vocab exist. The configuration has no
/// references. Of the options, the loaders and the order of sums have an effect.
///
/// # Errors
///
/// Those of [`load`] for components.
pub fn steps_of(
    files: &PipelineFiles,
    config: &Config,
    tokenizer: &Arc<Tokenizer>,
    options: &LoadOptions,
) -> Result<Vec<Step>> {
    let nlp = config.section("nlp").cloned().unwrap_or_default();
    let lang = nlp.get("lang").and_then(Value::as_text).unwrap_or_default();
    let entries = entries(config, &nlp, &LoadOptions::default())?;
    let mut refusals = Refusals::default();
    let place = (files, config, lang, tokenizer);
    let steps = make_steps(place, options, &entries, &mut refusals)?;
    refusals.into_result(config)?;
    Ok(steps)
}

/// Makes the components in order. After a refusal, components of rules are not made, since their
/// phrases would lack the annotation of the refused one.
fn make_steps(
    (files, config, lang, tokenizer): (&PipelineFiles, &Config, &str, &Arc<Tokenizer>),
    options: &LoadOptions,
    entries: &[Entry],
    refusals: &mut Refusals,
) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    for Entry { name, factory, settings } in entries {
        if refusals.has(name) {
            continue;
        }
        let steps_before = steps.as_slice();
        let source = ComponentSource {
            factory,
            name,
            settings,
            config,
            files,
            lang,
            tokenizer,
            steps_before,
            order: options.order,
        };
        let mut loaded = options.loaders.iter().map(|load| load(&source));
        let component = match loaded.find(|result| !matches!(result, Ok(None))) {
            Some(result) => result,
            None => match factories::find(factory) {
                Some(_) if !refusals.is_empty() => continue,
                Some(make) => make(&source).map(Some),
                None => trained_component(&source),
            },
        };
        let failed = match component {
            Ok(Some(component)) => {
                steps.push(Step { name: name.clone(), component });
                continue;
            }
            Ok(None) => source.unsupported(&factories::unknown(factory)),
            Err(error) => error,
        };
        match refusals.add_error(name, failed) {
            Err(error) if refusals.is_empty() => {
                return Err(error.context(format!("the component {name:?}")));
            }
            _ => {}
        }
    }
    Ok(steps)
}

/// Reads the configuration of a pipeline, with defaults and overrides.
pub(super) fn read_config(files: &PipelineFiles, options: &LoadOptions) -> Result<Config> {
    let Some(bytes) = files.read_optional("config.cfg")? else {
        let root = shown(files.root());
        let text = format!("{root} has no file config.cfg, which nlp.to_disk writes");
        return Err(Error::new(ErrorKind::Io, codes::E053, text));
    };
    let mut given = Config::parse_bytes(&bytes, &shown(&files.path("config.cfg")).to_string())?;
    for (name, value) in &options.config {
        given.set(name, value.clone())?;
    }
    let Some(nlp) = given.section("nlp") else {
        let text = format!("{} has no section [nlp]", given.origin());
        return Err(Error::value(codes::E985, text));
    };
    let Some(lang) = nlp.get("lang").and_then(Value::as_text) else {
        let found = nlp.get("lang").unwrap_or(&Value::Null);
        return Err(value_error(&given, "nlp", "lang", found, "the code of a language"));
    };
    Ok(default_config(lang)?.merge(&given))
}

/// Returns the components of a pipeline that are not excluded.
pub(super) fn entries(config: &Config, nlp: &Section, options: &LoadOptions) -> Result<Vec<Entry>> {
    let sections = config.section("components").cloned().unwrap_or_default();
    let mut entries: Vec<Entry> = Vec::new();
    for name in names(config, nlp, "pipeline")? {
        if options.excludes(name) {
            continue;
        }
        let place = || format!("{}, [nlp], 'pipeline'", config.origin());
        check_name(name).map_err(|error| error.context(place()))?;
        if entries.iter().any(|entry| entry.name == name) {
            let text = format!("{}: the name {name:?} occurs twice", place());
            return Err(Error::value(codes::E007, text));
        }
        let Some(section) = sections.get(name).and_then(Value::as_section) else {
            let known = sections.keys().collect::<Vec<_>>().join(", ");
            let text = format!(
                "{} lists {name:?}, but [components.{name}] is missing; sections exist for: {known}",
                place()
            );
            return Err(Error::value(codes::E956, text));
        };
        let factory = match (section.get("factory"), section.get("source")) {
            (Some(Value::Text(factory)), _) => factory.clone(),
            (None, Some(_)) => factories::SOURCE.to_owned(),
            _ => {
                let text =
                    format!("{}, [components.{name}]: expected the key 'factory'", config.origin());
                return Err(Error::value(codes::E984, text));
            }
        };
        let settings = section.iter().filter(|(key, _)| *key != "factory");
        let settings = settings.map(|(key, value)| (key.to_owned(), value.clone())).collect();
        entries.push(Entry { name: name.to_owned(), factory, settings });
    }
    Ok(entries)
}

/// Returns a list of names of `[nlp]`.
pub(super) fn names<'a>(config: &Config, nlp: &'a Section, key: &str) -> Result<Vec<&'a str>> {
    let value = nlp.get(key).unwrap_or(&Value::Null);
    value.as_texts().ok_or_else(|| value_error(config, "nlp", key, value, "a list of names"))
}

fn value_error(config: &Config, section: &str, key: &str, found: &Value, kind: &str) -> Error {
    let text = format!("{}, [{section}]: {key:?} is {found}; expected {kind}", config.origin());
    Error::value(codes::CONFIG_VALUE, text)
}
