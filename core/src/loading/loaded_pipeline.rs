//! A pipeline from its files.

use std::path::Path;
use std::sync::Arc;

use ahash::AHashSet;

use super::factories;
use super::language::{ANY, read_tokenizer};
use super::names::check_name;
use super::networks::{self, trained_component};
use super::plan::{LoadingPlan, PlannedComponent, planned_components};
use super::refusals::Refusals;
use super::selection::LoadOptions;
use super::tokenizer_choice::TokenizerChoice;
use crate::codes;
use crate::components::ComponentKind;
use crate::config::{Config, Section};
use crate::pipeline::{ComponentSource, Pipeline, Step, json_object};
use crate::pipeline_files::PipelineFiles;
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};

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
    let plan = LoadingPlan::read(files, options)?;
    let names = plan.components.iter().map(|component| component.name.as_str());
    check_names(&plan)?;
    let vocab = (!options.excludes("vocab")).then_some("vocab");
    files.check_parts(names.clone().chain(vocab))?;
    let component_names: Vec<String> = names.map(str::to_owned).collect();
    let active = plan.components.iter();
    let active = active.filter(|component| !plan.disabled.contains(&component.name));
    let active: Vec<&PlannedComponent> = active.collect();

    let mut refusals = Refusals::default();
    refusals.add_nlp(&plan);
    for PlannedComponent { name, factory, settings } in &active {
        let of_rules = factories::refusals(factory, settings, &plan.lang);
        let of_networks = networks::refusals(ComponentKind::of(factory), settings);
        for reason in of_rules.into_iter().chain(of_networks) {
            refusals.add_component(name, &reason);
        }
    }
    let mut warnings = Vec::new();
    let read = match plan.tokenizer {
        // Its file has an unknown format.
        TokenizerChoice::Unknown(_) => Tokenizer::blank(ANY).map(Arc::new),
        _ => read_tokenizer(files, &plan.lang, &plan.tokenizer, options, &mut warnings),
    };
    let tokenizer = match read {
        // Any tokenizer will do to find the other refusals.
        Err(_) if !refusals.is_empty() => Arc::new(Tokenizer::blank(ANY)?),
        read => read?,
    };
    let place = (files, &plan.resolved, plan.lang.as_str(), &tokenizer);
    let steps = make_steps(place, options, &active, &mut refusals)?;
    refusals.into_result(&plan.config)?;
    let has_meta =
        !options.excludes("meta.json") && !options.excludes("meta") && files.contains("meta.json");
    Ok(LoadedPipeline {
        pipeline: Pipeline::new(tokenizer, steps),
        lang: plan.lang,
        meta: if has_meta { json_object(files, "meta.json")? } else { Section::default() },
        config: plan.config,
        component_names,
        disabled: plan.disabled,
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
    let lang = config.section("nlp").and_then(|nlp| nlp.get("lang")?.as_text());
    let components = planned_components(config, &LoadOptions::default())?;
    let components: Vec<&PlannedComponent> = components.iter().collect();
    let mut refusals = Refusals::default();
    let place = (files, config, lang.unwrap_or_default(), tokenizer);
    let steps = make_steps(place, options, &components, &mut refusals)?;
    refusals.into_result(config)?;
    Ok(steps)
}

/// Makes the components in order. After a refusal, components of rules are not made, since their
/// phrases would lack the annotation of the refused one.
fn make_steps(
    (files, config, lang, tokenizer): (&PipelineFiles, &Config, &str, &Arc<Tokenizer>),
    options: &LoadOptions,
    components: &[&PlannedComponent],
    refusals: &mut Refusals,
) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    for PlannedComponent { name, factory, settings } in components {
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

/// Checks that each component has a part of the folder of its own.
fn check_names(plan: &LoadingPlan) -> Result<()> {
    let mut names = AHashSet::new();
    for PlannedComponent { name, .. } in &plan.components {
        let place = || format!("{}, [nlp], 'pipeline'", plan.config.origin());
        check_name(name).map_err(|error| error.context(place()))?;
        if !names.insert(name) {
            let text = format!("{}: the name {name:?} occurs twice", place());
            return Err(Error::value(codes::E007, text));
        }
    }
    Ok(())
}
