//! Configurations with all that spaCy fills in.

use lexpool::codes;
use lexpool::config::{Config, Section, Value};
use lexpool::loading::default_config;
use lexpool::{Error, Result};

use super::defaults::{component_defaults, pretraining_defaults, score_weights, training_defaults};

/// Returns a configuration with spaCy's defaults for all that it leaves out: sections, settings of
/// components, weights of scores. References are kept; components with a `source` stay as they are.
///
/// # Errors
///
/// `E985` without the section `[nlp]`; `config-reference` for an invalid reference.
pub fn fill_config(given: &Config) -> Result<Config> {
    let (mut config, _) = with_defaults(given)?;
    fill_components(&mut config)?;
    let resolved = config.interpolate()?;
    let components = resolved.section("components").cloned().unwrap_or_default();
    let names = resolved.section("nlp").and_then(|nlp| nlp.get("pipeline")?.as_texts());
    let names = names.unwrap_or_default();
    let of_components = names.iter().filter_map(|name| {
        let section = components.get(name)?.as_section()?;
        let text = |key: &str| section.get(key).and_then(Value::as_text);
        Some(score_weights(text("factory")?, text("spans_key").unwrap_or("sc")))
    });
    let configured = resolved.section("training.score_weights").cloned().unwrap_or_default();
    let configured = configured.iter().map(|(name, weight)| (name.to_owned(), weight.as_float()));
    let weights = united_score_weights(of_components.flatten().chain(configured));
    set_score_weights(&mut config, &weights)?;
    Ok(config)
}

/// Merges a configuration with spaCy's defaults; returns it with the code of its language.
///
/// # Errors
///
/// `E985` without the section `[nlp]`.
pub(crate) fn with_defaults(config: &Config) -> Result<(Config, String)> {
    let lang = config.section("nlp").and_then(|nlp| nlp.get("lang")?.as_text());
    let Some(lang) = lang.map(str::to_owned) else {
        let text = format!("{} has no section [nlp] with the key 'lang'", config.origin());
        return Err(Error::value(codes::E985, text));
    };
    let defaults = default_config(&lang)?.merge(&training_defaults()?);
    Ok((defaults.merge(config), lang))
}

/// Returns a configuration with spaCy's defaults for what `[pretraining]`, its corpus and its path
/// leave out; other sections stay as they are.
///
/// # Errors
///
/// Those of parsing the defaults.
pub fn fill_pretraining(given: &Config) -> Result<Config> {
    Ok(pretraining_defaults()?.merge(given))
}

/// Merges a configuration with spaCy's defaults, those of a pretraining too; returns it with the
/// code of its language.
///
/// # Errors
///
/// `E985` without the section `[nlp]`.
pub(crate) fn with_pretraining_defaults(config: &Config) -> Result<(Config, String)> {
    with_defaults(&fill_pretraining(config)?)
}

/// Adds to the sections of components the settings that spaCy's factories have by default, with
/// which the folder is loaded.
pub(crate) fn fill_components(config: &mut Config) -> Result<()> {
    let components = config.section("components").cloned().unwrap_or_default();
    for (name, section) in components.iter() {
        let Some(section) = section.as_section() else { continue };
        let factory = section.get("factory").and_then(Value::as_text).unwrap_or_default();
        for (key, value) in component_defaults(factory)?.iter() {
            if !section.contains(key) {
                config.set(&format!("components.{name}.{key}"), value.clone())?;
            }
        }
    }
    Ok(())
}

/// Unites the weights of the scores of components, in order, with those of a configuration, and
/// divides them by their sum. Of two of one name, the later one counts.
pub fn united_score_weights(
    weights: impl IntoIterator<Item = (String, Option<f64>)>,
) -> Vec<(String, Option<f64>)> {
    let mut united = Section::default();
    for (name, weight) in weights {
        united.set(&name, weight.map_or(Value::Null, Value::Float));
    }
    let sum: f64 = united.iter().filter_map(|(_, weight)| weight.as_float()).sum();
    let weights = united.iter().map(|(name, weight)| {
        let weight = weight.as_float();
        let is_divided = sum > 0.0 && weight.is_some_and(|weight| weight != 0.0);
        let weight = if is_divided { weight.map(|weight| rounded(weight / sum)) } else { weight };
        (name.to_owned(), weight)
    });
    weights.collect()
}

/// Puts the weights of scores into a configuration.
pub(crate) fn set_score_weights(
    config: &mut Config,
    weights: &[(String, Option<f64>)],
) -> Result<()> {
    let value = |weight: &Option<f64>| weight.map_or(Value::Null, Value::Float);
    let section: Section =
        weights.iter().map(|(name, weight)| (name.clone(), value(weight))).collect();
    config.set("training.score_weights", section.into())
}

/// Returns a number with two decimals, as Python's `round` gives it.
fn rounded(number: f64) -> f64 {
    format!("{number:.2}").parse().unwrap_or(number)
}
