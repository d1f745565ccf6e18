//! The plan of a pipeline, of which Python makes objects.

use lexpool::config::{Section, Value};
use lexpool::loading::{self, LoadOptions, LoadingPlan, TokenizerChoice};
use lexpool::{Error, codes};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::config::config_of;
use super::json::{Settings, to_dict};
use crate::runtime::error::{OrRaise, to_py};
use crate::runtime::items::Items;

/// Returns the configuration of a blank pipeline of a language, with references.
#[pyfunction]
// stub: -> dict[str, Any]
fn default_config<'py>(py: Python<'py>, lang: &str) -> PyResult<Bound<'py, PyDict>> {
    to_dict(py, loading::default_config(lang).or_raise()?.root())
}

/// Returns what a configuration asks for.
///
/// source: its text, the bytes of its file, or nested dicts.
/// origin: the name of the file, for errors.
/// overrides: settings, nested or by dotted name, in existing sections.
/// exclude, disable, enable: names of components, as for `lexpool.load`.
///
/// Raises ConfigError: config-syntax, config-reference, config-value, E956, E961, E984, E985;
/// ValueError: E1042.
#[pyfunction]
// stub: (source: str | bytes | dict[str, Any]) -> _LoadingPlan
#[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
fn plan_loading<'py>(
    source: &Bound<'py, PyAny>,
    origin: &str,
    overrides: Settings,
    exclude: Items<String>,
    disable: Items<String>,
    enable: Items<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = source.py();
    let mut config = config_of(source, origin)?;
    config.update(&overrides.0).or_raise()?;
    let options = LoadOptions {
        exclude: exclude.into_vec(),
        disable: disable.into_vec(),
        enable: enable.into_vec(),
        ..LoadOptions::default()
    };
    let plan = LoadingPlan::new(config, &options).or_raise()?;
    let segmenter = match &plan.tokenizer {
        TokenizerChoice::Segmenter(choice) => {
            let arguments = PyDict::new(py);
            arguments.set_item("name", choice.name)?;
            arguments.set_item("data", &choice.dictionary)?;
            arguments.set_item("split_mode", &choice.split_mode)?;
            Some(arguments)
        }
        TokenizerChoice::Unknown(reason) => {
            let text = format!("{origin}, [nlp.tokenizer] {reason}");
            return Err(to_py(&Error::value(codes::CONFIG_VALUE, text)));
        }
        TokenizerChoice::Rules | TokenizerChoice::Replacement => None,
    };
    let none = Section::default();
    let nlp = plan.resolved.section("nlp").unwrap_or(&none);
    let written = plan.config.section("components").unwrap_or(&none);
    let components = PyList::empty(py);
    for component in &plan.components {
        let written = written.get(&component.name).and_then(Value::as_section);
        let written = to_dict(py, written.unwrap_or(&component.settings))?;
        let settings = to_dict(py, &component.settings)?;
        components.append((&component.name, &component.factory, settings, written))?;
    }
    let facts = PyDict::new(py);
    facts.set_item("lang", &plan.lang)?;
    facts.set_item("config", to_dict(py, plan.config.root())?)?;
    facts.set_item("nlp", to_dict(py, nlp)?)?;
    facts.set_item("batch_size", plan.batch_size)?;
    facts.set_item("segmenter", segmenter)?;
    facts.set_item("reads_tokenizer", plan.tokenizer != TokenizerChoice::Replacement)?;
    facts.set_item("components", components)?;
    facts.set_item("disabled", &plan.disabled)?;
    Ok(facts)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(default_config, module)?)?;
    module.add_function(wrap_pyfunction!(plan_loading, module)?)
}
